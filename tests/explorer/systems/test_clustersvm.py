"""ClusterSVM on the stage: splits and clusters in the scene, the exact answer beside, the tiles."""

from functools import partial

import numpy as np
import pytest
from bokeh.plotting import figure

from engine import SOLVERS, datasets
from engine.systems.clustersvm.events import (
    ClustersMade,
    ClusterSplit,
    ClustersRevised,
    ExactnessChecked,
    ReducedSetMade,
    ReducedTrained,
    RepresentativesChosen,
)
from engine.systems.kernel_svm.events import Iteration
from explorer.registry import presentation
from explorer.share.link import Link
from explorer.systems.clustersvm.overlay import ClusterMarks
from explorer.systems.clustersvm.view import PassesView
from tests.support import replays
from tests.support.replays import check_refused, check_reopened, last_frame, moments, of_kind
from tests.support.stage import play_to_the_end, settle, stage_on, tick

SOLVER, ACT = SOLVERS["clustersvm"], presentation("clustersvm")
SETTINGS = {"C": 10.0, "gamma": 1.0, "n_clusters": 5, "max_passes": None, "working_set": 16, "n_jobs": 1}
LINK = "?data=moons&size=200&C=10&gamma=1&n_clusters=5&max_passes=none&working_set=16"
WINDOW = (-2.0, 3.0, -2.0, 2.0)

replay_of = partial(replays.replay_of, "clustersvm", **SETTINGS)


def wait_for_exact(replay):
    replay.reader.exact(last_frame(replay))
    replay.reader._exact.wait(60)
    assert replay.reader.knows_exact(last_frame(replay))


@pytest.fixture(scope="module")
def replay(moons):
    made = replay_of(moons)
    wait_for_exact(made)
    return made


@pytest.fixture
def stage():
    with stage_on("clustersvm", LINK) as made:
        yield made


def test_split_by_split_the_clusters_come_about(replay):
    splits = of_kind(replay, ClusterSplit)
    (made,) = of_kind(replay, ClustersMade)
    for split in splits:
        clusters = replay.frame_of(split).clusters
        assert clusters.since is split
        np.testing.assert_array_equal(
            clusters.labels[split.members], np.where(split.beyond, split.other, split.cluster)
        )
    np.testing.assert_array_equal(replay.frame_of(splits[-1]).clusters.labels, made.labels)


def test_the_scene_shows_a_split_with_its_direction_and_its_cut(replay):
    overlay = ClusterMarks(figure())
    split = of_kind(replay, ClusterSplit)[1]
    overlay.draw(replay, replay.frame_of(split), WINDOW)
    direction, cut = (
        np.column_stack([source.data["x"], source.data["y"]]) for source in (overlay._direction, overlay._cut)
    )
    along, across = np.diff(direction, axis=0)[0], np.diff(cut, axis=0)[0]
    assert abs(along @ across) < 1e-9
    np.testing.assert_allclose(along / np.hypot(*along), split.direction, atol=1e-6)
    assert abs((cut[0] - split.mean) @ split.direction) < 1e-6  # through the mean
    assert len(overlay._parts.data["xs"]) == 2
    assert str(np.count_nonzero(split.beyond)) in overlay.annotation.source.data["text"][0]
    overlay.draw(replay, last_frame(replay), WINDOW)
    assert not len(overlay._parts.data["xs"])


def test_after_a_look_clusters_have_their_outcome_and_then_their_representatives(replay):
    revised, chosen = of_kind(replay, ClustersRevised)[0], of_kind(replay, RepresentativesChosen)[1]
    reduced = of_kind(replay, ReducedSetMade)[1]
    frame = replay.frame_of(revised)
    np.testing.assert_array_equal(frame.clusters.labels, revised.before)
    assert frame.clusters.outcomes == tuple(revised.outcomes)
    after = replay.frame_of(reduced).clusters
    np.testing.assert_array_equal(after.labels, chosen.labels)
    np.testing.assert_array_equal(np.flatnonzero(after.used), np.sort(reduced.points))
    overlay = ClusterMarks(figure())
    overlay.draw(replay, replay.frame_of(reduced), WINDOW)
    standing = chosen.representatives[chosen.sizes > 0]
    np.testing.assert_allclose(overlay._squares.data["x"], replay.places[standing, 0])
    assert len(overlay._hulls.data["xs"]) == len(standing)


def test_at_the_fixed_point_this_svm_is_the_exact_one(replay):
    frame = last_frame(replay)
    assert isinstance(frame.event, ExactnessChecked)
    exact = replay.reader.exact(frame)
    np.testing.assert_allclose(replay.reader.margins(frame), replay.reader.margins(exact), atol=0.02)
    first = replay.frame_of(of_kind(replay, ReducedTrained)[0])
    assert np.abs(replay.reader.margins(first) - replay.reader.margins(exact)).max() > 0.1
    overlay = ClusterMarks(figure())
    overlay.draw(replay, first, WINDOW)
    assert len(overlay._boundary.data["x"]) > 20


def test_the_tiles_say_what_the_engine_says(replay):
    view = PassesView(dark=False)
    view.draw(replay, len(replay) - 1, last_frame(replay), None)
    revised = of_kind(replay, ClustersRevised)
    assert view._counts.data["pass"] == ["initial", *map(str, range(1, len(revised)))]
    assert view._counts.data["split"] == [event.outcomes.count("split") for event in revised]
    splits = of_kind(replay, ClusterSplit)
    assert len(view.tree._branches.data["xs"]) == len(splits)
    assert max(max(ys) for ys in view.tree._branches.data["ys"]) == max(split.scatter for split in splits)
    leaves = sorted(x for xs in view.tree._branches.data["xs"] for x in xs if x == int(x))
    assert len(set(leaves)) >= len(splits) + 2
    assert len(view._cloud.data["image"]) == 1


def test_in_the_end_no_cluster_is_away_from_where_the_feasible_sets_meet(replay):
    view = PassesView(dark=False)
    clusters = view.feasible._clusters
    first = of_kind(replay, ClustersMade)[0]
    view.draw(replay, replay.position(first), replay.frame_of(first), None)
    assert len(clusters["apart"].data["x"])
    view.draw(replay, len(replay) - 1, last_frame(replay), None)
    assert not len(clusters["apart"].data["x"])
    assert len(clusters["zero"].data["x"]) == len(last_frame(replay).clusters.numbers)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("moons", {}),
        ("moons", {"collapse_bound": True, "C": 0.5}),
        ("moons", {"clustering": "kmeans", "max_passes": 0}),
        ("gaussians", {"max_passes": 1, "kernel": "linear", "working_set": 1024}),
        ("iris", {"max_passes": 1, "working_set": 1024}),
    ],
)
def test_every_moment_has_a_story_a_line_and_a_picture(name, settings):
    data = datasets.load(name, size=120)
    replay = replay_of(data, **settings)
    view, overlay = PassesView(dark=True), ClusterMarks(figure())
    overlay.restyle(True)
    for cursor, frame in moments(replay):
        if frame is not None and not isinstance(replay.event(cursor), Iteration):
            overlay.draw(replay, frame, WINDOW)
            view.draw(replay, cursor, frame, None)
    replay.reader.end()


def test_the_stage_plays_clustersvm_to_its_end(stage):
    tick(stage)
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    names = [name for _, name in stage.transport.marks]
    assert names[:3] == ["clusters", "initial SVM", "margins"]
    stage.replay.reader._exact.wait(60)
    settle(stage)
    assert len(stage.scene.overlay._boundary.data["x"]) > 20
    chart = stage.charts._sources["reduced-set"].data
    assert chart["reduced"][-1] == stage.replay.recording[-1].size < chart["all"][-1] == 200
    search = stage.replay.reader._exact
    stage.close()
    assert not search.running


def test_a_link_keeps_that_there_is_no_limit_of_passes(stage):
    tick(stage)
    link = Link.read(stage.link().query(), SOLVER.settings, ACT.layers)
    assert link.settings["max_passes"] is None
    stage.settings._inputs["max_passes"].value = "2"
    assert stage.settings.values["max_passes"] == 2
    stage.settings._inputs["max_passes"].value = "none"
    assert stage.settings.values["max_passes"] is None


def test_a_recording_is_played(replay):
    check_reopened(replay)


@pytest.mark.parametrize(("kind", "wrong"), [
    (ClusterSplit, {"members": np.array([9999]), "beyond": np.array([True])}),
    (ClustersMade, {"labels": np.zeros(3, int)}),
    (RepresentativesChosen, {"representatives": np.array([9999] * 10)}),
    (ReducedSetMade, {"points": np.array([-1])}),
    (ReducedTrained, {"alpha": np.zeros(3)}),
    (ClustersRevised, {"outcomes": ["split"]}),
    (ExactnessChecked, {"alpha": np.zeros(3)}),
])  # fmt: skip
def test_a_damaged_recording_is_refused(replay, kind, wrong):
    check_refused(replay, kind, wrong)


def test_images_are_smoothed_as_a_preset_or_a_link_says(stage, published):
    """Only of data that are images; another choice forgets it."""
    panel = stage.data
    panel.set({"name": "moons", "size": 200})
    assert not panel.smooth.visible
    assert "smooth" not in panel.choice()
    link = Link.read("?data=usps&size=300&smooth=True", SOLVER.settings, ())
    assert Link.read(link.query(), SOLVER.settings, ()) == link
    with pytest.raises(ValueError, match="True or False"):
        Link.read("?data=usps&smooth=much", SOLVER.settings, ())
    published("usps")
    panel.set(link.data)
    assert panel.smooth.visible
    data, source = panel.load()
    assert source["smooth"]
    np.testing.assert_array_equal(data.X, datasets.load("usps", size=300, smooth=True).X)
    panel.set({"name": "usps", "size": 300})
    assert "smooth" not in panel.choice()
