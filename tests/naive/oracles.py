"""The dual problem solved by Clarabel, a general dense interior-point solver: the reference for all solvers."""

import clarabel
import numpy as np
from scipy import sparse


def dual_by_clarabel(K, y, upper, linear, bias):
    """alpha and objective of the dual problem, to some 1e-10."""
    n = len(y)
    Q = np.outer(y, y) * K
    Q = (Q + Q.T) / 2
    rows, ends, cones = [-np.eye(n), np.eye(n)], [np.zeros(n), upper], [clarabel.NonnegativeConeT(2 * n)]
    if bias:
        rows.insert(0, y[None, :])
        ends.insert(0, np.zeros(1))
        cones.insert(0, clarabel.ZeroConeT(1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(Q)), linear, sparse.csc_matrix(np.vstack(rows)), np.concatenate(ends), cones, settings
    )
    alpha = np.clip(np.array(solver.solve().x), 0, upper)
    # An interior point never reaches a bound: put it on those it came close to.
    alpha = np.where(alpha < 1e-7 * upper, 0, np.where(alpha > (1 - 1e-7) * upper, upper, alpha))
    return alpha, 0.5 * alpha @ Q @ alpha + linear @ alpha
