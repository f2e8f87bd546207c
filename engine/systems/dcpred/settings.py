"""TODO: what this is."""

from typing import Any, ClassVar

import param

from engine.learning.common_settings import _price
from engine.learning.settings import Gamma, Settings
from engine.systems.dcpred.landmarks import STRATEGIES as LANDMARKS
from engine.systems.dcpred.nystrom import PSEUDO
from engine.systems.kernel_svm.settings import DualSettings


class FastSettings(Settings):
    """DC-Pred++: one kernel, each class against the rest."""

    kernel: ClassVar[str] = "rbf"
    multiclass: ClassVar[str] = "ovr"

    gamma = Gamma("scale", doc="Width of the kernel.")
    n_leaves = param.Integer(64, bounds=(1, 65536), doc="Leaves of the tree, if there are 32 points for each.")
    branching = param.Integer(2, bounds=(2, 16), doc="Children of a cell.")
    landmarks: Any = param.Selector(
        default="weighted-kmeans", objects=list(LANDMARKS), doc="How the landmarks of a leaf are chosen."
    )
    landmark_ratio = param.Number(
        0.1, bounds=(0, 1), inclusive_bounds=(False, True), doc="Landmarks for each support vector of a leaf."
    )
    max_landmarks = param.Integer(None, bounds=(1, None), allow_None=True, doc="Most landmarks of a leaf.")
    tuning = param.Integer(
        0, bounds=(0, 100_000), doc="Rounds of descent in which landmarks move to where the machine wants them."
    )
    pseudo: Any = param.Selector(
        default="products", objects=list(PSEUDO), doc="Where the values of pseudo-landmarks come from."
    )
    pseudo_ratio = param.Number(2.0, bounds=(0, 100), doc="Pseudo-landmarks for each landmark.")
    instruments: Any = param.Selector(
        default="auto", objects=["auto", "all", "none"], doc="How much of the approximation is measured on the way."
    )
    n_jobs = param.Integer(None, allow_None=True, doc="Threads; None is all cores.")


class DCPredSettings(FastSettings, DualSettings):
    """DC-Pred++ for the SVM."""

    C = _price()
    bottom_up = param.Boolean(False, doc="Whether cells above the leaves are trained while support vectors are few.")


class DCPredRidgeSettings(FastSettings):
    """DC-Pred++ for kernel ridge regression."""

    alpha = param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, True), doc="What is added to the diagonal.")
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")
