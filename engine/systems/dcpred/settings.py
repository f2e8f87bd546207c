"""The settings of DC-Pred++, for the SVM and for kernel ridge regression."""

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from engine.learning import common_settings as common
from engine.learning.common_settings import SolverSettings
from engine.learning.settings import Count, Share
from engine.systems.dcpred.landmarks import STRATEGIES as LANDMARKS
from engine.systems.dcpred.nystrom import PSEUDO
from engine.systems.kernel_svm.settings import DualSettings


def most_lost(default: float, doc: str) -> Any:
    """The loss that a compressed model may have."""
    return param.Number(default, bounds=(0, None), allow_None=True, doc=f"{doc} None is no limit.")


class CompressionSettings(SolverSettings):
    """DC-Pred++: one kernel, each class against the rest. What is "auto" is chosen for `max_loss` and `max_cost`."""

    formerly: ClassVar[Mapping[str, Any]] = {
        "n_leaves": 64, "landmark_ratio": 0.1, "pseudo": "products", "landmarks": "weighted-kmeans"
    }  # fmt: skip

    gamma = common.kernel_width()
    max_loss: Any = most_lost(0.005, "Accuracy that may be lost against the exact model.")
    max_cost = param.Number(
        None, bounds=(0, None), inclusive_bounds=(False, True), allow_None=True,
        doc="Most inner products for a prediction; None is no limit.",
    )  # fmt: skip
    n_leaves = Count("auto", doc="Leaves of the tree, if there are 32 points for each.")
    branching = param.Integer(2, bounds=(2, 16), doc="Children of a cell.")
    landmarks: Any = param.Selector(
        default="auto", objects=["auto", *LANDMARKS], doc="How the landmarks of a leaf are found."
    )
    landmark_ratio = Share("auto", doc="Landmarks for each support vector of a leaf.")
    max_landmarks = param.Integer(None, bounds=(1, None), allow_None=True, doc="Most landmarks of a leaf.")
    tuning = param.Integer(
        0, bounds=(0, 100_000), doc="Rounds of descent in which landmarks move to where the machine wants them."
    )
    pseudo: Any = param.Selector(
        default="auto", objects=["auto", *PSEUDO], doc="Where the values of pseudo-landmarks come from."
    )
    pseudo_ratio = param.Number(2.0, bounds=(0, 100), doc="Pseudo-landmarks for each landmark.")
    instruments: Any = common.diagnostics("How much of the approximation is measured on the way.")
    n_jobs = common.threads()

    @property
    def chooses(self) -> bool:
        """Whether leaves or landmarks are chosen. Landmarks that move, and cells above the leaves, are as given."""
        bottom_up = self.values_by_name().get("bottom_up", False)
        return "auto" in (self.n_leaves, self.landmark_ratio) and not self.tuning and not bottom_up

    def resolved(self, **values: Any) -> "CompressionSettings":
        """With these values, and the usual ones for what is left to be chosen."""
        found = {**self.values_by_name(), **values}
        usual = {name: value for name, value in self.formerly.items() if found[name] == "auto"}
        table = type(self).checked({**found, **usual})
        assert isinstance(table, CompressionSettings)
        return table


class DCPredSettings(CompressionSettings, DualSettings):
    """DC-Pred++ for the SVM."""

    C = common.penalty()
    bottom_up = param.Boolean(False, doc="Whether cells above the leaves are trained while support vectors are few.")


class DCPredRidgeSettings(CompressionSettings):
    """DC-Pred++ for kernel ridge regression."""

    max_loss: Any = most_lost(0.03, "Relative increase of the root mean square error over the exact model's.")
    alpha = param.Number(1.0, bounds=(0, None), inclusive_bounds=(False, True), doc="What is added to the diagonal.")
    seed = common.seed()
