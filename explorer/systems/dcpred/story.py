"""The story of DC-Pred++: what just happened, in words."""

import html

import numpy as np

from engine.runtime.events import PhaseBegan, Started
from engine.systems.dcpred.events import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from explorer.replay.lookup import Replay
from explorer.stage.story import common_story
from explorer.style.number_format import number
from explorer.systems.dcpred.overlay_landmarks import many


def story(replay: Replay, cursor: int) -> str:
    """What just happened, as HTML."""
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
            return common_story(replay, cursor)


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
