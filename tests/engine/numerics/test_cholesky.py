"""The blocked Cholesky factorisation against numpy's."""

import numpy as np
import pytest

from engine.numerics.cholesky import NotPositive, cholesky
from engine.runtime.events import drain


def test_blocked_cholesky():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(700, 700))
    A = A @ A.T + np.eye(700)
    lower = np.tril(drain(cholesky(A.copy(), 2)))
    np.testing.assert_allclose(lower, np.linalg.cholesky(A), rtol=1e-8, atol=1e-8)
    A[650, 650] = -1
    with pytest.raises(NotPositive, match="row 651"):
        drain(cholesky(A, 2))
