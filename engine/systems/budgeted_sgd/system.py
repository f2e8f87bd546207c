"""TODO: what this is."""

from engine.learning.system import Solver
from engine.runtime.events import Finished
from engine.systems.budgeted_sgd.events import BudgetFinished
from engine.systems.budgeted_sgd.settings import BudgetedSGDSettings
from engine.systems.budgeted_sgd.training import train_budgeted_sgd


def _budget_summary(last: Finished) -> dict[str, str]:
    assert isinstance(last, BudgetFinished)
    return {
        "passes": f"{last.iterations:,} ({last.inner_steps:,} steps, {last.violations:,} violations)",
        "maintenance": f"{last.maintained:,} times ({last.removed:,} vectors dropped)",
        "primal objective": f"{last.objective:.6g} (estimated on a sample)",
        "support vectors": f"{last.size:,}",
    }


BUDGETED_SGD = Solver("budgeted-sgd", "Budgeted SGD", BudgetedSGDSettings, train_budgeted_sgd, summary=_budget_summary)
