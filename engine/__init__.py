"""The solvers: numpy, numba, scipy and scikit-learn, and no knowledge of any screen.

`KernelSVC` and its kin are scikit-learn estimators. Below them a solver is a generator of events (`engine.events`),
driven by a `Run` and kept in a `Recording`; `SOLVERS` has them by name.
"""

from typing import TYPE_CHECKING, Any

from engine.archive import ArchiveError
from engine.recording import Recording
from engine.run import Run
from engine.solvers import SOLVERS, Solver

if TYPE_CHECKING:
    from engine.budgeted_svc import BudgetedSVC
    from engine.estimators import DCSVC, KernelSVC
    from engine.interior_svc import InteriorPointSVC

__all__ = [
    "DCSVC", "SOLVERS", "ArchiveError", "BudgetedSVC", "InteriorPointSVC", "KernelSVC", "Recording", "Run", "Solver",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import estimators when they are asked for: a server runs without scikit-learn, whose import takes seconds."""
    if name not in ("BudgetedSVC", "DCSVC", "InteriorPointSVC", "KernelSVC"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "InteriorPointSVC":
        from engine import interior_svc

        return interior_svc.InteriorPointSVC
    from engine import budgeted_svc

    return getattr(budgeted_svc, name)
