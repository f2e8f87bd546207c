"""TODO: what this is."""

from typing import Any, ClassVar

import param

from engine.learning.common_settings import _price
from engine.learning.settings import Gamma, Settings
from engine.systems.budgeted_sgd.merging import STRATEGIES


class BudgetedSGDSettings(Settings):
    """Budgeted SGD: one kernel, each class against the rest, one thread."""

    kernel: ClassVar[str] = "rbf"
    multiclass: ClassVar[str] = "ovr"
    n_jobs: ClassVar[int | None] = None

    C = _price()
    gamma = Gamma("scale", doc="Width of the kernel.")
    budget = param.Integer(100, bounds=(1, 10_000), doc="Most support vectors (of each class, if more than two).")
    epochs = param.Integer(20, bounds=(1, 100_000), doc="Passes through the data.")
    maintenance: Any = param.Selector(
        default="lookup-wd", objects=list(STRATEGIES), doc="What happens to the vector that is too many."
    )
    table_size = param.Integer(400, bounds=(10, 2000), doc="Points on each side of the lookup tables.")
    instruments: Any = param.Selector(
        default="auto", objects=["auto", "all", "none"], doc="At which merges the strategies are compared."
    )
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")
