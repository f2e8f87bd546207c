"""DC-Pred++ that chooses for itself: an exact model on most rows, candidates, and the one chosen fitted to all rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from engine.numerics.simd import LANES
from engine.runtime.errors import invalid
from engine.runtime.events import Array, PhaseBegan, Started, Steps, Stop, finish
from engine.runtime.threads import run_in_thread
from engine.systems.dcpred import landmarks as strategies
from engine.systems.dcpred.algorithm import ON_SCREEN, SAMPLE, DCPredSolution, State
from engine.systems.dcpred.choice.build import Builder, together
from engine.systems.dcpred.choice.leaf_fit import kernel_values, leaf_values
from engine.systems.dcpred.choice.neighbourhoods import Neighbourhoods
from engine.systems.dcpred.choice.promise import Candidate, Chosen, Promise, Tried
from engine.systems.dcpred.choice.reference import Expansion, Reference
from engine.systems.dcpred.choice.search import LEVELS, Search
from engine.systems.dcpred.compressed_model import Leaf
from engine.systems.dcpred.events import (
    CompressionChosen,
    KernelApproximated,
    LandmarksChosen,
    LeafTrained,
)
from engine.systems.dcpred.learners import ExactLeaves, Learner
from engine.systems.dcpred.nystrom import Expansion as Pseudo
from engine.systems.dcpred.nystrom import approximate

BATCH = 16  # leaves fitted between two events


def solve(
    X: Array, learner: Learner, settings: Any, refer: Callable[[np.random.Generator], Steps[Reference]],
    whole: Callable[[], Steps[Expansion]], given: ExactLeaves | None,
) -> Steps[DCPredSolution]:  # fmt: skip
    """Choose and compress. `refer` trains the exact model on most rows, `whole` on all, where that is kept.

    With a `given` exact model its alpha says where landmarks are, and it is not kept itself.
    """
    state = ChosenState(X, learner, settings)
    try:
        yield Started(
            solver="dcpred", n=len(X), d=X.shape[1], kernel="rbf", gamma=learner.kernel.gamma, bias=True,
            tol=settings.tol if "tol" in settings.names() else 0.0,
        )  # fmt: skip
        yield PhaseBegan(name="choose", size=len(X))
        reference = yield from refer(np.random.default_rng([settings.seed, 2]))
        if settings.max_loss is None and settings.max_cost is None:
            raise invalid("max_loss", None, "a number, where max_cost is None")
        promise = Promise(settings.max_loss, settings.max_cost, reference.cost)
        search = Search(X, reference, learner.classes, learner.kernel, state.threads, settings, promise)
        found = yield from search.run()
        state.chosen = _chosen(search, promise, found, keep=given is None and _is_free(settings))
        yield _event(state.chosen)
        yield from state.compress(reference, state.chosen.candidate, whole, given)
        state.stop_reason = "converged"
    except Stop as stop:
        state.stop_reason = stop.reason
    solution = state.solution()
    return (yield from finish(solution, solution.event()))


def _is_free(settings: Any) -> bool:
    """Whether nothing about the structure was asked for, so that the exact model may be kept."""
    return settings.n_leaves == "auto" and settings.landmark_ratio == "auto" and settings.max_landmarks is None


def _chosen(search: Search, promise: Promise, found: Tried | None, keep: bool) -> Chosen:
    reference = search.reference
    tried = tuple(search.tried.values())
    own: dict[str, Any] = {
        "exact_quality": reference.quality, "exact_cost": reference.cost, "rows_aside": len(reference.aside),
        "max_loss": promise.max_loss, "max_cost": promise.max_cost, "tried": tried,
    }  # fmt: skip
    if found is not None:
        kept = promise.keeps_cost(found)
        why = "the cheapest that keeps max_loss" if promise.max_cost is None else "the most accurate within max_cost"
        if not kept:
            why = "max_loss goes before max_cost; the cheapest that keeps it"
        why = f"{why}, of {len(tried)}"
        return Chosen(found.candidate, kept, found.loss, found.error, found.cost, why=why, **own)
    if not keep:
        compared = [it for it in tried if it.rows == len(reference.aside)] or list(tried)
        if compared:
            best = min(compared, key=lambda it: it.loss)
            return Chosen(best.candidate, False, best.loss, best.error, best.cost, why="the least loss there is", **own)
        candidate = next(iter(search.structures()))
        if search.settings.landmark_ratio == "auto":
            candidate = replace(candidate, landmarks=LEVELS[-1])  # all support vectors, mostly
        why = "too few rows, or too little time, to try any"
        return Chosen(candidate, False, np.nan, np.nan, np.nan, why=why, **own)
    few = "too few rows to compare candidates on" if not tried else f"none of {len(tried)} keeps the promise"
    return Chosen(None, False, 0.0, 0.0, reference.cost, why=f"{few}: the exact model is kept", **own)


def _event(chosen: Chosen) -> CompressionChosen:
    it = chosen.candidate
    return CompressionChosen(
        n_leaves=0 if it is None else it.n_leaves, landmarks=0 if it is None else it.landmarks or 0,
        reach=0.0 if it is None else it.reach, pseudo="none" if it is None else it.pseudo,
        qualified=chosen.qualified, loss=chosen.loss, error=chosen.error, cost=chosen.cost,
        exact_quality=chosen.exact_quality, exact_cost=chosen.exact_cost, rows_aside=chosen.rows_aside,
        max_loss=np.nan if chosen.max_loss is None else chosen.max_loss,
        max_cost=np.nan if chosen.max_cost is None else chosen.max_cost, why=chosen.why,
    )  # fmt: skip


class ChosenState(State):
    """The state of DC-Pred++ with a structure that was chosen."""

    def __init__(self, X: Array, learner: Learner, settings: Any) -> None:
        super().__init__(X, learner, settings)
        self.chosen: Chosen | None = None
        self.kept: Expansion | None = None

    @property
    def threads(self) -> int:
        """The threads that the learner has."""
        return int(getattr(self.learner, "threads", 1))

    def compress(
        self, reference: Reference, candidate: Candidate | None, whole: Callable[[], Steps[Expansion]],
        given: ExactLeaves | None,
    ) -> Steps[None]:  # fmt: skip
        """Fit what was chosen to all rows."""
        expansion, weights = reference.expansion, reference.weights
        if given is not None and given.squares.any():
            weights = np.sqrt(given.squares)
        if candidate is None:
            expansion = yield from whole()
        yield PhaseBegan(name="tree", size=len(self.X))
        yield from self.grow_to(1 if candidate is None else candidate.n_leaves)
        yield PhaseBegan(name="leaves", size=len(self.X))
        yield from self._tell(expansion, given)
        yield PhaseBegan(name="compress", size=len(self.X))
        if candidate is None:
            yield from self._keep(expansion)
            return
        if candidate.landmarks is not None and self.settings.max_cost is None:  # there are more rows, and more to know
            most = self.settings.max_landmarks or np.inf
            more = candidate.landmarks * len(self.X) / len(reference.part)
            candidate = replace(candidate, landmarks=int(min(np.ceil(more / LANES) * LANES, most)))
        builder = Builder(self.grown.Z, reference.target, self.learner.classes, weights, self.kernel, self.settings)
        near = Neighbourhoods(self.grown.Z, self.grown.labels, len(self.grown.tree), candidate.reach)

        places: dict[int, Array] = {}

        def fit(leaf: int) -> None:
            self.leaves[leaf], places[leaf] = builder.leaf(leaf, near.rows(leaf), near.own[leaf], candidate)

        for leaves in np.array_split(np.arange(len(self.members)), -(-len(self.members) // BATCH)):
            yield from together(fit, leaves, self.threads)
            for leaf in leaves.tolist():
                yield from self._leaf_events(leaf, candidate.pseudo, weights, places[leaf])

    def _tell(self, expansion: Expansion, given: ExactLeaves | None) -> Steps[None]:
        """The events of the exact model, one for all leaves."""
        tasks = expansion.coefficients.shape[1]
        signs = getattr(self.learner, "signs", np.ones((tasks, len(self.X))))
        squares, values = np.zeros(len(self.X)), None
        squares[expansion.support] = np.square(expansion.coefficients).sum(axis=1)
        if self.settings.instruments != "none":
            values = yield from self._exact_values(expansion)
        if given is not None:
            self.exact = given
        else:
            self.exact = ExactLeaves(squares, values, np.nan, whole=True, columns=tasks)
        everyone = np.arange(len(self.X))
        for task in range(tasks):
            alpha = np.zeros(len(self.X), np.float32)
            alpha[expansion.support] = expansion.coefficients[:, task] * signs[task, expansion.support]
            yield LeafTrained(
                node=0, leaves=np.arange(len(self.members)), task=task, size=len(self.X),
                n_support=int(np.count_nonzero(alpha)), objective=np.nan, members=everyone, alpha=alpha,
                intercept=float(expansion.intercepts[task]),
            )  # fmt: skip

    def _exact_values(self, expansion: Expansion) -> Steps[Array]:
        def work() -> Array:
            vectors = self.points[expansion.support]
            return self.kernel.product(self.points, vectors, expansion.coefficients, self.threads)

        before = self.kernel.counter.value
        values = yield from run_in_thread(work)
        self.kernel.counter.add(before - self.kernel.counter.value)  # diagnostics are not part of the work
        return values + expansion.intercepts

    def _keep(self, expansion: Expansion) -> Steps[None]:
        """The exact model as it is, in one leaf."""
        d, tasks = self.X.shape[1], expansion.coefficients.shape[1]
        nothing = np.empty((0, 2), int), np.empty((0, tasks)), np.empty((0, 0))
        self.leaves[0] = Leaf(
            self.grown.Z[expansion.support], np.ones(d, bool), expansion.coefficients, expansion.intercepts, *nothing
        )
        strengths = np.zeros(len(self.X))
        strengths[expansion.support] = np.sqrt(np.square(expansion.coefficients).sum(axis=1))
        yield from self._leaf_events(0, "none", strengths, self.grown.Z[:0])
        if expansion.pairs is not None:
            self.kept = expansion
            coefficients, intercepts = expansion.pairs
            empty = np.empty((0, len(intercepts)))
            self.leaves[0] = replace(self.leaves[0], weights=coefficients, intercepts=intercepts, pseudo_weights=empty)

    def _leaf_events(self, leaf: int, pseudo: str, weights: Array, places: Array) -> Steps[None]:
        """What a screen shows of a leaf; only with diagnostics more than the model itself."""
        it, members, watched = self.leaves[leaf], self.members[leaf], self.settings.instruments != "none"
        gamma, Z = self.kernel.gamma, self.grown.Z
        if len(it.landmarks):
            support = members[weights[members] > 0]
            squares = np.square(weights[support])
            told = np.nan, np.zeros(len(it.landmarks))
            if watched and len(support):
                told = strategies.objective(it.landmarks, Z[support], squares)
            strategy = self.settings.landmarks if self.settings.landmarks != "auto" else "sided-kmeans"
            yield LandmarksChosen(
                leaf=leaf, strategy=strategy, support=support, point_weights=squares,
                landmarks=it.landmarks + self.grown.tree.origin, weights=told[1], objective=told[0],
            )  # fmt: skip
            yield self._approximation(leaf, it, members, pseudo, places + self.grown.tree.origin, watched)
        values = leaf_values(it, Z[members], gamma)
        yield self.leaf_event(leaf, members, values)

    def _approximation(
        self, leaf: int, it: Leaf, members: Array, pseudo: str, places: Array, watched: bool
    ) -> KernelApproximated:
        error = without = np.nan
        shown = np.empty(0, int)
        matrices: list[Array] = [np.empty((0, 0), np.float32)] * 3
        if watched:
            gamma, Z = self.kernel.gamma, self.grown.Z
            sample = members[np.sort(self.looks.permutation(len(members))[: SAMPLE // 2])]
            G = kernel_values(Z[sample], Z[sample], gamma).astype(np.float64)
            C = kernel_values(Z[sample][:, it.seen], it.landmarks[:, it.seen], gamma).astype(np.float64)
            alone, fitted = approximate(C, G), approximate(Pseudo(gamma, it.pairs, it.distances).expand(C), G)
            error, without = fitted.error, alone.error
            some = np.arange(min(ON_SCREEN, len(sample)))
            some = some[np.lexsort((-C[some].max(axis=1), C[some].argmax(axis=1)))]
            shown = sample[some]
            rows = [Pseudo(gamma, it.pairs, it.distances).expand(C[some]) @ fitted.map, C[some] @ alone.map]
            matrices = [G[np.ix_(some, some)], *(row @ row.T for row in rows)]
        return KernelApproximated(
            leaf=leaf, rank=len(it.landmarks), error=error, error_without=without, pseudo=pseudo,
            pairs=it.pairs.copy(), pseudo_landmarks=places, rows=shown, matrix=matrices[0].astype(np.float32),
            approximation=matrices[1].astype(np.float32), without=matrices[2].astype(np.float32),
        )  # fmt: skip

    def solution(self) -> DCPredSolution:
        """With what was found on the rows put aside."""
        found, chosen = super().solution(), self.chosen
        if self.kept is not None:
            found = replace(found, votes=True)
        if chosen is None:
            return found
        lost = chosen.loss if np.isfinite(chosen.loss) else 0.0
        quality = chosen.exact_quality * (1.0 + lost) if self.learner.name == "ridge" else chosen.exact_quality - lost
        return replace(
            found, chosen=chosen, quality=quality, exact_quality=chosen.exact_quality, exact_cost=chosen.exact_cost
        )
