"""The rows of a leaf with those around it.

A model that knows only the rows of its leaf is poor near the leaf's border, where the decision often is. It is fitted
to the nearest rows outside too: they cost time in training and none in prediction.
"""

import numpy as np

from engine.runtime.events import Array
from engine.runtime.threads import serial_blas


class Neighbourhoods:
    """The rows that the model of each leaf is fitted to; `reach` is how many from outside for each row inside."""

    def __init__(self, Z: Array, labels: Array, leaves: int, reach: float) -> None:
        self.Z, self.labels, self.reach = Z, labels, reach
        self.sizes = np.bincount(labels, minlength=leaves)
        sums = np.zeros((leaves, Z.shape[1]))
        order = np.argsort(labels, kind="stable")
        ends = np.cumsum(self.sizes)
        self.own = np.split(order, ends[:-1])
        for leaf, rows in enumerate(self.own):
            sums[leaf] = Z[rows].sum(axis=0, dtype=np.float64)
        self.centres = (sums / np.maximum(self.sizes, 1)[:, None]).astype(Z.dtype)
        if reach:
            self.to_own = np.square(Z - self.centres[labels]).sum(axis=1)
            self.norms = np.einsum("ij,ij->i", Z, Z)

    def rows(self, leaf: int) -> Array:
        """The rows in a leaf and those nearest to it: by how far they are beyond the border of its cell."""
        own = self.own[leaf]
        count = min(len(self.Z), round(len(own) * (1.0 + self.reach)))
        if count <= len(own):
            return own
        centre = self.centres[leaf]
        with serial_blas():
            to_centre = self.norms - 2.0 * (self.Z @ centre) + centre @ centre
        apart = np.sqrt(np.square(self.centres - centre).sum(axis=1))
        beyond = (to_centre - self.to_own) / np.maximum(apart, 1e-30)[self.labels]
        beyond[own] = -np.inf
        return np.sort(np.argpartition(beyond, count - 1)[:count])
