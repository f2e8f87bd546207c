"""Prepare the arrays as published for the problem of the papers: split, scale, one-hot encode, relabel."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.datasets.dataset import Features
from engine.datasets.from_papers.raw import Raw

Parts = tuple[Features, NDArray[Any], Features | None, NDArray[Any] | None]


@dataclass(frozen=True)
class Recipe:
    """What is done to a data set before a solver sees it."""

    split: bool = False
    """Pick the training rows at random from the published ones and test on the rest; else parts as published."""
    unit: bool = False
    """Scale every feature to [0, 1] over the training part; a feature that is constant there becomes 0."""
    divisor: float = 1.0
    """Divide all features by this."""
    positive: tuple[int, ...] = ()
    """Make it a two-class problem: these classes against the rest."""


def prepare(raw: Raw, recipe: Recipe, rows: int, rng: np.random.Generator) -> Parts:
    """Follow the recipe to `rows` training rows; `rng` decides a split. The arrays of `raw` may be used up."""
    X, y, X_test, y_test = raw.X_train, raw.y_train, raw.X_test, raw.y_test
    if recipe.split:
        order = rng.permutation(len(y))
        train, test = order[:rows], order[rows:]
        X, y, X_test, y_test = _rows(X, train), y[train], _rows(X, test), y[test]
    parts = [X] if X_test is None else [X, X_test]
    if not scipy.sparse.issparse(X):
        parts = [np.ascontiguousarray(part, dtype=np.float32) for part in parts]
    if recipe.divisor != 1.0:
        for part in parts:
            part /= recipe.divisor
    if recipe.unit:
        _scale_to_unit(parts, numeric=[j not in raw.categories for j in range(X.shape[1])])
    if raw.categories:
        widths = [len(raw.categories[j]) if j in raw.categories else 0 for j in range(X.shape[1])]
        parts = [one_hot(part, widths) for part in parts]
        _zero_constant(parts)
    X, X_test = parts if len(parts) == 2 else (*parts, None)
    return X, _as_labels(y, recipe), X_test, None if y_test is None else _as_labels(y_test, recipe)


def smooth_images(X: Features, side: int, width: float) -> Features:
    """Blur square images of `side` pixels with a Gaussian of the given width; beyond the edge is 0.

    So it is in Matlab's convolution, which ClusterSVM's authors had at hand.
    """
    from scipy.ndimage import gaussian_filter

    images = X.reshape(-1, side, side)
    return gaussian_filter(images, sigma=(0.0, width, width), mode="constant").reshape(X.shape)


def one_hot(X: NDArray[np.float32], widths: list[int]) -> "scipy.sparse.csr_matrix":
    """Give every category a column of its own, in place of the column of codes; width 0 marks a column of numbers."""
    starts = np.concatenate([[0], np.cumsum([max(width, 1) for width in widths])]).astype(np.int32)
    coded = np.array(widths) > 0
    columns = np.broadcast_to(starts[:-1], X.shape).copy()
    columns[:, coded] += X[:, coded].astype(np.int32)
    values = np.where(coded, np.float32(1.0), X)
    filled = values != 0
    indptr = np.concatenate([[0], np.cumsum(filled.sum(axis=1))]).astype(np.int32)
    return scipy.sparse.csr_matrix((values[filled], columns[filled], indptr), shape=(len(X), int(starts[-1])))


def _rows(X: Features, rows: NDArray[np.intp]) -> Features:
    """Pick rows; a column-major array is gone through by columns, which is many times faster."""
    if scipy.sparse.issparse(X) or not X.flags.f_contiguous:
        return X[rows]
    picked = np.empty((rows.size, X.shape[1]), dtype=np.float32)
    for j in range(X.shape[1]):
        picked[:, j] = X[:, j][rows]
    return picked


def _scale_to_unit(parts: list[Features], numeric: list[bool]) -> None:
    """Scale by what the first part spans, in place; columns that are not numeric stay as they are."""
    low, high = parts[0].min(axis=0), parts[0].max(axis=0)
    # Divided by infinity a constant column is 0, also where the test part differs from the constant.
    span = np.where(numeric, np.where(high > low, high - low, np.inf), 1).astype(np.float32)
    for part in parts:
        part -= np.where(numeric, low, 0)
        part /= span


def _zero_constant(parts: list[Features]) -> None:
    """Make 0 of a category that no training row has, or all have; a scaled column of numbers is 0 somewhere."""
    rows, columns = parts[0].shape
    filled = np.bincount(parts[0].indices, minlength=columns)
    varies = (filled > 0) & (filled < rows)
    for part in parts:
        part.data *= varies[part.indices]
        part.eliminate_zeros()


def _as_labels(y: NDArray[Any], recipe: Recipe) -> NDArray[Any]:
    """int64 classes, or float64 targets: the small types of the files overflow in arithmetic."""
    if recipe.positive:
        return np.where(np.isin(y, recipe.positive), 1, -1)
    return y.astype(np.float64 if y.dtype.kind == "f" else np.int64)
