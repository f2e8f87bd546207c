"""The story of DC-SVM: what just happened, in words."""

import html

import numpy as np

from engine.runtime.events import Finished, PhaseBegan, Started
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, LevelMeasured, Partitioned, SubproblemSolved
from explorer.replay.lookup import Replay
from explorer.stage.story import finished, started
from explorer.style.number_format import count, number, seconds
from explorer.systems.dcsvm.levels import NO_BOUNDS, best_known, diagnostics_seconds
from explorer.systems.dcsvm.reader import CellReader
from explorer.systems.kernel_svm.story import STOPS
from explorer.systems.kernel_svm.story import story as dual_story


def story(replay: Replay, cursor: int) -> str:
    """What just happened, as HTML."""
    event = replay.event(cursor)
    match event:
        case Started():
            return (
                f"{started(event, with_gamma=False)} First the data are divided, and every cell is solved as if the "
                "others were not there."
            )
        case PhaseBegan() if event.name.startswith("level"):
            level, _, cells = event.name.partition(" · ")
            return f"<b>{level.capitalize()}.</b> {event.size:,} points are to be divided into {cells} cells."
        case PhaseBegan(name="refine"):
            return (
                f"<b>Refine.</b> The {event.size:,} support vectors found are solved together, across all cells: "
                "nearly the solution, at the cost of a small problem."
            )
        case PhaseBegan(name="gradient"):
            return (
                f"<b>Gradient.</b> What {event.size:,} support vectors mean for all other points is worked out, once: "
                "the dearest part of a warm start."
            )
        case PhaseBegan(name="whole"):
            return f"<b>The whole problem</b>, {event.size:,} points, from the refined solution: only few points move."
        case Partitioned():
            return _partitioned(event)
        case SubproblemSolved():
            return _solved(replay, event)
        case LevelFinished():
            return (
                f"<b>Level {event.level} is finished.</b> {event.n_clusters:,} cells took {event.iterations:,} "
                f"iterations and left {event.n_free + event.n_bound:,} support vectors, {event.n_bound:,} of them at "
                f"the bound. Taken by themselves, the cells have an objective of {number(event.block_objective, 6)}."
            )
        case LevelMeasured():
            return _measured(replay, event)
        case LevelJudged():
            return (
                f"<b>Level {event.level}, seen from the end.</b> It had found {100 * event.recall:.1f} % of the "
                f"support vectors of the solution, and {100 * event.precision:.1f} % of those it found are some. "
                f"{_bounds(event)}"
            )
        case Finished(stop_reason="early"):
            return (
                f"<b>Stopped early, as asked.</b> A point is sent to the nearest cell, and that cell's model alone "
                f"decides: {event.n_free + event.n_bound:,} support vectors in all, {count(event.stamp.evaluations)} "
                f"kernel evaluations, {seconds(event.stamp.seconds)}."
            )
        case Finished() if event.stop_reason == "converged":
            inside = [past.iterations for past in replay.recording if isinstance(past, LevelFinished)]
            solving = event.stamp.seconds - diagnostics_seconds(replay, event)
            return (
                f"{finished(event, STOPS)} {sum(inside):,} iterations in the cells and "
                f"{event.iterations:,} after them took {seconds(solving)}, what "
                f"is measured beside not counted. Objective {number(event.objective, 6)}; {event.n_free:,} free "
                f"support vectors, {event.n_bound:,} bound ones."
            )
        case _:
            return dual_story(replay, cursor)


def _partitioned(event: Partitioned) -> str:
    sizes = event.sizes[event.sizes > 0]
    kinds = {
        "kernel-kmeans": "kernel k-means on a sample", "kmeans": "k-means on a sample", "random": "chance",
    }  # fmt: skip
    return (
        f"<b>Divided by {kinds.get(event.kind, html.escape(event.kind))}.</b> {len(sizes):,} cells of {sizes.min():,} "
        f"to {sizes.max():,} points, {number(float(sizes.mean()), 3)} on average. Between cells the kernel is taken as "
        "zero: the less of it lies there, the less is lost."
    )


def _solved(replay: Replay, event: SubproblemSolved) -> str:
    cells = replay.reader_as(CellReader).cells_before(event)
    of = f" of {len(cells.sizes):,}" if cells is not None else ""
    start = (
        f"started from the level below with {event.n_support_before:,} support vectors and has {event.n_support:,} now"
        if event.n_support_before
        else f"started from zero and have {event.n_support:,} support vectors now"
    )
    return (
        f"<b>Level {event.level}, cell {event.cluster + 1}{of} solved.</b> Its {event.size:,} points {start}, after "
        f"{event.iterations:,} iterations. Objective of the cell: {number(event.objective, 5)}."
    )


def _measured(replay: Replay, event: LevelMeasured) -> str:
    about = "is" if event.exact else "is about"
    text = f"<b>Level {event.level}, measured.</b> The kernel between cells {about} D(π) = {number(event.between)}: "
    known = not np.isnan(event.bound)
    text += f"Theorem 1 promises a gap below ½ C² D(π) = {number(event.bound)}. " if known else f"{NO_BOUNDS} "
    best = best_known(replay, event.stamp.path)
    if not np.isnan(event.objective - best) and event.objective > best:
        text += f"Against the best solution known by now it is {number(event.objective - best)}. "
    if len(event.certified):
        text += f"Theorem 2 proves {int(event.certified.sum()):,} points not to be support vectors."
    return text


def _bounds(event: LevelJudged) -> str:
    if np.isnan(event.gap) or np.isnan(event.bound):
        return ""
    return (
        f"Its objective was {number(event.gap)} too large; Theorem 1 allowed {number(event.bound)}, Theorem 3, which "
        f"looks at support vectors alone, {number(event.refined_bound)}."
    )
