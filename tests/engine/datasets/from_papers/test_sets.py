"""The published sets against the figures known for them, and what the papers do to them before training."""

import numpy as np
import pytest
import scipy.sparse as sp

from engine.datasets import catalogue, is_available, load
from engine.datasets.from_papers.prepare import Recipe, one_hot, prepare
from engine.datasets.from_papers.raw import Raw, read_npz

# name: training rows, test rows, features, and how many have the label 1 in both parts together.
BINARY = {
    "ijcnn1": (49_990, 91_701, 22, 4_853 + 8_712),
    "covtype": (464_810, 116_202, 54, 283_301),
    "census": (159_619, 39_904, 409, 12_382),
    "a9a": (32_561, 16_281, 123, 7_841 + 3_846),
    "w6a": (17_188, 32_561, 300, 525 + 954),
    "kddcup99_10pct": (395_217, 98_804, 119, 396_743),
    "phishing": (8_315, 2_740, 68, 6_157),
    "skin_nonskin": (183_793, 61_264, 3, 50_859),
    "susy_30k": (27_000, 3_000, 18, 13_815),
    "mushrooms": (6_500, 1_624, 112, 3_916),
    "banana": (4_300, 1_000, 2, 2_376),
    "fourclass_scale": (690, 172, 2, 307),
    "diabetes_scale": (615, 153, 8, 500),
    "australian": (552, 138, 14, 307),
    "heart_scale": (216, 54, 13, 120),
}
# name: training rows, test rows, features, number of classes, first class.
MULTICLASS = {
    "mnist": (60_000, 10_000, 784, 10, 0),
    "usps": (7_291, 2_007, 256, 10, 0),
    "letter": (15_000, 5_000, 16, 26, 1),
    "isolet": (6_238, 1_559, 617, 26, 1),
}
# name: training rows, test rows, features, smallest and largest target.
REGRESSION = {
    "cadata": (16_512, 4_128, 8, 14_999, 500_001),
    "cpusmall": (6_554, 1_638, 12, 0, 99),
    "house_8l": (18_228, 4_556, 8, 0, 500_001),
    "abalone_scale": (3_342, 835, 8, 1, 29),
}
IN_UNIT = {
    "covtype", "census", "kddcup99_10pct", "skin_nonskin", "australian", "cadata", "cpusmall", "house_8l", "mnist",
}  # fmt: skip


def check_shapes(data, rows, test_rows, features):
    assert data.X.shape == (rows, features)
    assert data.X_test.shape == (test_rows, features)
    assert data.y.shape == (rows,)
    assert data.y_test.shape == (test_rows,)
    assert data.X.dtype == data.X_test.dtype == np.float32
    values = data.X.data if sp.issparse(data.X) else data.X
    assert np.isfinite(values).all()
    if data.name in IN_UNIT:
        assert values.min() >= 0
        assert values.max() == 1
    if not sp.issparse(data.X):
        assert data.X.flags.c_contiguous


@pytest.mark.parametrize("name", BINARY)
def test_two_classes(name, published):
    published(name)
    *shape, positives = BINARY[name]
    data = load(name)
    check_shapes(data, *shape)
    assert data.classes.tolist() == [-1, 1]
    assert np.sum(data.y == 1) + np.sum(data.y_test == 1) == positives
    assert sp.issparse(data.X) == (name in ("a9a", "w6a", "phishing", "mushrooms", "census", "kddcup99_10pct"))


@pytest.mark.parametrize("name", MULTICLASS)
def test_many_classes(name, published):
    published(name)
    *shape, classes, first = MULTICLASS[name]
    data = load(name)
    check_shapes(data, *shape)
    assert data.classes.tolist() == list(range(first, first + classes))


@pytest.mark.parametrize("name", REGRESSION)
def test_targets(name, published):
    published(name)
    *shape, low, high = REGRESSION[name]
    data = load(name)
    check_shapes(data, *shape)
    assert data.task == catalogue()[name].task == "regression"
    assert data.classes.size == 0
    targets = np.concatenate([data.y, data.y_test])
    assert targets.min() == low
    assert targets.max() == high


def test_animals_against_the_rest(published):
    raw = read_npz(published("cifar10_4k"))
    data = load("cifar10_4k")
    check_shapes(data, 3_200, 800, 3_072)
    assert np.array_equal(data.y == 1, (raw.y_train >= 2) & (raw.y_train <= 7))
    assert data.X.max() == 255


def test_every_paper_set_is_in_these_tables():
    papers = {name for name, entry in catalogue().items() if entry.kind == "paper"}
    assert papers == {*BINARY, *MULTICLASS, *REGRESSION, "cifar10_4k"}


def test_a_subset_is_of_the_scaled_training_rows(published):
    published("skin_nonskin")
    whole, some = load("skin_nonskin", seed=2), load("skin_nonskin", size=500, seed=2)
    assert some.n == 500
    assert np.array_equal(some.X_test, whole.X_test)
    known = {row.tobytes() for row in whole.X}
    assert all(row.tobytes() in known for row in some.X)
    assert is_available("skin_nonskin")


def test_the_split_follows_the_seed(published):
    published("heart_scale")
    assert np.array_equal(load("heart_scale", seed=1).X, load("heart_scale", seed=1).X)
    assert not np.array_equal(load("heart_scale", seed=1).X, load("heart_scale", seed=2).X)


def test_smooth_digits_are_blurred_images(published):
    published("usps")
    plain, smooth = load("usps", size=50), load("usps", size=50, smooth=True)
    assert np.array_equal(plain.y, smooth.y)
    steps = [np.abs(np.diff(data.X.reshape(-1, 16, 16), axis=2)).mean() for data in (plain, smooth)]
    assert steps[1] < 0.8 * steps[0]
    assert smooth.X.shape == plain.X.shape
    assert not np.array_equal(smooth.X_test, plain.X_test)
    with pytest.raises(ValueError, match="smooth must be True or False"):
        load("usps", smooth="very")
    with pytest.raises(ValueError, match="an option of letter"):
        load("letter", smooth=True)


def test_scaling_is_fitted_on_the_training_part():
    train = np.array([[0, 7, -2], [4, 7, 2]], dtype=np.int16)
    test = np.array([[8, 9, 0]], dtype=np.int16)
    X, _, X_test, _ = prepare(
        Raw(train, np.array([1, 2]), test, np.array([1])), Recipe(unit=True), 2, np.random.default_rng(0)
    )
    assert X.tolist() == [[0, 0, 0], [1, 0, 1]]
    assert X_test.tolist() == [[2, 0, 0.5]]
    assert train.tolist() == [[0, 7, -2], [4, 7, 2]]


def test_categories_become_columns_in_place():
    X = np.array([[1.5, 2, 0], [0, 0, 1]], dtype=np.float32)
    assert one_hot(X, [0, 3, 2]).toarray().tolist() == [[1.5, 0, 0, 1, 1, 0], [0, 1, 0, 0, 0, 1]]


def test_a_category_not_met_in_training_is_zero_in_the_test_part():
    words = {1: np.array(["a", "b", "c"])}
    train = np.array([[0, 0], [2, 1]], dtype=np.float32)
    test = np.array([[1, 2], [1, 0]], dtype=np.float32)
    raw = Raw(train, np.array([-1, 1]), test, np.array([1, 1]), words)
    X, _, X_test, _ = prepare(raw, Recipe(unit=True), 2, np.random.default_rng(0))
    assert X.toarray().tolist() == [[0, 1, 0, 0], [1, 0, 1, 0]]
    assert X_test.toarray().tolist() == [[0.5, 0, 0, 0], [0.5, 1, 0, 0]]


def test_column_major_rows_are_split_like_row_major_ones():
    values = np.arange(60, dtype=np.int16).reshape(20, 3)
    labels = np.arange(20)
    parts = [
        prepare(Raw(np.array(values, order=order), labels), Recipe(split=True), 15, np.random.default_rng(4))
        for order in ("C", "F")
    ]
    assert np.array_equal(parts[0][0], parts[1][0])
    assert np.array_equal(parts[0][2], parts[1][2])
    assert np.array_equal(parts[0][0][:, 0], 3 * parts[0][1])
