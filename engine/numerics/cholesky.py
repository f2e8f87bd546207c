"""Blocked Cholesky factorisation in place, on all cores, with pauses between panels."""

import numpy as np
import scipy
from numba import njit

from engine.runtime.events import Array, Steps
from engine.runtime.threads import for_each, serial_blas

PANEL = 256  # columns of a blocked Cholesky that are eliminated together


SLICE = 4e8  # multiplications between two breaths: some 10 ms


class NotPositive(ArithmeticError):
    """A matrix that should be positive definite is not, as far as its precision goes."""


def cholesky(A: Array, threads: int) -> Steps[Array]:
    """The lower factor of a symmetric matrix, of which the lower half is read, in its place; panel by panel."""
    n = len(A)
    for left in range(0, n, PANEL):
        right = min(left + PANEL, n)
        lower, failed = scipy.linalg.lapack.dpotrf(A[left:right, left:right], lower=True)
        if failed:
            raise NotPositive(f"the pivot in row {left + failed} is not positive")
        A[left:right, left:right] = lower
        if right == n:
            break
        # The panel times the inverse of a small triangle: a GEMM, unlike a triangular system, is cut with ease.
        inverse = scipy.linalg.solve_triangular(lower, np.eye(right - left), lower=True, check_finite=False)
        panel = A[right:, left:right]

        def finish(top: int, panel: Array = panel, inverse: Array = inverse) -> None:
            panel[top : top + PANEL] = panel[top : top + PANEL] @ inverse.T

        def update(top: int, panel: Array = panel, right: int = right) -> None:
            rows = panel[top : top + PANEL]
            A[right + top : right + top + PANEL, right : right + top + PANEL] -= rows @ panel[: top + PANEL].T

        tops = range(0, n - right, PANEL)
        with serial_blas():
            for_each(finish, tops, threads)
        step = max(1, int(SLICE / (PANEL * PANEL * (n - right))))
        for first in range(0, len(tops), step):
            with serial_blas():
                for_each(update, tops[first : first + step], threads)
            yield None
    return A


@njit(nogil=True, cache=True)
def lower_to_upper(A):  # type: ignore[no-untyped-def]
    """Make a matrix symmetric, tile by tile: its lower half counts."""
    n, tile = A.shape[0], 64
    for top in range(0, n, tile):
        for left in range(0, top + 1, tile):
            for i in range(top, min(top + tile, n)):
                for j in range(left, min(left + tile, i)):
                    A[j, i] = A[i, j]
