"""DC-Pred++ on the stage: frames amid the work, cells and landmarks in the scene, the tiles, a regression."""

import numpy as np
import pytest
from bokeh.models import LinearColorMapper
from bokeh.plotting import figure
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC

from engine import DCPredRegressor, datasets
from engine.systems.dcpred.compressed_model import CompressedModel
from engine.systems.dcpred.events import (
    KernelApproximated,
    LandmarksChosen,
    LeafCompressed,
    LeafTrained,
    TreeGrown,
    TreeSplit,
)
from explorer.figures.annotation import Annotation
from explorer.figures.charts import Charts
from explorer.notebook import explore, watch
from explorer.registry import presentation
from explorer.replay.lookup import Replay
from explorer.systems.dcpred.overlay import Compression
from explorer.systems.dcpred.overlay_regression import Regressors
from explorer.systems.dcpred.reader import cells_of
from explorer.systems.dcpred.view import PredictionView
from tests.support import replays
from tests.support.replays import check_refused, check_reopened, last_frame, moments, of_kind
from tests.support.stage import play_to_the_end, settle, stage_on, tick

SETTINGS = {
    "dcpred": {"C": 1.0, "gamma": 4.0, "n_leaves": 8, "landmark_ratio": 0.15, "n_jobs": 1},
    "dcpred-ridge": {"alpha": 0.3, "gamma": 4.0, "n_leaves": 5, "landmark_ratio": 0.05, "n_jobs": 1},
}
WINDOW = (-2.5, 2.5, -2.2, 2.2)


def replay_of(data, solver="dcpred", **settings):
    return replays.replay_of(solver, data, **{**SETTINGS[solver], **settings})


@pytest.fixture(scope="module")
def replay(board):
    return replay_of(board)


@pytest.fixture(scope="module")
def waves():
    return replay_of(datasets.load("waves", size=250), "dcpred-ridge")


@pytest.fixture
def stage():
    with stage_on("dcpred", "?data=checkerboard-filled&size=400&C=1&gamma=4&n_leaves=8&landmark_ratio=0.15") as made:
        yield made


# ---- frames ----


@pytest.mark.parametrize("settings", [
    {}, {"pseudo": "triangle"}, {"pseudo": "none"}, {"bottom_up": True}, {"branching": 3}, {"instruments": "none"},
    {"landmark_ratio": 1.0},
])  # fmt: skip
def test_every_moment_is_told_and_drawn_and_the_last_is_the_engines_machine(board, settings):
    replay = replay_of(board, **settings)
    replay.reader.check()
    view, overlay = PredictionView(dark=True), Compression(figure())
    for cursor, frame in moments(replay):
        if frame is not None:
            view.draw(replay, cursor, frame, 7 if cursor % 2 else None)
            overlay.draw(replay, frame, WINDOW, 7 if cursor % 2 else None)
    view.end()
    last = last_frame(replay)
    expected = CompressedModel.of(last.event).values(board.X_test)[:, 0]
    np.testing.assert_allclose(replay.reader.values(last, board.X_test, compressed=True), expected, atol=1e-3)


def test_a_leaf_that_keeps_its_machine_is_said_to(board):
    replay, act = replay_of(board, landmark_ratio=1.0), presentation("dcpred")
    told = [act.story(replay, k) for k in range(len(replay)) if isinstance(replay.event(k), LandmarksChosen)]
    assert told
    assert all("nothing to spare" in text for text in told)


def test_a_leafs_exact_machine_is_an_svm_of_its_points(replay):
    [grown] = of_kind(replay, TreeGrown)
    event = of_kind(replay, LeafTrained)[2]
    members = np.flatnonzero(grown.labels == event.leaves[0])
    frame = replay.frame_of(of_kind(replay, LeafTrained)[-1])
    values = replay.reader.values(frame, replay.X[members], compressed=False)
    # The engine's SVM has no bias; scikit-learn's has, so they are compared by what they minimise.
    K = np.exp(-4.0 * ((replay.X[members, None] - replay.X[members]) ** 2).sum(axis=2))
    theirs = SVC(C=1.0, gamma=4.0).fit(replay.X[members], frame.signs[members])
    weights = np.zeros(len(members))
    weights[theirs.support_] = theirs.dual_coef_[0]
    ours = (frame.signs * frame.alpha)[members]
    np.testing.assert_allclose(values, K @ ours, atol=1e-4)

    def dual(weights):
        return 0.5 * weights @ K @ weights - weights @ frame.signs[members]

    assert dual(ours) <= dual(weights) + 1e-3


def test_amid_the_work_leaves_without_a_fast_machine_keep_their_exact_one(replay):
    compressed = of_kind(replay, LeafCompressed)
    frame = replay.frame_of(compressed[3])
    [grown] = of_kind(replay, TreeGrown)
    done = np.isin(grown.labels, [event.leaf for event in compressed[:4]])
    last = last_frame(replay)
    values = replay.reader.values(frame, replay.X, compressed=True)
    np.testing.assert_allclose(values[done], replay.reader.values(last, replay.X, compressed=True)[done], atol=1e-4)
    np.testing.assert_allclose(values[~done], replay.reader.values(last, replay.X, compressed=False)[~done], atol=1e-4)
    drawn = replay.reader.drawn(frame)
    assert len(drawn.weights) == np.count_nonzero(frame.alpha[~done])
    assert not len(replay.reader.drawn(last).weights)


def test_costs_and_accuracies_are_those_the_engine_tells(replay):
    last = last_frame(replay)
    assert last.leaves.mean(last.leaves.costs) == pytest.approx(last.event.cost)
    assert last.leaves.mean(last.leaves.exact_costs) == pytest.approx(last.event.exact_cost)
    train, test = replay.reader.accuracy(last)
    assert train == pytest.approx(100 * last.event.quality)
    assert 70 < test <= 100


def test_three_classes_share_the_leaves():
    data = datasets.load("gaussians", size=240)
    replay = replay_of(data, n_leaves=4, gamma=0.5)
    last = last_frame(replay)
    assert replay.reader.accuracy(last)[0] == pytest.approx(100 * last.event.quality, abs=0.5)
    assert {replay.frame_of(event).task.name for event in of_kind(replay, LeafTrained)} == {
        f"{name} against the rest" for name in range(3)
    }
    assert presentation("dcpred").numbers(replay, len(replay) - 1)["field"] == "0 against the rest"


# ---- the scene ----


def test_cells_are_where_points_are_routed_to(replay):
    cells = cells_of(of_kind(replay, TreeSplit), WINDOW, replay.plane)
    [grown] = of_kind(replay, TreeGrown)
    assert set(cells) == set(grown.leaves.tolist())
    for leaf, node in enumerate(grown.leaves.tolist()):
        corners = cells[node]
        ahead = np.roll(corners, -1, axis=0) - corners
        away = replay.X[grown.labels == leaf][:, None] - corners
        assert (ahead[:, 0] * away[..., 1] - ahead[:, 1] * away[..., 0] >= -1e-4).all()  # left of every edge
    area = sum(
        0.5 * abs(np.dot(c[:, 0], np.roll(c[:, 1], -1)) - np.dot(c[:, 1], np.roll(c[:, 0], -1))) for c in cells.values()
    )
    assert area == pytest.approx(5.0 * 4.4)


def test_a_pinned_point_is_linked_to_what_decides_about_it(replay):
    overlay, frame = Compression(figure()), last_frame(replay)
    overlay.draw(replay, frame, WINDOW, 5)
    trace = frame.leaves.fast.trace(replay.X[5])
    assert len(overlay.marks._rays.data["xs"]) == len(trace.landmarks)
    assert f"= {trace.cost:.3g}" in overlay.annotation.source.data["text"][0]
    view = PredictionView(dark=False)
    view.draw(replay, len(replay) - 1, frame, 5)
    view.end()
    total = sum(view._weights.data["weight"]) + trace.intercepts[0]
    assert total == pytest.approx(replay.reader.values(frame, replay.X[[5]], compressed=True)[0], abs=1e-3)
    assert f"{len(trace.nodes) - 1} turns to leaf {trace.leaf + 1}" in view.tree.title.text
    assert view._edges.data["width"].count(4) == len(trace.nodes) - 1


@pytest.mark.parametrize(("width", "ratio"), [(275, 1), (275, 2), (800, 1)])
def test_a_flag_keeps_inside_the_scene(width, ratio):
    plot = figure(tags=[width, 300, ratio])
    flag, text = Annotation(plot, above=8), "leaf 9: 8 pseudo-landmarks, error 38 %"
    for x in (0.0, 0.5, 1.0):
        flag.say(text, (x, 0.0), (0.0, 1.0, 0.0, 1.0))
        [at], half = flag.source.data["x"], 5.6 * len(text) / 2 / width
        assert half <= at <= 1 - half


def test_products_are_drawn_in_the_middle_of_their_landmarks(replay):
    event = of_kind(replay, KernelApproximated)[0]
    overlay = Compression(figure())
    overlay.draw(replay, replay.frame_of(event), WINDOW)
    landmarks = of_kind(replay, LandmarksChosen)[0].landmarks
    middles = landmarks[event.pairs].mean(axis=1)
    np.testing.assert_allclose(overlay.marks._pseudo.data["x"], middles[:, 0], atol=1e-5)
    # A product of two Gaussians falls off from there.
    near, far = (
        np.exp(-4.0 * ((landmarks[event.pairs[0]] - place) ** 2).sum()) for place in (middles[0], middles[0] + 0.1)
    )
    assert near > far


def test_where_exact_and_fast_disagree(replay):
    overlay = Compression(figure())
    overlay.draw(replay, replay.frame_of(of_kind(replay, LeafTrained)[-1]), WINDOW)
    assert not overlay._apart.data["image"]
    frame = last_frame(replay)
    overlay.draw(replay, frame, WINDOW)
    [apart] = overlay._apart.data["image"]
    xs, ys = np.linspace(*WINDOW[:2], apart.shape[1]), np.linspace(*WINDOW[2:], apart.shape[0])
    exact, fast = (replay.reader.field(frame, xs, ys, early) for early in (False, True))
    np.testing.assert_array_equal(apart > 0, (exact > 0) != (fast > 0))
    assert 0 < apart.mean() < 0.3


# ---- tiles and charts ----


def test_tiles_say_what_the_events_say(replay):
    view, frame = PredictionView(dark=False), last_frame(replay)
    view.draw(replay, len(replay) - 1, frame, None)
    compressed = of_kind(replay, LeafCompressed)
    np.testing.assert_allclose(view._ways.data["x1"], [event.cost for event in compressed])
    np.testing.assert_allclose(view._ways.data["y0"], [100 * event.exact_quality for event in compressed])
    kernel = of_kind(replay, KernelApproximated)[-1]
    np.testing.assert_allclose(view.kernel.source.data["image"][1][::-1], kernel.approximation)
    [colours] = view.kernel.plot.select({"type": LinearColorMapper})
    assert (colours.low, colours.high) == (0.0, 1.0)  # both on one scale
    np.testing.assert_allclose(view.errors.source.data["image"][0][::-1], kernel.without - kernel.matrix, atol=1e-6)
    assert len(view._nodes.data["x"]) == 2 * len(compressed) - 1


def test_more_landmarks_are_dearer_and_in_the_end_as_good_as_the_exact_machines(replay):
    view, frame = PredictionView(dark=False), last_frame(replay)
    view.draw(replay, len(replay) - 1, frame, None)
    view._sweep_of.wait(60)
    view.draw(replay, len(replay) - 1, frame, None)
    assert not view.needs_redraw
    for name in ("with", "without"):
        costs, quality = view._swept[name].data["cost"], view._swept[name].data["quality"]
        assert len(costs) == 6
        assert sorted(costs) == costs
        assert quality[-1] > view._swept["exact"].data["quality"][0] - 3
    assert view._swept["own"].data["cost"] == [pytest.approx(frame.event.cost)]


def test_curves_of_cost_and_error(replay):
    act, charts = presentation("dcpred"), Charts(presentation("dcpred").charts, presentation("dcpred").curves)
    charts.draw(replay, 0)
    while charts.pending:
        charts.draw(replay, 0)
    cost, error = charts._sources["cost"].data, charts._sources["kernel-error"].data
    assert cost["cost"][-1] == pytest.approx(replay.recording[-1].cost, rel=1e-5)
    assert cost["cost"][-1] < cost["exact_cost"][-1]
    assert (error["error"] <= error["error_without"] + 1e-4).all()
    assert act.curves.numbers(replay, of_kind(replay, TreeSplit)[0]) == {}


# ---- a regression ----


def test_curves_are_those_of_kernel_ridge_regression_in_each_leaf(waves):
    [grown] = of_kind(waves, TreeGrown)
    frame = last_frame(waves)
    x = waves.X[:, 0]
    for leaf in range(len(grown.sizes)):
        mine = grown.labels == leaf
        mean = waves.recording.header.y[mine].mean()
        model = KernelRidge(alpha=0.3, kernel="rbf", gamma=4.0).fit(
            waves.X[mine], waves.recording.header.y[mine] - mean
        )
        grid = np.linspace(x[mine].min(), x[mine].max(), 20)[:, None]
        values = waves.reader.values(frame, grid, compressed=False)
        np.testing.assert_allclose(values, model.predict(grid) + mean, atol=2e-3)


def test_bands_landmarks_and_gaps_of_a_regression(waves):
    overlay, view = Regressors(figure()), PredictionView(dark=False)
    window = (-0.5, 10.5, -2.0, 2.0)
    for cursor, frame in moments(waves):
        if frame is not None:
            overlay.draw(waves, frame, window, 3 if cursor % 2 else None)
            view.draw(waves, cursor, frame, 3 if cursor % 2 else None)
    view.end()
    bands = overlay._bands.data
    np.testing.assert_allclose(bands["left"][1:], bands["right"][:-1], atol=1e-5)
    assert len(bands["left"]) == 5
    assert np.isnan(overlay._fast.data["y"]).sum() == 4  # between the leaves
    assert len(overlay.marks._marks.data["x"]) == last_frame(waves).event.n_landmarks
    train, test = waves.reader.accuracy(last_frame(waves))
    assert train == pytest.approx(last_frame(waves).event.quality, rel=1e-3)
    assert test < 0.3


def test_a_regression_of_more_dimensions_shows_predictions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    data = datasets.Dataset("given", "Given", X, X[:, 0] + 0.1 * X[:, 1], task="regression")
    replay = replay_of(data, "dcpred-ridge", gamma=0.2)
    overlay = Regressors(figure())
    overlay.draw(replay, last_frame(replay), (-3, 3, -3, 3))
    expected = replay.reader.values(last_frame(replay), X, compressed=True)
    np.testing.assert_allclose(overlay._predicted.data["y"], expected)


def test_the_stage_of_a_regression_plays_and_takes_data_of_its_kind():
    with stage_on("dcpred-ridge", "?data=waves&size=150&n_leaves=3&gamma=4&landmark_ratio=0.1") as stage:
        tick(stage)
        play_to_the_end(stage)
        assert "Finished: converged" in stage.screen.story.object
        assert "Draw" not in stage.data.source.options
        assert set(stage.data.name.options.values()) <= {
            name for name, entry in datasets.catalogue().items() if entry.task == "regression"
        }
        stage._touch("tap", *stage.replay.places[9])
        settle(stage)
        assert stage.pinned == 9
        assert "pseudo" in stage.scene.overlay.annotation.source.data["text"][0]


# ---- the stage ----


def test_the_stage_plays_dcpred_to_its_end(stage):
    tick(stage)
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    assert [name for _, name in stage.transport.marks] == ["tree", "leaves", "compress"]
    split = stage.replay.position(of_kind(stage.replay, TreeSplit)[2])
    stage.playback.go(split)
    settle(stage)
    assert "Divided." in stage.screen.story.object
    assert len(stage.scene.overlay._centres.data["x"]) == 2
    assert np.nanmax(stage.charts._sources["accuracy"].data["test"]) > 75


def test_a_recording_is_played(replay):
    check_reopened(replay)


@pytest.mark.parametrize(("kind", "change"), [
    (TreeGrown, lambda event: {"labels": event.labels[:5]}),
    (TreeGrown, lambda event: {"children": event.children * 0 + 10_000}),
    (LeafTrained, lambda event: {"members": event.members + 10_000}),
    (LandmarksChosen, lambda event: {"landmarks": event.landmarks[:, :1]}),
    (LeafCompressed, lambda event: {"leaf": 10_000}),
])  # fmt: skip
def test_a_damaged_recording_is_refused(replay, kind, change):
    check_refused(replay, kind, change, "its leaves do not fit together")


def test_a_regression_in_a_notebook():
    data = datasets.load("waves", size=100)
    assert explore(data.X, data.y, solver="dcpred-ridge", n_leaves=2)._made[1].task == "regression"
    fit = watch(DCPredRegressor(n_leaves=2, gamma=4.0)).fit(data.X, data.y)
    assert fit.result(60).score(data.X, data.y) > 0.5
    Replay(fit.run.recorded).reader.check()
