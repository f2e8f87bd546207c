"""What numbers in the label column of a file mean: classes, or the targets of a regression."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.datasets.dataset import Task

# Up to here every whole float64 is exactly one integer.
LARGEST_WHOLE = 2.0**53


def from_numbers(values: NDArray[np.float64], task: Task | None) -> tuple[NDArray[Any], Task]:
    """Return labels and task; without a task given, whole numbers are taken for classes and others for targets."""
    whole = bool(np.all((values == np.rint(values)) & (np.abs(values) <= LARGEST_WHOLE)))
    if task is None:
        task = "classification" if whole else "regression"
    if task == "regression":
        return values, task
    return (values.astype(np.int64) if whole else values.astype(np.str_)), task
