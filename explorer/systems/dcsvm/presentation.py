"""DC-SVM on the stage: its story, its listing, its presets."""

import numpy as np

from engine.runtime.events import Event, Finished, PhaseBegan
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, LevelMeasured, Partitioned, SubproblemSolved
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.scene import LAYERS, SHOWN
from explorer.replay.lookup import Replay
from explorer.stage.presentation import Presentation
from explorer.stage.story import spent
from explorer.style.number_format import count, number, seconds
from explorer.systems.dcsvm.curves import CURVES
from explorer.systems.dcsvm.levels import diagnostics_seconds
from explorer.systems.dcsvm.overlay import EARLY, Cells
from explorer.systems.dcsvm.overlay import LAYERS as CELL_LAYERS
from explorer.systems.dcsvm.reader import CellFrame, CellReader
from explorer.systems.dcsvm.story import story
from explorer.systems.dcsvm.view import LevelsView
from explorer.systems.kernel_svm.curves import CHARTS


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


def _numbers(replay: Replay, cursor: int) -> dict[str, str]:
    event, frame = replay.event(cursor), replay.frame(cursor)
    if event is None or frame is None:
        return {}
    bound = int(np.count_nonzero(frame.at_bound))
    numbers = {
        "free SVs": count(int(np.count_nonzero(frame.alpha)) - bound),
        "bound SVs": count(bound),
    }
    if isinstance(frame, CellFrame):
        numbers |= {"cells": count(int(np.count_nonzero(frame.cells.sizes))), "level": str(frame.cells.level)}
    if isinstance(frame.event, Iteration):
        numbers |= {"objective": number(frame.event.objective, 6), "violation": number(frame.event.violation, 3)}
    solving = event.stamp.seconds - diagnostics_seconds(replay, event)
    return numbers | spent(replay, cursor) | {"solver time": seconds(solving)}


LISTING = (
    ("start", 0, r"$\bar{\alpha} \leftarrow 0$"),
    ("level", 0, r"for level $l = l_{\max}, \dots, 1$"),
    ("sample", 1, r"sample $m$ points: of all data at the bottom, then of the support vectors"),
    ("cluster", 1, r"(kernel) k-means on them; every point to the nearest of $k^l$ centres"),
    ("solve", 1, r"for each cell $V_c$: $\min_{\alpha_{V_c}}$ of its own dual problem, from $\bar{\alpha}_{V_c}$"),
    ("refine", 0, r"refine: solve on $\{i : \bar{\alpha}_i > 0\}$"),
    ("whole", 0, "solve the whole problem from there"),
    ("done", 0, r"$f(\bar{\alpha}) - f(\alpha^*) \le \frac{1}{2} C^2 D(\pi)$ on every level, without a bias"),
)

PRESENTATION = Presentation(
    solver="dcsvm",
    summary="Divide and conquer: the data in cells, every cell solved alone, the whole from there; or stop early and "
    "predict with the cells.",
    listing=LISTING,
    line=_line,
    story=story,
    numbers=_numbers,
    view=LevelsView,
    shown=(
        "kernel", "C", "gamma", "degree", "coef0", "bias", "k", "levels", "stop_level", "partition", "sample_size",
        "adaptive", "refine", "working_set", "tol", "seed",
    ),
    labels={
        "k": "branching k",
        "stop_level": "stop at level (0: exact)",
        "partition": "divide by",
        "sample_size": "sample size",
        "adaptive": "adaptive clustering",
        "working_set": "working set",
    },
    reader=CellReader,
    charts=CHARTS,
    curves=CURVES,
    overlay=Cells,
    layers=(*LAYERS, *CELL_LAYERS),
    layers_shown=(*(name for name in SHOWN if name != "working set"), "cells", EARLY),
    files=__package__ or "",
)  # fmt: skip
PRESENTATIONS = (PRESENTATION,)
