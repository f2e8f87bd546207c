"""Settings that several systems have, each declared here once: C, kernel, tol, threads, seed, and their help."""

from typing import Any

import numpy as np
import param

from engine.learning.settings import Gamma, Settings
from engine.numerics.kernels import KERNELS


def penalty() -> Any:
    """C; its square is a number still."""
    return param.Number(1.0, bounds=(0, 1e100), inclusive_bounds=(False, True), doc="Price of a margin violation.")


def kernel_width() -> Any:
    """The gamma of a kernel."""
    return Gamma("scale", doc="Width of the kernel.")


def tolerance(doc: str = "Largest violation left at the end.") -> Any:
    """When a solver has converged."""
    return param.Number(1e-3, bounds=(0, None), inclusive_bounds=(False, True), doc=doc)


def multiclass() -> Any:
    """How more than two classes become binary tasks."""
    return param.Selector(default="ovo", objects=["ovo", "ovr"], doc="Each pair of classes, or each against the rest.")


def bias() -> Any:
    """The intercept of a decision function."""
    return param.Boolean(True, doc="Whether the decision function has a bias.")


def threads() -> Any:
    """The threads of a run."""
    return param.Integer(None, allow_None=True, doc="Threads; None is all cores.")


def seed() -> Any:
    """Randomness enters a run by this setting alone."""
    return param.Integer(0, bounds=(0, 2**32 - 1), doc="Of everything random; the same seed gives the same run.")


class Diagnostics(param.Selector):
    """How much is measured during a run that only an observer needs; a fit that nobody watches sets it to "none"."""


def diagnostics(doc: str) -> Any:
    """How much is measured during a run that only an observer needs."""
    return Diagnostics(default="auto", objects=["auto", "all", "none"], doc=doc)


class SolverSettings(Settings):
    """The table of a system, with all settings that shared code reads.

    A table that leaves one of them out has the value that stands here.
    """

    C: Any = np.inf
    kernel: Any = "rbf"
    gamma: Any = "scale"
    degree: Any = 3
    coef0: Any = 0.0
    tol: Any = 1e-3
    multiclass: Any = "ovr"
    class_weight: Any = None
    n_jobs: Any = None


class KernelSettings(SolverSettings):
    """Which kernel."""

    kernel: Any = param.Selector(default="rbf", objects=list(KERNELS), doc="Kernel.")
    gamma = kernel_width()
    degree = param.Integer(3, bounds=(1, 20), doc="Degree of the polynomial kernel.")
    coef0 = param.Number(0.0, doc="Constant of the polynomial kernel.")
