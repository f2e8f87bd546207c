"""Checks of X and y before anything is trained on them: shapes, finite numbers, classes, memory."""

from typing import Any

import numpy as np
import scipy

from engine.numerics.points import check_points
from engine.runtime.errors import invalid
from engine.runtime.events import Array

DENSE_LIMIT_MB = 4096


def dense(X: Any) -> Array:
    """Sparse data as a dense matrix, within DENSE_LIMIT_MB: kernel blocks are dense products."""
    if isinstance(X, np.ndarray) or not scipy.sparse.issparse(X):
        return np.asarray(X)
    needed = X.shape[0] * X.shape[1] * X.dtype.itemsize / 2**20
    if needed > DENSE_LIMIT_MB:
        shown = f"a sparse {X.shape[0]} x {X.shape[1]} matrix"
        raise invalid("X", shown, f"at most {DENSE_LIMIT_MB} MiB when made dense")
    return X.toarray()


def check_data(X: Any, y: Any) -> tuple[Array, Array]:
    """Dense data and labels that a solver can work with: matching shapes, finite numbers, two classes or more."""
    X, y = check_points(dense(X)), np.asarray(y)
    if y.shape != (len(X),):
        raise invalid("y", y.shape, f"one label for each of the {len(X)} rows of X")
    if y.dtype.kind == "f" and not np.array_equal(y, np.round(y)):
        raise invalid("y", float(y[y != np.round(y)][0]), "class labels: names or whole numbers")
    class_numbers(y)
    return X, y


def check_targets(X: Any, y: Any) -> tuple[Array, Array]:
    """Dense data and targets of a regression: matching shapes, finite numbers."""
    X, y = check_points(dense(X)), np.asarray(y)
    if y.shape != (len(X),) or y.dtype.kind not in "fiu" or not np.isfinite(y).all():
        raise invalid("y", y, f"a finite number for each of the {len(X)} rows of X")
    return X, y.astype(float)


def class_numbers(y: Array) -> tuple[Array, Array]:
    """The classes in sorted order and, for each label, its number."""
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes; got 1 class, {classes.tolist()}")
    return classes, labels


def check_size(X: Array) -> None:
    """Refuse numbers whose squares, or squares of these, are none in single precision."""
    largest = float(np.abs(X).max())
    if largest and not 1e-15 <= largest <= 1e15:
        raise invalid("X", largest, "from 1e-15 to 1e15 in its largest number: scale it")
