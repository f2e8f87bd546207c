import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from engine import SOLVERS, ArchiveError, BudgetedSVC, KernelSVC, datasets
from engine.systems.budgeted_sgd.events import BudgetChosen, BudgetFinished, StepsTaken, StrategiesCompared
from tests.support.model_files import BAD_DATA, check_of_another_kind, reloaded


@parametrize_with_checks([BudgetedSVC(), BudgetedSVC(budget=3, epochs=2, maintenance="gss")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_near_the_kernel_svm_without_bias(two_classes):
    X, y = two_classes
    exact = KernelSVC(gamma=0.05, bias=False).fit(X, y)
    ours = BudgetedSVC(gamma=0.05, budget=2000, lam=None).fit(X, y)
    assert -exact.objective_ < ours.objective_ < -1.2 * exact.objective_
    assert (ours.predict(X) == exact.predict(X)).mean() > 0.95
    small = BudgetedSVC(gamma=0.05, budget=50, lam=None).fit(X, y)
    assert len(small.support_vectors_) == 50
    assert small.score(X, y) > exact.score(X, y) - 0.06


def test_after_a_fit(two_classes):
    X, y = two_classes
    model = BudgetedSVC(C=2, gamma=0.1, budget=40, lam=None, epochs=5)
    events = list(model.iter_fit(X, y))
    assert isinstance(events[-1], BudgetFinished)
    taken = [event for event in events if isinstance(event, StepsTaken)]
    assert model.history_["step"].tolist() == [len(X) * pass_ for pass_ in (1, 2, 3, 4, 5)]
    assert model.history_["accuracy"][-1] == taken[-1].accuracy
    assert model.n_iter_.tolist() == [5]
    assert model.n_steps_.tolist() == [5 * len(X)]
    assert model.stop_reason_ == "passes"
    assert model.objective_ == events[-1].objective
    assert model.n_support_.sum() == len(model.support_vectors_) == 40
    assert (np.sign(model.dual_coef_[0]) == np.repeat([-1, 1], model.n_support_)).all()
    kept = model.support_ >= 0
    np.testing.assert_allclose(model.support_vectors_[kept], X[model.support_[kept]], atol=1e-5)
    assert np.array_equal(
        model.fit(X, y).dual_coef_, BudgetedSVC(C=2, gamma=0.1, budget=40, lam=None, epochs=5).fit(X, y).dual_coef_
    )
    other = BudgetedSVC(C=2, gamma=0.1, budget=40, lam=None, epochs=5, random_state=1).fit(X, y)
    assert not np.array_equal(other.dual_coef_, model.dual_coef_)


def test_more_classes(digits):
    X, y = digits
    model = BudgetedSVC(C=5, gamma=0.05, budget=30, epochs=5).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9
    assert model.decision_function(X).shape == (len(X), 10)
    assert model.n_support_.tolist() == [30] * 10
    assert len(model.n_iter_) == 10
    assert set(model.history_["task"]) == {f"{digit} against the rest" for digit in range(10)}


def test_a_stream(digits):
    X, y = digits
    model = BudgetedSVC(C=50, gamma=0.05, budget=30, n_expected=100)
    for top in range(0, 1500, 100):
        model.partial_fit(X[top : top + 100], y[top : top + 100], classes=np.arange(10))
    assert model.stop_reason_ == "stream"
    assert model.n_steps_.tolist() == [1500] * 10
    assert model.score(X[1500:], y[1500:]) > 0.85
    assert (model.support_ == -1).all()
    # However the stream is cut after its first batch, the answer is the same.
    other = BudgetedSVC(C=50, gamma=0.05, budget=30, n_expected=100).partial_fit(
        X[:100], y[:100], classes=np.arange(10)
    )
    other.partial_fit(X[100:1500], y[100:1500])
    assert np.array_equal(other.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("size", [1, 7, 50, 400, 2048])
def test_a_stream_is_one_pass_of_a_fit_whatever_the_batches(two_classes, size):
    X, y = two_classes
    how = {"C": 2.0, "gamma": 0.05, "budget": 30, "random_state": 4}
    whole = BudgetedSVC(lam=1e-3, epochs=1, **how).fit(X, y)
    order = np.random.default_rng(4).permutation(len(X))
    stream = BudgetedSVC(lam=1e-3, **how)
    for top in range(0, len(X), size):
        batch = order[top : top + size]
        stream.partial_fit(X[batch], y[batch], classes=[0, 1])
    np.testing.assert_allclose(stream.decision_function(X), whole.decision_function(X), rtol=1e-3, atol=1e-3)
    assert (stream.lam_, stream.budget_) == (1e-3, 30)
    # Without a number, lambda is that of so many rows as are expected.
    told = BudgetedSVC(lam=None, n_expected=len(X), **how).partial_fit(X[:size], y[:size], classes=[0, 1])
    assert told.lam_ == pytest.approx(1 / (len(X) * 2.0))
    assert BudgetedSVC(lam=None, epochs=1, **how).fit(X, y).lam_ == told.lam_


@pytest.mark.parametrize("change", [{"budget": 31}, {"C": 3.0}, {"gamma": 0.1}, {"maintenance": "gss"}, {"lam": 0.5}])
def test_parameters_of_a_stream_stay_as_they_began(two_classes, change):
    X, y = two_classes
    stream = BudgetedSVC(C=2.0, gamma=0.05, budget=30).partial_fit(X, y, classes=[0, 1])
    [name] = change
    with pytest.raises(ValueError, match=f"{name} must be .*, as when the stream began"):
        stream.set_params(**change).partial_fit(X, y)


def test_budget_and_lambda_are_chosen_on_rows_held_back_and_told(two_classes):
    X, y = two_classes
    model = BudgetedSVC(C=10.0, epochs=5)
    events = list(model.iter_fit(X, y))
    [chosen] = [event for event in events if isinstance(event, BudgetChosen)]
    assert (model.budget_, model.lam_) == (chosen.budget, chosen.decay)
    assert model.chosen_["accuracies"].max() - model.chosen_["accuracy"] <= 0.0025
    assert chosen.rows + chosen.held == len(X)
    assert set(chosen.budgets) == {100, 200, 400, 800}
    np.testing.assert_allclose(np.unique(chosen.decays)[[0, -1]] * len(X) * 10, [1, 16])
    # What was chosen is a fit like any other.
    same = BudgetedSVC(C=10.0, epochs=5, budget=model.budget_, lam=model.lam_).fit(X, y)
    assert np.array_equal(same.decision_function(X), model.decision_function(X))
    assert same.chosen_ is None
    few = BudgetedSVC().fit(X[:20], y[:20])
    assert (few.budget_, few.lam_, few.chosen_) == (100, 1 / 20, None)


def test_it_warns_of_what_is_lost_against_the_exact_model(digits):
    X, y = digits
    with pytest.warns(UserWarning, match="held-back rows are right, with the exact model"):
        BudgetedSVC(C=10, gamma=0.5, epochs=1, budget=2).fit(X, y)


def test_a_stream_goes_on_after_a_fit(two_classes):
    X, y = two_classes
    model = BudgetedSVC(epochs=1, budget=20).fit(X[:1000], y[:1000])
    before = model.score(X, y)
    model.partial_fit(X[1000:], y[1000:])
    assert model.n_steps_.tolist() == [len(X)]
    assert model.score(X, y) > before - 0.05


def test_batches_of_one_class(two_classes):
    X, y = two_classes
    model = BudgetedSVC(budget=20)
    model.partial_fit(X[y == 0][:50], y[y == 0][:50], classes=[0, 1])
    assert set(model.predict(X)) == {0}
    for _ in range(3):
        model.partial_fit(X[y == 1][:50], y[y == 1][:50])
        model.partial_fit(X[y == 0][:50], y[y == 0][:50])
    assert set(model.predict(X)) == {0, 1}
    one = BudgetedSVC().partial_fit(X[:1], y[:1], classes=[0, 1])
    assert len(one.support_vectors_) == 1


def test_what_a_stream_refuses(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="classes must be all classes of the stream, at the first call"):
        BudgetedSVC().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"classes must be at least two classes; got \[1\]"):
        BudgetedSVC().partial_fit(X, np.ones(len(X), int), classes=[1])
    model = BudgetedSVC().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"y must be labels among the classes \[0, 1\]; got \[2\]"):
        model.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match=r"classes must be those of the first call, \[0, 1\]; got \[0, 2\]"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit(np.full_like(X, np.inf), y)
    with pytest.raises(ValueError, match=r"X must be within .* of the mean of the first data; got 1e\+30"):
        model.partial_fit(np.full_like(X, 1e30), y)
    far = model.partial_fit(np.full_like(X, 1e10), y).decision_function(X)
    assert np.isfinite(far).all()


@pytest.mark.parametrize(("change", "message"), [
    ({"C": 0}, "C must be a finite number above 0 to 1e100; got 0"),
    ({"gamma": -1}, "gamma must be a positive finite number"),
    ({"budget": 0}, "budget must be a whole number from 1 to 10000, or \"auto\"; got 0"),
    ({"budget": 2.5}, "budget must be a whole number from 1 to 10000, or \"auto\"; got 2.5"),
    ({"budget": 20_000}, "budget must be a whole number from 1 to 10000, or \"auto\"; got 20000"),
    ({"lam": 0}, "lam must be a positive finite number, \"auto\" or None for 1 / .* got 0"),
    ({"lam": "scale"}, "lam must be a positive finite number"),
    ({"epochs": 0}, "epochs must be a whole number from 1"),
    ({"maintenance": "hope"}, "maintenance must be one of lookup-wd, lookup-h, gss, gss-precise, removal, projection"),
    ({"table_size": 1}, "table_size must be a whole number from 10 to 2000; got 1"),
    ({"maintenance": "projection", "budget": 2000}, "budget must be at most 500 with projection"),
    ({"random_state": -5}, "random_state must be"),
])  # fmt: skip
def test_bad_parameters_are_named(two_classes, change, message):
    with pytest.raises(ValueError, match=message):
        BudgetedSVC(**change).fit(*two_classes)
    with pytest.raises(ValueError, match=message):
        BudgetedSVC(**change).partial_fit(*two_classes, classes=[0, 1])


@pytest.mark.parametrize(("X", "y", "message"), BAD_DATA)
def test_bad_data_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        BudgetedSVC().fit(X, y)


def test_few_and_equal_points():
    assert BudgetedSVC().fit([[0.0], [1.0]], [0, 1]).predict([[0.0], [1.0]]).tolist() == [0, 1]
    same = BudgetedSVC(budget=2).fit(np.ones((50, 2)), np.arange(50) % 2)
    assert len(same.support_vectors_) <= 2
    assert np.isfinite(same.decision_function(np.ones((3, 2)))).all()


def test_sparse_data_names_and_a_search(two_classes, capsys):
    X, y = two_classes
    thin = BudgetedSVC(epochs=2).fit(sparse.csr_matrix(X), y)
    assert np.array_equal(thin.predict(X), BudgetedSVC(epochs=2).fit(X, y).predict(sparse.csr_matrix(X)))
    names = np.array(["no", "yes"])
    assert set(BudgetedSVC(epochs=2).fit(X, names[y]).predict(X)) == {"no", "yes"}
    stream = BudgetedSVC().partial_fit(X, names[y], classes=["yes", "no"])
    assert stream.classes_.tolist() == ["no", "yes"]
    search = GridSearchCV(BudgetedSVC(epochs=2), {"C": [0.1, 1.0], "budget": [10, 50]}, cv=2).fit(X[:400], y[:400])
    assert search.best_score_ > 0.7
    BudgetedSVC(verbose=True).fit(X, y)
    assert "100%" in capsys.readouterr().err
    with pytest.raises(NotFittedError):
        BudgetedSVC().predict(X)


@pytest.mark.parametrize("classes", [2, 4])
def test_a_saved_model_is_the_same_model_and_goes_on(digits, tmp_path, classes):
    X, y = digits
    X, y = X[y < classes], y[y < classes]
    model = BudgetedSVC(C=3, budget=20, epochs=2).fit(X[:200], y[:200])
    loaded = reloaded(model, tmp_path / "model.svmmodel", X)
    assert loaded.stop_reason_ == model.stop_reason_
    model.partial_fit(X[200:], y[200:])
    loaded.partial_fit(X[200:], y[200:])
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    model.set_params(budget=7).save(tmp_path / "other.svmmodel")  # for the next fit; the stream has its own
    with pytest.raises(ValueError, match="budget must be 20, as when the stream began"):
        BudgetedSVC.load(tmp_path / "other.svmmodel").partial_fit(X, y)
    check_of_another_kind(tmp_path / "model.svmmodel", BudgetedSVC)
    model._extra = lambda: {**BudgetedSVC._extra(model), "stream": {"decay": 1.0, "budgets": []}}
    model.save(tmp_path / "damaged.svmmodel")
    with pytest.raises(ArchiveError, match="damaged"):
        BudgetedSVC.load(tmp_path / "damaged.svmmodel")


MILLION = """
import re, numpy as np
from engine import BudgetedSVC

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read()).group(1)) / 1024

rng = np.random.default_rng(0)
model = BudgetedSVC(C=1.0, gamma=1.0, budget=50)
for batch in range(200):
    X = rng.normal(size=(5000, 5))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] > 0).astype(int)
    model.partial_fit(X, y, classes=[0, 1])
    if batch == 5:
        before = peak()
assert model.n_steps_[0] == 1_000_000
print(peak() - before, model.score(X, y))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from Linux's /proc")
def test_memory_does_not_grow_with_a_million_points():
    result = subprocess.run([sys.executable, "-c", MILLION], capture_output=True, text=True, check=True)
    grown, accuracy = map(float, result.stdout.split())
    assert grown < 5
    assert accuracy > 0.9


def test_ijcnn1(published):
    published("ijcnn1")
    data = datasets.load("ijcnn1")
    for budget, mean, deviation in ((100, 97.130, 0.363), (500, 98.070, 0.372)):  # Table 2
        model = BudgetedSVC(C=32, gamma=2, budget=budget, lam=None, epochs=20).fit(data.X, data.y)
        assert 100 * model.score(data.X_test, data.y_test) > mean - deviation
    how = {"C": 32, "gamma": 2.0, "budget": 100, "lam": None, "epochs": 1, "instruments": "all"}
    settings = SOLVERS["budgeted-sgd"].settings.checked(how)
    run = SOLVERS["budgeted-sgd"].recorded_run(data.X, data.y, settings)
    *_, compared = [event for event in run if isinstance(event, StrategiesCompared)]
    found = dict(zip(compared.strategies, compared.agreement, strict=True))
    assert found["lookup-wd"] >= 0.9
    assert found["lookup-h"] >= 0.9
    assert compared.compared > 1000
