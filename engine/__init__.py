"""The solvers: numpy, numba, scipy and scikit-learn, and no knowledge of any screen.

`KernelSVC` and its kin are scikit-learn estimators. Below them a solver is a generator of events (`engine.events`),
driven by a `Run` and kept in a `Recording`.
"""

from engine.archive import ArchiveError
from engine.estimators import SOLVERS, KernelSVC
from engine.recording import Recording
from engine.run import Run

__all__ = ["SOLVERS", "ArchiveError", "KernelSVC", "Recording", "Run"]
