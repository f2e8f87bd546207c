"""Problems on a checkerboard, and the method's parts run on them: what several tests of interior point share."""

import numpy as np

from engine import SOLVERS, datasets
from engine.numerics.kernels import Kernel
from engine.optimisation.central_path import CentralPath
from engine.optimisation.dual_problem import Problem
from engine.runtime.events import drain
from engine.systems.interior_point.factors.incomplete_cholesky import IncompleteCholesky
from engine.systems.interior_point.factors.kronecker import Kronecker

SOLVER = SOLVERS["interior-point"]


def board(n, C=10.0, gamma=2.0, bias=True, noise=0.0, kernel="rbf", threads=None):
    data = datasets.load("checkerboard", size=n, noise=noise)
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    fitted = Kernel.fit(data.X, kernel, gamma, C=C)
    return Problem.build(data.X, y, C=C, kernel=fitted, bias=bias, n_jobs=threads), data.X


def run_of(X, y, **settings):
    return SOLVER.recorded_run(X, y, SOLVER.settings.checked(settings))


def factored(problem, rank=None, **how):
    factor = IncompleteCholesky(problem, **how)
    drain(factor.extend(rank or len(problem), 0.0))
    return factor


def along(problem, factor, tol, most=100):
    path = CentralPath(problem, factor)
    path.set_start()
    drain(path.begin())
    told = []
    while True:
        now = path.measures()
        told.append((path.alpha, path.nu, now.mu))
        if now.within(tol) or path.failure or len(told) > most:
            return path, told
        drain(path.advance())


def gridded(problem):
    factor = Kronecker(problem, 0)
    drain(factor.steps())
    groups, places = np.divmod(np.arange(factor.groups * factor.places), factor.places)
    return factor, problem.kernel.raw(factor.grid.points(groups, places))
