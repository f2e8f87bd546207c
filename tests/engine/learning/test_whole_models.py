"""Fitted attributes change together or not at all, and arrays of different models never work together."""

import copy
import dataclasses
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from engine import BudgetedSVC, DCPredClassifier
from engine.runtime.run import Run
from engine.systems.budgeted_sgd.algorithm import BudgetedModel
from tests.support.all_estimators import ESTIMATORS, WIDTHS, answers, data_for

NARROW, WIDE = WIDTHS


def learned(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def fitted(name, width):
    return clone(ESTIMATORS[name]).fit(*data_for(ESTIMATORS[name], width))


def cancelled_after(events, run):
    """The events of a run that is cancelled after so many, and one."""
    for count, event in enumerate(run):
        if count == events:
            run.cancel()
        yield event


def fails(model, X, y, monkeypatch):
    with pytest.raises(ValueError, match="X must be"):
        model.fit(X * 1e200, y)


def has_bad_labels(model, X, y, monkeypatch):
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.full(len(y), np.nan))


def is_abandoned(model, X, y, monkeypatch):
    for count, _ in enumerate(model.iter_fit(X, y)):
        if count == 2:
            break


def is_interrupted(model, X, y, monkeypatch):
    advance, calls = Run._advance, []

    def pressed(run, stop):
        calls.append(run)
        if len(calls) > 4:
            raise KeyboardInterrupt
        return advance(run, stop)

    monkeypatch.setattr(Run, "_advance", pressed)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)


def is_interrupted_from_outside(model, X, y, monkeypatch):
    events = model.iter_fit(X, y)
    next(events)
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt)


def turns_a_warning_into_an_error(model, X, y, monkeypatch):
    fit = model.begin_fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning):
            list(model.follow_fit(fit, cancelled_after(0, fit.run)))


def is_cancelled_before_it_begins(model, X, y, monkeypatch):
    fit = model.begin_fit(X, y)
    fit.run.cancel()
    with pytest.raises(RuntimeError, match="before the solver had a result"):
        list(model.follow_fit(fit, iter(fit.run)))


ENDS = [
    fails, has_bad_labels, is_abandoned, is_interrupted, is_interrupted_from_outside, turns_a_warning_into_an_error,
    is_cancelled_before_it_begins,
]  # fmt: skip


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_refit_that_comes_to_nothing_leaves_the_old_model(name, monkeypatch):
    X, y = data_for(ESTIMATORS[name], NARROW)
    model = clone(ESTIMATORS[name]).fit(X, y)
    before, said = learned(model), answers(model, X)
    for end in ENDS:
        with monkeypatch.context() as patch:
            end(model, *data_for(model, WIDE), patch)
        after = learned(model)
        assert list(after) == list(before)
        assert all(after[key] is before[key] for key in before), end.__name__
        assert np.array_equal(answers(model, X), said)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_first_fit_that_comes_to_nothing_leaves_an_unfitted_estimator(name, monkeypatch):
    X, y = data_for(ESTIMATORS[name], NARROW)
    for end in ENDS:
        model = clone(ESTIMATORS[name])
        with monkeypatch.context() as patch:
            end(model, X, y, patch)
        assert not learned(model)
        with pytest.raises(NotFittedError):
            model.predict(X)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_refit_on_another_width(name):
    pd = pytest.importorskip("pandas")
    X, y = data_for(ESTIMATORS[name], WIDE)
    model = clone(ESTIMATORS[name]).fit(pd.DataFrame(X, columns=[f"x{k}" for k in range(WIDE)]), y)
    assert len(model.feature_names_in_) == WIDE
    X, y = data_for(model, NARROW)
    model.fit(X, y)
    assert model.n_features_in_ == NARROW
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(answers(model, X), answers(fitted(name, NARROW), X))
    with pytest.raises(ValueError, match=f"X has {WIDE} features, but .* is expecting {NARROW} features"):
        model.predict(np.zeros((3, WIDE)))


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("events", [0, 3])
def test_a_cancelled_fit_is_adopted_with_a_warning(name, events):
    X, y = data_for(ESTIMATORS[name], NARROW)
    model = fitted(name, WIDE)
    fit = model.begin_fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"stopped \(cancelled\).*; the model is what it had by then"):
        list(model.follow_fit(fit, cancelled_after(events, fit.run)))
    assert model.stop_reason_ == "cancelled"
    assert model.n_features_in_ == NARROW
    assert np.isfinite(answers(model, X)).all()


def test_how_far_a_budgeted_fit_got():
    X, y = data_for(BudgetedSVC(), NARROW)
    model = BudgetedSVC(epochs=7)
    fit = model.begin_fit(X, y == y[0])
    fit.run.time_limit = 1e-9
    with pytest.warns(ConvergenceWarning, match=r"BudgetedSVC stopped \(time\) after 0 of 7 passes \(0 steps\)"):
        list(model.follow_fit(fit, iter(fit.run)))


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_a_batch_that_fails_leaves_the_old_stream(begin, monkeypatch):
    X, y = data_for(BudgetedSVC(), NARROW)
    model = fitted("BudgetedSVC", NARROW) if begin == "fit" else BudgetedSVC().partial_fit(X, y, classes=np.unique(y))
    before, said, twin = learned(model), answers(model, X), copy.deepcopy(model)
    with pytest.raises(ValueError, match="X must be within"):
        model.partial_fit(X * 1e200, y)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, 1:], y)
    with monkeypatch.context() as patch:
        patch.setattr(BudgetedModel, "snapshot", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X, y)
    assert learned(model) == before
    assert np.array_equal(answers(model, X), said)
    assert np.array_equal(answers(model.partial_fit(X, y), X), answers(twin.partial_fit(X, y), X))
    unfitted = BudgetedSVC()
    with pytest.raises(ValueError, match="labels among the classes"):
        unfitted.partial_fit(X, y, classes=np.unique(y)[:2])
    assert not learned(unfitted)


# ---- exchanged arrays ----


def places(one, other):
    """Where two fitted estimators have something that can be exchanged: pairs of tables, and a name."""
    found = []
    for name, mine in vars(one).items():
        its = vars(other).get(name)
        if name.startswith("_") or type(mine) is not type(its) or name == "stream_":
            continue  # a stream is for learning, not for predictions
        if isinstance(mine, np.ndarray):
            if not np.array_equal(mine, its):
                found.append((vars(one), vars(other), name))
        elif isinstance(mine, list) and name == "committees":
            for pair in zip(mine, its, strict=False):
                found += places(*pair)
        elif dataclasses.is_dataclass(mine) or isinstance(mine, tuple):
            found.append((vars(one), vars(other), name))
            if not isinstance(mine, tuple):
                found += places(mine, its)
    if hasattr(one, "predict"):
        found += [(vars(one), vars(other), "n_features_in_")] if hasattr(one, "n_features_in_") else []
    return found


def exchange(places, chosen):
    for index in chosen:
        mine, its, name = places[index]
        mine[name], its[name] = its[name], mine[name]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_exchanged_arrays_are_refused(name, copied):
    """One alone, then several at random: a ValueError, or the same answer where predictions do not need it."""
    models = [fitted(name, width) for width in WIDTHS]
    data = [data_for(model, width)[0] for model, width in zip(models, WIDTHS, strict=True)]
    said = [answers(model, X) for model, X in zip(models, data, strict=True)]
    rng, refused = np.random.default_rng(0), set()
    one, other = map(copied, models)
    found = places(one, other)
    assert len(found) >= 10
    draws = [[k] for k in range(len(found))]
    draws += [rng.permutation(len(found))[: rng.integers(2, 6)].tolist() for _ in range(40)]
    for chosen in draws:
        exchange(found, chosen)
        for model, X, answer in zip((one, other), data, said, strict=True):
            try:
                assert np.array_equal(answers(model, X), answer), [found[k][2] for k in chosen]
            except ValueError:
                refused.add(chosen[0] if len(chosen) == 1 else -1)
        exchange(found, chosen[::-1])
    kept = {found[k][2] for k in range(len(found)) if k not in refused}
    assert kept <= {"n_iter_", "n_steps_", "objective_", "gap_", "approximate_gap_", "rank_", "exact_", "n_passes_",
                    "n_reduced_", "error_"}  # fmt: skip
    assert np.array_equal(answers(one, data[0]), said[0])


def test_streams_and_vectors_of_different_widths_are_refused():
    narrow, wide = (fitted("BudgetedSVC", width) for width in WIDTHS)
    X, y = data_for(narrow, NARROW)
    stream = narrow.stream_
    narrow.stream_ = wide.stream_
    with pytest.raises(ValueError, match=f"X has {NARROW} features, where {WIDE} are expected"):
        narrow.partial_fit(X, y)
    narrow.stream_ = stream
    stream.models[0].budget = wide.stream_.models[0].budget
    with pytest.raises(ValueError, match=f"a support vector has {WIDE} features, where {NARROW} are expected"):
        narrow.partial_fit(X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_model_itself_refuses_another_width(name):
    """Without the estimator around it: all that reads rows says both widths."""
    for width, other in (WIDTHS, WIDTHS[::-1]):
        model, X = fitted(name, width), np.zeros((3, other))
        tried = [lambda: model.model_.task_values(X, 1)]  # noqa: B023
        if hasattr(model.model_, "fast"):
            fast = model.model_.fast
            tried += [lambda: fast.values(X.astype(np.float32)), lambda: fast.cost(X), lambda: fast.trace(X[0])]  # noqa: B023
            tried += [lambda: fast.tree.route(X), lambda: fast.tree.path(X[0])]  # noqa: B023
        elif getattr(model, "early_", None) is not None:
            tried += [lambda: model.early_.task_values(X, 1, "naive"), lambda: model.early_.cost(X)]  # noqa: B023
        for predict in tried:
            with pytest.raises(ValueError, match=f"X has {other} features, where {width} are expected"):
                predict()


# ---- with checked bounds ----

CHECKED = """
import pickle, sys
import numpy as np
from tests.support.all_estimators import answers

with open(sys.argv[1], "rb") as file:
    fitted = pickle.load(file)
for name, model, X, said in fitted:
    np.testing.assert_allclose(answers(model, X), said, rtol=1e-3, atol=1e-3, err_msg=name)
    if hasattr(model, "trace"):
        model.trace(X[0])
        model.model_.fast.cost(X)
print(len(fitted), "models")
"""


def test_predictions_read_within_bounds(tmp_path):
    """Only what predicts is compiled again, with numba's check of each index."""
    pairs = [(name, width) for name in ESTIMATORS for width in (WIDTHS if name.startswith("DCPred") else [NARROW])]
    pairs.append(("DCPredClassifier", 16))
    models = [(name, fitted(name, width), data_for(ESTIMATORS[name], width)[0][:101]) for name, width in pairs]
    X, y = data_for(DCPredClassifier(), WIDE)
    for settings in ({"branching": 5}, {"pseudo": "triangle"}):
        models.append((str(settings), DCPredClassifier(C=5, n_leaves=6, **settings).fit(X, y), X))
    path = tmp_path / "models.pickle"
    path.write_bytes(pickle.dumps([(name, model, X, answers(model, X)) for name, model, X in models]))
    result = subprocess.run(
        [sys.executable, "-c", CHECKED, str(path)],
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "numba")},
        cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"{len(models)} models\n"
