"""The dual solver on the stage: the KKT picture, the violations, and its story."""

from engine.runtime.events import Event, Finished, PhaseBegan
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from explorer.replay.lookup import Replay
from explorer.stage.presentation import Presentation
from explorer.stage.story import spent
from explorer.style.number_format import count, number
from explorer.systems.kernel_svm.curves import CHARTS, CURVES
from explorer.systems.kernel_svm.story import story
from explorer.systems.kernel_svm.view import KktView


def _line(event: Event | None) -> str:
    match event:
        case PhaseBegan(name="look at all") | ActiveSetChanged():
            return "look"
        case PhaseBegan(name="gradient"):
            return "start"
        case Iteration():
            return "solve update"
        case Finished():
            return "done"
        case _:
            return "start"


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    frame = replay.frame(cursor)
    if frame is None:
        return {}
    now = frame.event
    assert isinstance(now, Iteration)
    numbers = {
        "objective": number(now.objective, 6),
        "violation": number(now.violation, 3),
        "free SVs": count(now.n_free),
        "bound SVs": count(now.n_bound),
        "active points": count(now.n_active),
    }
    return numbers | spent(replay, cursor)


LISTING = (
    ("start", 0, r"$\alpha \leftarrow 0,\quad G \leftarrow Q\alpha - e = -e$"),
    ("repeat", 0, "repeat"),
    ("choose", 1, r"working set $B \leftarrow$ half of the last one and the worst violators by $-y_i G_i$"),
    (
        "solve",
        1,
        r"$\min_{\alpha_B} \frac{1}{2}\alpha^T Q \alpha - e^T\alpha,\ 0 \le \alpha \le C$, two variables at a time",
    ),
    ("update", 1, r"$G \leftarrow G + Q_{:B}\,\Delta\alpha_B$, with rows of $Q$ from the cache"),
    ("look", 1, "set aside what a bound holds firmly; in the end look at all"),
    ("done", 0, r"until $\max_{i \in I_{up}} -y_i G_i - \min_{j \in I_{low}} -y_j G_j \le \varepsilon$"),
)

PRESENTATION = Presentation(
    solver="kernel-svm",
    summary="The dual problem by decomposition: working sets, two-variable steps, shrinking; LIBSVM's answer, in view.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=KktView,
    charts=CHARTS,
    curves=CURVES,
    files=__package__ or "",
    shown=("kernel", "C", "gamma", "degree", "coef0", "bias", "working_set", "tol", "seed"),
    labels={"working_set": "working set"},
)
PRESENTATIONS = (PRESENTATION,)
