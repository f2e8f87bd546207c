"""The events of DC-Pred++."""

from dataclasses import dataclass

from engine.runtime.events import Array, Event, Finished


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
    alpha: Array  # theirs, not negative for an SVM; in ridge regression of any sign


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
