import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from engine import DCSVC, ArchiveError, BudgetedSVC, DCPredClassifier, DCPredRegressor, KernelSVC
from tests.support.model_files import reloaded


@parametrize_with_checks([DCPredClassifier(pseudo="triangle"), DCPredRegressor()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def classes():
    return make_classification(
        1200, 5, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0
    )


@pytest.fixture(scope="module")
def waves():
    X = np.random.default_rng(0).uniform(-3, 3, size=(800, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 5


def test_with_all_landmarks_it_is_kernel_ridge(waves):
    X, y = waves
    ours = DCPredRegressor(alpha=0.5, gamma=0.5, n_leaves=1, landmark_ratio=1.0, pseudo="none").fit(X[:300], y[:300])
    theirs = KernelRidge(alpha=0.5, kernel="rbf", gamma=0.5).fit(X[:300], y[:300] - y[:300].mean())
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X) + y[:300].mean(), atol=5e-3)
    assert ours.exact_quality_ == pytest.approx(ours.quality_, abs=1e-3)


def test_regression_with_few_landmarks(waves):
    X, y = waves
    model = DCPredRegressor(alpha=0.01, gamma=1.0, n_leaves=4, landmark_ratio=0.1).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.97
    assert model.cost_ < 0.4 * model.exact_cost_
    assert len(model.history_["leaf"]) == 4


def test_several_classes_near_the_exact_machine(classes):
    X, y = classes
    fast = DCPredClassifier(C=5, gamma=0.3, n_leaves=4, landmark_ratio=0.3).fit(X[:900], y[:900])
    exact = KernelSVC(C=5, gamma=0.3).fit(X[:900], y[:900])
    assert fast.score(X[900:], y[900:]) > exact.score(X[900:], y[900:]) - 0.03
    assert fast.decision_function(X).shape == (1200, 3)
    assert fast.cost_ < fast.exact_cost_


@pytest.mark.parametrize("model", [SVC(C=5, gamma=0.3), KernelSVC(C=5, gamma="scale"), DCSVC(C=5, stop_level=1)])
def test_a_fitted_classifier_is_compressed(classes, model):
    X, y = classes
    model = model.fit(X[:900], y[:900])
    fast = DCPredClassifier.from_model(model, X[:900], y[:900], n_leaves=4, landmark_ratio=0.2)
    assert fast.score(X[900:], y[900:]) > model.score(X[900:], y[900:]) - 0.04
    assert fast.exact_cost_ == len(model.support_)
    assert fast.cost_ < 0.5 * fast.exact_cost_
    assert fast.exact_quality_ == pytest.approx(model.score(X[:900], y[:900]), abs=0.01)
    assert fast.C == 5


def test_a_fitted_regression_is_compressed(waves):
    X, y = waves
    exact = KernelRidge(alpha=0.01, kernel="rbf", gamma=1.0).fit(X[:600], y[:600])
    fast = DCPredRegressor.from_model(exact, X[:600], y[:600], n_leaves=4, landmark_ratio=0.15, landmarks="kmeans")
    assert (fast.alpha, fast.gamma) == (0.01, 1.0)
    assert np.sqrt(np.mean((fast.predict(X[600:]) - exact.predict(X[600:])) ** 2)) < 0.15


def test_what_cannot_be_compressed_is_named(classes):
    X, y = classes
    with pytest.raises(ValueError, match="kernel must be rbf"):
        DCPredClassifier.from_model(SVC(kernel="poly").fit(X, y), X, y)
    with pytest.raises(ValueError, match="X must be the data that the model was fitted to"):
        DCPredClassifier.from_model(SVC().fit(X, y), X + 1, y)
    for other in (make_pipeline(SVC()).fit(X, y), BudgetedSVC(epochs=1).fit(X, y), "SVC"):
        with pytest.raises(ValueError, match="model must be an SVC, KernelSVC, DCSVC, ClusterSVC or InteriorPointSVC"):
            DCPredClassifier.from_model(other, X, y)
    with pytest.raises(ValueError, match="model must be a KernelRidge; got SVR"):
        DCPredRegressor.from_model(SVR().fit(X, y), X, y)
    for unfitted in (SVC(), KernelSVC(), KernelRidge()):
        kind = DCPredRegressor if isinstance(unfitted, KernelRidge) else DCPredClassifier
        with pytest.raises(NotFittedError, match=f"This {type(unfitted).__name__} instance is not fitted yet"):
            kind.from_model(unfitted, X, y)


def test_a_saved_model_is_the_same_model(classes, waves, tmp_path):
    for model, (X, y) in ((DCPredClassifier(n_leaves=4), classes), (DCPredRegressor(n_leaves=4), waves)):
        loaded = reloaded(model.fit(X, y), tmp_path / "model.svmmodel", X)
        assert (loaded.cost_, loaded.quality_) == (model.cost_, model.quality_)
        assert np.array_equal(loaded.trace(X[0]).values, model.trace(X[0]).values)
    with pytest.raises(ArchiveError, match="not a svm-explorer model"):
        KernelSVC.load(tmp_path / "model.svmmodel")


def test_a_progress_bar(classes, capsys):
    DCPredClassifier(n_leaves=4, verbose=True).fit(*classes)
    assert "DCPredClassifier: 100%" in capsys.readouterr().err
