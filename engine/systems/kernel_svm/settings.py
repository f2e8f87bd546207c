"""TODO: what this is."""

from typing import Any

import param

from engine.learning.common_settings import KernelSettings, _price
from engine.learning.settings import Settings
from engine.systems.kernel_svm.smo import LARGEST_SET


class DualSettings(Settings):
    """How the dual solver works, whatever the problem."""

    tol = param.Number(1e-3, bounds=(0, None), inclusive_bounds=(False, True), doc="Largest violation left at the end.")
    max_iter = param.Integer(-1, bounds=(-1, None), doc="Most outer iterations; -1 is no limit.")
    cache_mb = param.Number(1000, bounds=(0, None), inclusive_bounds=(False, True), doc="Memory for kernel rows, MiB.")
    working_set = param.Integer(1024, bounds=(2, LARGEST_SET), doc="Points optimised together; 2 is plain SMO.")
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")


class ClassWeight(param.Parameter):
    """None, "balanced", or a table from class to weight."""

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        if not (value is None or value == "balanced" or isinstance(value, dict)):
            raise ValueError("not a class weight")


class KernelSVMSettings(KernelSettings, DualSettings):
    """The kernel SVM by the dual solver."""

    C = _price()
    bias = param.Boolean(True, doc="Whether the decision function has a bias.")
    class_weight = ClassWeight(None, allow_None=True, doc='None, "balanced" or a table from class to weight')
    multiclass: Any = param.Selector(
        default="ovo", objects=["ovo", "ovr"], doc="Each pair of classes, or each against the rest."
    )
    n_jobs = param.Integer(None, allow_None=True, doc="Threads; None is all cores.")
