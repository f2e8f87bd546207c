"""The scikit-learn estimator of the incremental interior-point method."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from engine.learning.estimator import KernelClassifier
from engine.systems.interior_point.events import InteriorIteration
from engine.systems.interior_point.system import INTERIOR_POINT


class InteriorPointSVC(KernelClassifier):
    """Kernel SVM classifier by an interior-point method over an approximate factorisation of the kernel matrix.

    `scheme` says what approximates the matrix: nothing ("cholesky", exact, for few points), an incomplete Cholesky
    factor of `rank` columns ("icf"), a Kronecker product ("kronecker"), or a coarse one of these for `coarse_iter`
    iterations at most, then a finer one ("icf+icf", "kronecker+icf") or the decomposition solver
    ("icf+decomposition"), whose solution is that of `KernelSVC`. "auto" is "icf+icf", with decomposition after it if
    that was no answer: an exact gap beyond the objective or, where the gap is not known, more than a tenth of the trace
    left. An automatic coarse factor that is too inaccurate to help is left out. With `rank="auto"` columns are added
    until they have the trace of the matrix but for a thousandth, or are too many; `pivots` are "greedy" or "random",
    and "auto" is random unless the kernel is linear. `tol` is the relative gap, and residuals, at the end. Other
    parameters are those of `KernelSVC`.

    After fitting: as in `KernelSVC`, with `n_iter_` interior-point iterations (and those of decomposition), `history_`
    a table of the former; `objective_` and `gap_` of the exact problem (NaN where that takes too many kernel
    evaluations), `approximate_gap_` of the factorised one, `rank_` and `error_`, the part of the trace left (of each
    task, if there are several). `stop_reason_` is "converged" if the exact problem is solved to `tol`, "approximate" if
    the factorised one is.
    """

    solver = INTERIOR_POINT
    history_event = InteriorIteration
    history_columns = (
        "iteration", "of_phase", "kind", "mu", "sigma", "step", "primal_residual", "dual_residual", "gap",
        "relative_gap", "objective", "least_product", "largest_product",
    )  # fmt: skip
    per_task_results: ClassVar[Mapping[str, str]] = {
        "gap_": "gap", "approximate_gap_": "approximate_gap", "rank_": "rank", "error_": "error"
    }  # fmt: skip

    def __init__(
        self,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        scheme: str = "auto",
        rank: int | str = "auto",
        pivots: str = "auto",
        coarse_rank: int | str = "auto",
        coarse_iter: int = 10,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _adopt_extra(self, extra: dict[str, Any]) -> None:
        # Files of earlier versions do not say how much of the trace is left.
        super()._adopt_extra({**extra, "results": {"error_": np.nan, **extra["results"]}})
