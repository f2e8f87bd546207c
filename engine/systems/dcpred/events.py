"""The events of DC-Pred++."""

from dataclasses import dataclass, field

import numpy as np

from engine.runtime.events import Array, Event, Finished


@dataclass(frozen=True, eq=False, kw_only=True)
class CandidateTried(Event):
    """A candidate was fitted to most rows and compared with the exact model on those put aside."""

    n_leaves: int
    landmarks: int  # of a leaf at most; 0 is as many as `landmark_ratio` says
    reach: float  # rows around a leaf that its model is fitted to, for each row in it
    pseudo: str
    loss: float  # accuracy lost against the exact model, or the relative increase of the root mean square error
    error: float  # standard error of the loss
    quality: float  # accuracy, or root mean square error
    cost: float  # inner products for a prediction
    rows: int  # that it was compared on: not all if it was clearly worse


@dataclass(frozen=True, eq=False, kw_only=True)
class CompressionChosen(Event):
    """A candidate was chosen, or the exact model is kept: then there is no candidate, and `n_leaves` is 0."""

    n_leaves: int
    landmarks: int
    reach: float
    pseudo: str
    qualified: bool  # whether a compressed model keeps the promise
    loss: float
    error: float
    cost: float
    exact_quality: float  # of the exact model on the rows put aside
    exact_cost: float
    rows_aside: int
    max_loss: float  # NaN is no limit
    max_cost: float
    why: str


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeSplit(Event):
    """A cell of the tree was divided among centres. Cells are numbered as they come; 0 is all there is."""

    node: int
    depth: int
    size: int  # points in the cell
    children: Array  # their numbers
    sizes: Array
    centres: Array  # of the children, as the data have them: a point goes to the nearest


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeGrown(Event):
    """The tree has its leaves. The rest is how a point is routed to its leaf: see `Tree` in `tree`."""

    labels: Array  # the leaf of each point; leaves are numbered from 0
    sizes: Array  # of the leaves
    depths: Array
    origin: Array
    normals: Array
    offsets: Array
    children: Array
    leaves: Array  # the cell that each leaf is, as `TreeSplit` numbers them


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafTrained(Event):
    """The model of one leaf, or of a cell above some leaves (bottom up), was trained with the exact kernel."""

    node: int  # the cell of the tree
    leaves: Array  # those below it, or the one it is
    task: int  # of several classes, the one that is compared with the rest; else 0
    size: int
    n_support: int
    objective: float
    members: Array  # the points it was trained on
    alpha: Array  # theirs, not negative for an SVM of its own task; else of any sign
    intercept: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LandmarksChosen(Event):
    """The landmarks of a leaf."""

    leaf: int
    strategy: str  # one of landmarks.STRATEGIES
    support: Array  # the points that have a weight
    point_weights: Array  # alpha^2 of these (summed over the tasks)
    landmarks: Array  # a row for each, as the data have them
    weights: Array  # of each: the sum of those nearest to it
    objective: float  # Theorem 3: the sum of alpha^2 times the square distance to the nearest landmark


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelApproximated(Event):
    """The kernel matrix of a leaf was approximated. Errors are |K - approximation| / |K| (Frobenius).

    The matrices are of some of the leaf's points, in an order that brings near ones together, for a screen.
    """

    leaf: int
    rank: int
    error: float
    error_without: float  # with the landmarks alone
    pseudo: str  # products, triangle or none
    pairs: Array  # products: two landmarks each
    pseudo_landmarks: Array  # triangle: a row for each, as the data have them
    rows: Array  # the points of the matrices
    matrix: Array
    approximation: Array
    without: Array  # the approximation with the landmarks alone


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafCompressed(Event):
    """A leaf is compressed. Quality is the share of its points that come out right; of a regression
    the root of the mean square error.

    Cost is in inner products for a prediction, routing among them.
    """

    leaf: int
    exact_quality: float
    quality: float
    cost: float
    exact_cost: float  # of the exact model
    coefficients: Array  # a row for each landmark, then each pseudo-landmark; a column for each task
    intercepts: Array
    features: Array = field(default_factory=lambda: np.empty(0, bool))  # looked at; none named: those of its points


@dataclass(frozen=True, eq=False, kw_only=True)
class FastFinished(Finished):
    """DC-Pred++ is done: leaves are its iterations, and alpha is that of the leaves' exact models.

    The fields from `origin` on are the compressed model itself: see `CompressedModel.of`.
    """

    machine: str  # svm or ridge
    exact_quality: float  # of the leaves' exact models on the training data
    quality: float
    cost: float  # inner products for a prediction, on average over the training data
    exact_cost: float
    n_landmarks: int
    n_pseudo: int
    gamma: float
    origin: Array
    normals: Array
    offsets: Array
    children: Array
    first: Array
    landmarks: Array
    seen: Array
    weights: Array
    first_pseudo: Array
    pairs: Array
    pseudo_weights: Array
    first_distance: Array
    distances: Array
    intercepts: Array
