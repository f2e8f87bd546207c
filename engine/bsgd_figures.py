"""What the tables and figures of the Budgeted SGD paper are made of, for two classes, from data and settings."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from engine.classify import check_data
from engine.events import Array, MergesReplayed, StrategiesCompared
from engine.kernels import Counter
from engine.merge_instruments import time_split
from engine.run import Run
from engine.solvers import BUDGETED_SGD
from engine.threads import thread_count


def accuracies(
    X: Array, y: Array, X_test: Array, y_test: Array, settings: Mapping[str, Any], seeds: Iterable[int] = range(5)
) -> Array:
    """Table 2: the test accuracy for each seed; the paper has mean and deviation of five."""
    found = []
    for seed in seeds:
        model = _run(X, y, {**settings, "instruments": "none", "seed": seed}).result().model
        found.append(np.mean(model.predict(model.task_values(X_test, thread_count(None))) == y_test))
    return np.array(found)


def merging_decisions(X: Array, y: Array, settings: Mapping[str, Any]) -> StrategiesCompared:
    """Table 3: merging frequency, agreement with gss-precise and WD factors over all merges of a run."""
    run = _run(X, y, {**settings, "instruments": "all"})
    return [event for event in run if isinstance(event, StrategiesCompared)][-1]


def merging_time(X: Array, y: Array, settings: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Figure 3: seconds of a merge in section A and in section B, for each way of merging."""
    return time_split([event for event in _run(X, y, settings) if isinstance(event, MergesReplayed)])


def _run(X: Array, y: Array, settings: Mapping[str, Any]) -> Run[Any]:
    X, y = check_data(X, y)
    counter = Counter()
    return Run(BUDGETED_SGD.steps(X, y, BUDGETED_SGD.settings.checked(settings), counter), counter)
