"""The settings of ClusterSVM."""

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import KernelSettings
from engine.learning.settings import Count
from engine.systems.kernel_svm.settings import DualSettings


class ClusterSVMSettings(KernelSettings, DualSettings):
    """ClusterSVM: with a bias, each class against the rest."""

    formerly: ClassVar[Mapping[str, Any]] = {"max_passes": 1}

    C = common.penalty()
    n_clusters = Count("sqrt", doc="Clusters of each class; sqrt is the root of its number of points.")
    max_passes = param.Integer(
        None, bounds=(0, None), allow_None=True, doc="Times that clusters are split; None is until the answer is exact."
    )
    collapse_bound = param.Boolean(False, doc="Whether clusters at the bound are replaced by their mean (Condition 2).")
    clustering: Any = param.Selector(default="pddp", objects=["pddp", "kmeans"], doc="How a class is divided.")
    n_jobs = common.threads()
