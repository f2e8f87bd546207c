"""Which candidates are tried, and which of them is chosen.

Cheap predictions first: the first candidate that keeps the promise is chosen. One that is clearly worse is left as soon
as some of its leaves have shown it, and candidates stop when they have taken as much work as the exact model did. Work
is counted in multiplications, not measured: a choice depends on no clock.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.runtime.events import Array, Steps, drain, passed_on
from engine.runtime.threads import for_each, run_in_thread, serial_blas
from engine.systems.dcpred import landmarks as strategies
from engine.systems.dcpred.choice.leaf_fit import (
    KMEANS_ROUNDS,
    ROUNDS,
    Target,
    constant_leaf,
    fit_leaf,
    leaf_values,
    sided_centres,
)
from engine.systems.dcpred.choice.neighbourhoods import Neighbourhoods
from engine.systems.dcpred.choice.promise import Candidate, Promise, Tried
from engine.systems.dcpred.choice.reference import Reference
from engine.systems.dcpred.compressed_model import Leaf
from engine.systems.dcpred.events import CandidateTried
from engine.systems.dcpred.tree import Grown, grow

LEAVES = (1, 4, 16, 64, 256, 1024)
LEAST = 40  # rows of a leaf, on average
REACHES = {1: (0.0,), 4: (1.0,)}  # and for more leaves:
FAR_AND_NEAR = (1.0, 3.0)
FEWEST, MOST = 8, 1024  # landmarks of a leaf
WITH_PSEUDO = 64  # landmarks of a single leaf that pseudo-landmarks are tried beside; more do not need them
CHEAPER = 0.8  # of the exact model's cost: what is worth trying
PARTS = 4  # that the leaves of a candidate are tried in
CLEARLY = 2.5  # standard errors
HOPELESS = 4.0  # times the loss allowed: twice the landmarks will not do either
LEAF_WORK = 4e6  # multiplications that the overhead of a leaf is worth
SHARE = 1.0  # of the exact model's work that candidates may take


@dataclass(frozen=True, eq=False)
class Builder:
    """Builds leaves over some rows: their points from the tree's origin, targets, classes, and exact weights."""

    Z: Array
    target: Target
    classes: Array | None
    weights: Array
    kernel: Kernel
    settings: Any

    def leaf(self, leaf: int, rows: Array, own: Array, candidate: Candidate) -> Leaf:
        """The model of a leaf that `own` rows are in, fitted to `rows`; its random numbers are its own."""
        constant = self.target.constant(rows)
        if constant is not None:
            return constant_leaf(self.Z.shape[1], constant)
        rng = np.random.default_rng([self.settings.seed, leaf])
        support = rows[self.weights[rows] > 0]
        if not len(support):
            support = rows
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
        if strategy == "auto":
            return sided_centres(self.Z[support], weights, sides, count, rng)
        numbers = np.zeros(len(support)) if sides is None else sides
        return drain(
            strategies.choose(
                strategy, self.Z[rows], self.Z[support], weights**2, numbers, count, rng, self.kernel.counter
            )
        )


class Search:
    """Candidates fitted to the rows of the reference's part, and compared with it on the rows put aside."""

    def __init__(
        self, X: Array, reference: Reference, classes: Array | None, kernel: Kernel, threads: int, settings: Any,
        promise: Promise,
    ) -> None:  # fmt: skip
        self.X, self.reference, self.kernel, self.threads = X, reference, kernel, threads
        self.settings, self.promise = settings, promise
        self.part = X[reference.part]
        self.classes = None if classes is None else classes[reference.part]
        self.weights = reference.weights[reference.part]
        target = reference.target
        self.target = Target(target.values[reference.part], target.price, target.regression)
        self.tasks = target.values.shape[1]
        self.tried: list[Tried] = []
        self.spent = 0.0
        self._grown: dict[int, tuple[Grown, Array, Array]] = {}

    def run(self) -> Steps[Tried | None]:
        """Try candidates; returns the one chosen, or None if nothing keeps the promise."""
        hopeless: dict[tuple[Any, ...], int] = {}
        best: Tried | None = None
        for candidate in self.candidates():
            structure = (candidate.n_leaves, candidate.reach, candidate.pseudo)
            if candidate.landmarks is not None and candidate.landmarks <= hopeless.get(structure, 0):
                continue
            work = self.work(candidate)
            if self.spent + work / 2 > SHARE * self.reference.work:
                continue
            tried = yield from self._try(candidate, work, best)
            self.tried.append(tried)
            yield CandidateTried(
                n_leaves=candidate.n_leaves, landmarks=candidate.landmarks or 0, reach=candidate.reach,
                pseudo=candidate.pseudo, loss=tried.loss, error=tried.error, quality=tried.quality, cost=tried.cost,
                rows=tried.rows,
            )  # fmt: skip
            limit = self.promise.max_loss
            if limit is not None and candidate.landmarks and tried.loss - 2 * tried.error > HOPELESS * limit:
                hopeless[structure] = 2 * candidate.landmarks
            if self.promise.max_cost is None:
                if self._is_whole(tried) and self.promise.keeps_loss(tried):
                    return tried
            elif self._is_whole(tried) and self.promise.keeps_cost(tried) and (best is None or tried.loss < best.loss):
                best = tried
        return best

    def _is_whole(self, tried: Tried) -> bool:
        return tried.rows == len(self.reference.aside)

    # ---- candidates ----

    def candidates(self) -> list[Candidate]:
        """In the order of what a prediction is expected to cost; settings that are given are the same in all."""
        settings, n, found = self.settings, len(self.part), []
        leaves = LEAVES if settings.n_leaves == "auto" else (settings.n_leaves,)
        support = np.count_nonzero(self.weights)
        most = min(MOST, support, settings.max_landmarks or MOST)
        counts: list[int | None] = [None]
        if settings.landmark_ratio == "auto":
            counts = [*(FEWEST * 2**k for k in range(20) if FEWEST * 2**k < most), most]
        for many in leaves:
            if many > 1 and settings.n_leaves == "auto" and n < LEAST * many:
                continue
            for reach in REACHES.get(many, FAR_AND_NEAR):
                near = support * (1.0 + reach) / many
                for count in counts:
                    if count is not None and count > max(2.0 * near, FEWEST) and many > 1:
                        continue
                    for pseudo, ratio in self._kinds(many, count):
                        found.append(Candidate(many, count, reach, pseudo, ratio))
        limit = CHEAPER * self.reference.cost
        if self.promise.max_cost is not None:
            limit = min(limit, 1.2 * self.promise.max_cost)
        costs = {candidate: self.expected_cost(candidate) for candidate in found}
        return sorted((c for c in found if costs[c] < limit), key=lambda c: costs[c])

    def _kinds(self, leaves: int, count: int | None) -> list[tuple[str, float]]:
        settings = self.settings
        if settings.pseudo != "auto":
            return [(settings.pseudo, settings.pseudo_ratio if settings.pseudo != "none" else 0.0)]
        few = leaves == 1 and count is not None and count <= WITH_PSEUDO
        return [("none", 0.0), ("products", settings.pseudo_ratio)] if few else [("none", 0.0)]

    def _landmarks(self, candidate: Candidate) -> float:
        """Landmarks of a leaf, on average."""
        near = np.count_nonzero(self.weights) * (1.0 + candidate.reach) / candidate.n_leaves
        if candidate.landmarks is None:
            count = self.settings.landmark_ratio * near / (1.0 + candidate.reach)
            return float(min(count, self.settings.max_landmarks or count))
        return float(min(candidate.landmarks, near))

    def expected_cost(self, candidate: Candidate) -> float:
        """Inner products for a prediction."""
        count, d, fan = self._landmarks(candidate), self.X.shape[1], self.settings.branching
        levels = np.ceil(np.log(candidate.n_leaves) / np.log(fan))
        pseudo = candidate.pseudo_ratio * count
        return float(levels * (fan - 1) + count * (1.0 + self.tasks / d) + pseudo * (1.0 + self.tasks) / d)

    def work(self, candidate: Candidate) -> float:
        """Multiplications to fit all leaves."""
        d, count = self.X.shape[1], self._landmarks(candidate)
        rows = len(self.part) * (1.0 + candidate.reach)
        support = np.count_nonzero(self.weights) * (1.0 + candidate.reach)
        features = count * (1.0 + candidate.pseudo_ratio)
        rounds = 1 if self.target.regression else ROUNDS
        work = rows * (count * (d + 10.0) + 2.0 * features**2 + 2.0 * rounds * self.tasks * features)
        work += candidate.n_leaves * (LEAF_WORK + features**3 + 2.0 * rounds * self.tasks * features**2)
        return work + support * count * KMEANS_ROUNDS * (d + 5.0)

    # ---- one candidate ----

    def _try(self, candidate: Candidate, work: float, best: Tried | None) -> Steps[Tried]:
        """Fit the leaves part by part; stop when it is clear that the candidate will not be chosen."""
        grown, Z, leaf_of = yield from self._tree(candidate.n_leaves)
        gamma, reference = self.kernel.gamma, self.reference
        builder = Builder(grown.Z, self.target, self.classes, self.weights, self.kernel, self.settings)
        near = Neighbourhoods(grown.Z, grown.labels, len(grown.tree), candidate.reach)
        routing = grown.tree.routing()
        values, costs = np.zeros((len(Z), self.tasks), np.float32), np.zeros(len(Z))
        order = np.random.default_rng([self.settings.seed, 7]).permutation(len(grown.tree))
        limit = self.promise.max_loss if best is None else best.loss
        done = np.zeros(len(Z), bool)

        def fit(leaf: int) -> None:
            places = np.flatnonzero(leaf_of == leaf)
            if len(places):
                it = builder.leaf(leaf, near.rows(leaf), near.own[leaf], candidate)
                values[places] = leaf_values(it, Z[places], gamma)
                costs[places] = routing[leaf] + it.cost()
            done[places] = True

        for leaves in np.array_split(order, min(PARTS, len(order))):
            yield from together(fit, leaves, self.threads)
            self.spent += work * len(leaves) / len(order)
            places = np.flatnonzero(done)
            loss, error = reference.loss(reference.losses(values[places], places), places)
            if limit is not None and loss - CLEARLY * error > limit:
                break
        quality = reference.quality_of(values[places], places)
        return Tried(candidate, loss, error, quality, float(costs[places].mean()), len(places))

    def _tree(self, leaves: int) -> Steps[tuple[Grown, Array, Array]]:
        """The tree with so many leaves, the rows put aside from its origin, and their leaves."""
        if leaves not in self._grown:
            rng = np.random.default_rng([self.settings.seed, 1])
            steps = grow(self.part, leaves, self.settings.branching, rng, self.kernel.counter, self.classes)
            grown = yield from passed_on(steps, lambda event: None)
            rest = self.X[self.reference.aside]
            self._grown[leaves] = grown, grown.tree.moved(rest)[:, : self.X.shape[1]], grown.tree.route(rest)
        return self._grown[leaves]


def together(fit: Callable[[int], None], leaves: Array, threads: int) -> Steps[None]:
    """Fit some leaves, on so many threads, breathing meanwhile."""

    def work() -> None:
        with serial_blas():
            for_each(fit, leaves.tolist(), threads)

    yield from run_in_thread(work)
