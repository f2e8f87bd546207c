"""The budget and lambda that "auto" stands for, chosen on a part of the training data that is held back.

Lambda first: 1 / (n C), which is C as other solvers have it, and larger ones, with which few passes through noisy data
go further; one must be better by more than CLOSE, and by more than chance, to be taken. Then the budget: the smallest
that comes within CLOSE of the best. The exact model of the same rows, with a bias, says what is lost all the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.learning.model import Trained
from engine.learning.multiclass import train_by_tasks
from engine.learning.validation import class_numbers
from engine.numerics.kernels import resolve_gamma
from engine.runtime.counter import Counter
from engine.runtime.events import Array, Steps, Stop, passed_on
from engine.systems.budgeted_sgd.events import BudgetChosen
from engine.systems.budgeted_sgd.settings import BudgetedSGDSettings
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.settings import KernelSVMSettings

USUAL = 100  # the budget while lambda is chosen, and where nothing can be held back
BUDGETS = (100, 200, 400, 800)
TIMES = (1, 4, 16)  # 1 / (n C) is lambda
ROWS, HELD = 4000, 4  # of these at most, one in so many is held back
FEWEST = 40  # rows with which a choice is made
CLOSE = 0.0025  # of accuracy, that is not worth a larger budget or another lambda
PASSES = 20  # at most, of what is only tried


@dataclass(frozen=True)
class Chosen:
    """The settings with a budget and a lambda, and how they were chosen: None, if there were too few rows."""

    settings: BudgetedSGDSettings
    event: BudgetChosen | None


def is_open(settings: BudgetedSGDSettings) -> bool:
    """Whether something is to be chosen."""
    return "auto" in (settings.budget, settings.lam)


def choose_steps(X: Array, y: Array, settings: BudgetedSGDSettings, train: Callable[..., Steps[Any]]) -> Steps[Chosen]:
    """Choose what is "auto"; `train` is what trains on some rows."""
    n, rng = len(y), np.random.default_rng([settings.seed, 11])
    usual = settings.with_values(budget=_usual(settings.budget), lam=settings.decay(n))
    rows = rng.permutation(n)[:ROWS]
    held, kept = rows[: len(rows) // HELD], rows[len(rows) // HELD :]
    if n < FEWEST or len(np.unique(y[kept])) < len(np.unique(y)):
        return Chosen(usual, None)
    gamma = resolve_gamma(settings.gamma, X)
    passes = min(settings.epochs, PASSES)
    tried: dict[tuple[int, float], Array] = {}  # who of the rows held back was right

    def accuracy(budget: int, decay: float) -> Steps[float]:
        if (budget, decay) in tried:
            return float(tried[budget, decay].mean())
        some = settings.with_values(budget=budget, lam=decay, gamma=gamma, instruments="none", epochs=passes)
        trained = yield from _silently(train(X[kept], y[kept], some, Counter()))
        tried[budget, decay] = _said(trained, X[held]) == y[held]
        return float(tried[budget, decay].mean())

    budget, decay = usual.budget, usual.decay(n)
    if settings.lam == "auto":
        for times in TIMES:
            other = times * usual.decay(n)
            yield from accuracy(budget, other)
            gain = tried[budget, other].astype(float) - tried[budget, decay]
            if gain.mean() > max(CLOSE, gain.std() / np.sqrt(len(held))):
                decay = other
    if settings.budget == "auto":
        rights = {}
        for candidate in (it for it in BUDGETS if settings.maintenance != "projection" or it <= USUAL):
            rights[candidate] = yield from accuracy(candidate, decay)
        budget = next(it for it, right in rights.items() if right >= max(rights.values()) - CLOSE)
    exact = yield from _silently(_exact(X[kept], y[kept], settings.C, gamma, settings.seed))
    theirs, ours = _said(exact, X[held]) == y[held], tried[budget, decay]
    event = BudgetChosen(
        budget=budget, decay=decay, rows=len(kept), held=len(held), budgets=np.array([it for it, _ in tried]),
        decays=np.array([it for _, it in tried]), accuracies=np.array([right.mean() for right in tried.values()]),
        accuracy=float(ours.mean()), exact=float(theirs.mean()),
        error=float(np.std(theirs.astype(float) - ours) / np.sqrt(len(held))),
    )  # fmt: skip
    return Chosen(settings.with_values(budget=budget, lam=decay), event)


def without_rows(settings: BudgetedSGDSettings, n: int) -> BudgetedSGDSettings:
    """What "auto" is for a stream, of which nothing can be held back."""
    return settings.with_values(budget=_usual(settings.budget), lam=settings.decay(n))


def _usual(budget: Any) -> int:
    return USUAL if budget == "auto" else int(budget)


def _exact(X: Array, y: Array, C: float, gamma: float, seed: int) -> Steps[Trained]:
    settings: Any = KernelSVMSettings.checked({"C": C, "gamma": gamma, "seed": seed, "n_jobs": 1})
    bounds = np.full(len(class_numbers(y)[0]), C)
    return train_by_tasks(
        X, y, settings, Counter(), bounds, True, lambda problem, _: kernel_svm.solve(problem, settings)
    )


def _silently(steps: Steps[Any]) -> Steps[Any]:
    """Train without events; a stop ends more than this training."""
    trained = yield from passed_on(steps, lambda event: None)
    if trained.stop_reason in ("cancelled", "time"):
        raise Stop(trained.stop_reason)
    return trained


def _said(trained: Trained, X: Array) -> Array:
    return np.asarray(trained.model.predict(trained.model.task_values(X, 1)))
