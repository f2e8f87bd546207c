"""DC-SVM as the registry has it: settings, training, events, summary, progress."""

from engine.learning.system import System
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, LevelMeasured, Partitioned, SubproblemSolved
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.dcsvm.training import train_dcsvm
from engine.systems.kernel_svm import system as kernel_svm

DCSVM = System(
    "dcsvm",
    "DC-SVM",
    DCSVMSettings,
    train_dcsvm,
    events=(*kernel_svm.EVENTS, Partitioned, SubproblemSolved, LevelFinished, LevelMeasured, LevelJudged),
    summary=kernel_svm.dual_summary,
    progress=kernel_svm.ViolationProgress,
    subproblems=True,
    warm_up=({"partition": "kernel-kmeans"}, {"partition": "kmeans"}),
    estimator="engine.systems.dcsvm.estimator:DCSVC",
    paper="engine.systems.dcsvm.paper:PAPER",
)
SYSTEMS = (DCSVM,)
