"""ClusterSVM on the stage: its story, its listing, its charts, its presets."""

import numpy as np

from engine.runtime.events import Event, PhaseBegan
from engine.systems.clustersvm.events import (
    ClusterFinished,
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    ExactnessChecked,
    PassFinished,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from explorer.figures.charts import ACCURACY, Chart, Curves
from explorer.figures.scene import LAYERS, SHOWN
from explorer.replay.lookup import Replay
from explorer.stage.presentation import Presentation
from explorer.stage.story import spent
from explorer.style.number_format import count, number
from explorer.style.theme import GREEN, NEGATIVE, POSITIVE
from explorer.systems.clustersvm.overlay import LAYERS as CLUSTER_LAYERS
from explorer.systems.clustersvm.overlay import ClusterMarks
from explorer.systems.clustersvm.reader import ClusterFrame, ClusterReader
from explorer.systems.clustersvm.story import story
from explorer.systems.clustersvm.view import PassesView
from explorer.systems.kernel_svm.curves import GAP, objective_of

REDUCED = Chart(
    "reduced-set",
    "How many points are trained on?",
    "linear",
    {"reduced": (NEGATIVE, "trained on"), "support": (POSITIVE, "support vectors"), "all": (GREEN, "of all")},
)


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    if not isinstance(event, Iteration):
        return {}
    frame = replay.frame_of(event)
    reduced = frame.clusters.reduced if isinstance(frame, ClusterFrame) else None
    return {
        "violation": event.violation or np.nan,
        "support": event.n_free + event.n_bound,
        **({} if reduced is None else {"reduced": reduced.size, "all": reduced.n}),
    }


def _line(event: Event | None) -> str:
    match event:
        case PhaseBegan(name="clusters") | ClusterSplit() | ClustersMade():
            return "divide"
        case RepresentativesChosen() | ReducedSetMade():
            return "represent"
        case PhaseBegan(name="margins"):
            return "look"
        case PhaseBegan() | Iteration() | ActiveSetChanged() | ReducedTrained():
            return "train"
        case ClustersRevised():
            found = {"split": "split", "kept": "split", "replaced": "replace", "collapsed": "mean"}
            lines = {found[word] for word in event.outcomes if word in found}
            return " ".join({"look", *lines, *(("mean",) if event.n_collapsed else ())})
        case PassFinished():
            return "look"
        case ExactnessChecked() | ClusterFinished():
            return "done"
        case _:
            return "start"


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or not isinstance(frame, ClusterFrame):
        return {}
    clusters = frame.clusters
    numbers = {"clusters": count(len(clusters.numbers))}
    if clusters.reduced is not None:
        reduced = clusters.reduced
        numbers |= {"reduced set": f"{reduced.size:,} of {reduced.n:,}", "passes": str(reduced.passes)}
    if clusters.trained:
        bound = int(np.count_nonzero(frame.at_bound))
        numbers |= {"free SVs": count(int(np.count_nonzero(frame.support)) - bound), "bound SVs": count(bound)}
    told = next((known for known in (event, frame.event) if hasattr(known, "objective")), None)
    if told is not None:
        numbers |= {"objective": number(told.objective, 6)}
    return numbers | spent(replay, cursor)


LISTING = (
    ("start", 0, r"$\mathcal{G} \leftarrow \{\mathcal{D}^+, \mathcal{D}^-\}$, the classes"),
    (
        "divide", 0, r"split the $\mathcal{D}' \in \mathcal{G}$ of largest scatter at its mean, across its principal "
        "direction; √n clusters a class",
    ),
    (
        "represent", 0, r"$\mathcal{D}_{red} \leftarrow$ single points $\cup\ \{x^p(\mathcal{D}') : \mathcal{D}' \in "
        r"\mathcal{G}\}$, $x^p$ the member nearest to the mean",
    ),
    ("train", 0, r"train an SVM on $\mathcal{D}_{red}$: $\;d(x) = \langle w, \Phi(x) \rangle + b$"),
    ("look", 0, r"for all $\mathcal{D}' \in \mathcal{G}$: has it members with $y\,d(x) \le 1$?"),
    (
        "split", 1, r"yes: $\mathcal{D}'_{sv} = \{x \in \mathcal{D}' : y\,d(x) \le 1\}$ are single now, the others "
        r"stay in $\mathcal{D}'$",
    ),
    (
        "mean", 1, r"those deep inside, with Condition 2: $\Phi_0 = \frac{1}{n_1}\sum_i \Phi(x_i)$, "
        r"$0 \le \alpha_0 \le n_1 C$",
    ),
    ("replace", 1, r"no: $x^p(\mathcal{D}')$ goes on standing for $\mathcal{D}'$"),
    (
        "done", 0, r"… until $y\,d(x) > 1\ \ \forall x \in \mathcal{D}_{unused}$: then it is exact; or after "
        r"$NP_{\max}$ passes",
    ),
)  # fmt: skip

PRESENTATION = Presentation(
    solver="clustersvm",
    summary="Clusters within each class, one point stands for each; those that the margin cuts are split and trained "
    "on again, pass by pass, until the answer is the exact one.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=PassesView,
    shown=(
        "kernel", "C", "gamma", "degree", "coef0", "n_clusters", "clustering", "max_passes", "collapse_bound",
        "working_set", "tol", "seed",
    ),
    labels={
        "n_clusters": "clusters of each class",
        "max_passes": "most passes (none: until exact)",
        "collapse_bound": "means at the bound",
        "working_set": "working set",
    },
    charts=(GAP, REDUCED, ACCURACY),
    reader=ClusterReader,
    curves=Curves((Iteration,), _curves, objective_of),
    overlay=ClusterMarks,
    layers=(*LAYERS, *CLUSTER_LAYERS),
    layers_shown=(*(name for name in SHOWN if name not in ("working set", "points")), *CLUSTER_LAYERS),
    files=__package__ or "",
)  # fmt: skip
PRESENTATIONS = (PRESENTATION,)
