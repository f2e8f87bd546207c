"""The kernel perceptron: whenever a point is on the wrong side, its α grows by 1."""

from dataclasses import dataclass

import numpy as np
import param

from engine import System
from engine.events import Array, Event, PhaseBegan, Started, Stop, finish
from engine.learning.common_settings import KernelSettings, seed
from engine.learning.multiclass import train_by_tasks
from engine.optimisation.solution import Solution


@dataclass(frozen=True, eq=False, kw_only=True)
class MistakeMade(Event):
    """A point was on the wrong side; alpha is that after the correction."""

    thins = True  # a long recording may leave some out
    iteration: int
    point: int
    alpha: Array
    working_set: Array


class PerceptronSettings(KernelSettings):
    """These become flags, widgets and parts of a link."""

    epochs = param.Integer(10, bounds=(1, 1000), doc="Most passes through the data.")
    seed = seed()


def solve(problem, settings):
    """Pass through the points in random order until a pass makes no mistake."""
    n, rng = len(problem), np.random.default_rng(settings.seed)
    kernel, alpha, values = problem.kernel, np.zeros(n), np.zeros(n)
    iteration, epoch, reason = 0, 0, "passes"
    yield Started(
        solver="perceptron", n=n, d=problem.points.X.shape[1], kernel=kernel.name, gamma=kernel.gamma, bias=False, tol=0
    )
    try:
        for epoch in range(1, settings.epochs + 1):
            yield PhaseBegan(name=f"pass {epoch}", size=n)
            before = iteration
            for i in rng.permutation(n):
                if problem.y[i] * values[i] > 0:
                    continue
                alpha[i], iteration = alpha[i] + 1, iteration + 1
                values += problem.y[i] * kernel.block(problem.points, problem.points[[i]])[:, 0]
                yield MistakeMade(iteration=iteration, point=int(i), alpha=alpha.copy(), working_set=np.array([i]))
            if iteration == before:
                reason = "converged"
                break
    except Stop as stop:  # pause and cancel work at every yield
        reason = stop.reason
    gradient = problem.y * values - 1
    solution = Solution.measured(problem, alpha, gradient, stop_reason=reason, iterations=epoch, inner_steps=iteration)
    return (yield from finish(solution, solution.event()))


def train(X, y, settings, counter):
    """Two classes are one task; more are each class against the rest. No α exceeds the number of passes."""
    bounds = np.full(len(np.unique(y)), float(settings.epochs))
    return train_by_tasks(X, y, settings, counter, bounds, False, lambda problem, _: solve(problem, settings))


SYSTEM = System("perceptron", "Kernel perceptron", PerceptronSettings, train, events=(MistakeMade,))
