"""Tables 1 to 3 of the Budgeted SGD paper as rows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.reproduction.bench import seconds_of_fit
from engine.reproduction.paper import Effort, Row
from engine.systems.budgeted_sgd.paper.bench import TIMED, Case, Fit, fits, merging_decisions
from engine.systems.budgeted_sgd.paper.printed import METHODS, TABLE_1, TABLE_2, TABLE_3_DECISIONS, TABLE_3_SAVED
from engine.systems.kernel_svm.estimator import KernelSVC

SAVED = ("saved by Lookup-h", "saved by Lookup-WD")  # of GSS's training time
LAMBDAS = (2.5e-5, 5e-5, 1e-4)
DECISIONS = ("merging frequency", "equal decisions", "WD excess of GSS", "WD excess of Lookup-WD")


def exact(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 1: the model without a budget."""
    ready = case.ready(effort)
    model = KernelSVC(C=case.C, gamma=case.gamma)
    seconds = seconds_of_fit(model, ready.X, ready.y)
    _, features, accuracy = TABLE_1[case.published]
    yield ready.row(
        {"as": case.published, "tests": len(ready.y_test)},
        {
            "features": ready.X.shape[1], "accuracy": 100 * model.score(ready.X_test, ready.y_test),
            "support vectors": int(model.n_support_.sum()), "seconds": seconds,
        },
        {"features": features, "accuracy": accuracy},
    )  # fmt: skip


def accuracy(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 2: mean and deviation of the test accuracy, by budget and way of merging."""
    ready = case.ready(effort)
    for budget in case.budgets:
        quoted = dict(zip(METHODS, TABLE_2[case.published][budget], strict=True))
        found = {**fits(case, effort, budget, ("gss-precise",)), **fits(case, effort, budget, TIMED)}
        for name, (mean, deviation) in quoted.items():
            yield ready.row(
                {"budget": budget, "passes": ready.passes, "method": METHODS[name], "runs": len(found[name])},
                {
                    **_mean("accuracy", [100 * fit.accuracy for fit in found[name]]),
                    **_mean("seconds", [fit.seconds for fit in found[name]]),
                },
                {"accuracy": mean, "accuracy +-": deviation},
            )


def savings(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 3: training time saved by lookup; merging frequency; decisions, at the smaller budget as in the paper."""
    ready = case.ready(effort)
    for budget in case.budgets:
        found = fits(case, effort, budget, TIMED)
        paper: dict[str, Any] = dict(zip(SAVED, TABLE_3_SAVED[case.published][budget], strict=True))
        ours: dict[str, Any] = {}
        for saved, name in zip(SAVED, TIMED[1:], strict=True):
            ours |= _mean(saved, _saved(found[name], found["gss"]))
        ours["merging frequency"] = 100 * float(np.mean([fit.frequency for fit in found["gss"]]))
        if budget == case.budgets[0]:
            compared = merging_decisions(ready.X, ready.y, ready.settings(budget))
            excess = {METHODS[name]: _excess(x) for name, x in zip(compared.strategies, compared.factor, strict=True)}
            ours["equal decisions"] = 100 * compared.equal
            ours |= {f"WD excess of {method}": excess[method] for method in ("GSS", "Lookup-WD")}
            ours["merges compared"] = compared.compared
            frequency, equal, *factors = TABLE_3_DECISIONS[case.published]
            paper |= dict(zip(DECISIONS, (frequency, equal, *map(_excess, factors)), strict=True))
        yield ready.row({"budget": budget, "passes": ready.passes, "runs": len(found["gss"])}, ours, paper)


def other_lambdas(case: Case, effort: Effort) -> Iterator[Row]:
    """Merging frequency and accuracy with the paper's lambda = 1 / (n C), and with others, by Lookup-WD."""
    ready = case.ready(effort)
    budget, n = case.budgets[0], len(ready.y)
    frequency = TABLE_3_DECISIONS[case.published][0]
    mean, deviation = dict(zip(METHODS, TABLE_2[case.published][budget], strict=True))["lookup-wd"]
    for decay in (1 / (n * case.C), *LAMBDAS):
        C = 1 / (n * decay)
        found = [ready.fit(budget, "lookup-wd", seed, C) for seed in ready.seeds("lookup-wd")]
        row = ready.row(
            {"lambda": decay, "budget": budget, "passes": ready.passes, "runs": len(found)},
            {
                "merging frequency": 100 * float(np.mean([fit.frequency for fit in found])),
                **_mean("accuracy", [100 * fit.accuracy for fit in found]),
            },
            {"merging frequency": frequency, "accuracy": mean, "accuracy +-": deviation},
        )
        yield replace(row, C=C)


def _saved(fits: Sequence[Fit], of: Sequence[Fit]) -> list[float]:
    """Percent of the seconds, seed by seed."""
    return [100 * (1 - fit.seconds / other.seconds) for fit, other in zip(fits, of, strict=True)]


def _excess(factor: float) -> float:
    """Percent above the least degradation, without digits that are rounding alone."""
    return round(100 * (factor - 1), 4) + 0.0


def _mean(name: str, values: Sequence[float]) -> dict[str, float]:
    """Mean and deviation, as the paper gives them."""
    return {name: float(np.mean(values)), f"{name} +-": float(np.std(values, ddof=1))}
