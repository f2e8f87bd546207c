"""TODO: what this is."""

import numpy as np

from engine.learning.system import Solver
from engine.runtime.events import Finished
from engine.systems.kernel_svm.settings import KernelSVMSettings
from engine.systems.kernel_svm.training import train_kernel_svm


def _dual_summary(last: Finished) -> dict[str, str]:
    support = f"{last.n_free + last.n_bound:,} ({last.n_free:,} free, {last.n_bound:,} at the bound)"
    return {
        "iterations": f"{last.iterations:,} ({last.inner_steps:,} two-variable steps)",
        "objective": f"{last.objective:.8g}",
        "duality gap": "unknown" if np.isnan(last.gap) else f"{last.gap:.3g}",
        "violation": f"{last.violation:.3g}",
        "support vectors": support,
    }


KERNEL_SVM = Solver("kernel-svm", "Kernel SVM", KernelSVMSettings, train_kernel_svm)
