from itertools import pairwise

import numpy as np
import pytest

from engine.runtime.counter import Counter
from engine.runtime.run import Run
from engine.systems.dcsvm.baselines import bagging, cascade, subsample, votes
from engine.systems.kernel_svm.algorithm import solve
from engine.systems.kernel_svm.settings import DualSettings
from tests.engine.systems.dcsvm.problems import blobs, problem_of


@pytest.fixture(scope="module")
def problem():
    return problem_of(*blobs(1200, seed=2))


def test_cascade_passes_support_vectors_up(problem):
    levels = Run(cascade(problem, DualSettings(), subsets=16, merge=4), Counter()).result()
    assert [level.subsets for level in levels] == [16, 4, 1]
    for below, above in pairwise(levels):
        assert set(np.flatnonzero(above.alpha)) <= set(np.flatnonzero(below.alpha))
    # At the top it is the optimum on what was left.
    left = np.flatnonzero(levels[-2].alpha)
    best = Run(solve(problem.part(left), DualSettings()), Counter()).result()
    gradient = problem.gradient(levels[-1].alpha)
    assert problem.objective(levels[-1].alpha, gradient) == pytest.approx(best.objective, rel=1e-5)


def test_bagging_votes(problem):
    alphas = Run(bagging(problem, DualSettings(), bags=8), Counter()).result()
    assert [np.count_nonzero(alpha) <= 150 for alpha in alphas] == [True] * 8
    X, y = blobs(500, seed=3)
    counted = votes(problem, alphas, X)
    assert np.abs(counted).max() <= 8
    assert np.mean(np.sign(counted) == y) > 0.7


def test_a_subsample(problem):
    alpha = Run(subsample(problem, DualSettings(), 0.2), Counter()).result()
    assert 0 < np.count_nonzero(alpha) <= 240
