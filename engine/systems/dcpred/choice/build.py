"""Leaves built on threads, by the settings of a candidate."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.runtime.events import Array, Steps, drain
from engine.runtime.threads import for_each, run_in_thread, serial_blas
from engine.systems.dcpred import landmarks as strategies
from engine.systems.dcpred.choice.leaf_fit import Target, constant_leaf, fit_leaf, sided_centres
from engine.systems.dcpred.choice.promise import Candidate
from engine.systems.dcpred.compressed_model import Leaf

THIN = 3  # of rows that are no support vectors, one in so many is fitted to: the others say what the exact model knows


@dataclass(frozen=True, eq=False)
class Builder:
    """Builds leaves over some rows: their points from the tree's origin, targets, classes, and exact weights."""

    Z: Array
    target: Target
    classes: Array | None
    weights: Array
    kernel: Kernel
    settings: Any

    def leaf(self, leaf: int, rows: Array, own: Array, candidate: Candidate) -> tuple[Leaf, Array]:
        """The model of a leaf that `own` rows are in, fitted to `rows`, and the points that are pseudo-landmarks.

        Its random numbers are its own.
        """
        constant = self.target.constant(rows)
        if constant is not None:
            return constant_leaf(self.Z.shape[1], constant), self.Z[:0]
        rng = np.random.default_rng([self.settings.seed, leaf])
        known = self.weights[rows] > 0
        support = rows[known]
        if not len(support):
            support, known = rows, ~known
        rows = rows[known | (rows % THIN == 0)]
        found = self._landmarks(rows, support, self._count(own, support, candidate), rng)
        self.kernel.counter.add(len(rows) * len(found))
        ratio = candidate.pseudo_ratio
        return fit_leaf(self.Z, self.target, rows, found, self.kernel.gamma, candidate.pseudo, ratio, rng)

    def _count(self, own: Array, support: Array, candidate: Candidate) -> int:
        if candidate.landmarks is not None:
            return candidate.landmarks
        inside = np.count_nonzero(self.weights[own] > 0) or len(own)
        count = max(1, int(np.ceil(self.settings.landmark_ratio * inside)))
        return min(count, self.settings.max_landmarks or count)

    def _landmarks(self, rows: Array, support: Array, count: int, rng: np.random.Generator) -> Array:
        strategy, weights = self.settings.landmarks, self.weights[support]
        weights = weights if weights.any() else np.ones(len(support))
        sides = None if self.classes is None else self.classes[support]
        if strategy == "auto":  # |alpha| itself leaves too few to the many with little weight
            return sided_centres(self.Z[support], np.sqrt(weights), sides, count, rng)
        numbers = np.zeros(len(support)) if sides is None else sides
        return drain(
            strategies.choose(
                strategy, self.Z[rows], self.Z[support], weights**2, numbers, count, rng, self.kernel.counter
            )
        )


def together(fit: Callable[[int], None], leaves: Array, threads: int) -> Steps[None]:
    """Fit some leaves, on so many threads, breathing meanwhile."""

    def work() -> None:
        with serial_blas():
            for_each(fit, leaves.tolist(), threads)

    yield from run_in_thread(work)
