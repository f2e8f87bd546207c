"""The events of the interior-point method."""

from dataclasses import dataclass

from engine.runtime.events import Array, Event, Finished


@dataclass(frozen=True, eq=False, kw_only=True)
class PivotsChosen(Event):
    """Incomplete Cholesky has some more columns, K ~ HH'."""

    rank: int  # columns so far
    most: int  # that there may be
    pivots: Array  # the points chosen since the last of these events
    values: Array  # what was left of their diagonal, when they were chosen
    traces: Array  # of K - HH', after each of them
    total: float  # the trace of K
    residual: Array  # of each point: the diagonal of K - HH'; empty if there are too many points for a screen


@dataclass(frozen=True, eq=False, kw_only=True)
class Factorised(Event):
    """The factorisation of K is ready."""

    kind: str  # cholesky, icf or kronecker
    rank: int
    error: float  # icf: trace of K - HH' over that of K; kronecker: |K - B (x) C| / |K|, on a sample if there are many
    bytes: int
    pivots: Array  # icf: all of them, and the values they had
    values: Array
    order: Array  # kronecker: the points in the order of B (x) C
    cells: Array  # kronecker: the row of B (x) C that each of these has; some may share one
    left: Array  # kronecker: B and C, if they are small enough for a screen
    right: Array
    difference: Array  # K minus its approximation (kronecker: in its order), of as many points as a screen shows


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorIteration(Event):
    """A step along the central path. Iteration 0 of a phase is its start.

    Objective and gap are those of the factorised problem; there are also those of the exact one, or NaN where that
    takes too long. Products are alpha z and (C - alpha) w: on the central path all are mu.
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
    products: Array  # two rows, a column for each point; empty if there are too many for a screen
    least_product: float
    largest_product: float


@dataclass(frozen=True, eq=False, kw_only=True)
class SchemeSwitched(Event):
    """From a coarse factorisation to a finer one, or to the decomposition solver."""

    before: str
    after: str
    iterations: int  # with the one before
    columns: int  # of the factorisation that are used again
    pushed: int  # points whose alpha was moved: all, if the factorisations differ too much, or none
    mu_before: float
    mu: float  # after the push; NaN for decomposition
    alpha: Array  # what is carried over


@dataclass(frozen=True, eq=False, kw_only=True)
class ColdStart(Event):
    """The fine problem was solved once more, from a cold start, to see how many iterations the coarse one saved."""

    iterations: int
    warm: int  # iterations that it took from the iterate of the coarse one
    gaps: Array  # at the start and after each iteration


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorFinished(Finished):
    """The interior-point method is done: objective, gap and violation are those of the exact problem, where known.

    There are also the objective and gap of the factorised problem. At the end of several tasks these are sums, the rank
    and the error are the largest, and there are no vectors.
    """

    scheme: str
    rank: int
    error: float
    approximate_objective: float
    approximate_gap: float
    vectors: Array  # the points that the decision function is a sum over: support vectors, or the pivots
    coefficients: Array  # theirs, signed
    reason: str  # why it stalled, in words
