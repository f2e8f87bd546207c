"""DC-Pred++ as the registry has it: two systems, for the SVM and for kernel ridge regression."""

from dataclasses import replace

from engine.learning.system import System
from engine.runtime.events import Event, Finished
from engine.runtime.progress import Done, Progress
from engine.systems.dcpred.events import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from engine.systems.dcpred.settings import DCPredRidgeSettings, DCPredSettings
from engine.systems.dcpred.training import train_dcpred, train_dcpred_ridge


def _summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, FastFinished)
    shown = "{:.4g}" if last.machine == "ridge" else "{:.2%}"
    exact, fast = shown.format(last.exact_quality), shown.format(last.quality)
    return {
        "leaves": f"{last.iterations:,} of {len(last.intercepts):,}",
        "landmarks": f"{last.n_landmarks:,}, and {last.n_pseudo:,} pseudo-landmarks",
        "inner products": f"{last.cost:.1f} for a prediction, {last.exact_cost:.1f} by the leaves' exact machines",
        "compression": f"from {exact} to {fast} on the training data",
    }


class LeafProgress(Progress):
    """How many of the leaves are compressed."""

    def __init__(self) -> None:
        self._leaves = 1

    def read(self, event: Event) -> Done | None:
        """The part of the leaves that is done."""
        if isinstance(event, TreeGrown):
            self._leaves = len(event.sizes)
        if not isinstance(event, LeafCompressed):
            return None
        words = f"leaf {event.leaf + 1} of {self._leaves}, {event.cost:.0f} of {event.exact_cost:.0f} inner products"
        return Done((event.leaf + 1) / self._leaves, words)


DCPRED = System(
    "dcpred",
    "DC-Pred++",
    DCPredSettings,
    train_dcpred,
    events=(TreeSplit, TreeGrown, LeafTrained, LandmarksChosen, KernelApproximated, LeafCompressed, FastFinished),
    summary=_summary,
    progress=LeafProgress,
    by_tasks=False,
    subproblems=True,
    warm_up=({"n_leaves": 4},),
    estimator="engine.systems.dcpred.estimator:DCPredClassifier",
    paper="engine.systems.dcpred.paper:PAPER",
)
DCPRED_RIDGE = replace(
    DCPRED,
    name="dcpred-ridge",
    title="DC-Pred++ (ridge)",
    settings=DCPredRidgeSettings,
    train=train_dcpred_ridge,
    task="regression",
    subproblems=False,
    estimator="engine.systems.dcpred.estimator:DCPredRegressor",
)
SYSTEMS = (DCPRED, DCPRED_RIDGE)
