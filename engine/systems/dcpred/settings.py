"""The settings of DC-Pred++, for the SVM and for kernel ridge regression."""

from typing import Any

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import SolverSettings
from engine.systems.dcpred.landmarks import STRATEGIES as LANDMARKS
from engine.systems.dcpred.nystrom import PSEUDO
from engine.systems.kernel_svm.settings import DualSettings


class CompressionSettings(SolverSettings):
    """DC-Pred++: one kernel, each class against the rest."""

    gamma = common.kernel_width()
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
    instruments: Any = common.diagnostics("How much of the approximation is measured on the way.")
    n_jobs = common.threads()


class DCPredSettings(CompressionSettings, DualSettings):
    """DC-Pred++ for the SVM."""

    C = common.penalty()
    bottom_up = param.Boolean(False, doc="Whether cells above the leaves are trained while support vectors are few.")


class DCPredRidgeSettings(CompressionSettings):
    """DC-Pred++ for kernel ridge regression."""

    alpha = param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, True), doc="What is added to the diagonal.")
    seed = common.seed()
