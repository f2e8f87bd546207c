"""TODO: what this is."""

from typing import Any

import param

from engine.learning.settings import Gamma, Settings
from engine.numerics.kernels import KERNELS


def _price() -> Any:
    """C; its square is a number still."""
    return param.Number(1.0, bounds=(0, 1e100), inclusive_bounds=(False, True), doc="Price of a margin violation.")


class KernelSettings(Settings):
    """Which kernel."""

    kernel: Any = param.Selector(default="rbf", objects=list(KERNELS), doc="Kernel.")
    gamma = Gamma("scale", doc="Width of the kernel.")
    degree = param.Integer(3, bounds=(1, 20), doc="Degree of the polynomial kernel.")
    coef0 = param.Number(0.0, doc="Constant of the polynomial kernel.")
