"""Random problems that several tests of DC-SVM share."""

import numpy as np

from engine.numerics.kernels import Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.counter import Counter


def blobs(n, d=4, seed=0, flip=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < flip, -y, y)


def problem_of(X, y, C=2.0, name="rbf", gamma=0.5, n_jobs=None, tol=1e-3, bias=False, **how):
    kernel = Kernel.fit(X, name, gamma, 3, 1.0, Counter(), C, tol)
    return Problem.build(X, y, C=C, kernel=kernel, bias=bias, n_jobs=n_jobs, **how)
