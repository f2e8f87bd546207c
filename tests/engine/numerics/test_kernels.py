import numpy as np
import pytest

from engine.numerics.kernels import KERNELS, LOW_RANK, SMALL, Kernel
from tests.naive.kernel_svm import kernel_matrix

SIZES = {"float64": 300, "float32": SMALL + 300}


@pytest.fixture(params=SIZES)
def X(request):
    rng = np.random.default_rng(0)
    return rng.normal(size=(SIZES[request.param], 7)) + 100  # far from the origin, where float32 is weakest


def tolerance(kernel):
    return 1e-12 if kernel.store is np.float64 else 1e-5


@pytest.mark.parametrize("name", KERNELS)
def test_a_block_is_the_kernel_matrix(X, name):
    X = X if name in ("rbf", "laplacian") else X - 100
    kernel = Kernel.fit(X, name, gamma=0.3, degree=4, coef0=0.5)
    points = kernel.points(X)
    block = kernel.block(points[:70], points, threads=2)
    expected = kernel_matrix(X[:70], X, name, 0.3, 4, 0.5)
    np.testing.assert_allclose(block, expected, rtol=tolerance(kernel), atol=tolerance(kernel) * np.abs(expected).max())
    assert kernel.counter.value == 70 * len(X)
    np.testing.assert_allclose(kernel.diagonal(points)[:70], np.diagonal(expected), rtol=1e-5)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("columns", [None, 3, 9])
def test_a_product_is_a_block_times_coefficients(X, name, columns):
    kernel = Kernel.fit(X, name, gamma=0.3)
    points = kernel.points(X)
    shape = (len(X),) if columns is None else (len(X), columns)
    coefficients = np.random.default_rng(1).normal(size=shape)
    block = kernel.block(points[:200], points).astype(float)
    result = kernel.product(points[:200], points, coefficients, threads=2)
    np.testing.assert_allclose(result, block @ coefficients, atol=1e-6 * np.abs(block).max() * len(X))


@pytest.mark.parametrize("name", KERNELS)
def test_threads_do_not_change_a_bit(X, name):
    kernel = Kernel.fit(X, name)
    points = kernel.points(X)
    one, two = (kernel.block(points, points, threads=threads) for threads in (1, 2))
    assert np.array_equal(one, two)
    weights = np.ones(len(X))
    assert np.array_equal(*(kernel.product(points, points, weights, threads) for threads in (1, 2)))


def test_rows_can_be_written_into_slots():
    X = np.random.default_rng(0).normal(size=(50, 3))
    kernel = Kernel.fit(X)
    points = kernel.points(X)
    out = np.zeros((10, 50))
    kernel.block(points[:2], points, out, slots=np.array([7, 3]))
    assert np.array_equal(out[[7, 3]], kernel.block(points[:2], points))
    assert not out[[0, 1, 2, 4, 5, 6, 8, 9]].any()


@pytest.mark.parametrize("gamma", [1e-8, 1.0, 1e8])
def test_duplicates_have_kernel_one_whatever_gamma(gamma):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(SMALL, 5)), 2, axis=0)
    kernel = Kernel.fit(X, "rbf", gamma)
    points = kernel.points(X)
    block = kernel.block(points[::2], points[1::2])
    np.testing.assert_allclose(np.diagonal(block), 1.0, atol=1e-6)
    np.testing.assert_allclose(block[:30], kernel_matrix(X[:60:2], X[1::2], "rbf", gamma), atol=1e-5)


def test_a_point_has_kernel_one_with_itself_in_float32():
    X = np.random.default_rng(0).normal(size=(SMALL * 2, 21)) + 3
    kernel = Kernel.fit(X, "rbf", 0.7)
    points = kernel.points(X)
    for size in (7, 63, 64, 129, 1000):
        some = points[5 : 5 + size]
        np.testing.assert_allclose(np.diagonal(kernel.block(some, points[5:])), 1.0, atol=1e-5)


def test_an_exponent_that_float32_would_blur_is_computed_in_float64():
    X = np.random.default_rng(0).normal(size=(SMALL + 1, 2))
    assert Kernel.fit(X, "rbf", 1.0).work is np.float32
    assert Kernel.fit(X, "rbf", 1e6).work is np.float64


@pytest.mark.parametrize("name", ["linear", "poly"])
def test_data_far_from_the_origin_are_kept_in_float64(name):
    X = np.random.default_rng(0).normal(size=(SMALL + 1, LOW_RANK + 1))
    assert Kernel.fit(X, name).store is np.float32
    assert Kernel.fit(X + 1000, name).store is np.float64
    assert Kernel.fit(X[:, :3], name).store is np.float64  # few features cost nothing


def test_gamma_by_rule():
    X = np.random.default_rng(0).normal(size=(40, 5)) * 3
    assert Kernel.fit(X, gamma="auto").gamma == 1 / 5
    assert Kernel.fit(X, gamma="scale").gamma == pytest.approx(1 / (5 * X.var()))
    assert Kernel.fit(np.ones((4, 2)), gamma="scale").gamma == 1.0


@pytest.mark.parametrize(("name", "gamma", "message"), [
    ("sigmoid", 1.0, "kernel must be one of rbf, poly, linear, laplacian; got 'sigmoid'"),
    ("rbf", -1.0, 'gamma must be a positive finite number, "scale" or "auto"; got -1.0'),
    ("rbf", "wide", "gamma must be"),
])  # fmt: skip
def test_bad_values_are_named(name, gamma, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        Kernel.fit(np.ones((3, 2)), name, gamma)
