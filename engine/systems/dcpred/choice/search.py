"""Which candidates are tried, and which of them is chosen.

A structure is a number of leaves and a kind of pseudo-landmarks. All are tried with few landmarks, the best of them
with more, until the promise is kept; then with fewer again. A candidate that is clearly worse is left as soon as some
of its leaves have shown it. All of it may take as long as the exact model did, a few times over; how long is told from
sizes, not measured: a choice depends on no clock.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.runtime.events import Array, Steps, passed_on
from engine.systems.dcpred.choice.build import THIN, Builder, together
from engine.systems.dcpred.choice.leaf_fit import ROUNDS, Target, leaf_values
from engine.systems.dcpred.choice.neighbourhoods import Neighbourhoods
from engine.systems.dcpred.choice.promise import AIMS, CONFIDENCE, Candidate, Promise, Tried
from engine.systems.dcpred.choice.reference import Reference
from engine.systems.dcpred.events import CandidateTried
from engine.systems.dcpred.tree import Grown, grow

LEAVES = (1, 4, 16, 64, 256, 1024)
LIKELY = 64  # leaves that are tried first, and a quarter of these
LEAST = 64  # rows of a leaf, on average
REACHES = (2.0, 4.0)  # the second where a leaf has too few support vectors with the first
LEVELS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)  # landmarks of a leaf that are tried
FIRST = 64  # of these, at most, and a thirtieth of the exact model's
WITH_PSEUDO = 64  # landmarks of a single leaf that pseudo-landmarks are tried beside; more do not need them
CHEAPER = 0.8  # of the exact model's cost: what is worth trying
WORSE = 1.5  # times the least loss: what is tried no further
PARTS = 8  # that the leaves of a candidate are tried in
SCREENED = 1000  # rows put aside that a candidate is tried on in any case
CLEARLY = 1.5, 2.5  # standard errors, among many structures and later; leaves differ more than their rows do
FEWEST_ASIDE = 100  # rows put aside; fewer tell nothing
TIMES = 3.0  # as long as the reference took: candidates and the last fit together
LAST_FIT = 1.4  # as long as the candidate that is chosen: it is fitted to all rows again


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
        self.support = int(np.count_nonzero(self.weights))
        target = reference.target
        self.target = Target(target.values[reference.part], target.price, target.regression)
        self.tasks = target.values.shape[1]
        self.tried: dict[Candidate, Tried] = {}
        self.spent = 0.0
        self._grown: dict[int, tuple[Grown, Array, Array]] = {}

    def run(self) -> Steps[Tried | None]:
        """Try candidates; returns the one chosen, or None if nothing keeps the promise."""
        if len(self.reference.aside) < FEWEST_ASIDE:
            return None
        if self.settings.landmark_ratio != "auto":
            yield from self._try_all(list(self.structures()))
        elif self.promise.max_cost is not None:
            yield from self._within_cost()
            best = self._best()
            if best is not None or self.promise.max_loss is None:
                return best
            self.promise = replace(self.promise, max_cost=None)
            yield from self._up_and_down()
        else:
            yield from self._up_and_down()
        return self._best()

    def _best(self) -> Tried | None:
        """Of the candidates that keep the promise, the cheapest, or the most accurate one if a cost is promised.

        If none is sure to keep it, the one that is surest to of those that seem to.
        """
        promise = self.promise
        whole = [it for it in self.tried.values() if self._is_enough(it) and promise.keeps_cost(it)]
        sure = [it for it in whole if promise.keeps_loss(it)]
        if sure and promise.max_cost is None:
            return min(sure, key=lambda it: it.cost)
        seeming = sure or [it for it in whole if promise.seems_to_keep_loss(it)]
        return min(seeming, key=lambda it: (it.loss + CONFIDENCE * it.error, it.cost), default=None)

    def _up_and_down(self) -> Steps[None]:
        """More landmarks until the promise is kept, then fewer."""
        level = self._first_level()
        found = yield from self._try_leaves(LEVELS[level])
        while not found:
            known = sorted(self._known(LEVELS[level]), key=lambda it: it.loss)
            if not known:
                return
            level += self._step(known[0])
            if level >= len(LEVELS):
                return
            found = yield from self._try_all(self._at(self._alive(known), LEVELS[level]))
        while found and level > 0:
            level -= 1
            found = yield from self._try_all(self._at([it.candidate for it in found[:2]], LEVELS[level]))

    def _step(self, best: Tried) -> int:
        """How many levels up to go: with twice the landmarks the loss is about half."""
        limit = self.promise.max_loss
        if not limit:
            return 1
        return max(1, round(2.0 * np.log2(max(best.loss / (AIMS[-1] * limit), 1.0)) - 1.0))

    def _try_leaves(self, count: int) -> Steps[list[Tried]]:
        """Structures by their leaves: from a likely number down and up, as long as they do not become worse."""
        structures = sorted(self.structures(), key=lambda it: (it.n_leaves, it.pseudo != "none"))
        middle = max(k for k, it in enumerate(structures) if it.n_leaves <= LIKELY or k == 0)
        found: list[Tried] = []
        for way in (structures[middle::-1], structures[middle + 1 :]):
            for structure in way:
                found += yield from self._try_all(self._at([structure], count), CLEARLY[0])
                known = self._known(count)
                last = [it for it in known if it.candidate.n_leaves == structure.n_leaves]
                if len(known) > 1 and last and not any(self._is_near(it, known) for it in last):
                    break
        return sorted(found, key=lambda it: it.cost)

    def _known(self, count: int) -> list[Tried]:
        return [it for it in self.tried.values() if it.candidate.landmarks == count]

    def _is_near(self, tried: Tried, others: list[Tried]) -> bool:
        """Whether a candidate may be nearly as good as the best."""
        return tried.loss - tried.error <= WORSE * max(min(it.loss for it in others), 0.0)

    def _alive(self, known: list[Tried]) -> list[Candidate]:
        """The best structures, and the best with fewer leaves: with more landmarks, fewer leaves are better."""
        near = [it.candidate for it in known if self._is_near(it, known)][:2]
        best = known[0].candidate
        if self.settings.n_leaves == "auto" and best.n_leaves > 1:
            fewer = replace(best, n_leaves=best.n_leaves // 2, reach=REACHES[0] if best.n_leaves > 2 else 0.0)
            near.append(fewer)
        return near or [best]

    def _within_cost(self) -> Steps[None]:
        """All structures, each with as many landmarks as its cost allows."""
        assert self.promise.max_cost is not None
        for structure in self.structures():
            for level in reversed(LEVELS):
                candidate = replace(structure, landmarks=level)
                if self.expected_cost(candidate) <= self.promise.max_cost and self._may_try(candidate):
                    tried = yield from self._try(candidate)
                    if self.promise.keeps_cost(tried):
                        break

    def _try_all(self, candidates: list[Candidate], clearly: float = CLEARLY[-1]) -> Steps[list[Tried]]:
        """Try these; returns those that keep the promise, the cheapest first."""
        for candidate in candidates:
            if candidate not in self.tried and self._may_try(candidate):
                yield from self._try(candidate, clearly)
        known = [self.tried[it] for it in candidates if it in self.tried]
        return sorted(
            (it for it in known if self._is_enough(it) and self.promise.keeps_loss(it)), key=lambda it: it.cost
        )

    def _is_enough(self, tried: Tried) -> bool:
        return tried.rows >= min(SCREENED, len(self.reference.aside))

    def _may_try(self, candidate: Candidate) -> bool:
        """Whether there is time for it, and whether it would be cheaper than the exact model."""
        share = min(1.0, SCREENED / len(self.reference.aside) + 1.0 / PARTS)
        in_time = self._is_in_time(candidate, share * self.work(candidate))
        return in_time and self.expected_cost(candidate) < CHEAPER * self.reference.cost

    def _is_in_time(self, candidate: Candidate, work: float) -> bool:
        """Whether there is time for some work, and for fitting the candidate to all rows after it."""
        return self.spent + work + LAST_FIT * self.work(candidate) <= TIMES * self.reference.work

    # ---- candidates ----

    def structures(self) -> Iterator[Candidate]:
        """Without a number of landmarks; settings that are given are the same in all."""
        settings = self.settings
        for leaves in LEAVES if settings.n_leaves == "auto" else (settings.n_leaves,):
            if leaves > 1 and settings.n_leaves == "auto" and len(self.part) < LEAST * leaves:
                continue
            reach = REACHES[0] if leaves > 1 else 0.0
            if settings.pseudo != "auto":
                yield Candidate(leaves, None, reach, settings.pseudo, settings.pseudo_ratio)
                continue
            yield Candidate(leaves, None, reach, "none", 0.0)
            if leaves == 1 and settings.landmark_ratio == "auto":
                yield Candidate(leaves, None, reach, "products", settings.pseudo_ratio)

    def _first_level(self) -> int:
        few = min(FIRST, self.reference.cost / 30.0)
        return max((k for k, level in enumerate(LEVELS) if level <= few), default=0)

    def _at(self, structures: list[Candidate], count: int) -> list[Candidate]:
        """Candidates with so many landmarks, if the leaves can have nearly so many."""
        found: list[Candidate] = []
        for it in structures:
            if it.pseudo != "none" and self.settings.pseudo == "auto" and count > WITH_PSEUDO:
                it = replace(it, pseudo="none", pseudo_ratio=0.0)
            if count > (self.settings.max_landmarks or count):
                continue
            near = self.support * (1.0 + REACHES[0]) / it.n_leaves
            far = self.support * (1.0 + REACHES[-1]) / it.n_leaves
            if it.n_leaves > 1:
                it = replace(it, reach=REACHES[0] if count <= near else REACHES[-1])
            if count <= max(2.0 * far, LEVELS[0]) and replace(it, landmarks=count) not in found:
                found.append(replace(it, landmarks=count))
        return found

    def _landmarks(self, candidate: Candidate) -> float:
        """Landmarks of a leaf, on average."""
        near = self.support * (1.0 + candidate.reach) / candidate.n_leaves
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
        """Nanoseconds to fit all leaves, and to grow the tree if there is none yet; fitted to a table of times."""
        (n, d), count, leaves = self.part.shape, self._landmarks(candidate), candidate.n_leaves
        features = count * (1.0 + candidate.pseudo_ratio)
        fitted = (self.support + (n - self.support) / THIN) * (1.0 + candidate.reach)
        rows = fitted * features
        rounds = 1 if self.target.regression else ROUNDS
        work = rows * (0.095 * d + 14.0 + 0.01 * features + 0.13 * rounds * self.tasks)
        work += leaves * (0.9e6 + 0.05 * features**3)
        if candidate.pseudo != "none":
            work += leaves * 20e6
        if count < self.support * (1.0 + candidate.reach) / leaves:
            work += 0.2 * self.support * (1.0 + candidate.reach) * count * (d + self.tasks)
        if leaves > 1:
            work += 0.5 * n * leaves * d
            if leaves not in self._grown:
                work += 1e6 * leaves + 50.0 * n * d
        return float(work)

    # ---- one candidate ----

    def _try(self, candidate: Candidate, clearly: float = CLEARLY[-1]) -> Steps[Tried]:
        """Fit the leaves part by part; stop when it is clear that the loss is more than is allowed."""
        work = self.work(candidate)
        grown, Z, leaf_of = yield from self._tree(candidate.n_leaves)
        gamma, reference = self.kernel.gamma, self.reference
        builder = Builder(grown.Z, self.target, self.classes, self.weights, self.kernel, self.settings)
        near = Neighbourhoods(grown.Z, grown.labels, len(grown.tree), candidate.reach)
        routing = grown.tree.routing()
        values, costs = np.zeros((len(Z), self.tasks), np.float32), np.zeros(len(Z))
        order = np.random.default_rng([self.settings.seed, 7]).permutation(len(grown.tree))
        done = np.zeros(len(Z), bool)

        def fit(leaf: int) -> None:
            places = np.flatnonzero(leaf_of == leaf)
            if len(places):
                it, _ = builder.leaf(leaf, near.rows(leaf), near.own[leaf], candidate)
                values[places] = leaf_values(it, Z[places], gamma)
                costs[places] = routing[leaf] + it.cost()
            done[places] = True

        for leaves in np.array_split(order, min(PARTS, len(order))):
            yield from together(fit, leaves, self.threads)
            self.spent += work * len(leaves) / len(order)
            places = np.flatnonzero(done)
            loss, error = reference.loss(reference.losses(values[places], places), places)
            limit = self.promise.max_loss
            clear = limit is not None and loss - clearly * error > limit
            late = not self._is_in_time(candidate, work * len(leaves) / len(order))
            if len(places) >= SCREENED and (clear or late):
                break
        quality = reference.quality_of(values[places], places)
        tried = Tried(candidate, loss, error, quality, float(costs[places].mean()), len(places))
        self.tried[candidate] = tried
        yield CandidateTried(
            n_leaves=candidate.n_leaves, landmarks=candidate.landmarks or 0, reach=candidate.reach,
            pseudo=candidate.pseudo, loss=loss, error=error, quality=quality, cost=tried.cost, rows=tried.rows,
        )  # fmt: skip
        return tried

    def _tree(self, leaves: int) -> Steps[tuple[Grown, Array, Array]]:
        """The tree with so many leaves, the rows put aside from its origin, and their leaves."""
        if leaves not in self._grown:
            rng = np.random.default_rng([self.settings.seed, 1])
            steps = grow(self.part, leaves, self.settings.branching, rng, self.kernel.counter, self.classes)
            grown = yield from passed_on(steps, lambda event: None)
            rest = self.X[self.reference.aside]
            self._grown[leaves] = grown, grown.tree.moved(rest)[:, : self.X.shape[1]], grown.tree.route(rest)
        return self._grown[leaves]
