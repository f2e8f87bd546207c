import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from engine import SOLVERS, InteriorPointSVC, KernelSVC, datasets
from engine.numerics.kernels import SMALL
from tests.support.model_files import check_of_another_kind, reloaded


@parametrize_with_checks([InteriorPointSVC(), InteriorPointSVC(scheme="icf+decomposition", kernel="laplacian")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def two_classes():
    return make_classification(SMALL + 200, 5, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)


@pytest.mark.parametrize("scheme", ["cholesky", "icf", "icf+icf", "kronecker+icf", "icf+decomposition"])
def test_the_answer_of_svc(two_classes, scheme):
    X, y = two_classes
    svc = SVC(C=2, gamma=0.1, tol=1e-4).fit(X, y)
    ours = InteriorPointSVC(C=2, gamma=0.1, scheme=scheme, tol=1e-4, rank=400).fit(X, y)
    assert ours.stop_reason_ == ("converged" if scheme == "cholesky" or "decomposition" in scheme else "approximate")
    np.testing.assert_allclose(ours.decision_function(X), svc.decision_function(X), atol=0.05)
    assert (ours.predict(X) == svc.predict(X)).mean() > 0.995
    assert ours.intercept_[0] == pytest.approx(svc.intercept_[0], abs=0.02)
    assert ours.objective_ == pytest.approx(KernelSVC(C=2, gamma=0.1).fit(X, y).objective_, rel=1e-3)
    assert 0 <= ours.approximate_gap_ < np.inf
    assert 0 <= ours.gap_ < 0.05 * abs(ours.objective_)
    assert ours.history_["relative_gap"][-1] <= 1e-4 or "decomposition" in scheme


def test_no_answer_is_left_that_is_none():
    X, y = make_classification(3000, 20, n_informative=15, flip_y=0.1, random_state=0)
    how = {"C": 10.0, "gamma": 0.2}
    approximate = InteriorPointSVC(scheme="icf+icf", **how).fit(X, y)
    assert approximate.stop_reason_ == "approximate"
    assert approximate.gap_ > abs(approximate.objective_)
    exact, reference = InteriorPointSVC(**how).fit(X, y), KernelSVC(**how).fit(X, y)
    assert exact.stop_reason_ == "converged"
    assert exact.objective_ == pytest.approx(reference.objective_, rel=1e-5)
    assert (exact.predict(X) == reference.predict(X)).mean() > 0.999


def test_more_classes():
    X, y = load_digits(return_X_y=True)
    X, y = X[y < 4][:300] / 16, y[y < 4][:300]
    ours, reference = InteriorPointSVC(C=5, gamma=0.05).fit(X, y), KernelSVC(C=5, gamma=0.05).fit(X, y)
    assert (ours.predict(X) == reference.predict(X)).mean() > 0.995
    assert len(ours.n_iter_) == len(ours.gap_) == 6
    assert len(set(ours.history_["task"])) == 6
    run = SOLVERS["interior-point"].recorded_run(X, y, SOLVERS["interior-point"].settings.checked({"gamma": 0.05}))
    last = list(run)[-1]
    assert "exact problem" in SOLVERS["interior-point"].summary(last)


def test_a_saved_model_is_the_same_model(two_classes, tmp_path):
    X, y = two_classes
    model = InteriorPointSVC(C=3, rank=50).fit(X, y)
    loaded = reloaded(model, tmp_path / "model.svmmodel", X)
    assert (loaded.gap_, loaded.approximate_gap_, loaded.rank_) == (model.gap_, model.approximate_gap_, model.rank_)
    assert np.array_equal(loaded.history_["mu"], model.history_["mu"])
    check_of_another_kind(tmp_path / "model.svmmodel", InteriorPointSVC)


@pytest.mark.parametrize(("change", "message"), [
    ({"scheme": "qr"}, "scheme must be one of auto, cholesky, icf, kronecker"),
    ({"rank": 0}, 'rank must be a whole number from 1, or "auto"; got 0'),
    ({"rank": "much"}, 'rank must be a whole number from 1, or "auto"'),
    ({"coarse_rank": 2.5}, 'coarse_rank must be a whole number from 1, or "auto"; got 2.5'),
    ({"coarse_iter": 0}, "coarse_iter must be a whole number from 1"),
    ({"tol": 0}, "tol must be a finite number above 0; got 0"),
    ({"C": -1}, "C must be a finite number above 0 to 1e100; got -1"),
])  # fmt: skip
def test_bad_parameters_are_named(two_classes, change, message):
    with pytest.raises(ValueError, match=message):
        InteriorPointSVC(**change).fit(*two_classes)


def test_a_rank_from_a_command_line():
    table = SOLVERS["interior-point"].settings
    assert (table.parse("rank", "auto"), table.parse("rank", "12")) == ("auto", 12)
    with pytest.raises(ValueError, match="rank must be a whole number"):
        table.parse("rank", "many")


def test_a_progress_bar(two_classes, capsys):
    InteriorPointSVC(verbose=True).fit(*two_classes)
    assert "InteriorPointSVC: 100%" in capsys.readouterr().err


def test_checkerboard_close_to_svc():
    data, new = datasets.load("checkerboard", size=10_000), datasets.load("checkerboard", size=5000, seed=7)
    model = InteriorPointSVC(C=100, gamma=5.0, rank=250).fit(data.X, data.y)
    svc = SVC(C=100, gamma=5.0).fit(data.X, data.y)
    assert model.score(new.X, new.y) > svc.score(new.X, new.y) - 0.017
