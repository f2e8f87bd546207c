import numpy as np
import pytest

from engine import datasets
from engine.numerics.kernels import KERNELS, Kernel
from engine.numerics.kmeans import kernel_kmeans
from engine.runtime.counter import Counter
from engine.runtime.run import Run
from engine.systems.dcsvm.partition import OVERSIZED, Router, divide
from engine.systems.dcsvm.theory import between_steps
from tests.naive import dcsvm, kernel_svm

KINDS = ("kernel-kmeans", "kmeans", "random")


def drained(steps):
    """What a generator returns."""
    try:
        while True:
            assert next(steps) is None
    except StopIteration as end:
        return end.value


def partition(X, cells, kind, seed=0, name="rbf", gamma=0.5, **how):
    kernel = Kernel.fit(X, name, gamma, degree=2, coef0=1.0)
    points = kernel.points(X)
    return drained(divide(kernel, points, cells, kind, 1000, np.random.default_rng(seed), **how)), kernel, points


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", KERNELS)
def test_every_point_has_a_cell_and_new_points_find_theirs(kind, name):
    X = np.random.default_rng(0).normal(size=(600, 3))
    found, kernel, points = partition(X, 16, kind, name=name)
    assert found.sizes.sum() == 600
    assert len(found) >= 16
    assert np.array_equal(found.sizes, np.bincount(found.labels, minlength=len(found)))
    assert np.array_equal(np.sort(np.concatenate(found.members())), np.arange(600))
    again = Router.from_table(found.router.table(), kernel)
    if kind != "random":
        assert np.array_equal(again.route(points, threads=2), found.labels)
    else:
        assert found.sizes.max() - found.sizes.min() <= 1


@pytest.mark.parametrize("name", KERNELS)
def test_distances_to_centres_as_the_slow_twin_has_them(name):
    X = np.random.default_rng(1).normal(size=(300, 3))
    found, kernel, _ = partition(X, 8, "kernel-kmeans", name=name, gamma=0.05)
    router = found.router
    assert router.scale == 1.0
    # Anchors are sampled points: find them again.
    A = router.anchors.X / (np.sqrt(2 * 0.05) if name == "rbf" else 0.05 if name == "laplacian" else 1.0)
    A = A + kernel.origin
    owner = np.repeat(np.arange(len(router)), np.diff(router.first))
    matrix = [kernel_svm.kernel_matrix(P, A, name, 0.05, 2, 1.0) for P in (X, A)]
    diagonal = np.diagonal(kernel_svm.kernel_matrix(X, X, name, 0.05, 2, 1.0))
    nearest, distances = dcsvm.nearest_centre(*matrix, diagonal, owner)
    clear = distances[1] - distances[0] > 1e-9 * np.abs(diagonal)
    assert clear.mean() > 0.9
    assert np.array_equal(found.labels[clear], nearest[clear])


def test_kernel_kmeans_lowers_its_own_objective_and_leaves_no_cluster_empty():
    X = np.concatenate([np.random.default_rng(2).normal(size=(100, 2)), np.zeros((100, 2))])
    K = kernel_svm.kernel_matrix(X, X, "rbf", 1.0)
    for count in (1, 5, 60, 200):
        owner = drained(kernel_kmeans(K, count, np.random.default_rng(0)))
        assert np.array_equal(np.unique(owner), np.arange(count))
    scatter = lambda owner: sum(  # noqa: E731
        (np.diagonal(K)[owner == c].sum() - K[np.ix_(owner == c, owner == c)].sum() / (owner == c).sum())
        for c in range(5)
    )
    owner = drained(kernel_kmeans(K, 5, np.random.default_rng(0)))
    assert scatter(owner) < 0.7 * scatter(np.arange(200) % 5)


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_one_partition_whatever_the_threads(kind):
    X = np.random.default_rng(3).normal(size=(3000, 5))
    first, second, third = (partition(X, 16, kind, seed, threads=t)[0].labels for seed, t in ((0, 1), (0, 2), (1, 2)))
    assert np.array_equal(first, second)
    assert not np.array_equal(second, third)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ["duplicates", "fewer points than cells", "one point", "constant features"])
def test_nasty_data(kind, case):
    rng = np.random.default_rng(4)
    X = {
        "duplicates": np.repeat(rng.normal(size=(3, 2)), 200, axis=0),
        "fewer points than cells": rng.normal(size=(5, 2)),
        "one point": np.ones((1, 2)),
        "constant features": np.ones((50, 4)),
    }[case]
    found, _, points = partition(X, 16, kind)
    assert found.sizes.sum() == len(X)
    assert found.router.route(points).max() < len(found)


def test_a_narrow_kernel_does_not_throw_all_points_into_one_cell(published):
    published("covtype")
    X = datasets.load("covtype", size=8000).X
    for kind in ("kernel-kmeans", "kmeans"):
        found, kernel, points = partition(X, 64, kind, gamma=32.0)
        assert found.sizes.max() <= OVERSIZED * 8000 / 64 * 1.5
    chance = partition(X, 64, "random", gamma=32.0)[0]
    mass = [drained(between_steps(kernel, points, labels, 2)) for labels in (found.labels, chance.labels)]
    assert mass[0] < 0.5 * mass[1]


def test_samples_come_from_the_support_vectors_first():
    X = np.random.default_rng(5).normal(size=(3000, 2))
    among = np.flatnonzero(X[:, 0] > 0)
    found, _, _ = partition(X, 4, "kernel-kmeans", among=among)
    assert len(found.router.anchors) == 1000
    few = partition(X, 4, "kernel-kmeans", among=among[:10])[0]
    assert len(few.router.anchors) == 1000


@pytest.mark.parametrize("name", KERNELS)
def test_mass_between_cells(name):
    X = np.random.default_rng(6).normal(size=(80, 3))
    found, kernel, points = partition(X, 5, "kmeans", name=name)
    exact = dcsvm.between(kernel_svm.kernel_matrix(X, X, name, 0.5, 2, 1.0), found.labels)
    assert drained(between_steps(kernel, points, found.labels, 1)) == pytest.approx(exact)
    X = np.random.default_rng(6).normal(size=(3000, 3))
    found, kernel, points = partition(X, 5, "kmeans", name=name)
    exact = drained(between_steps(kernel, points, found.labels, 2))
    estimate = drained(between_steps(kernel, points, found.labels, 2, np.random.default_rng(0)))
    assert estimate == pytest.approx(exact, rel=0.2)


def test_a_router_of_arrays_that_do_not_fit_is_refused():
    X = np.random.default_rng(7).normal(size=(100, 2))
    found, kernel, _ = partition(X, 4, "kmeans")
    table = found.router.table()
    for change in ({"first": table["first"][:-1]}, {"offsets": table["offsets"] * np.nan}, {"anchors": X[:3, :1]}):
        with pytest.raises(ValueError, match="do not fit together"):
            Router.from_table({**table, **change}, kernel)


def test_plain_kmeans_sends_points_to_the_nearest_of_its_centres():
    X = np.random.default_rng(0).uniform(-2, 2, (1400, 2)) + 5.0
    kernel = Kernel.fit(X, "rbf", 4.0)
    points = kernel.points(X)
    steps = divide(kernel, points, 64, "kmeans", 1000, np.random.default_rng(0))
    partition = Run(steps, Counter()).result()
    anchors = partition.router.anchors.X
    nearest = ((points.X[:, None] - anchors) ** 2).sum(axis=2).argmin(axis=1)
    assert len(partition) == 64
    assert partition.sizes.min() > 0
    assert np.mean(partition.labels == nearest) > 0.999
