"""The settings of Budgeted SGD."""

from typing import Any

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import SolverSettings
from engine.systems.budgeted_sgd.merging import STRATEGIES


class BudgetedSGDSettings(SolverSettings):
    """Budgeted SGD: one kernel, each class against the rest, one thread."""

    C = common.penalty()
    gamma = common.kernel_width()
    budget = param.Integer(100, bounds=(1, 10_000), doc="Most support vectors (of each class, if more than two).")
    epochs = param.Integer(20, bounds=(1, 100_000), doc="Passes through the data.")
    maintenance: Any = param.Selector(
        default="lookup-wd", objects=list(STRATEGIES), doc="What happens to the vector that is too many."
    )
    table_size = param.Integer(400, bounds=(10, 2000), doc="Points on each side of the lookup tables.")
    instruments: Any = common.diagnostics("At which merges the strategies are compared.")
    seed = common.seed()
