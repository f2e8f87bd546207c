"""TODO: what this is."""

from engine.runtime.events import Event, Failed, Finished, PhaseBegan, Started
from engine.systems.budgeted_sgd.events import (
    BudgetFinished,
    BudgetMaintained,
    MergesReplayed,
    StepsTaken,
    StrategiesCompared,
)
from engine.systems.budgeted_sgd.paper import PAPER as BSGD
from engine.systems.budgeted_sgd.system import BUDGETED_SGD
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
from engine.systems.clustersvm.paper import PAPER as CLUSTERSVM
from engine.systems.clustersvm.system import CLUSTERSVM
from engine.systems.dcpred.events import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from engine.systems.dcpred.paper import PAPER as DCPRED
from engine.systems.dcpred.system import DCPRED, DCPRED_RIDGE
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, LevelMeasured, Partitioned, SubproblemSolved
from engine.systems.dcsvm.paper import PAPER as DCSVM
from engine.systems.dcsvm.system import DCSVM
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from engine.systems.interior_point.paper import PAPER as IPM
from engine.systems.interior_point.system import INTERIOR_POINT
from engine.systems.kernel_svm.events import ActiveSetChanged, Iteration
from engine.systems.kernel_svm.system import KERNEL_SVM

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


PAPERS = {paper.name: paper for paper in (DCSVM, CLUSTERSVM, BSGD, IPM, DCPRED)}


SOLVERS = {
    solver.name: solver
    for solver in (KERNEL_SVM, DCSVM, CLUSTERSVM, BUDGETED_SGD, INTERIOR_POINT, DCPRED, DCPRED_RIDGE)
}
