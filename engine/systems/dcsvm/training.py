"""DC-SVM for labelled data: one binary task after the other, and committees for those stopped at a level."""

from concurrent.futures import Executor

import numpy as np

from engine.learning.model import Trained
from engine.learning.multiclass import train_by_tasks
from engine.learning.validation import class_numbers
from engine.optimisation.dual_problem import Problem
from engine.optimisation.solution import Solution
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps, Stop
from engine.systems.dcsvm import algorithm as dcsvm
from engine.systems.dcsvm.algorithm import DCSVMSolution
from engine.systems.dcsvm.early_prediction import EarlyModel, TrainedEarly
from engine.systems.dcsvm.settings import DCSVMSettings


def train_dcsvm(
    X: Array, y: Array, settings: DCSVMSettings, counter: Counter, executor: Executor | None = None
) -> Steps[Trained]:
    """Train by DC-SVM, one binary task after the other; the subproblems of each go to the executor."""
    classes, _ = class_numbers(y)
    members_of: list[Array] = []

    def solve_task(problem: Problem, members: Array) -> Steps[Solution]:
        members_of.append(members)
        return dcsvm.solve(problem, settings, executor)

    try:
        trained = yield from train_by_tasks(
            X, y, settings, counter, np.full(len(classes), settings.C), False, solve_task
        )
    except Stop as stop:
        stop.result = _with_committees(stop.result, members_of, len(y), settings.C)
        raise
    return _with_committees(trained, members_of, len(y), settings.C)


def _with_committees(trained: Trained, members_of: list[Array], n: int, C: float) -> Trained:
    """Add what early prediction needs, if all tasks were stopped at a level."""
    model = trained.model
    partitions = [
        it.partition for it in trained.solutions if isinstance(it, DCSVMSolution) and it.partition is not None
    ]
    if len(partitions) < len(model.intercepts):
        return trained
    cells = []
    for partition, members in zip(partitions, members_of, strict=True):
        of_all = np.full(n, -1)
        of_all[members] = partition.labels
        cells.append(of_all[model.support])
    early = EarlyModel.assemble(model, [partition.router for partition in partitions], cells, C)
    return TrainedEarly(model, trained.solutions, early)
