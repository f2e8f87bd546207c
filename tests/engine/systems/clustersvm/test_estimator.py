import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from engine import SOLVERS, ClusterSVC, KernelSVC, datasets
from engine.systems.clustersvm.events import ClusterFinished
from tests.support.model_files import check_of_another_kind, reloaded


@parametrize_with_checks([ClusterSVC(), ClusterSVC(max_passes=1, collapse_bound=True, clustering="kmeans")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[y < 4] / 16, y[y < 4]


@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_to_the_fixed_point_it_is_the_kernel_svm(digits, kernel, collapse):
    X, y = digits
    how = {"C": 2.0, "kernel": kernel, "gamma": 0.05}
    ours = ClusterSVC(collapse_bound=collapse, **how).fit(X, y)
    reference = KernelSVC(multiclass="ovr", **how).fit(X, y)
    assert ours.exact_.all()
    assert ours.stop_reason_ == "converged"
    assert (ours.n_reduced_ < len(X)).all()
    np.testing.assert_allclose(ours.objective_, reference.objective_, rtol=1e-4)
    np.testing.assert_allclose(ours.decision_function(X), reference.decision_function(X), atol=5e-3)


def test_a_pass_says_that_it_is_not_exact(digits):
    X, y = digits
    y = y == 3
    model = ClusterSVC(C=2.0, gamma=0.05, max_passes=1).fit(X, y)
    assert (model.exact_, model.n_passes_, model.stop_reason_) == (False, 1, "passes")
    assert model.score(X, y) > 0.98
    initial = ClusterSVC(C=2.0, gamma=0.05, max_passes=0, n_clusters=5).fit(X, y)
    assert initial.n_reduced_ == 10
    assert initial.n_passes_ == 0
    svc = SVC(C=2.0, gamma=0.05).fit(X, y)
    exact = ClusterSVC(C=2.0, gamma=0.05).fit(X, y)
    np.testing.assert_allclose(exact.decision_function(X), svc.decision_function(X), atol=5e-3)


@pytest.mark.parametrize(("name", "options", "how", "error"), [
    ("usps", {"smooth": True}, {"C": 10, "kernel": "poly", "gamma": 1 / 256}, 5.28),
    ("isolet", {}, {"C": 0.02, "kernel": "linear"}, 4.55),
])  # fmt: skip
def test_published_sets(published, name, options, how, error):
    """The exact answer on a part of the classes; error and reduced sets of all of them are the benchmark's."""
    published(name)
    data = datasets.load(name, **options)
    some = np.isin(data.y, np.unique(data.y)[:3])
    X, y = data.X[some], data.y[some]
    ours = ClusterSVC(**how).fit(X, y)
    reference = KernelSVC(multiclass="ovr", **how).fit(X, y)
    assert ours.exact_.all()
    assert (ours.n_reduced_ < 0.6 * len(X)).all()
    np.testing.assert_allclose(ours.objective_, reference.objective_, rtol=1e-4)
    tested = np.isin(data.y_test, np.unique(y))
    np.testing.assert_allclose(
        ours.decision_function(data.X_test[tested]), reference.decision_function(data.X_test[tested]), atol=5e-3
    )
    one = ClusterSVC(max_passes=1, **how).fit(X, y)
    assert 100 * (1 - one.score(data.X_test[tested], data.y_test[tested])) < error


def test_the_artificial_data_of_the_paper():
    data, new = datasets.load("gaussians", size=6000), datasets.load("gaussians", size=6000, seed=1)
    model = ClusterSVC(C=10_000, kernel="linear", max_passes=1).fit(data.X, data.y)
    assert 100 * (1 - model.score(new.X, new.y)) == pytest.approx(25.4, abs=0.5)
    assert (model.n_reduced_ > 2500).all()
    assert (model.n_reduced_ < 3700).all()


def test_a_saved_model_is_the_same_model(digits, tmp_path):
    X, y = digits
    model = ClusterSVC(C=3).fit(X, y)
    loaded = reloaded(model, tmp_path / "model.svmmodel", X)
    assert np.array_equal(loaded.n_reduced_, model.n_reduced_)
    assert np.array_equal(loaded.exact_, model.exact_)
    check_of_another_kind(tmp_path / "model.svmmodel", ClusterSVC)


@pytest.mark.parametrize(("change", "message"), [
    ({"n_clusters": 0}, 'n_clusters must be a whole number from 1, or "sqrt"; got 0'),
    ({"n_clusters": "auto"}, 'n_clusters must be a whole number from 1, or "sqrt"'),
    ({"max_passes": -1}, "max_passes must be a whole number from 0 or None; got -1"),
    ({"clustering": "tree"}, "clustering must be one of pddp, kmeans"),
    ({"collapse_bound": "much"}, "collapse_bound must be True or False"),
    ({"C": np.inf}, "C must be a finite number above 0 to 1e100; got inf"),
])  # fmt: skip
def test_bad_parameters_are_named(digits, change, message):
    with pytest.raises(ValueError, match=message):
        ClusterSVC(**change).fit(*digits)


def test_settings_from_a_command_line(digits):
    table = SOLVERS["clustersvm"].settings
    assert (table.parse("n_clusters", "sqrt"), table.parse("n_clusters", "12")) == ("sqrt", 12)
    assert (table.parse("max_passes", "none"), table.parse("max_passes", "3")) == (None, 3)
    run = SOLVERS["clustersvm"].recorded_run(*digits, table.checked({"gamma": 0.05}))
    last = list(run)[-1]
    assert isinstance(last, ClusterFinished)
    assert last.n == len(digits[1])


def test_a_progress_bar(digits, capsys):
    ClusterSVC(verbose=True).fit(*digits)
    assert "ClusterSVC: 100%" in capsys.readouterr().err
