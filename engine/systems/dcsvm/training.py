"""DC-SVM for labelled data: one binary task after the other, and committees for those stopped at a level."""

from concurrent.futures import Executor
from dataclasses import replace

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
from engine.systems.dcsvm.early_check import compare_steps
from engine.systems.dcsvm.early_prediction import EarlyModel, TrainedEarly
from engine.systems.dcsvm.settings import DCSVMSettings


def train_dcsvm(
    X: Array, y: Array, settings: DCSVMSettings, counter: Counter, executor: Executor | None = None
) -> Steps[Trained]:
    """Train by DC-SVM, one binary task after the other; the subproblems of each go to the executor.

    What was stopped at a level is compared with the exact model after that, if the settings ask for it.
    """
    trained = yield from _train(X, y, settings, counter, executor)
    if not settings.early_check or not isinstance(trained, TrainedEarly) or trained.stop_reason != "early":
        return trained
    try:
        check = yield from compare_steps(X, y, settings, _train, executor)
    except Stop:
        return trained
    return replace(trained, check=check)


def _train(X: Array, y: Array, settings: DCSVMSettings, counter: Counter, executor: Executor | None) -> Steps[Trained]:
    classes, _ = class_numbers(y)
    members_of: list[Array] = []

    def solve_task(problem: Problem, members: Array) -> Steps[Solution]:
        members_of.append(members)
        return dcsvm.solve(problem, settings, executor)

    try:
        trained = yield from train_by_tasks(
            X, y, settings, counter, np.full(len(classes), settings.C), settings.bias, solve_task
        )
    except Stop as stop:
        stop.result = _with_committees(stop.result, members_of, len(y), settings.C)
        raise
    return _with_committees(trained, members_of, len(y), settings.C)


def _with_committees(trained: Trained, members_of: list[Array], n: int, C: float) -> Trained:
    """Add what early prediction needs, if all tasks were stopped at a level."""
    model = trained.model
    stopped = [it for it in trained.solutions if isinstance(it, DCSVMSolution) and it.partition is not None]
    if len(stopped) < len(model.intercepts):
        return trained
    cells, routers, intercepts = [], [], []
    for solution, members in zip(stopped, members_of, strict=True):
        assert solution.partition is not None
        of_all = np.full(n, -1)
        of_all[members] = solution.partition.labels
        cells.append(of_all[model.support])
        routers.append(solution.partition.router)
        intercepts.append(solution.intercepts)
    early = EarlyModel.assemble(model, routers, cells, C, intercepts)
    return TrainedEarly(model, trained.solutions, early)
