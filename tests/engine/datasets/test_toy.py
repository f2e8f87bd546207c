import numpy as np
import pytest

from engine.datasets import catalogue, load

TOYS = [name for name, entry in catalogue().items() if entry.kind == "toy" and entry.task == "classification"]


def cells_of(points, board):
    return np.floor(points + board / 2).astype(int)


@pytest.mark.parametrize("name", TOYS)
def test_a_toy_has_points_and_classes_in_both_parts(name):
    data = load(name)
    entry = catalogue()[name]
    assert data.n == entry.size
    assert data.d == 2
    assert data.X_test.shape == data.X.shape
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    assert np.isfinite(data.X).all()
    assert data.classes.tolist() == ([0, 1, 2] if name == "gaussians" else [-1, 1])
    assert np.array_equal(np.unique(data.y_test), data.classes)


@pytest.mark.parametrize("name", TOYS)
def test_the_seed_decides_everything(name):
    first, again, other = load(name, size=50, seed=3), load(name, size=50, seed=3), load(name, size=50, seed=4)
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert np.array_equal(first.X_test, again.X_test)
    assert not np.array_equal(first.X, other.X)
    assert not np.array_equal(first.X, first.X_test)


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("seed", range(5))
def test_no_class_is_empty_however_small_and_noisy(name, seed):
    entry = catalogue()[name]
    for size in range(entry.min_size, entry.min_size + 4):
        data = load(name, size=size, noise=entry.max_noise, seed=seed)
        assert data.n == size
        assert data.classes.size == entry.min_size
        assert np.unique(data.y_test).size == entry.min_size


@pytest.mark.parametrize("name", TOYS)
def test_a_large_toy_has_a_test_part_of_bounded_size(name):
    data = load(name, size=400_000)
    assert data.n == 400_000
    assert len(data.y_test) == 10_000


@pytest.mark.parametrize(("board", "border"), [(5, 0.1), (2, 0.5), (7, 0.02)])
def test_border_points_lie_along_borders_in_a_cell_of_their_colour(board, border):
    data = load("checkerboard", size=5_000, board=board, border=border)
    shifted = data.X + board / 2
    lines = np.arange(1, board)
    nearest = np.abs(shifted[:, :, None] - lines).min(axis=2)
    assert nearest.min(axis=1).max() <= border + 1e-12
    assert shifted.min() >= 0
    assert shifted.max() <= board
    cells = cells_of(data.X, board)
    assert np.array_equal(2 * (cells.sum(axis=1) % 2) - 1, data.y)
    # Every border is used, on both sides.
    assert len(np.unique(cells, axis=0)) == board**2


def test_the_filled_board_is_filled_evenly():
    data = load("checkerboard-filled", size=16_000)
    cells = cells_of(data.X, 4)
    assert np.array_equal(2 * (cells.sum(axis=1) % 2) - 1, data.y)
    _, counts = np.unique(cells, axis=0, return_counts=True)
    assert len(counts) == 16
    assert counts.min() > 850
    assert counts.max() < 1_150


def test_the_gaussians_are_those_of_the_paper():
    data = load("gaussians", size=30_000)
    for label, centre in enumerate([(0, np.sqrt(3)), (-1, 0), (1, 0)]):
        points = data.X[data.y == label]
        assert len(points) == 10_000
        assert points.mean(axis=0) == pytest.approx(centre, abs=0.05)
        assert np.cov(points.T) == pytest.approx(np.eye(2), abs=0.05)


@pytest.mark.parametrize("name", ["checkerboard", "checkerboard-filled", "gaussians", "imbalanced"])
def test_label_noise_flips_its_share_and_moves_no_point(name):
    clean, noisy = load(name, size=20_000), load(name, size=20_000, noise=0.2)
    assert np.array_equal(clean.X, noisy.X)
    assert np.mean(clean.y != noisy.y) == pytest.approx(0.2, abs=0.02)


def test_without_noise_the_curves_are_exact():
    rings = load("rings", noise=0.0)
    assert np.linalg.norm(rings.X, axis=1) == pytest.approx(np.where(rings.y == 1, 1.0, 2.0))
    xor = load("xor", noise=0.0)
    assert np.array_equal(xor.X[:, 0] * xor.X[:, 1], xor.y)
    moons = load("moons", noise=0.0)
    centres = np.where(moons.y[:, None] == 1, [1.0, 0.5], [0.0, 0.0])
    assert np.linalg.norm(moons.X - centres, axis=1) == pytest.approx(1.0)
    spirals = load("spirals", noise=0.0)
    radius = np.linalg.norm(spirals.X, axis=1)
    arm = 3 * np.pi * radius / 2.5 + np.where(spirals.y == 1, np.pi, 0.0)
    assert np.allclose(spirals.X, radius[:, None] * np.column_stack([np.cos(arm), np.sin(arm)]))


def test_one_in_twenty_is_positive():
    assert np.mean(load("imbalanced", size=2_000).y == 1) == 0.05


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"board": 1}, "board"),
        ({"board": 2.5}, "board"),
        ({"board": "5"}, "board"),
        ({"border": 0}, "border"),
        ({"border": 0.6}, "border"),
        ({"border": float("nan")}, "border"),
        ({"border": "wide"}, "border"),
    ],
)
def test_refused_options_of_the_board(options, named):
    with pytest.raises(ValueError, match=named):
        load("checkerboard", **options)


def test_waves_are_targets_over_one_axis():
    plain, noisy = load("waves", size=200, noise=0.0, seed=2), load("waves", size=200, seed=2)
    assert plain.task == "regression"
    assert plain.X.shape == plain.X_test.shape == (200, 1)
    np.testing.assert_array_equal(plain.X, noisy.X)
    assert 0.1 < np.std(noisy.y - plain.y) < 0.2
