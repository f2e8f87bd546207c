"""Early prediction compared with the exact model on rows that neither was trained on.

The exact model is trained on LIMIT rows at most, so that the comparison costs little where early prediction saves
most: what it says is lost is then too small rather than too large, since more rows make an exact model better.
"""

from concurrent.futures import Executor
from typing import Any

import numpy as np

from engine.learning.model import Trained
from engine.learning.multiclass import train_by_tasks
from engine.learning.validation import class_numbers
from engine.numerics.kernels import resolve_gamma
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps, Stop, passed_on
from engine.runtime.threads import thread_count
from engine.systems.dcsvm.early_prediction import EarlyCheck, TrainedEarly, surest
from engine.systems.dcsvm.settings import DCSVMSettings
from engine.systems.kernel_svm import algorithm as kernel_svm

LIMIT = 5000  # rows that the exact model is trained on
MOST = 20_000  # rows in all from which on nothing is compared: the second early model would take too long
FOLDS = 4  # of these every one is held out once, if there are at most LIMIT rows, else the first


def compare_steps(
    X: Array, y: Array, settings: DCSVMSettings, train_early: Any, executor: Executor | None
) -> Steps[EarlyCheck | None]:
    """Train both on some of the rows and count who is right on the others; None if there are too many or too few."""
    n = len(y)
    fold_of = np.random.default_rng([settings.seed, 9]).permutation(n) % FOLDS
    folds = FOLDS if n <= LIMIT else 1
    gamma = resolve_gamma(settings.gamma, X)
    values = {**settings.values_by_name(), "gamma": gamma, "instruments": "none", "early_check": False}
    quiet: Any = DCSVMSettings.checked(values)
    rows = early = exact = 0
    for fold in range(folds) if n <= MOST else ():
        held, kept = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        few = kept if len(kept) <= LIMIT else np.sort(np.random.default_rng([settings.seed, 10]).choice(kept, LIMIT))
        if any(len(np.unique(y[part])) < len(np.unique(y)) for part in (kept, few)):
            continue
        ours = yield from _silently(train_early(X[kept], y[kept], quiet, Counter(), executor))
        theirs = yield from _silently(_exact(X[few], y[few], quiet))
        if not isinstance(ours, TrainedEarly):
            continue
        threads = thread_count(settings.n_jobs)
        said = surest(ours.model.decision(ours.early.task_values(X[held], threads)))
        early += int(np.count_nonzero(ours.model.classes[said] == y[held]))
        exact += int(np.count_nonzero(theirs.model.predict(theirs.model.task_values(X[held], threads)) == y[held]))
        rows += len(held)
    return EarlyCheck(rows, early / rows, exact / rows) if rows else None


def _exact(X: Array, y: Array, settings: Any) -> Steps[Trained]:
    bounds = np.full(len(class_numbers(y)[0]), settings.C)
    return train_by_tasks(
        X, y, settings, Counter(), bounds, settings.bias, lambda problem, _: kernel_svm.solve(problem, settings)
    )


def _silently(steps: Steps[Trained]) -> Steps[Trained]:
    trained = yield from passed_on(steps, lambda event: None)
    if trained.stop_reason in ("cancelled", "time"):
        raise Stop(trained.stop_reason)  # ends more than this training
    return trained
