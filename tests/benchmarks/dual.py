"""KernelSVC against scikit-learn's SVC and scikit-learn-intelex: fit and predict, same data, C, gamma and tol."""

import argparse

import numpy as np
from sklearn.svm import SVC

from engine import KernelSVC, datasets
from tests.benchmarks._figures import say, timed

CASES = {"ijcnn1": {"C": 32, "gamma": 2}, "covtype": {"C": 32, "gamma": 32}}
TESTED = {"ijcnn1": None, "covtype": 20_000}  # rows: SVC predicts slowly
SIZES = {"ijcnn1": None, "covtype": 50_000}


def main(arguments: list[str]) -> None:
    """Compare on ijcnn1 (whole) and covtype (50,000 random rows)."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("data", nargs="*", choices=[*CASES, []], default=list(CASES))
    for name in parser.parse_args(arguments).data:
        compare(name, SIZES[name], CASES[name])


def compare(name: str, size: int | None, setting: dict[str, float]) -> None:
    """All figures of one data set."""
    from sklearnex.svm import SVC as IntelexSVC

    data = datasets.load(name, size=size)
    X_test, y_test = data.X_test[: TESTED[name]], data.y_test[: TESTED[name]]
    ours = {bias: KernelSVC(bias=bias, **setting) for bias in (True, False)}
    rivals = {"SVC": SVC(cache_size=1000, **setting), "scikit-learn-intelex": IntelexSVC(cache_size=1000, **setting)}
    few = slice(0, 2000)
    for model in (*ours.values(), *rivals.values()):  # compile, load libraries, wake up
        model.fit(data.X[few], data.y[few]).predict(X_test[few])
    fit, predict, accuracy = {}, {}, {}
    for key, model in {**ours, **rivals}.items():
        repeats = 1 if key == "SVC" else 3
        fit[key], _ = timed(lambda m=model: m.fit(data.X, data.y), repeats)
        predict[key], labels = timed(lambda m=model: m.predict(X_test), repeats)
        accuracy[key] = 100 * float(np.mean(labels == y_test))
    svc = rivals["SVC"]
    reference = _objective(svc)
    for bias, model in ours.items():
        common = {"data": name, "n": data.n, "bias": bias}
        for rival in rivals:
            say("fit", **common, rival=rival, ratio=fit[rival] / fit[bias])
            say("predict", **common, rival=rival, ratio=predict[rival] / predict[bias], n_test=len(y_test))
        say("accuracy", **common, rival="SVC", accuracy=accuracy[bias], rival_accuracy=accuracy["SVC"])
        if bias:
            same = len(np.intersect1d(model.support_, svc.support_)) / len(np.union1d(model.support_, svc.support_))
            difference = abs(model.objective_ - reference) / abs(reference)
            say("agreement", **common, rival="SVC", objective_difference=difference, support_overlap=same)


def _objective(svc: SVC) -> float:
    """The dual objective of a fitted binary SVC, in float64."""
    beta, vectors, total = svc.dual_coef_[0], svc.support_vectors_, 0.0
    squares = (vectors**2).sum(1)
    for top in range(0, len(beta), 1000):
        part = slice(top, top + 1000)
        distance = squares[part, None] + squares[None] - 2 * vectors[part] @ vectors.T
        total += beta[part] @ (np.exp(-svc._gamma * np.maximum(distance, 0)) @ beta)
    return 0.5 * total - np.abs(beta).sum()
