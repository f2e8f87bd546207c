"""The settings of the kernel SVM, and those of the dual solver that other systems build on."""

from typing import Any

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import KernelSettings, SolverSettings
from engine.systems.kernel_svm.smo import LARGEST_SET


class DualSettings(SolverSettings):
    """How the dual solver works, whatever the problem."""

    tol = common.tolerance()
    max_iter = param.Integer(-1, bounds=(-1, None), doc="Most outer iterations; -1 is no limit.")
    cache_mb = param.Number(1000, bounds=(0, None), inclusive_bounds=(False, True), doc="Memory for kernel rows, MiB.")
    working_set = param.Integer(1024, bounds=(2, LARGEST_SET), doc="Points optimised together; 2 is plain SMO.")
    seed = common.seed()


class ClassWeight(param.Parameter):
    """None, "balanced", or a table from class to weight."""

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        if not (value is None or value == "balanced" or isinstance(value, dict)):
            raise ValueError("not a class weight")


class KernelSVMSettings(KernelSettings, DualSettings):
    """The kernel SVM by the dual solver."""

    C = common.penalty()
    bias = common.bias()
    class_weight = ClassWeight(None, allow_None=True, doc='None, "balanced" or a table from class to weight')
    multiclass: Any = common.multiclass()
    n_jobs = common.threads()
