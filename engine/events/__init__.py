"""The one vocabulary of the project: what a solver says while it works.

A solver is a generator. It yields events, small frozen dataclasses, and now and then None, a breath: nothing to tell,
but a moment at which it may be paused or stopped. `Run` drives it and stamps each event; a solver looks at no clock.
What all solvers say is in `basis`, what only one says in the module of its name.
"""

from engine.events.basis import (
    Array,
    Event,
    Failed,
    Finished,
    PhaseBegan,
    Result,
    Stamp,
    Started,
    Steps,
    Stop,
    Within,
    passed_on,
    within,
)
from engine.events.bsgd import BudgetFinished, BudgetMaintained, MergesReplayed, StepsTaken, StrategiesCompared
from engine.events.clustersvm import (
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
from engine.events.dcpred import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from engine.events.dcsvm import LevelFinished, LevelJudged, LevelMeasured, Partitioned, SubproblemSolved
from engine.events.dual import ActiveSetChanged, Iteration
from engine.events.interior import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)

EVENTS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Started, PhaseBegan, Iteration, ActiveSetChanged,
        Partitioned, SubproblemSolved, LevelFinished, LevelMeasured, LevelJudged,
        StepsTaken, BudgetMaintained, StrategiesCompared, MergesReplayed,
        PivotsChosen, Factorised, InteriorIteration, SchemeSwitched, ColdStart,
        ClusterSplit, ClustersMade, RepresentativesChosen, ReducedSetMade, ReducedTrained, ClustersRevised,
        PassFinished, ExactnessChecked,
        TreeSplit, TreeGrown, LeafTrained, LandmarksChosen, KernelApproximated, LeafCompressed,
        Finished, BudgetFinished, InteriorFinished, ClusterFinished, FastFinished, Failed,
    )
}  # fmt: skip

__all__ = [
    *EVENTS,
    "EVENTS",
    "Array",
    "Event",
    "Result",
    "Stamp",
    "Steps",
    "Stop",
    "Within",
    "passed_on",
    "within",
]
