"""The events of DC-SVM."""

from dataclasses import dataclass, field

import numpy as np

from engine.runtime.events import Array, Event


@dataclass(frozen=True, eq=False, kw_only=True)
class Partitioned(Event):
    """The data of a level were divided into cells. Time since the level began is time spent on clustering.

    The rest is how a new point is routed to its cell: see `Router` in `partition`.
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
    """The problem of one cell was solved."""

    level: int
    cluster: int
    size: int
    iterations: int
    objective: float  # of the cell's own problem
    n_support_before: int
    n_support: int
    alpha: Array  # of the cell's points, in their order
    intercept: float = 0.0  # of the cell's own model


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelFinished(Event):
    """All cells of a level were solved. Time since its `Partitioned` is time spent on training."""

    level: int
    n_clusters: int
    iterations: int
    block_objective: float  # the sum over the cells: the objective with the kernel between cells taken as zero
    n_free: int
    n_bound: int
    alpha: Array
    intercepts: Array = field(default_factory=lambda: np.empty(0))  # of each cell's model; empty without a bias


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelMeasured(Event):
    """Diagnostics of a level. Numbers that would take too long to compute are NaN, arrays empty.

    The theorems hold without a bias. With one their numbers are NaN, and no point is proven.
    """

    level: int
    between: float  # D(pi), the kernel mass between cells
    exact: bool  # False: D(pi), and so the bound, were estimated from some rows
    objective: float  # of the whole problem
    bound: float  # Theorem 1: 1/2 C^2 D(pi)
    smallest_eigenvalue: float  # of the kernel matrix
    certified: Array  # Theorem 2: which points are proven not to be support vectors of the whole problem


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelJudged(Event):
    """A level compared with the solution, once that is known. With a bias there are no bounds: they are NaN."""

    level: int
    gap: float  # objective of the level minus that of the solution
    bound: float  # Theorem 1
    refined_bound: float  # Theorem 3: D(pi) over the support vectors of the level and of the solution only
    precision: float  # of the level's support vectors
    recall: float
