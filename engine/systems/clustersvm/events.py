"""The events of ClusterSVM."""

from dataclasses import dataclass

from engine.runtime.events import Array, Event, Finished


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterSplit(Event):
    """PDDP split the cluster with the largest scatter, at its mean along its principal direction."""

    class_number: int  # whose cluster it is
    cluster: int  # the part on this side of the mean keeps the number
    other: int  # the number of the part beyond
    mean: Array  # as the data have it
    direction: Array  # of length 1
    members: Array  # points of the cluster before
    beyond: Array  # which of them are beyond the mean
    scatter: float  # sum of square distances from the mean, in the units of the data: before, and of both parts
    scatter_here: float
    scatter_beyond: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ClustersMade(Event):
    """Each class is divided into clusters. All tasks share them; numbers go on from class to class."""

    clustering: str  # pddp or kmeans
    labels: Array  # the cluster of each point
    sizes: Array
    classes: Array  # the class number of each cluster
    centres: Array  # their means, as the data have them


@dataclass(frozen=True, eq=False, kw_only=True)
class RepresentativesChosen(Event):
    """What represents each cluster: its pseudo-centre (the member nearest to the mean) or the mean itself.

    A mean (Proposition 2.1) represents a cluster whose members are all believed to be at the bound.
    """

    passes: int  # so far; 0 is before the initial SVM
    labels: Array  # the cluster of each point, or -1 if it is kept on its own
    representatives: Array  # for each cluster the point that is its pseudo-centre, or -1 if its mean represents it
    means: Array  # which clusters have their mean; a cluster with neither has no members left
    sizes: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class ReducedSetMade(Event):
    """What the next SVM is trained on."""

    passes: int
    n: int  # of all points
    size: int  # points kept on their own, and representatives
    n_single: int
    n_centres: int
    n_means: int
    points: Array  # those kept on their own, and the pseudo-centres


@dataclass(frozen=True, eq=False, kw_only=True)
class ReducedTrained(Event):
    """An SVM was trained on the reduced set. After 0 passes it is the initial one."""

    passes: int
    size: int
    iterations: int
    objective: float  # of the whole problem: alpha is 0 for unused points, equal for those represented by a mean
    violation: float  # among the reduced set
    intercept: float
    n_free: int
    n_bound: int
    alpha: Array  # of all points


@dataclass(frozen=True, eq=False, kw_only=True)
class ClustersRevised(Event):
    """The clusters are reviewed with the latest SVM.

    Outcomes: "replaced", its representative replaces it as before; "split", some members leave it, because they are
    likely support vectors; "kept", all members leave it and are used individually; "collapsed", all members seem to be
    at the bound and are replaced by their mean; "gone", it has no members any more. Those members of a split cluster
    that seem to be at the bound form a new cluster with a number of its own.
    """

    passes: int  # so far: the SVM is that after so many
    margins: Array  # y d(x) of each point
    before: Array  # the cluster of each point, or -1
    after: Array
    outcomes: list[str]  # of each cluster
    n_released: int  # points that are on their own now and were not before
    n_collapsed: int  # points below a new mean


@dataclass(frozen=True, eq=False, kw_only=True)
class PassFinished(Event):
    """A pass is over: clusters reviewed, representatives chosen, SVM trained again."""

    passes: int
    size: int  # of the reduced set
    before: int
    n: int
    objective: float
    objective_before: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactnessChecked(Event):
    """The last SVM was checked on all points. It is exact if none violates the KKT conditions by more than tol."""

    exact: bool
    violation: float  # of the whole problem
    n_violators: int  # unused points, or members of a mean, on the wrong side of the margin
    objective: float
    gap: float
    margins: Array
    alpha: Array
    intercept: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterFinished(Finished):
    """ClusterSVM is done: objective, gap and violation are those of the whole problem, if it came to look at it.

    At the end of several tasks passes and size are the largest, and it is exact if all are.
    """

    exact: bool
    passes: int
    n: int
    size: int  # of the last reduced set
    n_clusters: int
