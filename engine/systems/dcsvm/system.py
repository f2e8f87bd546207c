"""TODO: what this is."""

from engine.learning.system import Solver
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.dcsvm.training import train_dcsvm

DCSVM = Solver("dcsvm", "DC-SVM", DCSVMSettings, train_dcsvm, subproblems=True)
