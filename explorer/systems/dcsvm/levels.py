"""The levels of DC-SVM: those finished at the cursor, against the best that is known."""

from dataclasses import dataclass

import numpy as np

from engine.runtime.events import Event, PhaseBegan
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, LevelMeasured, Partitioned
from engine.systems.kernel_svm.events import Iteration
from explorer.replay.lookup import Replay
from explorer.systems.dcsvm.curves import objective_of

STEPS = ("refine", "gradient", "whole")  # what follows the levels
LEVEL_FACTS = (LevelMeasured, LevelJudged)
NO_BOUNDS = "The bounds of Theorems 1 to 3 hold without a bias."


@dataclass(frozen=True)
class LevelSummary:
    """What is known of a level."""

    finished: LevelFinished
    cells: Partitioned
    began: float  # solver seconds
    measured: LevelMeasured | None
    judged: LevelJudged | None


def finished_levels(replay: Replay, until: Event) -> list[LevelSummary]:
    """The levels of a task that were finished at an event, with all that the recording has to say of them."""
    ours = [event for event in replay.recording if event.stamp.path == until.stamp.path]
    facts = {type(event).__name__ + str(event.level): event for event in ours if isinstance(event, LEVEL_FACTS)}
    found, began, cells = [], 0.0, None
    for event in ours:
        if event.stamp.sequence > until.stamp.sequence:
            break
        if isinstance(event, PhaseBegan):
            began = event.stamp.seconds
        elif isinstance(event, Partitioned):
            cells = event
        elif isinstance(event, LevelFinished) and cells is not None:
            measured, judged = (facts.get(kind.__name__ + str(event.level)) for kind in LEVEL_FACTS)
            found.append(LevelSummary(event, cells, began, measured, judged))  # type: ignore[arg-type]
    return found


def without_bounds(level: LevelSummary) -> bool:
    """Whether a level was measured and has no bound, as with a bias."""
    return level.measured is not None and bool(np.isnan(level.measured.bound))


def names(levels: list[LevelSummary]) -> list[str]:
    """How the axes name the levels: by their cells, and by their numbers where those are the same."""
    cells = [f"{level.finished.n_clusters:,}" for level in levels]
    if len(set(cells)) == len(cells):
        return cells
    return [f"{name}·{level.finished.level}" for name, level in zip(cells, levels, strict=True)]


def best_known(replay: Replay, path: tuple[str, ...]) -> float:
    """The best objective of a task that the recording has; NaN if it tells none."""
    ours = [objective_of(event) for event in replay.recording if event.stamp.path == path]
    return min((value for value in ours if not np.isnan(value)), default=np.nan)


def reference(replay: Replay, path: tuple[str, ...]) -> Iteration | LevelFinished | None:
    """What levels are compared with: the newest solution of the problem, or the newest level before there is one."""
    ours = [event for event in replay.recording if event.stamp.path == path]
    solutions = [event for event in ours if isinstance(event, Iteration)]
    levels = [event for event in ours if isinstance(event, LevelFinished)]
    if solutions:
        return solutions[-1]
    return levels[-1] if levels else None


def diagnostics_seconds(replay: Replay, until: Event) -> float:
    """Solver seconds up to an event that went into what is measured beside the solution."""
    spent, before = 0.0, 0.0
    for event in replay.recording:
        if event.stamp.sequence > until.stamp.sequence:
            break
        if isinstance(event, LEVEL_FACTS):
            spent += event.stamp.seconds - before
        before = event.stamp.seconds
    return spent
