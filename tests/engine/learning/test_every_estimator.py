"""Numbers as large and as small as they come, for every classifier: an answer in numbers, or an error that names it."""

import numpy as np
import pytest
from sklearn.base import clone

from engine import DCSVC, BudgetedSVC, ClusterSVC, DCPredClassifier, InteriorPointSVC, KernelSVC
from tests.support.all_estimators import ESTIMATORS, answers, data_for

ALL = [KernelSVC, DCSVC, ClusterSVC, BudgetedSVC, InteriorPointSVC, DCPredClassifier]


@pytest.fixture(scope="module")
def quarters():
    X = np.random.default_rng(0).normal(size=(60, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("scale", "settings"), [
    (1.0, {"C": 1e15}), (1.0, {"C": 1e-300}), (1.0, {"gamma": 1e-300}), (1.0, {"gamma": 1e20}),
    (1e-14, {"gamma": "scale"}), (1e14, {"gamma": "scale"}), (1e14, {"gamma": 1e-30}),
])  # fmt: skip
def test_an_answer_in_numbers(kind, quarters, scale, settings):
    X, y = quarters
    model = kind(**settings).fit(scale * X, y)
    assert np.isfinite(model.decision_function(scale * X)).all()
    assert set(model.predict(scale * X)) <= {-1, 1}


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("scale", "settings", "message"), [
    (1e200, {"gamma": 4.0}, "X must be (so small that squared distances are numbers|from 1e-15 to 1e15)"),
    (1e120, {"gamma": 4.0}, "(gamma must be at most 8.3e-212 for data so far apart|X must be from 1e-15 to 1e15)"),
    (1.0, {"gamma": 1e300}, r"gamma must be at most 8.3e\+28 for data so far apart; got 1e\+300"),
    (1.0, {"C": 1e300}, r"C must be a finite number above 0 to 1e100; got 1e\+300"),
])  # fmt: skip
def test_what_is_beyond_numbers_is_named(kind, quarters, scale, settings, message):
    X, y = quarters
    with pytest.raises(ValueError, match=message):
        kind(**settings).fit(scale * X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("far", [1e18, 1e38])
def test_rows_far_from_all_data(name, kind, far):
    X, y = data_for(ESTIMATORS[name], 16)
    model = clone(ESTIMATORS[name]).fit(X.astype(kind), y)
    said, rows = answers(model, X[:20].astype(kind)), X[:20].astype(kind)
    rows[7, ::2], rows[7, 1::2] = far, -far
    try:
        found = answers(model, rows)
    except ValueError as error:
        said_so = f"X must be at most 1e+16 in its largest number: scale it; got {rows.max().item()!r}"
        assert str(error) == said_so  # noqa: PT017
    else:
        assert np.isfinite(found).all()
        assert np.array_equal(np.delete(found, 7, axis=0), np.delete(said, 7, axis=0))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n", [300, 1500])  # in float64 and in float32
def test_far_from_all_data_the_intercept_is_left(n, bias):
    X, y = data_for(KernelSVC(), 4, n)
    model = KernelSVC(bias=bias, gamma=2).fit(X, y == y[0])
    for far in (1e5, 1e15, 1e30, 1e200, 1.7e308):
        rows = np.array([[far, 0, 0, 0], [-far, far, far, -far]])
        np.testing.assert_allclose(model.decision_function(rows), model.intercept_[0], atol=1e-30)


def test_what_a_polynomial_kernel_cannot_take_is_named():
    X, y = data_for(KernelSVC(), 4)
    model = KernelSVC(kernel="poly").fit(X, y)
    with pytest.raises(ValueError, match=r"X must be so small that decision values are numbers; got 1e\+12\d"):
        model.predict(np.full((2, 4), [[1.0], [1e120]]))
    with pytest.raises(ValueError, match=r"X must be so small that its squares are numbers; got 1e\+200"):
        model.predict(np.full((2, 4), [[1.0], [1e200]]))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_progress_bar_changes_nothing(name):
    X, y = data_for(ESTIMATORS[name], 10)
    quiet, talking = np.random.RandomState(3), np.random.RandomState(3)
    one = clone(ESTIMATORS[name]).set_params(random_state=quiet)
    other = clone(ESTIMATORS[name]).set_params(random_state=talking, verbose=True)
    assert np.array_equal(answers(one.fit(X, y), X), answers(other.fit(X, y), X))
    assert quiet.randint(2**31) == talking.randint(2**31)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_may_be_numbers_of_numpy(name):
    X, y = data_for(ESTIMATORS[name], 10)
    numbers = {"C": np.float32(5), "alpha": np.float32(0.5), "gamma": np.float32(0.25), "tol": np.float16(1e-2)}
    numbers = {key: value for key, value in numbers.items() if key in ESTIMATORS[name].get_params()}
    plain = {key: float(value) for key, value in numbers.items()}
    one, other = (clone(ESTIMATORS[name]).set_params(**values).fit(X, y) for values in (numbers, plain))
    assert np.array_equal(answers(one, X), answers(other, X))
