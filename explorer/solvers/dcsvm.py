"""DC-SVM on the stage: its story, its listing, its presets."""

import html

import numpy as np

from engine.events import (
    Event,
    Finished,
    Iteration,
    LevelFinished,
    LevelJudged,
    LevelMeasured,
    Partitioned,
    PhaseBegan,
    Started,
    SubproblemSolved,
)
from explorer.cells import LAYERS as CELL_LAYERS
from explorer.cells import Cells
from explorer.ladder import LadderView, best_known, measuring
from explorer.replay import Replay
from explorer.scene import EARLY, LAYERS, SHOWN
from explorer.solvers import Act, dual
from explorer.units import count, number, seconds


def _line(event: Event | None) -> str:
    match event:
        case PhaseBegan() if event.name.startswith("level"):
            return "level sample"
        case Partitioned():
            return "cluster"
        case SubproblemSolved():
            return "solve"
        case LevelFinished() | LevelMeasured():
            return "level"
        case PhaseBegan(name="refine"):
            return "refine"
        case PhaseBegan(name="whole" | "gradient" | "look at all"):
            return "whole"
        case Iteration():
            return "refine whole"
        case LevelJudged() | Finished():
            return "done"
        case _:
            return "start"


def _story(replay: Replay, cursor: int) -> str:
    event = replay.event(cursor)
    match event:
        case Started():
            return (
                f"<b>Start.</b> {event.n:,} points in {event.d} dimensions, {html.escape(event.kernel)} kernel, "
                "without bias. First the data are divided, and every cell is solved as if the others were not there."
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
            return (
                f"<b>Finished: converged</b>, {dual.STOPS['converged']}. {sum(inside):,} iterations in the cells and "
                f"{event.iterations:,} after them took {seconds(event.stamp.seconds - measuring(replay, event))}, what "
                f"is measured beside not counted. Objective {number(event.objective, 6)}; {event.n_free:,} free "
                f"support vectors, {event.n_bound:,} bound ones."
            )
        case _:
            return dual.story(replay, cursor)


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
    cells = replay.cells_before(event)
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
    text += f"Theorem 1 promises a gap below ½ C² D(π) = {number(event.bound)}. "
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


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None:
        return {}
    bound = int(np.count_nonzero(frame.at_bound))
    numbers = {
        "free SVs": count(int(np.count_nonzero(frame.alpha)) - bound),
        "bound SVs": count(bound),
    }
    if frame.cells is not None:
        numbers |= {"cells": count(int(np.count_nonzero(frame.cells.sizes))), "level": str(frame.cells.level)}
    if isinstance(frame.event, Iteration):
        numbers |= {"objective": number(frame.event.objective, 6), "violation": number(frame.event.violation, 3)}
    return numbers | {
        "kernel evaluations": count(event.stamp.evaluations),
        "solver time": seconds(event.stamp.seconds - measuring(replay, event)),
    }


LISTING = (
    ("start", 0, r"$\bar{\alpha} \leftarrow 0$"),
    ("level", 0, r"for level $l = l_{\max}, \dots, 1$"),
    ("sample", 1, r"sample $m$ points: of all data at the bottom, then of the support vectors"),
    ("cluster", 1, r"(kernel) k-means on them; every point to the nearest of $k^l$ centres"),
    ("solve", 1, r"for each cell $V_c$: $\min_{\alpha_{V_c}}$ of its own dual problem, from $\bar{\alpha}_{V_c}$"),
    ("refine", 0, r"refine: solve on $\{i : \bar{\alpha}_i > 0\}$"),
    ("whole", 0, "solve the whole problem from there"),
    ("done", 0, r"$f(\bar{\alpha}) - f(\alpha^*) \le \frac{1}{2} C^2 D(\pi)$ for every level's $\bar{\alpha}$"),
)

ACT = Act(
    solver="dcsvm",
    summary="Divide and conquer: the data in cells, every cell solved alone, the whole from there; or stop early and "
    "predict with the cells.",
    listing=LISTING,
    line=_line,
    story=_story,
    numbers=_numbers,
    view=LadderView,
    shown=(
        "kernel", "C", "gamma", "degree", "coef0", "k", "levels", "stop_level", "partition", "sample_size", "adaptive",
        "refine", "working_set", "tol", "seed",
    ),
    overlay=Cells,
    layers=(*LAYERS, *CELL_LAYERS, EARLY),
    layers_shown=(*(name for name in SHOWN if name != "working set"), "cells", EARLY),
)  # fmt: skip
