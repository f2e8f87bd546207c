import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from engine import SOLVERS, Recording, datasets
from engine.runtime.counter import Counter
from engine.systems.dcpred.compressed_model import CompressedModel
from engine.systems.dcpred.events import (
    FastFinished,
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from engine.systems.dcpred.learners import squared_hinge
from engine.systems.dcpred.tree import grow
from tests.engine.systems.dcpred.problems import drained, events_leaf, recorded
from tests.naive.dcpred import Naive

DCPRED, RIDGE = SOLVERS["dcpred"], SOLVERS["dcpred-ridge"]


@pytest.mark.parametrize(("pseudo", "branching"), [("products", 2), ("triangle", 3), ("none", 4)])
def test_predictions_as_the_slow_twin_has_them(clouds, pseudo, branching):
    X, y = clouds
    trained, events = recorded(
        DCPRED, X[:1000], y[:1000], n_leaves=9, gamma=0.3, pseudo=pseudo, branching=branching, C=5.0
    )
    twin = Naive(events, 0.3, X[:1000])
    values = trained.model.task_values(X[1000:1200], 2)
    np.testing.assert_allclose(values, [twin.values(x) for x in X[1000:1200]], atol=2e-3, rtol=1e-3)
    fast = trained.model.fast
    for x, value in zip(X[1000:1010], values, strict=False):
        trace = fast.trace(x)
        assert trace.leaf == twin.leaf(x)
        np.testing.assert_allclose(trace.values, value, atol=2e-3, rtol=1e-3)
        assert trace.cost == pytest.approx(twin.machines[trace.leaf].cost)


def test_what_is_told(clouds):
    X, y = clouds
    trained, events = recorded(DCPRED, X, y == 1, n_leaves=8, gamma=0.3)
    kinds = [type(event) for event in events]
    assert kinds.count(TreeSplit) == 7
    [grown] = [event for event in events if isinstance(event, TreeGrown)]
    assert len(grown.sizes) == len(grown.depths) == len(grown.leaves) == 8
    assert np.array_equal(grown.sizes, np.bincount(grown.labels))
    assert np.array_equal(grown.labels, trained.model.fast.tree.route(X))
    last = events[-1]
    assert isinstance(last, FastFinished)
    assert np.array_equal(CompressedModel.of(last).values(X), trained.model.task_values(X, 1))
    trained_leaves = [event for event in events if isinstance(event, LeafTrained)]
    assert last.n_free == sum(event.n_support for event in trained_leaves)
    compressed = [event for event in events if isinstance(event, LeafCompressed)]
    assert [event.leaf for event in compressed] == list(range(8))
    mean = np.average([event.quality for event in compressed], weights=grown.sizes)
    assert mean == pytest.approx(last.quality, abs=2 / len(X))
    assert last.cost == pytest.approx(np.average([event.cost for event in compressed], weights=grown.sizes))
    assert last.cost < last.exact_cost
    assert "inner products" in DCPRED.summary(last)


def test_exact_machines_of_the_leaves_are_those_of_the_dual_solver(clouds):
    X, y = clouds
    _, events = recorded(DCPRED, X[:600], y[:600] == 2, n_leaves=4, gamma=0.5, C=3.0, tol=1e-5)
    for event in events:
        if isinstance(event, LeafTrained):
            part, signs = X[event.members], np.where(y[event.members] == 2, 1.0, -1.0)
            K = rbf_kernel(part, part, gamma=0.5)
            gradient = signs * (K @ (signs * event.alpha)) - 1
            assert (np.minimum(gradient, 0)[event.alpha < 3] > -1e-3).all()
            assert (np.maximum(gradient, 0)[event.alpha > 0] < 1e-3).all()


def test_a_leaf_with_few_support_vectors_keeps_its_machine(clouds):
    X, y = clouds
    trained, events = recorded(DCPRED, X, y, n_leaves=4, gamma=0.3, C=5.0, landmark_ratio=1.0)
    exact = {event.leaf: event for event in events if isinstance(event, LandmarksChosen)}
    told = [event for event in events if isinstance(event, LeafCompressed)]
    assert all(event.quality == event.exact_quality for event in told)
    assert trained.solutions[0].quality == pytest.approx(trained.solutions[0].exact_quality, abs=2e-3)
    assert all(len(event.landmarks) == len(event.support) for event in exact.values())
    _, events = recorded(DCPRED, X, y, n_leaves=4, gamma=0.3, C=5.0, landmark_ratio=1.0, max_landmarks=20)
    assert max(len(event.landmarks) for event in events if isinstance(event, LandmarksChosen)) <= 20


def test_bottom_up_trains_cells_above_the_leaves(clouds):
    X, y = clouds
    trained, events = recorded(DCPRED, X, y == 1, n_leaves=8, gamma=0.3, bottom_up=True)
    trained_cells = [event for event in events if isinstance(event, LeafTrained)]
    above = [event for event in trained_cells if len(event.leaves) > 1]
    assert above
    for event in above:
        assert event.size == sum(np.count_nonzero(events_leaf(events, leaf)) for leaf in event.leaves)
    assert np.mean(trained.model.predict(trained.model.task_values(X, 1)) == (y == 1)) > 0.9


def test_the_machine_on_top_against_a_general_optimiser():
    rng = np.random.default_rng(0)
    F, signs = rng.normal(size=(60, 5)), np.sign(rng.normal(size=60))

    def loss(w):
        return 0.5 * w @ w + 2 * np.square(np.maximum(0, 1 - signs * (F @ w))).sum()

    np.testing.assert_allclose(squared_hinge(F, signs, 2.0), minimize(loss, np.zeros(5), tol=1e-10).x, atol=1e-4)


def test_a_tree_is_as_deep_as_it_must_be():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(4096, 3))
    grown = drained(grow(X, 64, 2, rng, Counter()))
    depths = grown.tree.depths()
    assert len(grown.tree) == 64
    assert depths.mean() < 7
    assert np.array_equal(grown.tree.route(X), grown.labels)
    assert len(drained(grow(np.ones((500, 2)), 8, 2, rng, Counter())).tree) == 1
    wide = drained(grow(X, 60, 16, rng, Counter()))
    assert len(wide.tree) == 60
    assert np.array_equal(wide.tree.route(X), wide.labels)
    assert (wide.tree.children >= 0).sum(axis=1).max() == 16
    assert np.bincount(wide.labels).max() < 4 * 4096 / 60  # as many parts as make leaves of the mean size
    assert set(wide.tree.route(np.full((5, 3), np.nan))) <= set(range(60))  # children that are not there get nobody
    assert len(drained(grow(X, 64, 2, rng, Counter(), np.zeros(4096))).tree) == 1  # one class is not divided


@pytest.mark.parametrize("solver", [DCPRED, RIDGE])
def test_same_seed_same_recording(clouds, solver, tmp_path):
    X, y = clouds
    recordings = [recorded(solver, X[:600], y[:600], n_leaves=6, gamma=0.5, n_jobs=jobs, seed=3)[1] for jobs in (1, 2)]
    for one, two in zip(*recordings, strict=True):
        assert type(one) is type(two)
        for name, value in vars(one).items():
            if name != "stamp":
                assert np.array_equal(value, getattr(two, name), equal_nan=np.asarray(value).dtype.kind == "f"), name
    run = solver.recorded_run(X[:300], y[:300], solver.settings.checked({"n_leaves": 4}))
    assert list(run)
    run.recorded.save(tmp_path / "run.svmrun")
    loaded = Recording.load(tmp_path / "run.svmrun")
    assert np.array_equal(loaded[-1].landmarks, run.recorded[-1].landmarks)


@pytest.mark.parametrize("solver", [DCPRED, RIDGE])
def test_stopped_anywhere_it_can_still_predict(clouds, solver):
    X, y = clouds
    for kind in (TreeSplit, TreeGrown, LeafTrained, LandmarksChosen, KernelApproximated, LeafCompressed, FastFinished):
        run = solver.recorded_run(X[:600], y[:600], solver.settings.checked({"n_leaves": 4}))
        for event in run:
            if isinstance(event, kind):
                run.cancel()
        model = run.result().model
        assert np.isfinite(model.task_values(X, 1)).all()
        assert isinstance(run.latest, FastFinished)
        assert run.latest.stop_reason == ("cancelled" if kind is not FastFinished else "converged")


@pytest.mark.parametrize("change", [
    {"C": 1e8}, {"C": 1e-8}, {"gamma": 1e6}, {"gamma": 1e-8}, {"landmark_ratio": 1.0}, {"pseudo_ratio": 0.0},
    {"pseudo": "triangle", "gamma": 1e6}, {"n_leaves": 1000}, {"landmarks": "random"},
])  # fmt: skip
def test_extreme_settings(clouds, change):
    X, y = clouds
    trained, _ = recorded(DCPRED, X[:200], y[:200], **{"n_leaves": 4, **change})
    assert np.isfinite(trained.model.task_values(X, 1)).all()


@pytest.mark.parametrize(("how", "lost"), [({"landmarks": "sided-kmeans"}, 0.01), ({"tuning": 60}, 0.01), ({}, 0.2)])
def test_nasty_data(how, lost):
    """A landmark for ten support vectors; the exact machines are hardly better, but by weights alpha^2."""
    rng = np.random.default_rng(0)
    twice = np.repeat(rng.normal(size=(50, 3)), 8, axis=0)
    far = rng.normal(size=(400, 3)) + 1e6
    flat = np.column_stack([rng.normal(size=400), np.full(400, 7.0), np.zeros(400)])
    outlier = rng.normal(size=(400, 3))
    outlier[0] = 1e7
    for X in (twice, far, flat, outlier):
        y = (X[:, 0] > np.median(X[:, 0])).astype(int)
        trained, events = recorded(DCPRED, X, y, n_leaves=8, gamma=0.5, C=10.0, **how)
        right = np.mean(trained.model.predict(trained.model.task_values(X, 1)) == y)
        assert right >= events[-1].exact_quality - lost
        assert events[-1].exact_quality > 0.98
        ridge, _ = recorded(RIDGE, X, y.astype(float), n_leaves=8, gamma=0.5, alpha=0.1)
        assert np.isfinite(ridge.model.task_values(X, 1)).all()


def test_two_points_and_one():
    two, _ = recorded(DCPRED, np.array([[0.0], [1.0]]), np.array([0, 1]), gamma=1.0, landmark_ratio=1.0)
    assert np.array_equal(two.model.predict(two.model.task_values(np.array([[0.0], [1.0]]), 1)), [0, 1])
    one, _ = recorded(RIDGE, np.ones((1, 2)), np.array([3.0]))
    assert one.model.task_values(np.zeros((1, 2)), 1)[0, 0] == 3.0


def test_regression_data_are_checked():
    with pytest.raises(ValueError, match="y must be a finite number for each of the 3 rows"):
        RIDGE.recorded_run(np.ones((3, 1)), [1.0, np.nan, 2.0], RIDGE.settings())


@pytest.mark.parametrize(("change", "message"), [
    ({"n_leaves": 0}, "n_leaves must be a whole number from 1"),
    ({"landmark_ratio": 0.0}, "landmark_ratio must be a finite number above 0 to 1"),
    ({"pseudo": "magic"}, "pseudo must be one of products, triangle, none"),
    ({"landmarks": "best"}, "landmarks must be one of weighted-kmeans, sided-kmeans, sided-plain, kmeans, random"),
    ({"branching": 1}, "branching must be a whole number from 2"),
    ({"branching": 17}, "branching must be a whole number from 2 to 16"),
    ({"tuning": -1}, "tuning must be a whole number from 0"),
    ({"max_landmarks": 0}, "max_landmarks must be a whole number from 1"),
])  # fmt: skip
def test_bad_settings_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        DCPRED.settings.checked(change)


def test_usps_weights_beat_none_at_equal_cost(published):
    """By |alpha| against none, all else the same; by alpha^2, as Theorem 3 has it, D is least and more is wrong."""
    published("usps")
    data = datasets.load("usps", size=2000)
    y, y_test = data.y < 5, data.y_test < 5
    right, D, cost = {}, {}, {}
    for strategy in ("sided-kmeans", "sided-plain", "weighted-kmeans"):
        trained, events = recorded(
            DCPRED, data.X, y, C=8, gamma=2**-7, n_leaves=32, landmarks=strategy, instruments="none"
        )
        right[strategy] = np.mean(trained.model.predict(trained.model.task_values(data.X_test, 2)) == y_test)
        D[strategy] = sum(event.objective for event in events if isinstance(event, LandmarksChosen))
        cost[strategy] = events[-1].cost
    assert right["sided-kmeans"] > right["sided-plain"] > right["weighted-kmeans"]
    assert D["weighted-kmeans"] < D["sided-kmeans"] < D["sided-plain"]
    assert cost["sided-kmeans"] == pytest.approx(cost["sided-plain"])
