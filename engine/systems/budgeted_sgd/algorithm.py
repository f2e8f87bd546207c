"""Budgeted SGD with lookup merging, for the Gaussian kernel, without bias (Glasmachers and Qaadan, 2018).

    min lambda/2 |w|^2 + mean of max(0, 1 - y f(x)),   lambda = 1 / (n C),   f(x) = sum of a_j K(z_j, x), j <= B

    for each point, in random order: shrink w by 1 - 1/t; if its margin was below 1, add it with coefficient
    y / (lambda t); if that makes B + 1 vectors, merge two

The step and the merge are in `engine.budget`, the merging problem in `engine.merging`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.numerics.kernels import Kernel
from engine.numerics.points import Points
from engine.runtime.counter import Counter
from engine.runtime.events import Array, PhaseBegan, Started, Steps, Stop
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
from engine.systems.budgeted_sgd.strategy_comparison import MergeInstruments

SAMPLE = 1000  # training points that objective and accuracy are measured on
FRAMES = 200  # times that a watched run tells how it stands
SHORT = 40_000  # steps of a run whose merges are all told
SLICE = 0.01  # seconds between two breaths, about
NANOSECONDS = {"lookup-wd": 5, "lookup-h": 60, "gss": 200, "gss-precise": 1200}  # to look at a candidate, at most


@dataclass(frozen=True, eq=False)
class Learned:
    """What Budgeted SGD returns: the machine, and how it ended."""

    machine: "Machine"
    stop_reason: str
    iterations: int
    objective: float
    accuracy: float

    @property
    def inner_steps(self) -> int:
        """SGD steps."""
        return int(self.machine.budget.counts[STEP])

    def event(self) -> BudgetFinished:
        """What is told of it at the end."""
        vectors, coefficients, sources = self.machine.snapshot()
        return BudgetFinished(
            stop_reason=self.stop_reason, iterations=self.iterations, inner_steps=self.inner_steps,
            objective=self.objective, gap=np.nan, violation=np.nan, intercept=0.0, n_free=len(coefficients), n_bound=0,
            alpha=np.empty(0), **self.machine.counts(), accuracy=self.accuracy, vectors=vectors,
            coefficients=coefficients, sources=sources,
        )  # fmt: skip


def solve(kernel: Kernel, points: Points, y: Array, settings: BudgetedSGDSettings) -> Steps[Learned]:
    """Learn from these points, with labels +1 and -1."""
    n, d = points.X.shape
    machine = Machine(kernel, settings, decay=1.0 / (n * settings.C))
    watch = _Watch(machine, points, y, settings)
    rng = np.random.default_rng(settings.seed)
    stop_reason, epoch = "passes", 0
    try:
        yield Started(solver="budgeted-sgd", n=n, d=d, kernel="rbf", gamma=kernel.gamma, bias=False, tol=np.nan)
        yield from machine.prepare()
        for epoch in range(1, settings.epochs + 1):
            yield PhaseBegan(name=f"pass {epoch}", size=n)
            yield from machine.go_through(points.X, y, rng.permutation(n), watch)
            yield from watch.instruments.compared(machine.budget)
        yield from watch.instruments.replay(machine.budget, machine.tables)
    except Stop as stop:
        stop_reason = stop.reason
    whole = int(machine.budget.counts[STEP]) // n
    learned = Learned(machine, stop_reason, whole, watch.objective, watch.accuracy)
    try:
        yield learned.event()
    except Stop as stop:
        stop.result = learned
        raise
    return learned


class Machine:
    """A budget with all that is needed to go on learning: kernel, lambda, and the way to maintain it."""

    def __init__(self, kernel: Kernel, settings: BudgetedSGDSettings, decay: float) -> None:
        self.kernel, self.settings, self.decay = kernel, settings, decay
        self.maintenance: str = settings.maintenance
        self.strategy = STRATEGIES.index(settings.maintenance)
        self.budget = Budget.empty(settings.budget, len(kernel.origin), kernel.work)
        self.tables = NO_TABLES
        features, room = len(kernel.origin), settings.budget + 1
        nanoseconds = room * (3 + 0.2 * features + NANOSECONDS.get(settings.maintenance, 0))
        self._slice = max(1, int(SLICE * 1e9 / nanoseconds))

    def prepare(self) -> Steps[None]:
        """Get the tables."""
        if self.maintenance in MERGING and self.tables is NO_TABLES:
            self.tables = yield from tables_steps(self.settings.table_size)

    def go_through(self, X: Array, y: Array, order: Array, watch: "_Watch | None" = None) -> Steps[None]:
        """A step for each point, in this order."""
        counts, position = self.budget.counts, 0
        while position < len(order):
            end = min(len(order), position + self._slice)
            look_at = -1
            if watch is not None:
                end = min(end, position + watch.steps_to_next())
                look_at = watch.look_at()
            evaluations = int(counts[EVALUATIONS])
            position = advance(self.budget, X, y, order, position, end, self.decay, self.strategy, self.tables, look_at)
            told = self._maintain(watch) if counts[SIZE] == len(self.budget.coefficients) else None
            self.kernel.counter.add(int(counts[EVALUATIONS]) - evaluations)
            if told is not None:
                yield told
            yield from watch.frame() if watch is not None else _breath()

    def _maintain(self, watch: "_Watch | None") -> BudgetMaintained | None:
        """Do what `advance` left undone, in full view, and say what is told of it."""
        budget = self.budget
        before = self.snapshot() if watch is not None else None
        choice = choose(budget, self.strategy, self.tables, True)
        shares, lost = np.empty(0), float(budget.coefficients[choice.first] ** 2)
        told = None
        if self.strategy == PROJECTION:
            shares, lost = project(budget)
        if watch is not None and before is not None:
            watch.instruments.look(budget, self.tables, choice)
            told = watch.maintenance(choice, *before, shares, lost)
        if self.strategy != PROJECTION:
            merge(budget, choice)
        return told

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
        """Of vectors, violations and maintenance."""
        names = {"size": SIZE, "violations": VIOLATIONS, "maintained": MAINTAINED, "removed": REMOVED}
        return {name: int(self.budget.counts[place]) for name, place in names.items()}

    def points(self) -> Points:
        """The vectors as the kernel wants them."""
        X = np.ascontiguousarray(self.budget.vectors[:, : int(self.budget.counts[SIZE])].T)
        return Points(X, np.einsum("ij,ij->i", X, X) / 2)


class _Watch:
    """What is told of a run: how it stands, now and then; every merge of a short run, some of a long one.

    An estimator's fit, which nobody looks at, sets `instruments` to "none" and gets a word after each pass.
    """

    def __init__(self, machine: Machine, points: Points, y: Array, settings: BudgetedSGDSettings) -> None:
        n = len(points)
        self.machine, self.C, self.n = machine, settings.C, n
        self.steps = settings.epochs * n
        self.watched = settings.instruments != "none"
        self.instruments = MergeInstruments(settings.instruments, settings.maintenance in MERGING)
        sample = np.random.default_rng([settings.seed, 1]).permutation(n)[:SAMPLE]
        self._points, self._y = points[sample], y[sample]
        # What is measured for the watcher is not the solver's work.
        self._kernel = replace(machine.kernel, counter=Counter())
        self._every = max(1, self.steps // FRAMES) if self.watched else n
        self._next = min(self._every, n)
        self._looked = -1  # the frame whose merge was looked at
        self.objective = self.accuracy = np.nan  # not measured yet

    def steps_to_next(self) -> int:
        """How far to go until something is told."""
        return max(1, self._next - int(self.machine.budget.counts[STEP]))

    def look_at(self) -> int:
        """Which maintenance to look at: the next one, or none."""
        due = self.watched and (self.steps <= SHORT or self.instruments.every or self._looked != self._next)
        return int(self.machine.budget.counts[MAINTAINED]) if due else -1

    def frame(self) -> Steps[None]:
        """Tell how it stands, if that is due, or breathe."""
        step = int(self.machine.budget.counts[STEP])
        if step < self._next:
            yield None
            return
        epoch_end = (step // self.n + 1) * self.n
        self._next = min(step + self._every, epoch_end)
        vectors, coefficients, sources = self.machine.snapshot()
        yield from self._measure()
        yield StepsTaken(
            step=step, steps=self.steps, epoch=(step - 1) // self.n + 1, **self.machine.counts(),
            objective=self.objective, accuracy=self.accuracy, vectors=vectors, coefficients=coefficients,
            sources=sources,
        )  # fmt: skip

    def _measure(self) -> Steps[None]:
        """Objective and accuracy, on the sample."""
        vectors, coefficients = self.machine.points(), self.machine.snapshot()[1]
        values = yield from self._kernel.product_steps(self._points, vectors, coefficients, 1)
        at_vectors = yield from self._kernel.product_steps(vectors, vectors, coefficients, 1)
        losses = np.maximum(0.0, 1.0 - self._y * values)
        self.objective = float(0.5 * coefficients @ at_vectors + self.C * self.n * losses.mean())
        self.accuracy = float(np.mean((values > 0) == (self._y > 0)))

    def maintenance(
        self, choice: Choice, vectors: Array, coefficients: Array, sources: Array, shares: Array, lost: float
    ) -> BudgetMaintained | None:
        """What is told of one maintenance, if anything: some are here for the comparison or for projection alone."""
        machine, budget = self.machine, self.machine.budget
        if not self.watched or (self.steps > SHORT and self._looked == self._next):
            return None
        self._looked = self._next
        first, partner, h, scale = choice.first, choice.partner, choice.h, machine.scale
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
            strategy=machine.maintenance, kind=kind, vectors=vectors, coefficients=coefficients, sources=sources,
            first=first, candidates=candidates, m=a[first] / (a[first] + a[candidates]), kappa=kappa[candidates],
            degradations=budget.wd[candidates] * scale**2, partner=partner, h=h, z=z, coefficient=coefficient,
            degradation=lost * scale**2, shares=shares * scale,
        )  # fmt: skip


def _breath() -> Iterator[None]:
    yield None
