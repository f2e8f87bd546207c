"""The interior-point method for labelled data: one binary task after the other."""

import numpy as np

from engine.learning.model import Trained
from engine.learning.multiclass import closing, train_by_tasks
from engine.learning.validation import class_numbers
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Finished, Steps
from engine.systems.interior_point import algorithm as interior_point
from engine.systems.interior_point.events import InteriorFinished
from engine.systems.interior_point.settings import InteriorPointSettings


def train_interior_point(X: Array, y: Array, settings: InteriorPointSettings, counter: Counter) -> Steps[Trained]:
    """Train by the incremental interior-point method."""
    classes, _ = class_numbers(y)
    bounds = np.full(len(classes), settings.C)
    return (
        yield from train_by_tasks(
            X, y, settings, counter, bounds, settings.bias,
            lambda problem, _: interior_point.solve(problem, settings), _together,
        )
    )  # fmt: skip


def _together(trained: Trained) -> Finished:
    """The closing event of several tasks: what adds up is summed, of the rest the largest value is taken."""
    solutions = trained.solutions
    return closing(
        trained,
        InteriorFinished,
        scheme=solutions[0].scheme,
        rank=max(solution.rank for solution in solutions),
        error=max(solution.error for solution in solutions),
        approximate_objective=sum(solution.approximate_objective for solution in solutions),
        approximate_gap=sum(solution.approximate_gap for solution in solutions),
        vectors=np.empty(0, int),
        coefficients=np.empty(0),
        reason="; ".join(sorted({solution.reason for solution in solutions if solution.reason})),
    )
