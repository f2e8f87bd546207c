"""The figures and tables of the papers, measured again: `PAPERS` has them by name.

A paper is a package below this one. It has a `PAPER`, whose figures yield rows as they are measured, and its published
numbers beside them as data. It belongs to the engine because all it does is run solvers and count; showing the rows
is left to whoever asks for them.
"""

from engine.papers.bsgd import PAPER as BSGD
from engine.papers.clustersvm import PAPER as CLUSTERSVM
from engine.papers.dcpred import PAPER as DCPRED
from engine.papers.dcsvm import PAPER as DCSVM
from engine.papers.ipm import PAPER as IPM
from engine.papers.paper import FULL, QUICK, Effort, Figure, Paper, Row

PAPERS = {paper.name: paper for paper in (DCSVM, CLUSTERSVM, BSGD, IPM, DCPRED)}

__all__ = ["FULL", "PAPERS", "QUICK", "Effort", "Figure", "Paper", "Row"]
