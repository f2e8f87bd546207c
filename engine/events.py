"""The one vocabulary of the project: what a solver says while it works.

A solver is a generator. It yields events, small frozen dataclasses, and now and then None, a breath: nothing to tell,
but a moment at which it may be paused or stopped. `Run` drives it and stamps each event; a solver looks at no clock.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Stamp:
    """When and where: position in the run, seconds inside the solver, kernel evaluations so far, task path."""

    sequence: int
    seconds: float
    evaluations: int
    path: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Event:
    """Something that happened. Arrays in an event are snapshots, made read-only."""

    stamp: Stamp = Stamp(-1, 0.0, 0)

    thins: ClassVar[bool] = False  # a long recording may leave some of these out

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Started(Event):
    """A solver begins on a problem."""

    solver: str
    n: int
    d: int
    kernel: str
    gamma: float
    bias: bool
    tol: float


@dataclass(frozen=True, eq=False, kw_only=True)
class PhaseBegan(Event):
    """A part of the run that deserves a mark on the timeline; `size` is how many points it is about."""

    name: str
    size: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Iteration(Event):
    """One outer iteration of the dual solver: a working set chosen, its rows fetched, its subproblem solved.

    `gradient` holds for the points in `active`; the shrunk ones keep the value they had when they were set aside.
    """

    thins = True

    iteration: int
    inner_steps: int  # two-variable steps in this iteration
    objective: float
    violation: float
    intercept: float
    n_free: int
    n_bound: int
    n_active: int
    rows_computed: int
    cache_hits: int
    working_set: Array
    alpha: Array
    gradient: Array
    active: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class ActiveSetChanged(Event):
    """Points were set aside because they sit firmly at a bound, or some were taken back after a look at all of them."""

    n_before: int
    n_after: int
    violation: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Partitioned(Event):
    """DC-SVM: the data of a level were divided into cells. Time since the level began is time spent on clustering.

    The rest is how a new point finds its cell: see `engine.partition.Router`.
    """

    level: int
    kind: str  # kernel-kmeans, kmeans or random
    labels: Array  # the cell of each point
    sizes: Array
    sample_size: int
    linear: bool
    scale: float
    anchors: Array
    anchor_norms: Array
    first: Array
    offsets: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class SubproblemSolved(Event):
    """DC-SVM: the problem of one cell was solved."""

    level: int
    cluster: int
    size: int
    iterations: int
    objective: float  # of the cell's own problem
    n_support_before: int
    n_support: int
    alpha: Array  # of the cell's points, in their order


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelFinished(Event):
    """DC-SVM: all cells of a level were solved. Time since its `Partitioned` is time spent on training."""

    level: int
    n_clusters: int
    iterations: int
    block_objective: float  # the sum over the cells: the objective with the kernel between cells taken as zero
    n_free: int
    n_bound: int
    alpha: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelMeasured(Event):
    """DC-SVM: what the theory says of a level. Numbers that were too dear are NaN, arrays empty."""

    level: int
    between: float  # D(pi), the kernel mass between cells
    exact: bool  # False: D(pi), and so the bound, were estimated from some rows
    objective: float  # of the whole problem
    bound: float  # Theorem 1: 1/2 C^2 D(pi)
    smallest_eigenvalue: float  # of the kernel matrix
    certified: Array  # Theorem 2: which points are proven not to be support vectors of the whole problem


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelJudged(Event):
    """DC-SVM: a level seen from the end, when the solution is known."""

    level: int
    gap: float  # objective of the level minus that of the solution
    bound: float  # Theorem 1
    refined_bound: float  # Theorem 3: D(pi) over the support vectors of the level and of the solution only
    precision: float  # of the level's support vectors
    recall: float


@dataclass(frozen=True, eq=False, kw_only=True)
class StepsTaken(Event):
    """Budgeted SGD: some steps were made. Counts are exact and go from the beginning of the run.

    Objective and accuracy are those of a sample of the training data. The decision value of a point is the sum of
    coefficient * K(vector, point).
    """

    thins = True

    step: int
    steps: int  # of the whole run
    epoch: int
    size: int  # vectors in the budget
    violations: int
    maintained: int
    removed: int  # of these, vectors that were dropped instead of merged
    objective: float  # |w|^2 / 2 + C * the sum of losses
    accuracy: float
    vectors: Array  # a row for each vector of the budget, as the data have them
    coefficients: Array  # signed
    sources: Array  # the training point that a vector is, or -1 if it was merged


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetMaintained(Event):
    """Budgeted SGD: there was a vector too many, and one had to go. In a long run only some of these are told.

    `vectors`, `coefficients` and `sources` are those before; `first`, `partner` and `candidates` are rows of them.
    Without a partner the first vector is dropped, and in a projection the `shares` go to the others.
    """

    thins = True

    step: int
    number: int  # from 1, counting those that are not told
    strategy: str
    kind: str  # merge, removal or projection
    vectors: Array
    coefficients: Array
    sources: Array
    first: int  # the vector with the smallest coefficient
    candidates: Array  # the vectors of its label
    m: Array  # for each candidate: the first vector's part in the sum of the two coefficients
    kappa: Array  # the kernel value between the two
    degradations: Array  # what merging them loses, as the strategy sees it
    partner: int  # the candidate that loses least, or -1
    h: float  # z = h first + (1 - h) partner
    z: Array
    coefficient: float  # of z
    degradation: float  # |w' - w|^2
    shares: Array

    def after(self) -> tuple[Array, Array, Array]:
        """All three after it: z in the partner's place, the last vector in that of the first."""
        vectors, coefficients, sources = self.vectors.copy(), self.coefficients.copy(), self.sources.copy()
        if self.partner >= 0:
            vectors[self.partner], coefficients[self.partner], sources[self.partner] = self.z, self.coefficient, -1
        for values in (vectors, coefficients, sources):
            values[self.first] = values[-1]
        coefficients = coefficients[:-1]
        return vectors[:-1], coefficients + self.shares if len(self.shares) else coefficients, sources[:-1]


@dataclass(frozen=True, eq=False, kw_only=True)
class StrategiesCompared(Event):
    """Budgeted SGD: what each way of merging would have done at the merges that were looked at (Table 3).

    The factor is the sum of degradations over that of gss-precise, each merged as the strategy wants it.
    """

    step: int
    maintained: int
    frequency: float  # of maintenance: times in a step
    compared: int
    strategies: list[str]
    agreement: Array  # how often the partner was that of gss-precise
    equal: float  # how often gss and lookup-wd chose the same one
    factor: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class MergesReplayed(Event):
    """Budgeted SGD: some merges of the run were done again. Time since the event before is what it took (Figure 3).

    Section A is the search for h or WD among the candidates of each merge; B, the same for every strategy, the rest.
    """

    section: str
    strategy: str  # empty for B
    merges: int


@dataclass(frozen=True, eq=False, kw_only=True)
class PivotsChosen(Event):
    """Interior point: incomplete Cholesky has some more columns, K ~ HH'."""

    rank: int  # columns so far
    most: int  # that there may be
    pivots: Array  # the points chosen since the last of these events
    values: Array  # what was left of their diagonal, when they were chosen
    traces: Array  # of K - HH', after each of them
    total: float  # the trace of K
    residual: Array  # of each point: the diagonal of K - HH'; empty if there are too many points for a screen


@dataclass(frozen=True, eq=False, kw_only=True)
class Factorised(Event):
    """Interior point: the matrix that stands for K is ready."""

    kind: str  # cholesky, icf or kronecker
    rank: int
    error: float  # icf: trace of K - HH' over that of K; kronecker: |K - B (x) C| / |K|, on a sample if there are many
    bytes: int
    pivots: Array  # icf: all of them, and the values they had
    values: Array
    order: Array  # kronecker: the points in the order of B (x) C; those that are missing stay on the diagonal
    left: Array  # kronecker: B and C, if they are small enough for a screen
    right: Array
    difference: Array  # K minus what stands for it (kronecker: in its order), if that is small enough for a screen


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorIteration(Event):
    """Interior point: a step along the central path. Iteration 0 of a phase is its start.

    Objective and gap are those of the problem that the factorisation makes of it; beside them those of the exact one,
    or NaN where they are too dear. Products are alpha z and (C - alpha) w: on the central path all are mu.
    """

    thins = True

    iteration: int  # of the run
    of_phase: int
    kind: str  # of the factorisation
    mu: float
    sigma: float
    step: float
    primal_residual: float
    dual_residual: float
    gap: float
    relative_gap: float
    objective: float
    exact_objective: float
    exact_gap: float
    intercept: float
    refinements: int  # of directions, so far
    alpha: Array
    products: Array  # the smaller one of each point; empty if there are too many for a screen
    least_product: float
    largest_product: float


@dataclass(frozen=True, eq=False, kw_only=True)
class SchemeSwitched(Event):
    """Interior point: from a coarse factorisation to a finer one, or to the decomposition solver."""

    before: str
    after: str
    iterations: int  # with the one before
    columns: int  # of the factorisation that are used again
    pushed: int  # points whose alpha was moved off a bound
    mu_before: float
    mu: float  # after the push; NaN for decomposition
    alpha: Array  # what is carried over


@dataclass(frozen=True, eq=False, kw_only=True)
class Finished(Event):
    """A solver is done; `stop_reason` is one of converged, early, passes, max_iter, stalled, cancelled, time.

    At the end of several tasks the numbers are sums, the violation is the largest, and there is no alpha or intercept.
    """

    stop_reason: str
    iterations: int
    inner_steps: int
    objective: float
    gap: float  # primal minus dual value
    violation: float
    intercept: float
    n_free: int
    n_bound: int
    alpha: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetFinished(Finished):
    """Budgeted SGD is done: passes are its iterations, steps its inner ones; what only a dual solver knows is NaN.

    At the end of several tasks there are no vectors or coefficients, and the accuracy is the mean.
    """

    size: int
    violations: int
    maintained: int
    removed: int
    accuracy: float  # on the sample of the training data; it and the objective as they were measured last
    vectors: Array
    coefficients: Array
    sources: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorFinished(Finished):
    """The interior-point method is done: objective, gap and violation are those of the exact problem, if not too dear.

    Beside them stand objective and gap of the problem that was solved. At the end of several tasks these are sums, the
    rank is the largest, the error as well, and there are no vectors.
    """

    scheme: str
    rank: int
    error: float
    approximate_objective: float
    approximate_gap: float
    vectors: Array  # the points that the decision function is a sum over: support vectors, or the pivots
    coefficients: Array  # theirs, signed
    reason: str  # why it stalled, in words


@dataclass(frozen=True, eq=False, kw_only=True)
class Failed(Event):
    """The solver raised an error."""

    error: str
    message: str


EVENTS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Started, PhaseBegan, Iteration, ActiveSetChanged,
        Partitioned, SubproblemSolved, LevelFinished, LevelMeasured, LevelJudged,
        StepsTaken, BudgetMaintained, StrategiesCompared, MergesReplayed,
        PivotsChosen, Factorised, InteriorIteration, SchemeSwitched,
        Finished, BudgetFinished, InteriorFinished, Failed,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Within:
    """An event on its way up, with the name of the task it came from."""

    task: str
    event: "Event | Within"


Steps: TypeAlias = Generator[Event | Within | None, None, Result]
"""What a solver is: yields events and breaths, returns its result."""


class Stop(Exception):
    """Thrown into a solver at a yield: wind up, say Finished with this reason, return what there is.

    A solver that has nothing more to say lets it pass, with what there is as its `result`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.result: Any = None


def within(task: str, steps: Steps[Result]) -> Steps[Result]:
    """Pass on the steps of a part of the work under the name of its task."""
    return passed_on(steps, lambda item: Within(task, item))


def passed_on(steps: Steps[Result], changed: Callable[[Any], "Event | Within | None"]) -> Steps[Result]:
    """Pass on the steps of a part of the work, its events `changed`; None leaves a breath of one."""
    try:
        item = next(steps)
        while True:
            try:
                yield None if item is None else changed(item)
            except Stop as stop:
                item = steps.throw(stop)
            else:
                item = next(steps)
    except StopIteration as end:
        return end.value
