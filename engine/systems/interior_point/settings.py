"""The settings of the interior-point method."""

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import KernelSettings
from engine.learning.settings import Count

SCHEMES = ("cholesky", "icf", "kronecker", "icf+icf", "kronecker+icf", "icf+decomposition")


class InteriorPointSettings(KernelSettings):
    """The interior-point method."""

    formerly: ClassVar[Mapping[str, Any]] = {"scheme": "icf+icf", "pivots": "greedy"}

    C = common.penalty()
    bias = common.bias()
    scheme: Any = param.Selector(
        default="auto", objects=["auto", *SCHEMES], doc="What stands for the kernel matrix: coarse, then fine."
    )
    rank = Count("auto", doc="Columns of the (fine) incomplete Cholesky factor; auto stops at a residual trace.")
    pivots: Any = param.Selector(
        default="auto", objects=["auto", "greedy", "random"], doc="How incomplete Cholesky chooses its columns."
    )
    coarse_rank = Count("auto", doc="Columns of the coarse one; auto stops at a larger trace.")
    coarse_iter = param.Integer(10, bounds=(1, 1000), doc="Iterations with the coarse one, at most.")
    tol = common.tolerance("Relative residuals and gap left at the end.")
    max_iter = param.Integer(100, bounds=(1, None), doc="Most iterations.")
    instruments: Any = common.diagnostics("How much of the exact problem is measured on the way.")
    multiclass: Any = common.multiclass()
    n_jobs = common.threads()
    seed = common.seed()
