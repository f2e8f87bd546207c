"""One table of settings per solver: it drives estimators, command line, recordings and, further up, widgets and URLs.

A table knows nothing of any screen. Values from outside are checked here, and a refused one is named with what is
accepted; `accepted` writes that sentence from the table itself.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import param

from engine.errors import invalid
from engine.inner import LARGEST_SET
from engine.kernels import GAMMA_ACCEPTED, GAMMA_RULES, KERNELS
from engine.landmarks import STRATEGIES as LANDMARKS
from engine.merging import STRATEGIES
from engine.nystrom import PSEUDO


class Gamma(param.Parameter):
    """A positive number, or one of the rules that find one: "scale" (1 / (d var X)) and "auto" (1 / d)."""

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not ((number and value > 0) or (isinstance(value, str) and value in GAMMA_RULES)):
            raise ValueError("not a gamma")


class Count(param.Parameter):
    """A whole number from 1, or the word that is its default: the solver finds one."""

    def _validate_value(self, value: Any, allow_None: bool) -> None:
        number = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not ((number and value > 0) or (isinstance(value, str) and value == self.default)):
            raise ValueError("not a count")


class Settings(param.Parameterized):
    """A table of settings; make one from untrusted values with `checked`."""

    @classmethod
    def names(cls) -> list[str]:
        """Of all settings, in the order of the table."""
        return [name for name in cls.param if name != "name"]

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> "Settings":
        """Settings with these values; an unknown name or a refused value gets an error that says what is accepted."""
        table = cls()
        for name, value in values.items():
            if name not in cls.names():
                raise invalid("setting", name, f"one of {', '.join(cls.names())}")
            try:
                if isinstance(value, float | np.floating) and not math.isfinite(value):
                    raise ValueError("not finite")
                if isinstance(cls.param[name], param.Number) and isinstance(value, bool):
                    raise ValueError("not a number")
                setattr(table, name, value)
            except (ValueError, TypeError):
                raise invalid(name, value, accepted(cls.param[name])) from None
        return table

    @classmethod
    def parse(cls, name: str, text: str) -> Any:
        """The value that a text, from a command line or a URL, stands for."""
        parameter = cls.param[name]
        try:
            if isinstance(parameter, param.Boolean):
                return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
            if parameter.allow_None and text.lower() == "none":
                return None
            if isinstance(parameter, param.Integer) or (isinstance(parameter, Count) and text != parameter.default):
                return int(text)
            if isinstance(parameter, param.Selector):
                return {str(item): item for item in parameter.objects}.get(text, text)
            if isinstance(parameter, param.Number) or (isinstance(parameter, Gamma) and text not in GAMMA_RULES):
                return float(text)
        except (KeyError, ValueError):
            raise invalid(name, text, accepted(parameter)) from None
        return text

    def values_by_name(self) -> dict[str, Any]:
        """All settings as plain values."""
        return {name: getattr(self, name) for name in self.names()}


def accepted(parameter: param.Parameter) -> str:
    """What a parameter accepts, in words."""
    none = " or None" if parameter.allow_None else ""
    if isinstance(parameter, Gamma):
        return GAMMA_ACCEPTED
    if isinstance(parameter, Count):
        return f'a whole number from 1, or "{parameter.default}"'
    if isinstance(parameter, param.Selector):
        return f"one of {', '.join(map(str, parameter.objects))}{none}"
    if isinstance(parameter, param.Boolean):
        return "True or False"
    if isinstance(parameter, param.Number):
        kind = "a whole number" if isinstance(parameter, param.Integer) else "a finite number"
        least, most = parameter.bounds or (None, None)
        from_word = "from" if parameter.inclusive_bounds[0] else "above"
        lower = f" {from_word} {least}" if least is not None else ""
        upper = f" to {most}".replace("e+", "e") if most is not None else ""
        return f"{kind}{lower}{upper}{none}"
    return parameter.doc or "of another type"


def _price() -> Any:
    """C; its square is a number still."""
    return param.Number(1.0, bounds=(0, 1e100), inclusive_bounds=(False, True), doc="Price of a margin violation.")


class DualSettings(Settings):
    """How the dual solver works, whatever the problem."""

    tol = param.Number(1e-3, bounds=(0, None), inclusive_bounds=(False, True), doc="Largest violation left at the end.")
    max_iter = param.Integer(-1, bounds=(-1, None), doc="Most outer iterations; -1 is no limit.")
    cache_mb = param.Number(1000, bounds=(0, None), inclusive_bounds=(False, True), doc="Memory for kernel rows, MiB.")
    working_set = param.Integer(1024, bounds=(2, LARGEST_SET), doc="Points optimised together; 2 is plain SMO.")
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")


class KernelSettings(Settings):
    """Which kernel."""

    kernel: Any = param.Selector(default="rbf", objects=list(KERNELS), doc="Kernel.")
    gamma = Gamma("scale", doc="Width of the kernel.")
    degree = param.Integer(3, bounds=(1, 20), doc="Degree of the polynomial kernel.")
    coef0 = param.Number(0.0, doc="Constant of the polynomial kernel.")


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


class DCSVMSettings(KernelSettings, DualSettings):
    """DC-SVM."""

    C = _price()
    k = param.Integer(4, bounds=(2, 256), doc="A level has k times the cells of the level above.")
    levels: Any = param.Selector(default="auto", objects=["auto", 1, 2, 3, 4, 5, 6], doc="Levels below the whole.")
    sample_size = param.Integer(1000, bounds=(1, 100_000), doc="Points that the clustering of a level looks at.")
    stop_level = param.Integer(0, bounds=(0, 6), doc="Stop after this level and predict early; 0 is the exact answer.")
    adaptive = param.Boolean(True, doc="Whether clustering samples from the support vectors of the level below.")
    refine = param.Boolean(True, doc="Whether to solve on the support vectors alone before the whole problem.")
    partition: Any = param.Selector(
        default="auto", objects=["auto", "kernel-kmeans", "kmeans", "random"], doc="How the data are divided."
    )
    instruments: Any = param.Selector(
        default="auto", objects=["auto", "all", "none"], doc="What of the theory is measured beside the solution."
    )
    multiclass: Any = param.Selector(
        default="ovo", objects=["ovo", "ovr"], doc="Each pair of classes, or each against the rest."
    )
    n_jobs = param.Integer(None, allow_None=True, doc="Threads; None is all cores.")


class ClusterSVMSettings(KernelSettings, DualSettings):
    """ClusterSVM: with a bias, each class against the rest."""

    multiclass: ClassVar[str] = "ovr"

    C = _price()
    n_clusters = Count("sqrt", doc="Clusters of each class; sqrt is the root of its number of points.")
    max_passes = param.Integer(
        1, bounds=(0, None), allow_None=True, doc="Times that clusters are split; None is until the answer is exact."
    )
    collapse_bound = param.Boolean(False, doc="Whether clusters at the bound are replaced by their mean (Condition 2).")
    clustering: Any = param.Selector(default="pddp", objects=["pddp", "kmeans"], doc="How a class is divided.")
    n_jobs = param.Integer(None, allow_None=True, doc="Threads; None is all cores.")


class BudgetedSGDSettings(Settings):
    """Budgeted SGD: one kernel, each class against the rest, one thread."""

    kernel: ClassVar[str] = "rbf"
    multiclass: ClassVar[str] = "ovr"
    n_jobs: ClassVar[int | None] = None

    C = _price()
    gamma = Gamma("scale", doc="Width of the kernel.")
    budget = param.Integer(100, bounds=(1, 10_000), doc="Most support vectors (of each class, if more than two).")
    epochs = param.Integer(20, bounds=(1, 100_000), doc="Passes through the data.")
    maintenance: Any = param.Selector(
        default="lookup-wd", objects=list(STRATEGIES), doc="What happens to the vector that is too many."
    )
    table_size = param.Integer(400, bounds=(10, 2000), doc="Points on each side of the lookup tables.")
    instruments: Any = param.Selector(
        default="auto", objects=["auto", "all", "none"], doc="At which merges the strategies are compared."
    )
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")


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
