"""ClusterSVM for labelled data: the clusters of each class, made once, then each class against the rest."""

import numpy as np

from engine.learning.model import Trained
from engine.learning.multiclass import closing, train_by_tasks
from engine.learning.validation import check_size, class_numbers
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Finished, Steps
from engine.systems.clustersvm import algorithm as clustersvm
from engine.systems.clustersvm.clusters import Clusters
from engine.systems.clustersvm.events import ClusterFinished
from engine.systems.clustersvm.settings import ClusterSVMSettings


def train_clustersvm(X: Array, y: Array, settings: ClusterSVMSettings, counter: Counter) -> Steps[Trained]:
    """Train by ClusterSVM."""
    check_size(X)
    classes, labels = class_numbers(y)
    clusters = Clusters(X, labels, settings)
    bounds = np.full(len(classes), settings.C)
    return (
        yield from train_by_tasks(
            X, y, settings, counter, bounds, True,
            lambda problem, _: clustersvm.solve(problem, settings, clusters), _together,
        )
    )  # fmt: skip


def _together(trained: Trained) -> Finished:
    """The closing event of several tasks: what adds up is summed, of the rest the largest value is taken."""
    solutions = trained.solutions
    return closing(
        trained,
        ClusterFinished,
        exact=all(solution.exact for solution in solutions),
        **{name: max(getattr(it, name) for it in solutions) for name in ("passes", "n", "size", "n_clusters")},
    )
