"""Budgeted SGD with lookup merging, for the Gaussian kernel, without bias (Glasmachers and Qaadan, 2018).

    min lambda/2 |w|^2 + mean of max(0, 1 - y f(x)),   f(x) = sum of a_j K(z_j, x), j <= B,   lambda = 1 / (n C)

    for each point, in random order: shrink w by 1 - 1/t; if its margin was below 1, add it with coefficient
    y / (lambda t); if that makes B + 1 vectors, merge two

Lambda can be another number. The step and the merge are in `budget`, the merging problem in `merging`.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.counter import Counter
from engine.runtime.events import Array, PhaseBegan, Started, Steps, Stop, finish
from engine.systems.budgeted_sgd.budget import (
    EVALUATIONS,
    MAINTAINED,
    REMOVED,
    SIZE,
    STEP,
    VIOLATIONS,
    Budget,
    Choice,
    advance,
    choose,
    merge,
    project,
)
from engine.systems.budgeted_sgd.events import BudgetFinished, BudgetMaintained, StepsTaken
from engine.systems.budgeted_sgd.merging import MERGING, NEVER, PROJECTION, STRATEGIES, degradation, merged_coefficient
from engine.systems.budgeted_sgd.merging_tables import NO_TABLES, tables_steps
from engine.systems.budgeted_sgd.settings import BudgetedSGDSettings
from engine.systems.budgeted_sgd.strategy_comparison import MergeDiagnostics

SAMPLE = 1000  # training points that objective and accuracy are measured on
FRAMES = 200  # times that a watched run reports its state
SHORT = 40_000  # steps of a run that reports all of its merges
SLICE = 0.01  # seconds between two breaths, about
NANOSECONDS = {"lookup-wd": 5, "lookup-h": 60, "gss": 200, "gss-precise": 1200}  # to look at a candidate, at most


@dataclass(frozen=True, eq=False)
class BudgetedSGDSolution:
    """What Budgeted SGD returns: the model, and how it ended."""

    model: "BudgetedModel"
    stop_reason: str
    iterations: int
    objective: float
    accuracy: float

    @property
    def inner_steps(self) -> int:
        """The number of SGD steps."""
        return int(self.model.budget.counts[STEP])

    def event(self) -> BudgetFinished:
        """The closing event of the run."""
        vectors, coefficients, sources = self.model.snapshot()
        return BudgetFinished(
            stop_reason=self.stop_reason, iterations=self.iterations, inner_steps=self.inner_steps,
            objective=self.objective, gap=np.nan, violation=np.nan, intercept=0.0, n_free=len(coefficients), n_bound=0,
            alpha=np.empty(0), **self.model.counts(), accuracy=self.accuracy, vectors=vectors,
            coefficients=coefficients, sources=sources,
        )  # fmt: skip


def solve(kernel: Kernel, points: Points, y: Array, settings: BudgetedSGDSettings) -> Steps[BudgetedSGDSolution]:
    """Learn from these points, with labels +1 and -1; the settings name a budget."""
    n, d = points.X.shape
    model = BudgetedModel(kernel, settings, settings.decay(n))
    watch = _Watch(model, points, y, settings)
    rng = np.random.default_rng(settings.seed)
    stop_reason, epoch = "passes", 0
    try:
        yield Started(solver="budgeted-sgd", n=n, d=d, kernel="rbf", gamma=kernel.gamma, bias=False, tol=np.nan)
        yield from model.prepare()
        for epoch in range(1, settings.epochs + 1):
            yield PhaseBegan(name=f"pass {epoch}", size=n)
            yield from model.go_through(points.X, y, rng.permutation(n), watch)
            yield from watch.diagnostics.compared(model.budget)
        yield from watch.diagnostics.replay(model.budget, model.tables)
    except Stop as stop:
        stop_reason = stop.reason
    whole = int(model.budget.counts[STEP]) // n
    solution = BudgetedSGDSolution(model, stop_reason, whole, watch.objective, watch.accuracy)
    return (yield from finish(solution, solution.event()))


class BudgetedModel:
    """A budget with all that learning needs: kernel, lambda, and the strategy of budget maintenance."""

    def __init__(self, kernel: Kernel, settings: BudgetedSGDSettings, decay: float) -> None:
        self.kernel, self.settings, self.decay = kernel, settings, decay
        self.maintenance: str = settings.maintenance
        self.strategy = STRATEGIES.index(settings.maintenance)
        self.budget = Budget.empty(settings.budget, len(kernel.origin), kernel.work)
        self.tables = NO_TABLES
        features, room = len(kernel.origin), settings.budget + 1
        nanoseconds = room * (3 + 0.2 * features + NANOSECONDS.get(settings.maintenance, 0))
        self._slice = max(1, int(SLICE * 1e9 / nanoseconds))

    def copy(self) -> "BudgetedModel":
        """A model with a budget of its own."""
        twin = copy(self)
        twin.budget = Budget(*(array.copy() for array in self.budget))
        return twin

    def prepare(self) -> Steps[None]:
        """Find the lookup tables, if the strategy needs them."""
        if self.maintenance in MERGING and self.tables is NO_TABLES:
            self.tables = yield from tables_steps(self.settings.table_size)

    def go_through(self, X: Array, y: Array, order: Array, watch: "_Watch | None" = None) -> Steps[None]:
        """A step for each point, in this order; a ValueError if points are wider than vectors."""
        self.budget.check(X.shape[1])
        counts, position = self.budget.counts, 0
        while position < len(order):
            end = min(len(order), position + self._slice)
            look_at = -1
            if watch is not None:
                end = min(end, position + watch.steps_to_next())
                look_at = watch.look_at()
            evaluations = int(counts[EVALUATIONS])
            position = advance(self.budget, X, y, order, position, end, self.decay, self.strategy, self.tables, look_at)
            event = self._maintain(watch) if counts[SIZE] == len(self.budget.coefficients) else None
            self.kernel.counter.add(int(counts[EVALUATIONS]) - evaluations)
            if event is not None:
                yield event
            yield from watch.frame() if watch is not None else _breath()

    def _maintain(self, watch: "_Watch | None") -> BudgetMaintained | None:
        """Do the maintenance that `advance` left undone, part by part; return its event if it has one."""
        budget = self.budget
        before = self.snapshot() if watch is not None else None
        choice = choose(budget, self.strategy, self.tables, True)
        shares, lost = np.empty(0), float(budget.coefficients[choice.first] ** 2)
        event = None
        if self.strategy == PROJECTION:
            shares, lost = project(budget)
        if watch is not None and before is not None:
            watch.diagnostics.look(budget, self.tables, choice)
            event = watch.maintenance(choice, *before, shares, lost)
        if self.strategy != PROJECTION:
            merge(budget, choice)
        return event

    @property
    def scale(self) -> float:
        """From the coefficients of v to those of w: 1 / (lambda t)."""
        return 1.0 / (self.decay * max(1, int(self.budget.counts[STEP])))

    def snapshot(self) -> tuple[Array, Array, Array]:
        """The vectors as the data have them, their coefficients and where they came from."""
        size = int(self.budget.counts[SIZE])
        vectors = self.kernel.raw(self.budget.vectors[:, :size].T).astype(self.kernel.work)
        return vectors, self.budget.coefficients[:size] * self.scale, self.budget.sources[:size].copy()

    def counts(self) -> dict[str, Any]:
        """The counts of vectors, violations and maintenance, by the names of event fields."""
        names = {"size": SIZE, "violations": VIOLATIONS, "maintained": MAINTAINED, "removed": REMOVED}
        return {name: int(self.budget.counts[place]) for name, place in names.items()}

    def points(self) -> Points:
        """The vectors in the kernel's form."""
        X = np.ascontiguousarray(self.budget.vectors[:, : int(self.budget.counts[SIZE])].T)
        return Points(X, np.einsum("ij,ij->i", X, X) / 2)


class _Watch:
    """The events of a run: its state at intervals, every merge of a short run, some merges of a long one.

    An estimator's fit sets `instruments` to "none" and gets one event after each pass.
    """

    def __init__(self, model: BudgetedModel, points: Points, y: Array, settings: BudgetedSGDSettings) -> None:
        n = len(points)
        self.model, self.C, self.n = model, 1.0 / (n * model.decay), n
        self.steps = settings.epochs * n
        self.watched = settings.instruments != "none"
        self.diagnostics = MergeDiagnostics(settings.instruments, settings.maintenance in MERGING)
        sample = np.random.default_rng([settings.seed, 1]).permutation(n)[:SAMPLE]
        self._points, self._y = points[sample], y[sample]
        # Diagnostics are not counted as the solver's work.
        self._kernel = replace(model.kernel, counter=Counter())
        self._every = max(1, self.steps // FRAMES) if self.watched else n
        self._next = min(self._every, n)
        self._looked = -1  # the frame whose merge was looked at
        self.objective = self.accuracy = np.nan  # not measured yet

    def steps_to_next(self) -> int:
        """How many steps to make until the next event."""
        return max(1, self._next - int(self.model.budget.counts[STEP]))

    def look_at(self) -> int:
        """The number of the maintenance to report: the next one, or -1."""
        due = self.watched and (self.steps <= SHORT or self.diagnostics.every or self._looked != self._next)
        return int(self.model.budget.counts[MAINTAINED]) if due else -1

    def frame(self) -> Steps[None]:
        """Report the state of the run if that is due; otherwise breathe."""
        step = int(self.model.budget.counts[STEP])
        if step < self._next:
            yield None
            return
        epoch_end = (step // self.n + 1) * self.n
        self._next = min(step + self._every, epoch_end)
        vectors, coefficients, sources = self.model.snapshot()
        yield from self._measure()
        yield StepsTaken(
            step=step, steps=self.steps, epoch=(step - 1) // self.n + 1, **self.model.counts(),
            objective=self.objective, accuracy=self.accuracy, vectors=vectors, coefficients=coefficients,
            sources=sources,
        )  # fmt: skip

    def _measure(self) -> Steps[None]:
        """Objective and accuracy, on the sample."""
        vectors, coefficients = self.model.points(), self.model.snapshot()[1]
        values = yield from self._kernel.product_steps(self._points, vectors, coefficients, 1)
        at_vectors = yield from self._kernel.product_steps(vectors, vectors, coefficients, 1)
        losses = np.maximum(0.0, 1.0 - self._y * values)
        self.objective = float(0.5 * coefficients @ at_vectors + self.C * self.n * losses.mean())
        self.accuracy = float(np.mean((values > 0) == (self._y > 0)))

    def maintenance(
        self, choice: Choice, vectors: Array, coefficients: Array, sources: Array, shares: Array, lost: float
    ) -> BudgetMaintained | None:
        """The event of one maintenance; None if it is only compared, or only a projection."""
        model, budget = self.model, self.model.budget
        if not self.watched or (self.steps > SHORT and self._looked == self._next):
            return None
        self._looked = self._next
        first, partner, h, scale = choice.first, choice.partner, choice.h, model.scale
        a, kappa = np.abs(budget.coefficients), budget.row.astype(np.float64)
        candidates = np.empty(0, np.int64)
        z, coefficient, kind = np.empty(0), np.nan, "projection" if len(shares) else "removal"
        if partner >= 0:
            kind = "merge"
            candidates = np.flatnonzero(budget.wd < NEVER)
            z = h * vectors[first] + (1 - h) * vectors[partner]
            coefficient = float(merged_coefficient(coefficients[first], coefficients[partner], kappa[partner], h))
            lost = float(degradation(a[first], a[partner], kappa[partner], h))
        return BudgetMaintained(
            step=int(budget.counts[STEP]), number=int(budget.counts[MAINTAINED]) + (kind != "projection"),
            strategy=model.maintenance, kind=kind, vectors=vectors, coefficients=coefficients, sources=sources,
            first=first, candidates=candidates, m=a[first] / (a[first] + a[candidates]), kappa=kappa[candidates],
            degradations=budget.wd[candidates] * scale**2, partner=partner, h=h, z=z, coefficient=coefficient,
            degradation=lost * scale**2, shares=shares * scale,
        )  # fmt: skip


def _breath() -> Iterator[None]:
    yield None
