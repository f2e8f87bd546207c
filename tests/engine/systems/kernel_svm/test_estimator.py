import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from engine import ArchiveError, KernelSVC, datasets
from engine.learning import validation
from engine.numerics.kernels import KERNELS, SMALL
from engine.runtime.events import Finished
from engine.systems.kernel_svm.events import Iteration
from tests.support.model_files import BAD_DATA, reloaded


@parametrize_with_checks([KernelSVC(), KernelSVC(bias=False, kernel="laplacian", multiclass="ovr")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n", [700, 1797])  # in float64 and in float32
def test_pairs_vote_as_in_svc(digits, n):
    X, y = digits[0][:n], digits[1][:n]
    svc = SVC(C=5, gamma=0.05, tol=1e-4).fit(X, y)
    ours = KernelSVC(C=5, gamma=0.05, tol=1e-4).fit(X, y)
    assert np.array_equal(ours.predict(X), svc.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), svc.decision_function(X), atol=2e-3)
    # A support vector whose alpha is within rounding of zero may be told either way.
    assert len(np.setxor1d(ours.support_, svc.support_)) <= 0.01 * len(svc.support_)
    assert ours.dual_coef_.shape == (9, len(ours.support_))
    np.testing.assert_allclose(ours.intercept_, svc.intercept_, atol=2e-3)
    assert ours.n_support_.sum() == len(ours.support_)
    assert len(ours.n_iter_) == 45


def test_two_classes_as_in_svc(two_classes):
    X, y = two_classes
    svc, ours = SVC(C=2, tol=1e-4).fit(X, y), KernelSVC(C=2, tol=1e-4).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), svc.decision_function(X), atol=2e-3)
    assert np.array_equal(ours.n_support_, svc.n_support_)
    assert np.array_equal(ours.support_, svc.support_)
    np.testing.assert_allclose(ours.dual_coef_, svc.dual_coef_, atol=2e-2)


def test_each_class_against_the_rest(digits):
    X, y = digits
    ours = KernelSVC(C=5, gamma=0.05, multiclass="ovr").fit(X, y)
    assert ours.score(X, y) > 0.99
    assert ours.decision_function(X).shape == (len(X), 10)
    assert ours.dual_coef_.shape == (10, len(ours.support_))
    three = KernelSVC(C=5, gamma=0.05).fit(X, y == 3)
    np.testing.assert_allclose(ours.decision_function(X)[:, 3], three.decision_function(X), atol=1e-2)


def test_class_weights_as_in_svc(two_classes):
    X, y = two_classes
    for weight in ("balanced", {0: 5.0, 1: 0.5}):
        svc = SVC(class_weight=weight, tol=1e-4).fit(X, y)
        ours = KernelSVC(class_weight=weight, tol=1e-4).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), svc.decision_function(X), atol=2e-3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_model_is_the_dual_solution(two_classes, kernel):
    X, y = two_classes
    for bias in (True, False):
        model = KernelSVC(kernel=kernel, gamma=0.1, coef0=1.0, degree=2, bias=bias).fit(X[:500], y[:500])
        assert model.stop_reason_ == "converged"
        assert model.score(X, y) > 0.7
        assert (model.intercept_[0] != 0) == bias


def test_iter_fit_yields_events_and_fits(two_classes):
    X, y = two_classes
    model = KernelSVC(C=10)
    events = list(model.iter_fit(X, y))
    assert isinstance(events[-1], Finished)
    iterations = [event for event in events if isinstance(event, Iteration)]
    assert len(iterations) == model.n_iter_[0] == len(model.history_["objective"])
    assert model.history_["violation"][-1] <= model.tol
    assert model.history_["evaluations"][-1] == iterations[-1].stamp.evaluations
    fitted = KernelSVC(C=10).fit(X, y)
    assert np.array_equal(fitted.dual_coef_, model.dual_coef_)
    assert fitted.objective_ == model.objective_ == events[-1].objective


def test_an_unfinished_iter_fit_leaves_the_estimator_unfitted(two_classes):
    model = KernelSVC()
    for _ in model.iter_fit(*two_classes):
        break
    with pytest.raises(NotFittedError):
        model.predict(two_classes[0])


def test_max_iter_warns_and_says_so(two_classes):
    with pytest.warns(ConvergenceWarning, match=r"stopped \(max_iter\) with a violation of"):
        model = KernelSVC(max_iter=1).fit(*two_classes)
    assert model.stop_reason_ == "max_iter"


def test_inside_scikit_learn(two_classes):
    X, y = two_classes[0][:400], two_classes[1][:400]
    search = GridSearchCV(make_pipeline(StandardScaler(), KernelSVC()), {"kernelsvc__C": [0.1, 1, 10]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.7
    calibrated = CalibratedClassifierCV(KernelSVC(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (400, 2)
    parallel = GridSearchCV(KernelSVC(), {"C": [1, 10]}, cv=2, n_jobs=2).fit(X, y)
    assert parallel.best_estimator_.score(X, y) > 0.7


def test_sparse_data(two_classes, monkeypatch):
    X, y = two_classes
    X = X * (np.abs(X) > 1)
    dense, thin = KernelSVC(gamma=0.1).fit(X, y), KernelSVC(gamma=0.1).fit(sparse.csr_matrix(X), y)
    assert np.array_equal(dense.dual_coef_, thin.dual_coef_)
    assert np.array_equal(dense.predict(X), thin.predict(sparse.csr_matrix(X)))
    monkeypatch.setattr(validation, "DENSE_LIMIT_MB", 0.01)
    with pytest.raises(
        ValueError, match=r"X must be at most 0\.01 MiB when made dense; got 'a sparse 2048 x 10 matrix'"
    ):
        KernelSVC().fit(sparse.csr_matrix(X), y)


def test_labels_may_be_strings(two_classes):
    X, y = two_classes
    names = np.where(y == 1, "yes", "no")
    model = KernelSVC().fit(X, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert np.array_equal(model.predict(X) == "yes", model.decision_function(X) > 0)
    assert np.array_equal(model.predict(X) == "yes", KernelSVC().fit(X, y).predict(X) == 1)


def test_a_progress_bar(two_classes, digits, capsys):
    KernelSVC(verbose=True).fit(*two_classes)
    assert "KernelSVC: 100%" in capsys.readouterr().err
    KernelSVC(verbose=True).fit(digits[0][:300], digits[1][:300])
    assert "KernelSVC: 100%" in capsys.readouterr().err


@pytest.mark.parametrize(("change", "message"), [
    ({"C": 0}, "C must be a finite number above 0 to 1e100; got 0"),
    ({"C": float("nan")}, "C must be a finite number above 0 to 1e100; got nan"),
    ({"C": "much"}, "C must be a finite number above 0 to 1e100; got 'much'"),
    ({"C": True}, "C must be a finite number above 0 to 1e100; got True"),
    ({"kernel": "sigmoid"}, "kernel must be one of rbf, poly, linear, laplacian; got 'sigmoid'"),
    ({"gamma": -1}, 'gamma must be a positive finite number, "scale" or "auto"; got -1'),
    ({"gamma": "wide"}, "gamma must be a positive finite number"),
    ({"degree": 0}, "degree must be a whole number from 1 to 20; got 0"),
    ({"degree": 2.5}, "degree must be a whole number from 1 to 20; got 2.5"),
    ({"coef0": np.inf}, "coef0 must be a finite number; got inf"),
    ({"tol": 0}, "tol must be a finite number above 0; got 0"),
    ({"cache_mb": 0}, "cache_mb must be a finite number above 0; got 0"),
    ({"max_iter": -2}, "max_iter must be a whole number from -1; got -2"),
    ({"bias": "perhaps"}, "bias must be True or False; got 'perhaps'"),
    ({"multiclass": "crammer"}, "multiclass must be one of ovo, ovr; got 'crammer'"),
    ({"n_jobs": 0}, "n_jobs must be"),
    ({"class_weight": "heavy"}, "class_weight must be"),
    ({"class_weight": {7: 1.0}}, "class_weight must be a table with keys among the classes"),
    ({"class_weight": {1: -1.0}}, r"class_weight\[1\] must be finite and not negative; got -1.0"),
    ({"random_state": -5}, "random_state must be"),
])  # fmt: skip
def test_bad_parameters_are_named(two_classes, change, message):
    with pytest.raises(ValueError, match=message):
        KernelSVC(**change).fit(*two_classes)


@pytest.mark.parametrize(("X", "y", "message"), [
    *BAD_DATA,
    ([[1.0]], [1], "at least two classes"),
    ([["a"], ["b"]], [0, 1], "convert"),
    ([[1.0], [2.0]], [0], "inconsistent"),
    ([1.0, 2.0], [0, 1], "2D"),
])  # fmt: skip
def test_bad_data_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        KernelSVC().fit(X, y)


def test_many_features():
    X, y = make_classification(SMALL + 50, 3000, n_informative=50, random_state=0)
    ours, svc = KernelSVC(tol=1e-4).fit(X, y), SVC(tol=1e-4).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), svc.decision_function(X), atol=2e-3)


def test_features_far_from_zero_and_of_wild_scales():
    X, y = make_classification(SMALL * 2, 6, random_state=0)
    shifted = X + 1e5
    ours, svc = KernelSVC(tol=1e-4).fit(shifted, y), SVC(tol=1e-4).fit(shifted, y)
    np.testing.assert_allclose(ours.decision_function(shifted), svc.decision_function(shifted), atol=5e-3)
    far = X + 50
    ours, svc = KernelSVC(kernel="linear", C=0.01).fit(far, y), SVC(kernel="linear", C=0.01).fit(far, y)
    np.testing.assert_allclose(ours.decision_function(far), svc.decision_function(far), atol=2e-2)
    constant = np.hstack([X, np.full((len(X), 2), 1e6)])
    model = KernelSVC(gamma=0.1).fit(constant, y)
    np.testing.assert_allclose(
        model.decision_function(constant), KernelSVC(gamma=0.1).fit(X, y).decision_function(X), atol=5e-3
    )


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["no", "yes"]), np.array(["no", "yes"], object)])
def test_a_saved_model_is_the_same_model(two_classes, tmp_path, labels):
    X, y = two_classes
    model = KernelSVC(C=3, class_weight={labels[0]: 2.0, labels[1]: 1.0}).fit(X, labels[y])
    loaded = reloaded(model, tmp_path / "model.svmmodel", X)
    assert loaded.stop_reason_ == "converged"
    assert np.array_equal(loaded.history_["objective"], model.history_["objective"])


def test_other_files_are_no_models(tmp_path, two_classes):
    path = tmp_path / "model.svmmodel"
    path.write_bytes(b"hello")
    with pytest.raises(ArchiveError, match="damaged or not a svm-explorer model file"):
        KernelSVC.load(path)
    with pytest.raises(NotFittedError):
        KernelSVC().save(path)


def test_pickle_works_for_those_who_want_it(two_classes):
    X, y = two_classes
    model = KernelSVC().fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_ijcnn1(published):
    published("ijcnn1")
    data = datasets.load("ijcnn1")
    model = KernelSVC(C=32, gamma=2).fit(data.X, data.y)
    assert model.stop_reason_ == "converged"
    assert 100 * model.score(data.X_test, data.y_test) == pytest.approx(98.69, abs=0.05)
    assert model.objective_ == pytest.approx(-33139.93, rel=1e-5)
