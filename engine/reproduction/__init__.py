"""The figures and tables of the papers, measured again: `PAPERS` has them by name.

A paper is a package below this one. It has a `PAPER`, whose figures yield rows as they are measured, and its published
numbers beside them as data. It belongs to the engine because all it does is run solvers and count; showing the rows
is left to whoever asks for them.
"""

from engine.registry import PAPERS
from engine.reproduction.paper import FULL, QUICK, Effort, Figure, Paper, Row
from engine.systems.budgeted_sgd.paper import PAPER as BSGD
from engine.systems.clustersvm.paper import PAPER as CLUSTERSVM
from engine.systems.dcpred.paper import PAPER as DCPRED
from engine.systems.dcsvm.paper import PAPER as DCSVM
from engine.systems.interior_point.paper import PAPER as IPM

__all__ = ["FULL", "PAPERS", "QUICK", "Effort", "Figure", "Paper", "Row"]
