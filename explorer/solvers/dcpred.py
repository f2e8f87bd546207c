"""DC-Pred++ on the stage, for the SVM and for kernel ridge regression: story, listing, charts, presets."""

import html
from dataclasses import replace

import numpy as np

from engine.events import (
    Event,
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    PhaseBegan,
    Started,
    TreeGrown,
    TreeSplit,
)
from explorer.charts import ACCURACY, Chart
from explorer.compression import LAYERS as TREE_LAYERS
from explorer.compression import Compression
from explorer.landmarks import many
from explorer.prediction import PredictionView
from explorer.regressors import LAYERS as CURVE_LAYERS
from explorer.regressors import Regressors
from explorer.replay import Replay
from explorer.scene import FAST, LAYERS
from explorer.solvers import Act, dual
from explorer.theme import GREEN, NEGATIVE, POSITIVE
from explorer.units import count, number, seconds

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
RMSE = replace(ACCURACY, title="How far off (root mean square)?")
HINT = "Click a point to see its route, what decides there, and what it costs"


def _curves(replay: Replay, event: Event) -> dict[str, float]:
    curves: dict[str, float] = {}
    if isinstance(event, KernelApproximated):
        curves = {"error": 100 * event.error, "error_without": 100 * event.error_without}
    leaves = replay.frame_of(event).leaves
    if leaves is None or len(leaves.trained) == 0:
        return curves
    if not leaves.landmarks:  # until all leaves are trained the sum would only grow
        return {"exact_cost": leaves.mean(leaves.exact_costs)}
    return curves | {"cost": leaves.mean(leaves.costs), "exact_cost": leaves.mean(leaves.exact_costs)}


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


def _story(replay: Replay, cursor: int) -> str:
    event = replay.event(cursor)
    match event:
        case Started():
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions. A kernel machine is dear to ask: one "
                "kernel value for each support vector. This one shall answer with a handful."
            )
        case PhaseBegan(name="tree"):
            return f"<b>The tree.</b> {event.size:,} points are divided by k-means, the largest cell first."
        case PhaseBegan(name="leaves"):
            return "<b>The leaves.</b> Every leaf gets an exact machine of its own, by its own points alone."
        case PhaseBegan(name="compress"):
            return (
                "<b>Compress.</b> Leaf by leaf, support vectors give way to a few landmarks, and to pseudo-landmarks "
                "whose kernel values come from those of the landmarks."
            )
        case TreeSplit():
            parts = " and ".join(f"{size:,}" for size in event.sizes)
            return (
                f"<b>Divided.</b> A cell of {event.size:,} points at depth {event.depth} goes into {parts}: the "
                f"nearest centre wins. Later a point finds its way with {many(len(event.sizes) - 1, 'inner product')}."
            )
        case TreeGrown():
            depths = event.depths
            return (
                f"<b>The tree has {many(len(event.sizes), 'leaf')}</b> of {event.sizes.min():,} to "
                f"{event.sizes.max():,} points. A point is there after {depths.min()} to {depths.max()} turns."
            )
        case LeafTrained():
            return _trained(replay, event)
        case LandmarksChosen():
            return _chosen(event)
        case KernelApproximated():
            return _approximated(replay, event)
        case LeafCompressed():
            return _compressed(replay, event)
        case FastFinished():
            return _finished(replay, event)
        case _:
            return dual.story(replay, cursor)


def _trained(replay: Replay, event: LeafTrained) -> str:
    of = f"leaf {int(event.leaves[0]) + 1}" if len(event.leaves) == 1 else f"{len(event.leaves)} leaves together"
    if replay.regression:
        return (
            f"<b>Trained: {of}.</b> Kernel ridge regression on its {event.size:,} points, (K + λI) α = y, has an α for "
            "each of them: to ask it costs as many kernel values."
        )
    whom = "" if len(replay.classes) == 2 else f", {html.escape(replay.frame_of(event).task.name)},"
    return (
        f"<b>Trained: {of}.</b> The SVM of its {event.size:,} points{whom} has "
        f"{many(event.n_support, 'support vector')}: to ask it costs as many kernel values."
    )


def _chosen(event: LandmarksChosen) -> str:
    ways = {
        "weighted-kmeans": "the centres of k-means with α² as weights",
        "sided-kmeans": "the centres of k-means with |α| as weights, each side on its own",
        "sided-plain": "the centres of k-means of the support vectors, each side on its own",
        "kmeans": "the centres of plain k-means",
        "random": "points taken at random",
    }
    if event.objective == 0:
        return (
            f"<b>Leaf {event.leaf + 1}: {many(len(event.landmarks), 'landmark')}</b>, all its points with a weight: "
            "they are so few that there is nothing to spare."
        )
    return (
        f"<b>Leaf {event.leaf + 1}: {many(len(event.landmarks), 'landmark')}</b> for "
        f"{many(len(event.support), 'point')} with a weight, {ways.get(event.strategy, html.escape(event.strategy))}. "
        f"By Theorem 3 what is lost is bounded by Σ α² × squared distance to the nearest: {number(event.objective, 3)}."
    )


def _approximated(replay: Replay, event: KernelApproximated) -> str:
    text = f"<b>Leaf {event.leaf + 1}: K ≈ C̄ W̄ C̄ᵀ</b>, rank {event.rank}. "
    if event.pseudo == "none" or np.isnan(event.error_without):
        return text + f"What is left out has {number(100 * event.error, 3)} % of the norm of K."
    what = {
        "products": "a product of two kernel values each, one multiplication",
        "triangle": "a kernel value each that the triangle inequality allows",
    }
    text += f"{many(len(event.pairs), 'pseudo-landmark')}, {what.get(event.pseudo, html.escape(event.pseudo))}: "
    return text + (
        f"the error falls from {number(100 * event.error_without, 3)} % of the norm of K to "
        f"{number(100 * event.error, 3)} %."
    )


def _quality(replay: Replay, value: float) -> str:
    return f"an error of {number(value, 3)}" if replay.regression else f"{100 * value:.1f} % right"


def _compressed(replay: Replay, event: LeafCompressed) -> str:
    if not len(event.coefficients):
        return (
            f"<b>Leaf {event.leaf + 1} is a constant:</b> its points are all alike, and the way there is all that "
            f"a prediction costs, {number(event.cost, 3)} inner products."
        )
    return (
        f"<b>Leaf {event.leaf + 1} is fast.</b> A linear machine on C̄, folded into "
        f"{many(len(event.coefficients), 'weight')}: {number(event.cost, 3)} inner products instead of "
        f"{number(event.exact_cost, 3)}. On its training points: {_quality(replay, event.quality)}, by the exact "
        f"machine {_quality(replay, event.exact_quality)}."
    )


def _finished(replay: Replay, event: FastFinished) -> str:
    text = f"<b>Finished: {html.escape(event.stop_reason)}.</b> {many(event.iterations, 'leaf')} with "
    text += f"{many(event.n_landmarks, 'landmark')} and {many(event.n_pseudo, 'pseudo-landmark')}. "
    if not np.isnan(event.exact_cost):
        text += (
            f"A prediction takes {number(event.cost, 3)} inner products, {number(event.exact_cost, 3)} by the leaves' "
            f"exact machines; {_quality(replay, event.quality)} against {_quality(replay, event.exact_quality)} on the "
            "training data. "
        )
    return text + "Click a point to see how it is predicted."


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None or frame.leaves is None:
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
    return numbers | {
        "kernel evaluations": count(event.stamp.evaluations),
        "solver time": seconds(event.stamp.seconds),
    }


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

ACT = Act(
    solver="dcpred",
    summary="Prediction at nearly linear cost: a tree to a leaf, a few landmarks there, and pseudo-landmarks for next "
    "to nothing in place of all support vectors.",
    listing=LISTING,
    line=_line,
    story=_story,
    numbers=_numbers,
    view=PredictionView,
    shown=(
        "C", "gamma", "n_leaves", "branching", "landmarks", "landmark_ratio", "tuning", "pseudo", "pseudo_ratio",
        "bottom_up", "tol", "seed",
    ),
    charts=(ACCURACY, COST, ERROR),
    curves=_curves,
    overlay=Compression,
    layers=(*(name for name in LAYERS if name != "working set"), FAST, *TREE_LAYERS),
    layers_shown=("field", "margins", "points", "support vectors", FAST, *TREE_LAYERS),
    hint=HINT,
)  # fmt: skip

RIDGE = replace(
    ACT,
    solver="dcpred-ridge",
    summary="The same for kernel ridge regression: a curve that takes as many kernel values as there are points, from "
    "a few landmarks of the leaf that a place is in.",
    shown=(
        "alpha", "gamma", "n_leaves", "branching", "landmarks", "landmark_ratio", "tuning", "pseudo", "pseudo_ratio",
        "seed",
    ),
    charts=(RMSE, COST, ERROR),
    overlay=Regressors,
    layers=("points", *CURVE_LAYERS),
    layers_shown=("points", *CURVE_LAYERS),
)  # fmt: skip
