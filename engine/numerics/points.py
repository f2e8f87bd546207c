"""Points in the form that kernels take them in, and the check that data are a matrix of finite numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.runtime.errors import invalid
from engine.runtime.events import Array


@dataclass(frozen=True)
class Points:
    """Points in the form of a kernel: in its precision, moved to its origin and scaled.

    For rbf they are scaled by sqrt(2 gamma) and `norms` are half the square norms, so that its exponent is a plain
    difference, x.z - |x|^2 / 2 - |z|^2 / 2; norms come from a GEMM too, so that rounding cancels where x = z. For
    laplacian they are scaled by gamma, and there are no norms. Other kernels take them as they are, with square norms.
    """

    X: Array
    norms: Array

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, index: Any) -> "Points":
        return Points(self.X[index], self.norms[index])


def check_width(found: int, expected: int, what: str = "X") -> None:
    """A ValueError unless rows have the features that are expected: compiled loops would read beside them."""
    if found != expected:
        raise ValueError(f"{what} has {found} features, where {expected} are expected")


def check_pair(rows: Points, columns: Points) -> None:
    """A ValueError unless kernel values between these points can be computed: one width, a norm for each."""
    check_width(columns.X.shape[1], rows.X.shape[1], "a point of the model")
    for points in (rows, columns):
        if len(points.norms) != len(points.X):
            raise ValueError(f"there are {len(points.norms)} norms of {len(points.X)} points")


def square_norms(X: Array) -> Array:
    """|x|^2 for each row, in float64."""
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def joined(a: Points, b: Points) -> Points:
    """The points of both."""
    return Points(np.concatenate([a.X, b.X]), np.concatenate([a.norms, b.norms]))


def check_points(X: Any) -> Array:
    """A dense matrix of finite numbers, or an error that says where it is not."""
    X = np.asarray(X)
    if X.ndim != 2 or 0 in X.shape:
        raise invalid("X", X.shape, "a matrix with at least one row and one column")
    if not np.issubdtype(X.dtype, np.number) or np.issubdtype(X.dtype, np.complexfloating):
        raise invalid("X", X.dtype, "of real numbers")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise invalid(f"X[{row}, {column}]", float(X[row, column]), "a finite number")
    return X
