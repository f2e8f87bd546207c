"""The methods that the DC-SVM paper compares with, on our dual solver: CascadeSVM, bagging, an SVM on a subsample.

Each is a generator of steps over a `Problem` without bias and returns an alpha for all points, or several.
"""

from dataclasses import dataclass

import numpy as np

from engine.optimisation.dual_problem import Problem
from engine.runtime.events import Array, Steps, passed_on
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.settings import DualSettings
from engine.systems.kernel_svm.subproblems import Subproblem, SubproblemQueue


@dataclass(frozen=True, eq=False)
class CascadeLevel:
    """A layer of the cascade: how many subsets, and alpha of all points that came through."""

    subsets: int
    alpha: Array


def cascade(problem: Problem, settings: DualSettings, subsets: int = 256, merge: int = 4) -> Steps[list[CascadeLevel]]:
    """CascadeSVM, first round (Graf et al., 2005): random subsets; only support vectors go up, `merge` sets in one."""
    rng = np.random.default_rng(settings.seed)
    parts = np.array_split(rng.permutation(len(problem)), min(subsets, len(problem)))
    alpha = np.zeros(len(problem))
    levels: list[CascadeLevel] = []
    with SubproblemQueue(problem, settings, None) as queue:
        while True:
            solved = yield from _solve_all(queue, parts, alpha)
            for members, found in zip(parts, solved, strict=True):
                alpha[members] = found
            levels.append(CascadeLevel(len(parts), alpha.copy()))
            if len(parts) == 1:
                return levels
            kept = [members[found > 0] for members, found in zip(parts, solved, strict=True)]
            merged = [np.concatenate(kept[i : i + merge]) for i in range(0, len(kept), merge)]
            parts = [members for members in merged if len(members)] or parts[:1]


def bagging(problem: Problem, settings: DualSettings, bags: int) -> Steps[list[Array]]:
    """An SVM on each of `bags` random samples of n / bags points; alpha of each. They vote: see `votes`."""
    rng = np.random.default_rng(settings.seed)
    size = max(1, len(problem) // bags)
    samples = [np.sort(rng.permutation(len(problem))[:size]) for _ in range(bags)]
    with SubproblemQueue(problem, settings, None) as queue:
        solved = yield from _solve_all(queue, samples, np.zeros(len(problem)))
    return [_spread(found, members, len(problem)) for members, found in zip(samples, solved, strict=True)]


def votes(problem: Problem, alphas: list[Array], X: Array) -> Array:
    """The sum of the votes, +1 or -1, of several models on new data."""
    points = problem.kernel.points(X)
    total = np.zeros(len(X))
    for alpha in alphas:
        support = np.flatnonzero(alpha)
        weights = (problem.y * alpha)[support]
        total += np.sign(problem.kernel.product(points, problem.points[support], weights, problem.threads))
    return total


def subsample(problem: Problem, settings: DualSettings, share: float = 0.2) -> Steps[Array]:
    """An SVM on a random part of the data."""
    rng = np.random.default_rng(settings.seed)
    members = np.sort(rng.permutation(len(problem))[: max(1, round(share * len(problem)))])
    solution = yield from passed_on(solve(problem.part(members), settings), lambda event: None)
    return _spread(solution.alpha, members, len(problem))


def _solve_all(queue: SubproblemQueue, parts: list[Array], alpha: Array) -> Steps[list[Array]]:
    futures = queue.solve([Subproblem(members, alpha[members]) for members in parts])
    found = []
    for future in futures:
        solved = yield from queue.wait_for(future)
        found.append(solved.alpha)
    return found


def _spread(alpha: Array, members: Array, n: int) -> Array:
    of_all = np.zeros(n)
    of_all[members] = alpha
    return of_all
