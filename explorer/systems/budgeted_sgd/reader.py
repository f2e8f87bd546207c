"""TODO: what this is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.runtime.events import Array
from engine.systems.budgeted_sgd.events import BudgetMaintained

if TYPE_CHECKING:
    from explorer.replay.lookup import Replay


def _budget_fits(event: Any, n: int, d: int) -> bool:
    size = len(event.vectors)
    fits = (
        {len(event.coefficients), len(event.sources)} == {size}
        and event.vectors.shape[1:] == (d,)
        and bool(np.isfinite(event.vectors).all())
        and bool(np.isfinite(event.coefficients).all())
        and bool((event.sources < n).all())
    )
    return fits and (not isinstance(event, BudgetMaintained) or _merge_fits(event, size, d))


def _merge_fits(event: BudgetMaintained, size: int, d: int) -> bool:
    return (
        bool(np.isin(event.candidates, np.arange(size)).all())
        and {len(event.m), len(event.kappa), len(event.degradations)} == {len(event.candidates)}
        and 0 <= event.first < size
        and (event.partner == -1 or event.partner in event.candidates)
        and event.z.shape == ((d,) if event.partner >= 0 else (0,))
        and len(event.shares) in (0, size - 1)
    )


@dataclass(frozen=True, eq=False)
class Budget:
    """Vectors that a solver keeps for itself."""

    vectors: Array
    coefficients: Array  # signed
    merged: Array  # which of them are no training points


def _budget(replay: "Replay", event: Any, n: int) -> dict[str, Any]:
    """The vectors of a budget; of a merge, those after it. A training point among them has its coefficient."""
    merge = isinstance(event, BudgetMaintained)
    vectors, coefficients, sources = event.after() if merge else (event.vectors, event.coefficients, event.sources)
    alpha, merged = np.zeros(n), sources < 0
    alpha[sources[~merged]] = abs(coefficients[~merged])
    return {"alpha": alpha, "budget": Budget(vectors, coefficients, merged)}
