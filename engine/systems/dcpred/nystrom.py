"""Kernel approximation with pseudo-landmarks (Algorithm 1 of the DC-Pred++ paper).

With C the kernel between some points and the landmarks, and more columns that cost next to nothing once a row of C is
known, C~ = [C, f(C)], the kernel matrix G is replaced by its projection onto their range:

    G~ = C~ W C~',   W = C~^+ G (C~^+)'

f is products of the kernel values of two landmarks near each other (Nys-dp), or the kernel at a distance that the
triangle inequality allows (Nys-triangle). G~ = (C~ T)(C~ T)', and rows of C~ T are the features of a linear model.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from engine.runtime.events import Array

PSEUDO = ("products", "triangle", "none")
Pseudo = Literal["products", "triangle", "none"]
NEGLIGIBLE = 1e-4  # singular values of C~, and eigenvalues of G~, so small beside the largest are left out


@dataclass(frozen=True, eq=False)
class Expansion:
    """What is added to a row of C: products of its entries, or pseudo-landmarks at some distances of the landmarks."""

    gamma: float
    pairs: Array  # (pseudo, 2)
    distances: Array  # (pseudo, landmarks)

    def __len__(self) -> int:
        return len(self.pairs)

    def expand(self, C: Array) -> Array:
        """C~."""
        if len(self.distances):
            away = np.sqrt(np.maximum(-np.log(np.maximum(C, 1e-300)), 0.0) / self.gamma)
            nearest = np.column_stack([(away + row).min(axis=1) for row in self.distances])
            return np.hstack([C, np.exp(-self.gamma * nearest**2)])
        return np.hstack([C, C[:, self.pairs[:, 0]] * C[:, self.pairs[:, 1]]])


def products(count: int, landmarks: int, gamma: float) -> Expansion:
    """So many different products of two landmarks' kernel values, or all there are.

    Squares first, then each value with the next, with the one after that and so on, around the end: products at the
    same distance are computed together, and of landmarks in a chain those near each other come first.
    """
    j = np.arange(landmarks)
    pairs = np.concatenate([np.column_stack([j, (j + shift) % landmarks]) for shift in range(landmarks // 2 + 1)])
    pairs = np.sort(pairs, axis=1)
    _, first = np.unique(pairs, axis=0, return_index=True)  # half way round, each is met twice
    return Expansion(gamma, pairs[np.sort(first)[:count]], np.empty((0, landmarks)))


def chain(landmarks: Array) -> Array:
    """An order in which each landmark is followed by the nearest of those that are left."""
    distances = scipy.spatial.distance.cdist(landmarks, landmarks)
    order, left = [0], np.arange(len(landmarks)) > 0
    while left.any():
        order.append(int(np.where(left, distances[order[-1]], np.inf).argmin()))
        left[order[-1]] = False
    return np.array(order)


def triangle(points: Array, landmarks: Array, gamma: float) -> Expansion:
    """These pseudo-landmarks."""
    return Expansion(gamma, np.full((len(points), 2), -1), scipy.spatial.distance.cdist(points, landmarks))


def nothing(landmarks: int, gamma: float) -> Expansion:
    """Landmarks alone."""
    return Expansion(gamma, np.empty((0, 2), int), np.empty((0, landmarks)))


@dataclass(frozen=True, eq=False)
class Approximation:
    """The map T, so that G~ = (C~ T)(C~ T)', and the relative error |G - G~| / |G|."""

    map: Array
    error: float


def approximate(expanded: Array, G: Array) -> Approximation:
    """Project G onto the range of C~; both are of the same points."""
    left, scale, right = np.linalg.svd(expanded, full_matrices=False)
    keep = scale > NEGLIGIBLE * scale[0]
    left, scale, right = left[:, keep], scale[keep], right[keep]
    inner = left.T @ G @ left
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    keep = values > NEGLIGIBLE * values.max(initial=0.0)
    values, vectors = values[keep], vectors[:, keep]
    whole, kept = np.einsum("ij,ij->", G, G), np.einsum("ij,ij->", inner, inner)
    error = float(np.sqrt(max(0.0, 1.0 - kept / whole)))
    return Approximation((right.T / scale) @ (vectors * np.sqrt(values)), error)
