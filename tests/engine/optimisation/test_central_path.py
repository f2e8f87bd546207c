"""The interior-point iteration, step by step, against the slow twin."""

import numpy as np
import pytest

from engine.runtime.events import drain
from engine.systems.interior_point.factors.full_cholesky import FullCholesky
from tests.engine.systems.interior_point.problems import along, board, factored
from tests.naive import interior_point
from tests.naive.kernel_svm import kernel_matrix


@pytest.mark.parametrize("bias", [True, False])
def test_step_by_step_as_the_slow_twin(bias):
    problem, X = board(150, bias=bias)
    slow = interior_point.interior_point(
        kernel_matrix(X, X, "rbf", 2.0), problem.y, problem.upper, problem.linear, bias, 1e-8
    )
    full = FullCholesky(problem)
    drain(full.steps())
    for factor in (full, factored(problem)):
        _, told = along(problem, factor, 1e-8)
        assert len(told) == len(slow)
        for (alpha, nu, mu), (slow_alpha, slow_nu, slow_mu) in zip(told, slow, strict=True):
            np.testing.assert_allclose(alpha, slow_alpha, rtol=1e-4, atol=1e-6)
            assert (nu, mu) == pytest.approx((slow_nu, slow_mu), rel=1e-3, abs=1e-6)
