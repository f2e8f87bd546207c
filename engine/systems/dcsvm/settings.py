"""The settings of DC-SVM."""

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import KernelSettings
from engine.systems.kernel_svm.settings import DualSettings


class DCSVMSettings(KernelSettings, DualSettings):
    """DC-SVM."""

    formerly: ClassVar[Mapping[str, Any]] = {"bias": False}

    C = common.penalty()
    bias = common.bias()
    k = param.Integer(4, bounds=(2, 256), doc="A level has k times the cells of the level above.")
    levels: Any = param.Selector(default="auto", objects=["auto", 1, 2, 3, 4, 5, 6], doc="Levels below the whole.")
    sample_size = param.Integer(1000, bounds=(1, 100_000), doc="Points that the clustering of a level looks at.")
    stop_level = param.Integer(0, bounds=(0, 6), doc="Stop after this level and predict early; 0 is the exact answer.")
    early_check = param.Boolean(False, doc="Whether early prediction is compared with the exact model on some rows.")
    adaptive = param.Boolean(True, doc="Whether clustering samples from the support vectors of the level below.")
    refine = param.Boolean(True, doc="Whether to solve on the support vectors alone before the whole problem.")
    partition: Any = param.Selector(
        default="auto", objects=["auto", "kernel-kmeans", "kmeans", "random"], doc="How the data are divided."
    )
    instruments: Any = common.diagnostics("What of the theory is measured beside the solution.")
    multiclass: Any = common.multiclass()
    n_jobs = common.threads()
