"""DC-Pred++ beside the paper's Table 1, the parts of a prediction, against SVC on covtype, intelex's SVC on ijcnn1."""

import argparse

import numpy as np
from sklearn.svm import SVC

from engine import DCPredClassifier, KernelSVC, datasets
from engine.reproduction.paper import FULL
from engine.systems.dcpred.compressed_model import linear_values
from engine.systems.dcpred.paper import A9A, COVTYPE, LETTER, USPS
from engine.systems.dcpred.paper.model_selection import varied
from engine.systems.dcpred.paper.printed import TABLE_1
from engine.systems.dcpred.prediction_loops import pack, predict
from engine.systems.dcpred.tree import sorted_by_cell
from tests.benchmarks._figures import say, say_pace, timed

CASES = {case.data: case for case in (LETTER, USPS, A9A, COVTYPE)}
ROWS, TESTS = 50_000, 5_000  # of covtype for SVC, whose prediction takes milliseconds a row
LIMIT = 1000  # times faster than SVC
REPEATS = 30
# Chosen on a fifth of the training part put aside.
COVTYPE_50000 = {
    "n_leaves": 96, "branching": 16, "landmark_ratio": 1.0, "pseudo": "none", "landmarks": "sided-kmeans",
}  # fmt: skip
IJCNN1 = {
    "n_leaves": 16, "branching": 16, "landmark_ratio": 1.0, "max_landmarks": 64, "pseudo": "none",
    "landmarks": "sided-kmeans", "tuning": 100,
}  # fmt: skip


def main(arguments: list[str]) -> None:
    """Prediction time and accuracy."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    names = [*CASES, "parts", "svc", "intelex"]
    parser.add_argument("figures", nargs="*", choices=[*names, []], default=[])
    chosen = parser.parse_args(arguments).figures or names
    say_pace()
    rng = np.random.default_rng(0)
    few, weights = rng.normal(size=(2000, 3)).astype(np.float32), np.ones(3)
    DCPredClassifier(n_leaves=4).fit(few, few[:, 0] > 0).predict(few)  # compile
    linear_values(few, weights, 0.0)
    for name in chosen:
        if name in CASES:
            table_1(name)
        else:
            {"parts": lambda: parts("letter"), "svc": against_svc, "intelex": against_intelex}[name]()


def table_1(name: str) -> None:
    """A row of Table 1."""
    case = CASES[name]
    ready = case.ready(FULL)
    model, seconds = ready.fit(**case.chosen)
    time, accuracy, _ = TABLE_1[case.published][1]["DC-Pred++"]
    say("table 1", data=name, rows=len(ready.y), **varied(case.chosen), fit_seconds=seconds,
        **ready.measured(model.model_.fast), paper_time=time, paper_accuracy=accuracy)  # fmt: skip


def parts(name: str) -> None:
    """Nanoseconds a row of what a prediction is made of, and of the linear model's."""
    ready = CASES[name].ready(FULL)
    model, _ = ready.fit(**CASES[name].chosen)
    fast, X = model.model_.fast, ready.X_test
    packed, moved = pack(fast, moved=True), fast.tree.moved(X).ravel()
    values, weights = np.empty((len(X), 1), np.float32), np.ones(X.shape[1], np.float32)
    for part, work in {
        "linear model": lambda: linear_values(X, weights, 0.0),
        "whole prediction": lambda: fast.values(X),
        "routing": lambda: sorted_by_cell(packed.routing, moved),
        "routing, kernel values and sums": lambda: predict(packed, moved, values),
    }.items():
        work()
        spent = min(timed(work)[0] for _ in range(REPEATS))
        say("parts", data=name, part=part, ns_a_row=1e9 * spent / len(X))


def against_svc() -> None:
    """covtype: prediction against SVC's exact model of 50,000 rows."""
    data = datasets.load("covtype", size=ROWS)
    tests, labels = np.ascontiguousarray(data.X_test[:TESTS], np.float32), data.y_test[:TESTS]
    svc = SVC(C=COVTYPE.C, gamma=COVTYPE.gamma, cache_size=1000)
    # To the support vectors alone, which give the same machine: to all rows SVC takes many minutes.
    support = KernelSVC(C=COVTYPE.C, gamma=COVTYPE.gamma).fit(data.X, data.y).support_
    fit, _ = timed(lambda: svc.fit(data.X[support], data.y[support]))
    theirs, said = timed(lambda: svc.predict(tests))
    say(
        "SVC",
        data="covtype",
        rows=ROWS,
        fit_seconds=fit,
        predict_us=1e6 * theirs / TESTS,
        accuracy=_percent(said, labels),
    )
    model = DCPredClassifier(C=COVTYPE.C, gamma=COVTYPE.gamma, random_state=0, **COVTYPE_50000)
    fit, _ = timed(lambda: model.fit(data.X, data.y))
    ours, said = timed(lambda: model.predict(tests), 5)
    say("DC-Pred++", data="covtype", rows=ROWS, fit_seconds=fit, predict_us=1e6 * ours / TESTS,
        accuracy=_percent(said, labels), times_faster=theirs / ours, wanted=LIMIT)  # fmt: skip


def against_intelex() -> None:
    """ijcnn1: batch prediction of the test part against scikit-learn-intelex."""
    from sklearnex.svm import SVC as IntelSVC

    data = datasets.load("ijcnn1")
    rival = IntelSVC(C=32, gamma=2, cache_size=1000).fit(data.X, data.y)
    theirs, said = timed(lambda: rival.predict(data.X_test), 5)
    say("intelex", data="ijcnn1", predict_seconds=theirs, accuracy=_percent(said, data.y_test))
    model = DCPredClassifier(C=32, gamma=2, random_state=0, **IJCNN1)
    fit, _ = timed(lambda: model.fit(data.X, data.y))
    ours, said = timed(lambda: model.predict(data.X_test), 5)
    say("DC-Pred++", data="ijcnn1", fit_seconds=fit, predict_seconds=ours, accuracy=_percent(said, data.y_test),
        times_faster=theirs / ours, inner_products=model.cost_)  # fmt: skip


def _percent(said: np.ndarray, labels: np.ndarray) -> float:
    return 100 * float(np.mean(said == labels))
