"""The settings of Budgeted SGD."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import param

from engine.learning import common_settings as common
from engine.learning.common_settings import SolverSettings
from engine.learning.settings import Count, Gamma
from engine.systems.budgeted_sgd.merging import STRATEGIES

LARGEST = 10_000  # budget


class Budget(Count):
    """A whole number of vectors, or "auto"."""

    accepted = f'a whole number from 1 to {LARGEST}, or "auto"'

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        super()._validate_value(value, allow_None)
        if not isinstance(value, str) and value > LARGEST:
            raise ValueError("too many")


class Decay(Gamma):
    """A positive number, "auto", or None for 1 / (n C)."""

    accepted = 'a positive finite number, "auto" or None for 1 / (n C)'

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        if value == "scale":
            raise ValueError("not a lambda")
        if value is not None:
            super()._validate_value(value, allow_None)


class BudgetedSGDSettings(SolverSettings):
    """Budgeted SGD: one kernel, each class against the rest, one thread."""

    formerly: ClassVar[Mapping[str, Any]] = {"budget": 100, "lam": None, "epochs": 20}

    C = common.penalty()
    gamma = common.kernel_width()
    budget = Budget("auto", doc="Most support vectors (of each class, if more than two); auto tries some.")
    lam = Decay("auto", allow_None=True, doc="Weight of the norm, lambda; none is 1 / (n C), auto also tries more.")
    epochs = param.Integer(50, bounds=(1, 100_000), doc="Passes through the data.")
    maintenance: Any = param.Selector(
        default="lookup-wd", objects=list(STRATEGIES), doc="What happens to the vector that is too many."
    )
    table_size = param.Integer(400, bounds=(10, 2000), doc="Points on each side of the lookup tables.")
    instruments: Any = common.diagnostics("At which merges the strategies are compared.")
    seed = common.seed()

    def with_values(self, **values: Any) -> "BudgetedSGDSettings":
        """The same but for these."""
        changed = BudgetedSGDSettings.checked({**self.values_by_name(), **values})
        assert isinstance(changed, BudgetedSGDSettings)
        return changed

    def decay(self, n: int) -> float:
        """Lambda for n points; of what has not been chosen, the one that C stands for."""
        return float(self.lam) if isinstance(self.lam, int | float | np.number) else 1.0 / (n * self.C)
