"""Budgeted SGD as the registry has it: settings, training, events, summary, progress."""

from engine.learning.system import System
from engine.runtime.events import Event, Finished
from engine.runtime.progress import Done, Progress
from engine.systems.budgeted_sgd.events import (
    BudgetChosen,
    BudgetFinished,
    BudgetMaintained,
    MergesReplayed,
    StepsTaken,
    StrategiesCompared,
)
from engine.systems.budgeted_sgd.settings import BudgetedSGDSettings
from engine.systems.budgeted_sgd.training import train_budgeted_sgd


def _summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, BudgetFinished)
    return {
        "passes": f"{last.iterations:,} ({last.inner_steps:,} steps, {last.violations:,} violations)",
        "maintenance": f"{last.maintained:,} times ({last.removed:,} vectors dropped)",
        "primal objective": f"{last.objective:.6g} (estimated on a sample)",
        "support vectors": f"{last.size:,}",
    }


class StepProgress(Progress):
    """The part of the SGD steps that is done: their number is known in advance."""

    def read(self, event: Event) -> Done | None:
        """The part of the steps that is done."""
        if not isinstance(event, StepsTaken):
            return None
        return Done(
            event.step / event.steps,
            f"pass {event.epoch}, {event.size:,} SVs, {event.maintained:,} merges, "
            f"accuracy {100 * event.accuracy:.1f} %",
        )


BUDGETED_SGD = System(
    "budgeted-sgd",
    "Budgeted SGD",
    BudgetedSGDSettings,
    train_budgeted_sgd,
    events=(BudgetChosen, StepsTaken, BudgetMaintained, StrategiesCompared, MergesReplayed, BudgetFinished),
    summary=_summary,
    progress=StepProgress,
    warm_up=({"budget": 10, "lam": None, "epochs": 1},),
    estimator="engine.systems.budgeted_sgd.estimator:BudgetedSVC",
    paper="engine.systems.budgeted_sgd.paper:PAPER",
)
SYSTEMS = (BUDGETED_SGD,)
