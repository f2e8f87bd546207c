import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from engine import DCSVC, ArchiveError, KernelSVC, datasets
from engine.learning.validation import class_numbers
from engine.numerics.kernels import KERNELS
from engine.systems.dcsvm.early_prediction import METHODS, Committee
from engine.systems.dcsvm.events import LevelFinished, Partitioned
from tests.naive import dcsvm, kernel_svm
from tests.support.model_files import check_of_another_kind, reloaded


@parametrize_with_checks([DCSVC(), DCSVC(stop_level=1, partition="kernel-kmeans")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_answer_of_the_kernel_svm(two_classes, kernel, bias):
    X, y = two_classes
    how = {"C": 2.0, "kernel": kernel, "gamma": 0.1, "degree": 2, "coef0": 1.0, "tol": 1e-4, "bias": bias}
    ours, reference = DCSVC(**how).fit(X, y), KernelSVC(**how).fit(X, y)
    assert ours.objective_ == pytest.approx(reference.objective_, rel=1e-5)
    assert ours.stop_reason_ == "converged"
    np.testing.assert_allclose(ours.decision_function(X), reference.decision_function(X), atol=2e-2)


def test_more_classes(digits):
    X, y = digits
    ours, reference = DCSVC(C=5, gamma=0.05).fit(X, y), KernelSVC(C=5, gamma=0.05).fit(X, y)
    np.testing.assert_allclose(ours.objective_, reference.objective_, rtol=1e-5)
    assert (ours.predict(X) == reference.predict(X)).mean() > 0.999
    early = DCSVC(C=5, gamma=0.05, stop_level=1).fit(X[::2], y[::2])
    assert early.stop_reason_ == "early"
    assert early.score(X[1::2], y[1::2]) > 0.9
    assert early.decision_function(X).shape == (len(X), 10)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("partition", ["kernel-kmeans", "kmeans", "random"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_early_prediction_as_the_slow_twin_has_it(two_classes, partition, kernel, bias):
    X, y = two_classes[0][:500], two_classes[1][:500]
    new = two_classes[0][500:700]
    model = DCSVC(C=2.0, kernel=kernel, gamma=0.1, degree=2, stop_level=2, partition=partition, bias=bias)
    events = list(model.iter_fit(X, y))
    [partitioned] = [event for event in events if isinstance(event, Partitioned)]
    [finished] = [event for event in events if isinstance(event, LevelFinished)]
    K = kernel_svm.kernel_matrix(new, X, kernel, 0.1, 2)
    signs = np.where(y == 1, 1.0, -1.0)
    [committee] = model.early_.committees
    routed = committee.router.route(model.model_.kernel.points(new))
    slow = dcsvm.early(K, signs, finished.alpha, partitioned.labels, routed, finished.intercepts if bias else None)
    np.testing.assert_allclose(model.decision_function(new), slow, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        model.early_.task_values(new, 1, "naive")[:, 0], K @ (signs * finished.alpha), rtol=1e-5, atol=1e-6
    )
    # The same from the events alone, as a page has them.
    kernel_, points = model.model_.kernel, model.model_.kernel.points(X)
    again = Committee.of_level(kernel_, points, signs, partitioned, finished.alpha, 2.0, finished.intercepts)
    for method in METHODS:
        values = again.values(kernel_.points(new), method)
        np.testing.assert_allclose(values, model.early_.task_values(new, 2, method)[:, 0], rtol=1e-9, atol=1e-9)
        assert np.isfinite(values).all()


def test_a_committee_of_one_is_its_member(two_classes):
    X, y = two_classes
    model = DCSVC(C=2.0, gamma=0.1, stop_level=1, k=2).fit(X[:300], y[:300])
    [committee] = model.early_.committees
    one = committee.cells == 0
    alone = Committee(
        committee.kernel, committee.router, committee.vectors[one], committee.weights[one], committee.cells[one], 0.5
    )
    points = committee.kernel.points(X[300:400])
    np.testing.assert_allclose(alone.values(points, "bcm"), alone.values(points, "naive"), rtol=1e-6)


def test_early_prediction_costs_less(published):
    published("ijcnn1")
    data = datasets.load("ijcnn1", size=10_000)
    model = DCSVC(C=32, gamma=2, stop_level=3).fit(data.X, data.y)
    few = data.X_test[:500]
    cost = {method: model.early_.cost(few, method) for method in METHODS}
    assert cost["early"] < cost["naive"] < cost["bcm"]
    assert cost["naive"] == len(model.support_)
    assert model.score(data.X_test, data.y_test) > 0.97


@pytest.mark.parametrize("stop_level", [0, 2])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_saved_model_is_the_same_model(digits, tmp_path, stop_level, classes):
    X, y = digits
    keep = y < classes
    model = DCSVC(C=3, stop_level=stop_level).fit(X[keep], y[keep])
    assert reloaded(model, tmp_path / "model.svmmodel", X).stop_reason_ == model.stop_reason_
    check_of_another_kind(tmp_path / "model.svmmodel", DCSVC)
    model._extra = lambda: {**DCSVC._extra(model), "early": [{"cells": np.zeros(3)}] * len(model.intercept_)}
    model.save(tmp_path / "damaged.svmmodel")
    with pytest.raises(ArchiveError, match="damaged"):
        DCSVC.load(tmp_path / "damaged.svmmodel")


@pytest.mark.parametrize(("change", "message"), [
    ({"k": 1}, "k must be a whole number from 2 to 256; got 1"),
    ({"levels": 0}, "levels must be one of auto, 1, 2, 3, 4, 5, 6; got 0"),
    ({"levels": "many"}, "levels must be one of auto"),
    ({"stop_level": -1}, "stop_level must be a whole number from 0 to 6; got -1"),
    ({"sample_size": 0}, "sample_size must be a whole number from 1"),
    ({"partition": "grid"}, "partition must be one of auto, kernel-kmeans, kmeans, random; got 'grid'"),
    ({"refine": 2}, "refine must be True or False; got 2"),
])  # fmt: skip
def test_bad_parameters_are_named(two_classes, change, message):
    with pytest.raises(ValueError, match=message):
        DCSVC(**change).fit(*two_classes)


def test_it_is_a_scikit_learn_estimator(two_classes, capsys):
    X, y = two_classes
    search = GridSearchCV(DCSVC(), {"C": [0.1, 1.0], "stop_level": [0, 1]}, cv=2).fit(X[:400], y[:400])
    assert search.best_score_ > 0.7
    DCSVC(verbose=True).fit(X, y)
    assert "100%" in capsys.readouterr().err
    with pytest.raises(NotFittedError):
        DCSVC().predict(X)
    names = np.array(["no", "yes"])
    assert set(DCSVC(stop_level=1).fit(X, names[y]).predict(X)) == {"no", "yes"}
    assert class_numbers(names[y])[0].tolist() == ["no", "yes"]


def test_early_prediction_warns_of_what_it_loses():
    board = datasets.load("checkerboard-filled", size=2000)
    X, y = board.X, board.y
    lossy = DCSVC(C=10.0, gamma=4.0, stop_level=3, partition="random")
    with pytest.warns(UserWarning, match=r"early prediction has .* % of 2,000 held-out rows right, the exact model"):
        lossy.fit(X, y)
    assert lossy.early_loss_ > 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = DCSVC(C=10.0, gamma=4.0, stop_level=1, k=2).fit(X, y)
        assert DCSVC(stop_level=3, early_check=False).fit(X, y).early_loss_ is None
        assert DCSVC().fit(X[:500], y[:500]).early_loss_ is None
    assert abs(good.early_loss_) <= 0.01
    # The rows compared on are a quarter of the data, if these are many: the same by hand.
    split = np.random.default_rng([0, 9]).permutation(6000) % 4
    data = datasets.load("checkerboard", size=6000)
    early = DCSVC(C=1.0, gamma=2.0, stop_level=2, random_state=0)
    told = early.fit(data.X, data.y).early_loss_
    held = split == 0
    theirs = KernelSVC(C=1.0, gamma=2.0).fit(data.X[~held], data.y[~held]).score(data.X[held], data.y[held])
    ours = early.set_params(early_check=False).fit(data.X[~held], data.y[~held]).score(data.X[held], data.y[held])
    assert told == pytest.approx(theirs - ours)
