"""DC-Pred++: prediction at nearly linear cost (Hsieh, Si and Dhillon, 2014).

    grow a tree of k-means over the data; train an exact model in every leaf;
    in every leaf: centres of k-means, weighted by alpha^2, as landmarks; approximate the kernel with them and with
    pseudo-landmarks that cost next to nothing; train a linear model on the approximation

The result is a `CompressedModel`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from engine.numerics.points import joined
from engine.runtime.events import Array, PhaseBegan, Started, Steps, Stop, finish
from engine.systems.dcpred import landmarks, nystrom
from engine.systems.dcpred.compressed_model import CompressedModel, Leaf, assembled, seen
from engine.systems.dcpred.events import FastFinished, KernelApproximated, LandmarksChosen, LeafCompressed
from engine.systems.dcpred.landmark_tuning import tuned
from engine.systems.dcpred.learners import ExactLeaves, Learner
from engine.systems.dcpred.nystrom import Expansion, approximate
from engine.systems.dcpred.tree import Grown, grow, grown_event, stump

SAMPLE = 1000  # points of a leaf that the approximation is fitted to
ON_SCREEN = 40  # points of the matrices in events
MOST_LEAVES_SHOWN = 256  # leaves of a tree whose events have matrices


@dataclass(frozen=True, eq=False)
class DCPredSolution:
    """What DC-Pred++ returns."""

    model: CompressedModel
    machine: str
    stop_reason: str
    iterations: int  # leaves compressed
    objective: float  # of the exact models
    exact_quality: float
    quality: float
    cost: float
    exact_cost: float
    alpha: Array
    inner_steps: int = 0
    violation: float = np.nan

    def event(self) -> FastFinished:
        """The closing event of the run."""
        support = int(np.count_nonzero(self.alpha))
        return FastFinished(
            stop_reason=self.stop_reason, iterations=self.iterations, inner_steps=0, objective=self.objective,
            gap=np.nan, violation=np.nan, intercept=0.0, n_free=support, n_bound=0, alpha=self.alpha,
            machine=self.machine, exact_quality=self.exact_quality, quality=self.quality, cost=self.cost,
            exact_cost=self.exact_cost, n_landmarks=len(self.model.landmarks), n_pseudo=len(self.model.pairs),
            **self.model.table(),
        )  # fmt: skip


def solve(
    X: Array, learner: Learner, train: Callable[[Grown], Steps[ExactLeaves]], settings: Any
) -> Steps[DCPredSolution]:
    """Algorithm 2 of the paper; `train` finds the exact models of the leaves."""
    state, kernel = _State(X, learner, settings), learner.kernel
    try:
        yield Started(
            solver="dcpred", n=len(X), d=X.shape[1], kernel=kernel.name, gamma=kernel.gamma, bias=False,
            tol=settings.tol if "tol" in settings.names() else 0.0,
        )  # fmt: skip
        # Construct a hierarchical clustering tree with k leaf nodes by k-means
        yield PhaseBegan(name="tree", size=len(X))
        yield from state.grow()
        # Compute local models for each cluster
        yield PhaseBegan(name="leaves", size=len(X))
        state.exact = yield from train(state.grown)
        # For each cluster: landmarks, kernel approximation with pseudo landmarks, a local prediction model
        yield PhaseBegan(name="compress", size=len(X))
        for leaf, members in enumerate(state.members):
            values = np.tile(learner.constant(members), (len(members), 1))
            if not learner.is_constant(members):
                support, count = state.support(members)
                if state.is_small(support, count):
                    values = yield from state.keep(leaf, members, support)
                else:
                    found = yield from state.choose_landmarks(leaf, members, support, count)
                    expansion, features, mapped = yield from state.approximate(leaf, members, found, settings.pseudo)
                    values = state.train_linear(leaf, members, found, expansion, features, mapped)
            yield state.leaf_event(leaf, members, values)
        state.stop_reason = "converged"
    except Stop as stop:
        state.stop_reason = stop.reason
    solution = state.solution()
    return (yield from finish(solution, solution.event()))


class _State:
    """The state of DC-Pred++. Until a leaf is compressed, its model is a constant."""

    def __init__(self, X: Array, learner: Learner, settings: Any) -> None:
        self.X, self.learner, self.settings = X, learner, settings
        self.kernel, self.points = learner.kernel, learner.points
        self.rng = np.random.default_rng(settings.seed)
        self.stop_reason = ""
        self.exact: ExactLeaves | None = None
        self._adopt(_stump(X))

    def _adopt(self, grown: Grown) -> None:
        self.grown, self.members = grown, grown.members()
        d = self.X.shape[1]
        self.leaves = [_constant(d, self.learner.constant(members)) for members in self.members]
        self.done, self.routing = 0, grown.tree.routing()

    def grow(self) -> Steps[None]:
        settings = self.settings
        grown = yield from grow(
            self.X, settings.n_leaves, settings.branching, self.rng, self.kernel.counter, self.learner.classes
        )
        self._adopt(grown)
        yield grown_event(grown)

    # ---- a leaf ----

    def support(self, members: Array) -> tuple[Array, int]:
        """The members with a weight in the exact model, and how many landmarks there are to be for them."""
        assert self.exact is not None
        settings, support = self.settings, members[self.exact.squares[members] > 0]
        if not len(support):  # alphas so small that there is nothing to tell them apart by
            support = members
        count = max(1, int(np.ceil(settings.landmark_ratio * len(support))))
        return support, min(count, settings.max_landmarks or count)

    def is_small(self, support: Array, count: int) -> bool:
        """Whether the exact model of a leaf is no larger than a compressed one would be."""
        assert self.exact is not None
        return (
            len(support) <= count
            and self.exact.coefficients is not None
            and self.settings.landmarks in landmarks.OF_SUPPORT
        )

    def keep(self, leaf: int, members: Array, support: Array) -> Steps[Array]:
        """Keep the exact model of a leaf as it is; return its values."""
        assert self.exact is not None
        assert self.exact.coefficients is not None
        found = self.grown.Z[support]
        yield self._landmarks_event(leaf, support, found)
        expansion, _, _ = yield from self.approximate(leaf, members, found, "none")
        coefficients, intercepts = self.exact.coefficients[support], self.learner.intercepts(members)
        nothing = coefficients[:0]
        self.leaves[leaf] = Leaf(
            found, seen(self.grown.Z[members]), coefficients, intercepts, expansion.pairs, nothing, expansion.distances
        )
        return self.exact.values[members]

    def choose_landmarks(self, leaf: int, members: Array, support: Array, count: int) -> Steps[Array]:
        """Centres of k-means with alpha^2 as weights, or what the settings ask for."""
        settings, classes, Z = self.settings, self.learner.classes, self.grown.Z
        sides = np.zeros(len(support)) if classes is None else classes[support]
        found = yield from landmarks.choose(
            settings.landmarks, Z[members], Z[support], self._weights(support), sides, count, self.rng,
            self.kernel.counter,
        )  # fmt: skip
        if settings.tuning:
            found = yield from self._tuned(members, found)
        found = found[nystrom.chain(found)]
        yield self._landmarks_event(leaf, support, found)
        return found

    def _weights(self, support: Array) -> Array:
        assert self.exact is not None
        squares = self.exact.squares[support]
        return squares if squares.any() else np.ones(len(support))

    def _landmarks_event(self, leaf: int, support: Array, found: Array) -> LandmarksChosen:
        weights = self._weights(support)
        objective, shares = landmarks.objective(found, self.grown.Z[support], weights)
        return LandmarksChosen(
            leaf=leaf, strategy=self.settings.landmarks, support=support, point_weights=weights,
            landmarks=found + self.grown.tree.origin, weights=shares, objective=objective,
        )  # fmt: skip

    def _tuned(self, members: Array, found: Array) -> Steps[Array]:
        """Move the landmarks, starting with the linear model on the landmarks as they are."""
        Z, learner, gamma = self.grown.Z[members], self.learner, self.kernel.gamma
        some = seen(Z)
        Z, centre = Z[:, some], Z[:, some].mean(axis=0, dtype=np.float64)
        away, start = Z - centre, found[:, some] - centre
        distances = scipy.spatial.distance.cdist(np.vstack([away, start]), start, "sqeuclidean")
        C = np.exp(-gamma * distances)
        mapped = approximate(C[len(Z) :], C[len(Z) :]).map
        weights, intercepts = learner.fit_linear(C[: len(Z)] @ mapped, members)
        yield None
        moved = yield from tuned(
            away, start, mapped @ weights, intercepts, gamma, lambda values: learner.loss(values, members),
            self.settings.tuning,
        )  # fmt: skip
        found = found.copy()
        found[:, some] = moved + centre
        return found

    def approximate(
        self, leaf: int, members: Array, found: Array, kind: nystrom.Pseudo
    ) -> Steps[tuple[Expansion, Array, Array]]:
        """Algorithm 1: the expansion, its rows C~ for all points of the leaf, and the map T."""
        settings, gamma, rng = self.settings, self.kernel.gamma, self.rng
        origin, count = self.grown.tree.origin, int(np.ceil(settings.pseudo_ratio * len(found)))
        pseudo = np.empty((0, len(origin)), np.float32)
        expansion = nystrom.nothing(len(found), gamma)
        if kind == "products":
            expansion = nystrom.products(count, len(found), gamma)
        elif kind == "triangle":
            pseudo = self.grown.Z[np.sort(rng.permutation(members)[:count])]
            expansion = nystrom.triangle(pseudo, found, gamma)
        at = self.kernel.points(found + origin)
        C = np.empty((len(members), len(found)))
        yield from self.kernel.block_steps(self.points[members], at, C, np.arange(len(members)), 1)
        features = expansion.expand(C)
        sample = np.arange(len(members))
        if len(members) > SAMPLE:
            sample = np.sort(rng.permutation(len(members))[:SAMPLE])
        # The landmarks are fitted to as well: one that no sampled point is near would have a column of zeros, and a
        # point that comes near it any value.
        rows = joined(self.points[members[sample]], at)
        G = np.empty((len(rows), len(rows)))
        yield from self.kernel.block_steps(rows, rows, G, np.arange(len(rows)), 1)
        fitted_to = np.vstack([features[sample], expansion.expand(G[len(sample) :, len(sample) :])])
        fitted = approximate(fitted_to, G)
        yield None
        yield self._approximation_event(leaf, members[sample], found, expansion, kind, pseudo, fitted_to, G, fitted)
        return expansion, features, fitted.map

    def train_linear(
        self, leaf: int, members: Array, found: Array, expansion: Expansion, features: Array, mapped: Array
    ) -> Array:
        """Train the linear model, in weights of the landmarks and pseudo-landmarks; return its values."""
        weights, intercepts = self.learner.fit_linear(features @ mapped, members)
        coefficients, count = mapped @ weights, len(found)
        self.leaves[leaf] = Leaf(
            found, seen(self.grown.Z[members]), coefficients[:count], intercepts, expansion.pairs,
            coefficients[count:], expansion.distances,
        )  # fmt: skip
        return features @ coefficients + intercepts

    # ---- events and solution ----

    def leaf_event(self, leaf: int, members: Array, values: Array) -> LeafCompressed:
        """The event of a leaf that is done."""
        assert self.exact is not None
        self.done += 1
        it, quality = self.leaves[leaf], self.learner.quality
        depth = float(self.routing[leaf])
        return LeafCompressed(
            leaf=leaf, exact_quality=quality(self.exact.values[members], members),
            quality=quality(values, members), cost=depth + it.cost(),
            exact_cost=float(self.exact.costs(self.grown)[leaf]),
            coefficients=np.vstack([it.weights, it.pseudo_weights]), intercepts=it.intercepts.copy(),
        )  # fmt: skip

    def _approximation_event(
        self, leaf: int, members: Array, found: Array, expansion: Expansion, kind: nystrom.Pseudo, pseudo: Array,
        features: Array, G: Array, fitted: nystrom.Approximation,
    ) -> KernelApproximated:  # fmt: skip
        """With diagnostics, also the error of the landmarks alone, and the matrices of some points."""
        shown, error, alone = np.empty(0, int), np.nan, features[:, : len(found)]
        matrices = [np.empty((0, 0), np.float32)] * 3
        if self.settings.instruments != "none":
            without = approximate(alone, G)
            error = without.error
            if len(self.leaves) <= MOST_LEAVES_SHOWN or self.settings.instruments == "all":
                shown = self.rng.permutation(len(members))[:ON_SCREEN]
                shown = shown[np.lexsort((-alone[shown].max(axis=1), alone[shown].argmax(axis=1)))]
                rows = [features[shown] @ fitted.map, alone[shown] @ without.map]
                matrices = [G[np.ix_(shown, shown)], *(row @ row.T for row in rows)]
        return KernelApproximated(
            leaf=leaf, rank=fitted.map.shape[1], error=fitted.error, error_without=error, pseudo=kind,
            pairs=expansion.pairs.copy(), pseudo_landmarks=pseudo + self.grown.tree.origin, rows=members[shown],
            matrix=matrices[0].astype(np.float32), approximation=matrices[1].astype(np.float32),
            without=matrices[2].astype(np.float32),
        )  # fmt: skip

    def solution(self) -> DCPredSolution:
        model, exact, n = assembled(self.grown.tree, self.kernel.gamma, self.leaves), self.exact, len(self.X)
        everyone, labels = np.arange(n), self.grown.labels
        values = model.values(self.X)
        return DCPredSolution(
            model=model,
            machine=self.learner.name,
            stop_reason=self.stop_reason,
            iterations=self.done,
            objective=exact.objective if exact else np.nan,
            exact_quality=self.learner.quality(exact.values, everyone) if exact else np.nan,
            quality=self.learner.quality(values, everyone),
            cost=float(model.costs()[labels].mean()),
            exact_cost=float(exact.costs(self.grown)[labels].mean()) if exact else np.nan,
            alpha=np.sqrt(exact.squares) if exact else np.zeros(n),
        )


def _stump(X: Array) -> Grown:
    """A tree of one leaf."""
    tree = stump(X.mean(axis=0, dtype=np.float64))
    return Grown(tree, np.zeros(len(X), np.int32), tree.moved(X)[:, : X.shape[1]])


def _constant(d: int, intercepts: Array) -> Leaf:
    tasks, nothing = len(intercepts), np.empty((0, 0))
    return Leaf(
        np.empty((0, d)), np.ones(d, bool), np.empty((0, tasks)), intercepts, np.empty((0, 2), int),
        np.empty((0, tasks)), nothing,
    )  # fmt: skip
