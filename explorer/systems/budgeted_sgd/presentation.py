"""Budgeted SGD on the stage: its story, its listing, its charts, its presets."""

from engine.runtime.events import Event, Finished, PhaseBegan
from engine.systems.budgeted_sgd.events import (
    BudgetFinished,
    BudgetMaintained,
    MergesReplayed,
    StepsTaken,
    StrategiesCompared,
)
from explorer.figures.charts import ACCURACY, Chart, Curves, IterationAxis
from explorer.figures.scene import LAYERS, SHOWN
from explorer.replay.lookup import Replay
from explorer.stage.presentation import Presentation
from explorer.stage.story import spent
from explorer.style.number_format import count, number
from explorer.style.theme import GREEN, NEGATIVE, POSITIVE
from explorer.systems.budgeted_sgd.overlay import LAYERS as MERGE_LAYERS
from explorer.systems.budgeted_sgd.overlay import Merges
from explorer.systems.budgeted_sgd.reader import BudgetFrame, BudgetReader
from explorer.systems.budgeted_sgd.story import budget_of, story
from explorer.systems.budgeted_sgd.view import MergeView

CHARTS = (
    Chart("objective", "How large is the primal objective?", "log", {"objective": (NEGATIVE, "estimate")}),
    Chart(
        "frequency",
        "How many steps in 100 …?",
        "linear",
        {"violated": (POSITIVE, "violate the margin"), "maintained": (GREEN, "fill it up")},
    ),
    ACCURACY,
)


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    assert isinstance(event, StepsTaken)
    return {
        "objective": event.objective,
        "violated": 100 * event.violations / event.step,
        "maintained": 100 * event.maintained / event.step,
    }


class _Axis(IterationAxis):
    """The steps."""

    def read(self, event: Event) -> None:
        """Move on to a step."""
        assert isinstance(event, StepsTaken)
        self.place = event.step


def _line(event: Event | None) -> str:
    match event:
        case StepsTaken():
            return "shrink add"
        case BudgetMaintained():
            return "first partner merge"
        case StrategiesCompared() | MergesReplayed() | BudgetFinished():
            return "done"
        case PhaseBegan():
            return "pass"
        case _:
            return "start"


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    frame = replay.frame(cursor)
    if not isinstance(frame, BudgetFrame):
        return {}
    told = [past for past in replay.recording[: cursor + 1] if isinstance(past, StepsTaken)]
    told = [past for past in told if past.stamp.path == frame.event.stamp.path]
    numbers = {
        "vectors": f"{len(frame.budget.coefficients):,} of {budget_of(replay):,}",
        "largest |α|": number(float(abs(frame.budget.coefficients).max(initial=0.0)), 3),
    }
    if isinstance(frame.event, BudgetMaintained):
        numbers["too many, so far"] = count(frame.event.number)
    elif told:
        numbers["too many, so far"] = count(told[-1].maintained)
    if told:
        numbers |= {"violations": count(told[-1].violations), "objective, about": number(told[-1].objective, 5)}
    return numbers | spent(replay, cursor)


LISTING = (
    ("start", 0, r"$w \leftarrow 0,\quad \lambda \leftarrow \frac{1}{nC}$"),
    ("pass", 0, "for each pass, for each point $(x, y)$ in random order"),
    ("shrink", 1, r"$\eta \leftarrow \frac{1}{\lambda t},\quad w \leftarrow (1 - \lambda\eta)\,w$"),
    ("add", 1, r"if $y f(x) < 1$: $w \leftarrow w + \eta\, y\, \varphi(x)$"),
    ("first", 2, r"more than $B$ vectors: take the one with the smallest $|\alpha_i|$"),
    ("partner", 2, r"$j \leftarrow$ partner of least $\alpha_i^2 + \alpha_j^2 + 2\alpha_i\alpha_j\kappa - \alpha_z^2$"),
    ("merge", 2, r"$z \leftarrow h x_i + (1-h) x_j,\quad \alpha_z \leftarrow (\alpha_i + \alpha_j)\, s(h)$"),
    ("done", 0, r"$h, WD$: tables over $m = \frac{\alpha_i}{\alpha_i + \alpha_j}$ and $\kappa = K(x_i, x_j)$"),
)  # fmt: skip

PRESENTATION = Presentation(
    solver="budgeted-sgd",
    summary="A point at a time, and never more than so many vectors: when there is one too many, two merge into one, "
    "by a table that is looked up.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=MergeView,
    shown=("C", "gamma", "budget", "epochs", "maintenance", "table_size", "instruments", "seed"),
    labels={"table_size": "size of the tables"},
    charts=CHARTS,
    reader=BudgetReader,
    curves=Curves((StepsTaken,), _curves, axis=_Axis),
    overlay=Merges,
    layers=(*(name for name in LAYERS if name != "working set"), *MERGE_LAYERS),
    layers_shown=(*(name for name in SHOWN if name != "working set"), *MERGE_LAYERS),
    step_sizes={"merge": (BudgetMaintained, Finished)},
    files=__package__ or "",
)
PRESENTATIONS = (PRESENTATION,)
