"""What the tests of several estimators ask: files that keep a model, and data that none of them takes."""

import numpy as np
import pytest

from engine import ArchiveError, KernelSVC

BAD_DATA = [
    ([[np.nan], [1.0]], [0, 1], "NaN"),
    ([[np.inf], [1.0]], [0, 1], "infinity"),
    ([[1.0], [2.0]], [1, 1], "at least two classes; got 1 class"),
    ([[1.0], [2.0]], [0.5, 0.7], "Unknown label type"),
]


def reloaded(model, path, X):
    """The model from a file of its own; it has the same parameters and says the same."""
    model.save(path)
    again = type(model).load(path)
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.predict(X), model.predict(X))
    if hasattr(model, "decision_function"):
        assert np.array_equal(again.decision_function(X), model.decision_function(X))
    return again


def check_of_another_kind(path, kind):
    """An estimator of another kind refuses the file."""
    with pytest.raises(ArchiveError, match=f"holds a {kind.__name__}"):
        KernelSVC.load(path)
