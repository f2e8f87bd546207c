"""TODO: what this is."""

from engine.learning.system import Solver
from engine.runtime.events import Finished
from engine.systems.dcpred.events import FastFinished
from engine.systems.dcpred.settings import DCPredRidgeSettings, DCPredSettings
from engine.systems.dcpred.training import train_dcpred, train_dcpred_ridge


def _fast_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, FastFinished)
    shown = "{:.4g}" if last.machine == "ridge" else "{:.2%}"
    exact, fast = shown.format(last.exact_quality), shown.format(last.quality)
    return {
        "leaves": f"{last.iterations:,} of {len(last.intercepts):,}",
        "landmarks": f"{last.n_landmarks:,}, and {last.n_pseudo:,} pseudo-landmarks",
        "inner products": f"{last.cost:.1f} for a prediction, {last.exact_cost:.1f} by the leaves' exact machines",
        "compression": f"from {exact} to {fast} on the training data",
    }


DCPRED = Solver(
    "dcpred", "DC-Pred++", DCPredSettings, train_dcpred, subproblems=True, summary=_fast_summary, by_tasks=False
)


DCPRED_RIDGE = Solver(
    "dcpred-ridge", "DC-Pred++ (ridge)", DCPredRidgeSettings, train_dcpred_ridge, summary=_fast_summary,
    task="regression", by_tasks=False,
)  # fmt: skip
