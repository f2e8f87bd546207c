"""DC-Pred++ on the stage, for the SVM and for kernel ridge regression: story, listing, charts, presets."""

import html
from dataclasses import replace

import numpy as np

from engine.runtime.events import Event, PhaseBegan
from engine.systems.dcpred.events import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from explorer.figures.charts import ACCURACY, RMSE, Chart, Curves, IterationAxis
from explorer.figures.scene import LAYERS
from explorer.replay.lookup import Replay
from explorer.stage.presentation import Presentation
from explorer.stage.story import spent
from explorer.style.number_format import count, number
from explorer.style.theme import GREEN, NEGATIVE, POSITIVE
from explorer.systems.dcpred.overlay import FAST, Compression
from explorer.systems.dcpred.overlay import LAYERS as TREE_LAYERS
from explorer.systems.dcpred.overlay_regression import LAYERS as CURVE_LAYERS
from explorer.systems.dcpred.overlay_regression import Regressors
from explorer.systems.dcpred.reader import LeafFrame, LeafReader
from explorer.systems.dcpred.story import story
from explorer.systems.dcpred.view import PredictionView

COST = Chart(
    "cost",
    "What does a prediction cost?",
    "log",
    {"cost": (NEGATIVE, "inner products"), "exact_cost": (GREEN, "exact machines")},
)
ERROR = Chart(
    "kernel-error",
    "How wrong is a leaf's kernel, in %?",
    "linear",
    {"error": (NEGATIVE, "with pseudo"), "error_without": (POSITIVE, "landmarks alone")},
)
HINT = "Click a point to see its route, what decides there, and what it costs"


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    curves: dict[str, float] = {}
    if isinstance(event, KernelApproximated):
        curves = {"error": 100 * event.error, "error_without": 100 * event.error_without}
    frame = replay.frame_of(event)
    if not isinstance(frame, LeafFrame) or len(frame.leaves.trained) == 0:
        return curves
    leaves = frame.leaves
    if not leaves.landmarks:  # until all leaves are trained the sum would only grow
        return {"exact_cost": leaves.mean(leaves.exact_costs)}
    return curves | {"cost": leaves.mean(leaves.costs), "exact_cost": leaves.mean(leaves.exact_costs)}


class _Axis(IterationAxis):
    """The leaves that are trained, then those that are compressed."""

    def read(self, event: Event) -> None:
        """Count a leaf."""
        self.place += isinstance(event, LeafTrained | LeafCompressed)


def _line(event: Event | None) -> str:
    match event:
        case TreeSplit() | TreeGrown() | PhaseBegan(name="tree"):
            return "tree"
        case LeafTrained() | PhaseBegan(name="leaves"):
            return "train"
        case PhaseBegan(name="compress"):
            return "leaf"
        case LandmarksChosen():
            return "leaf landmarks"
        case KernelApproximated():
            return "leaf expand project"
        case LeafCompressed():
            return "leaf top"
        case FastFinished():
            return "route predict"
        case _:
            return "start"


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    frame = replay.frame(cursor)
    if not isinstance(frame, LeafFrame):
        return {}
    leaves = frame.leaves
    cells = 1 + sum(len(split.children) - 1 for split in leaves.splits)
    numbers = {"leaves": count(cells)}
    if len(replay.classes) > 2:
        numbers["field"] = html.escape(frame.task.name)
    if leaves.trained:
        numbers["support vectors"] = count(int(np.count_nonzero((leaves.alpha != 0).any(axis=0))))
    if leaves.landmarks:
        numbers |= {
            "landmarks": count(sum(len(event.landmarks) for event in leaves.landmarks.values())),
            "pseudo-landmarks": count(sum(len(event.pairs) for event in leaves.kernels.values())),
        }
    if leaves.compressed:
        numbers["inner products"] = number(leaves.mean(leaves.costs), 3)
    return numbers | spent(replay, cursor)


LISTING = (
    ("start", 0, r"training samples $\{x_i\}_{i=1}^n$, kernel $K$"),
    ("tree", 0, r"a hierarchical clustering tree with $k$ leaves, by k-means"),
    ("train", 0, r"local models $(\alpha^{(i)})^*$ for each leaf, with the exact kernel"),
    ("leaf", 0, "for each leaf"),
    ("landmarks", 1, r"landmarks $u_1, \dots, u_m$: k-means with weights $\alpha_i^2$; $\ C_{ij} = K(x_i, u_j)$"),
    ("expand", 1, r"pseudo-landmarks: $\bar{C} = [C,\ C']$ with $C'_{it} = f_t(C_{i1}, \dots, C_{im})$"),
    ("project", 1, r"$\bar{W} = \bar{C}^{+} G\, (\bar{C}^{+})^T$, so that $G \approx \bar{C} \bar{W} \bar{C}^T$"),
    ("top", 1, r"train on $\bar{G}$: $\ \bar{\beta} = \bar{W} \bar{C}^T \bar{\alpha}$"),
    ("route", 0, r"predict $x$: down the tree to its leaf"),
    ("predict", 1, r"$c = [K(x, u_1), \dots, K(x, u_m)],\quad f(x) = [c,\ f_1(c), \dots, f_p(c)]\, \bar{\beta}$"),
)

LABELS = {
    "n_leaves": "leaves",
    "landmark_ratio": "landmarks per support vector",
    "tuning": "rounds of tuning",
    "pseudo": "pseudo-landmarks by",
    "pseudo_ratio": "pseudo-landmarks per landmark",
}

PRESENTATION = Presentation(
    solver="dcpred",
    summary="Prediction at nearly linear cost: a tree to a leaf, a few landmarks there, and pseudo-landmarks for next "
    "to nothing in place of all support vectors.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=PredictionView,
    shown=(
        "C", "gamma", "n_leaves", "branching", "landmarks", "landmark_ratio", "tuning", "pseudo", "pseudo_ratio",
        "bottom_up", "tol", "seed",
    ),
    labels={**LABELS, "bottom_up": "bottom up"},
    charts=(ACCURACY, COST, ERROR),
    reader=LeafReader,
    curves=Curves((LeafTrained, KernelApproximated, LeafCompressed, FastFinished), _curves, axis=_Axis),
    overlay=Compression,
    layers=(*(name for name in LAYERS if name != "working set"), FAST, *TREE_LAYERS),
    layers_shown=("field", "margins", "points", "support vectors", FAST, *TREE_LAYERS),
    hint=HINT,
    files=__package__ or "",
)  # fmt: skip

RIDGE = replace(
    PRESENTATION,
    solver="dcpred-ridge",
    summary="The same for kernel ridge regression: a curve that takes as many kernel values as there are points, from "
    "a few landmarks of the leaf that a place is in.",
    shown=(
        "alpha", "gamma", "n_leaves", "branching", "landmarks", "landmark_ratio", "tuning", "pseudo", "pseudo_ratio",
        "seed",
    ),
    labels={**LABELS, "alpha": "λ, added to the diagonal"},
    decades={"alpha": (-5.0, 3.0)},
    charts=(RMSE, COST, ERROR),
    overlay=Regressors,
    layers=("points", *CURVE_LAYERS),
    layers_shown=("points", *CURVE_LAYERS),
)  # fmt: skip
PRESENTATIONS = (PRESENTATION, RIDGE)
