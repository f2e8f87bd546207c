"""`Dataset`: the arrays of a data set, as they are loaded or read, before any solver sees them."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Task = Literal["classification", "regression"]

# A dense float array or a scipy CSR matrix; scipy has no type of its own to name here.
Features = Any


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training rows `X` with labels (or targets) `y`, and a test part where there is one."""

    name: str
    title: str
    X: Features = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    X_test: Features | None = field(default=None, repr=False)
    y_test: NDArray[Any] | None = field(default=None, repr=False)
    description: str = ""
    source: str = ""
    task: Task = "classification"
    feature_names: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The number of training rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.X.shape[1])

    @property
    def classes(self) -> NDArray[Any]:
        """The distinct training labels in order; empty for a regression."""
        return np.unique(self.y) if self.task == "classification" else self.y[:0]


def limit_rows(data: Dataset, size: int, rng: np.random.Generator) -> Dataset:
    """Keep `size` random training rows, or all if there are no more; a larger subset contains a smaller one.

    Every class keeps a row as long as there is room, since a solver can do nothing with one class.
    """
    if size >= data.n:
        return data
    order = rng.permutation(data.n)
    if data.task == "classification":
        _, first = np.unique(data.y[order], return_index=True)
        first.sort()
        order = np.concatenate([order[first], np.delete(order, first)])
    rows = order[:size]
    return replace(data, X=data.X[rows], y=data.y[rows])
