"""The kernel SVM for labelled data: a dual problem for each binary task, a model of their solutions."""

from engine.learning.model import Trained
from engine.learning.multiclass import class_weights, train_by_tasks
from engine.learning.validation import class_numbers
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.settings import KernelSVMSettings


def train_kernel_svm(X: Array, y: Array, settings: KernelSVMSettings, counter: Counter) -> Steps[Trained]:
    """Train a kernel SVM by the dual solver, one binary task after the other."""
    classes, _ = class_numbers(y)
    bounds = settings.C * class_weights(settings.class_weight, classes, y)
    return (
        yield from train_by_tasks(
            X, y, settings, counter, bounds, settings.bias, lambda problem, _: kernel_svm.solve(problem, settings)
        )
    )
