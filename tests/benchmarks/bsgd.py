"""BudgetedSVC against SVC, and its ways of merging against each other, in one run; accuracies beside the paper's."""

import argparse

import numpy as np
from sklearn.svm import SVC

from engine import BudgetedSVC, datasets
from engine.systems.budgeted_sgd.merging import MERGING
from engine.systems.budgeted_sgd.paper.bench import accuracies, merging_decisions, merging_time
from engine.systems.budgeted_sgd.paper.printed import METHODS, TABLE_2
from tests.benchmarks._figures import say, say_pace, timed

DATA, SETTING = "ijcnn1", {"C": 32, "gamma": 2}
BUDGETS = (100, 500)
SEEDS = range(5)


def main(arguments: list[str]) -> None:
    """Time and quality on ijcnn1."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("figures", nargs="*", choices=["svc", "time", "accuracy", "merges", []], default=[])
    chosen = parser.parse_args(arguments).figures or ["svc", "time", "accuracy", "merges"]
    say_pace()
    data = datasets.load(DATA)
    few = slice(0, 2000)
    for maintenance in MERGING:  # compile, load tables, wake up
        model = BudgetedSVC(budget=100, lam=None, maintenance=maintenance, epochs=1, **SETTING)
        model.fit(data.X[few], data.y[few]).predict(data.X[few])
    for figure in chosen:
        {"svc": against_svc, "time": time_of_merging, "accuracy": accuracy, "merges": decisions}[figure](data)


def against_svc(data: datasets.Dataset) -> None:
    """One pass against SVC's fit."""
    svc = SVC(cache_size=1000, **SETTING)
    theirs, _ = timed(lambda: svc.fit(data.X, data.y))
    predict, labels = timed(lambda: svc.predict(data.X_test))
    say("SVC", data=DATA, seconds=theirs, predict_seconds=predict, accuracy=_percent(labels, data))
    for budget in BUDGETS:
        for epochs in (1, 20):
            model = BudgetedSVC(budget=budget, lam=None, epochs=epochs, **SETTING)
            ours, _ = timed(lambda m=model: m.fit(data.X, data.y), 3)
            mine, labels = timed(lambda m=model: m.predict(data.X_test), 3)
            common = {"data": DATA, "budget": budget, "passes": epochs}
            say("fit", **common, seconds=ours, predict_seconds=mine, accuracy=_percent(labels, data))
            say("ratio", **common, rival="SVC", fit=theirs / ours, predict=predict / mine)


def time_of_merging(data: datasets.Dataset) -> None:
    """Whole fits with each way of merging, and the two sections of a merge (Figure 3)."""
    for budget in BUDGETS:
        fit = {}
        for maintenance in MERGING:
            model = BudgetedSVC(budget=budget, lam=None, epochs=20, maintenance=maintenance, **SETTING)
            fit[maintenance], _ = timed(lambda m=model: m.fit(data.X, data.y), 1 if maintenance == "gss-precise" else 3)
        _, split = merging_time(data.X, data.y, {"budget": budget, "lam": None, "epochs": 2, **SETTING})
        for maintenance in MERGING:
            found, rest = split[maintenance]
            say(
                "time", data=DATA, budget=budget, maintenance=maintenance, seconds=fit[maintenance],
                saved=1 - fit[maintenance] / fit["gss"], section_a_us=1e6 * found, section_b_us=1e6 * rest,
                merging_of_gss=(found + rest) / sum(split["gss"]),
            )  # fmt: skip


def accuracy(data: datasets.Dataset) -> None:
    """Table 2: five seeds, twenty passes."""
    for budget in BUDGETS:
        for maintenance in MERGING:
            values = 100 * accuracies(
                data.X, data.y, data.X_test, data.y_test,
                {"budget": budget, "lam": None, "epochs": 20, "maintenance": maintenance, **SETTING}, SEEDS,
            )  # fmt: skip
            mean, deviation = dict(zip(METHODS, TABLE_2["IJCNN"][budget], strict=True))[maintenance]
            say(
                "accuracy", data=DATA, budget=budget, maintenance=maintenance, mean=float(values.mean()),
                deviation=float(values.std(ddof=1)), paper=mean, paper_deviation=deviation,
            )  # fmt: skip


def decisions(data: datasets.Dataset) -> None:
    """Table 3: how often merging happens, how often the ways agree, what they lose."""
    for budget in BUDGETS:
        compared = merging_decisions(data.X, data.y, {"budget": budget, "lam": None, "epochs": 2, **SETTING})
        for place, maintenance in enumerate(compared.strategies):
            say(
                "merges", data=DATA, budget=budget, maintenance=maintenance, frequency=compared.frequency,
                compared=compared.compared, agreement=float(compared.agreement[place]),
                factor=float(compared.factor[place]),
            )  # fmt: skip


def _percent(labels: np.ndarray, data: datasets.Dataset) -> float:
    return 100 * float(np.mean(labels == data.y_test))
