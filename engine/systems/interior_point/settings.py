"""TODO: what this is."""

from typing import Any

import param

from engine.learning.common_settings import KernelSettings, _price
from engine.learning.settings import Count

SCHEMES = ("cholesky", "icf", "kronecker", "icf+icf", "kronecker+icf", "icf+decomposition")


class InteriorPointSettings(KernelSettings):
    """The interior-point method."""

    C = _price()
    bias = param.Boolean(True, doc="Whether the decision function has a bias.")
    scheme: Any = param.Selector(
        default="icf+icf", objects=list(SCHEMES), doc="What stands for the kernel matrix: coarse, then fine."
    )
    rank = Count("auto", doc="Columns of the (fine) incomplete Cholesky factor; auto stops at a residual trace.")
    coarse_rank = Count("auto", doc="Columns of the coarse one; auto stops at a larger trace.")
    coarse_iter = param.Integer(10, bounds=(1, 1000), doc="Iterations with the coarse one, at most.")
    tol = param.Number(
        1e-3, bounds=(0, None), inclusive_bounds=(False, True), doc="Relative residuals and gap left at the end."
    )
    max_iter = param.Integer(100, bounds=(1, None), doc="Most iterations.")
    instruments: Any = param.Selector(
        default="auto", objects=["auto", "all", "none"], doc="How much of the exact problem is measured on the way."
    )
    multiclass: Any = param.Selector(
        default="ovo", objects=["ovo", "ovr"], doc="Each pair of classes, or each against the rest."
    )
    n_jobs = param.Integer(None, allow_None=True, doc="Threads; None is all cores.")
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")
