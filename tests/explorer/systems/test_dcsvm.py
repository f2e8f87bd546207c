"""DC-SVM on the stage: frames amid a level, the early field and its seams, the levels."""

from functools import partial

import numpy as np
import pytest

from engine import DCSVC, SOLVERS, datasets
from engine.learning.model import Model
from engine.systems.dcsvm.events import LevelFinished, LevelJudged, Partitioned, SubproblemSolved
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.charts import Charts
from explorer.registry import presentation
from explorer.replay.decision_field import grid
from explorer.replay.lookup import Replay
from explorer.share.link import Link
from explorer.systems.dcsvm.curves import objective_of
from explorer.systems.dcsvm.levels import best_known, finished_levels
from explorer.systems.dcsvm.reader import CellFrame
from explorer.systems.dcsvm.view import LevelsView
from tests.support import replays
from tests.support.replays import check_refused, check_reopened, last_frame, moments, of_kind
from tests.support.stage import play_to_the_end, settle, stage_on, tick

SETTINGS = {"C": 10.0, "gamma": 4.0, "levels": 2, "working_set": 32, "n_jobs": 1, "bias": False}

replay_of = partial(replays.replay_of, "dcsvm", **SETTINGS)


@pytest.fixture(scope="module")
def replay(board):
    return replay_of(board)


@pytest.fixture
def stage():
    with stage_on("dcsvm", "?data=checkerboard-filled&size=400&C=10&gamma=4&levels=2&working_set=32") as made:
        yield made


def test_amid_a_level_solved_cells_are_new_and_the_others_those_of_the_level_below(replay):
    below, _ = of_kind(replay, LevelFinished)
    _, cells = of_kind(replay, Partitioned)
    solved = [event for event in of_kind(replay, SubproblemSolved) if event.level == cells.level]
    frame = replay.frame_of(solved[1])
    expected = below.alpha.copy()
    for event in solved[:2]:
        expected[cells.labels == event.cluster] = event.alpha
    assert frame.cells is cells
    np.testing.assert_array_equal(frame.alpha, expected)


def test_the_frame_of_a_finished_level_is_its_alpha_in_its_own_cells(replay):
    for level, cells in zip(of_kind(replay, LevelFinished), of_kind(replay, Partitioned), strict=True):
        frame = replay.frame_of(level)
        assert frame.cells is cells
        np.testing.assert_array_equal(frame.alpha, level.alpha)
        last = [event for event in of_kind(replay, SubproblemSolved) if event.level == level.level][-1]
        np.testing.assert_allclose(replay.frame_of(last).alpha, level.alpha, rtol=1e-6)


def test_in_the_end_there_are_no_cells(replay):
    frame = last_frame(replay)
    assert isinstance(frame.event, Iteration)
    assert not isinstance(frame, CellFrame)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
def test_the_early_field_is_what_the_early_model_says(board, kernel, bias):
    replay = replay_of(board, kernel=kernel, stop_level=1, coef0=1.0, gamma=2.0, bias=bias)
    model = DCSVC(
        C=10, kernel=kernel, gamma=2.0, coef0=1.0, levels=2, stop_level=1, n_jobs=1, random_state=0, bias=bias
    )  # the same answer by another way; its working set is another, so it agrees to the tolerance
    model.fit(board.X, board.y)
    frame = last_frame(replay)
    xs, ys = np.linspace(-2, 2, 23), np.linspace(-2, 2, 19)
    values = replay.reader.field(frame, xs, ys)
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    points = replay.kernel.points(places)
    np.testing.assert_allclose(values.ravel(), replay.reader.decision(frame, points), atol=2e-3)
    same = np.sign(values.ravel()) == np.sign(model.decision_function(places))
    assert same.mean() > 0.97


def test_the_other_field_adds_up_all_cells(replay):
    level = of_kind(replay, LevelFinished)[0]
    frame = replay.frame_of(level)
    xs = ys = np.linspace(-2, 2, 21)
    glued = replay.reader.field(frame, xs, ys, local=False)
    points = grid(replay, xs, ys)
    np.testing.assert_allclose(glued.ravel(), replay.reader.decision(frame, points, local=False), atol=2e-3)
    assert not np.allclose(glued, replay.reader.field(frame, xs, ys), atol=1e-2)


def test_margins_amid_a_level_are_those_of_the_cells_models(replay):
    frame = replay.frame_of(of_kind(replay, LevelFinished)[0])
    routed = replay.reader.committee(frame).router.route(replay.points)
    assert np.mean(routed == frame.cells.labels) > 0.99
    right = replay.reader.margins(frame) > 0
    assert right.mean() > 0.9


def test_with_a_bias_no_bound_is_shown_and_the_page_says_why(board):
    replay = replay_of(board, bias=True)
    assert "with bias" in presentation("dcsvm").story(replay, 0)
    view = LevelsView(dark=False)
    view.draw(replay, len(replay) - 1, last_frame(replay), None)
    assert np.isnan(view._gaps.data["bound"]).all()
    assert np.isnan(view._gaps.data["refined"]).all()
    assert np.isfinite(view._gaps.data["gap"]).all()
    assert view._no_bounds.visible
    said = [presentation("dcsvm").story(replay, cursor) for cursor in range(len(replay))]
    assert sum("The bounds of Theorems 1 to 3 hold without a bias." in text for text in said) == 2
    assert not any("Theorem 1 " in text or "Theorem 2" in text for text in said)


def test_levels_know_what_came_later(replay):
    first, second = of_kind(replay, LevelFinished)
    assert [level.finished for level in finished_levels(replay, first)] == [first]
    assert [level.finished for level in finished_levels(replay, second)] == [first, second]
    assert all(level.judged is not None and level.measured is not None for level in finished_levels(replay, second))


def test_the_levels_view_says_what_the_engine_says(replay):
    view = LevelsView(dark=False)
    view.draw(replay, len(replay) - 1, last_frame(replay), None)
    judged = of_kind(replay, LevelJudged)
    np.testing.assert_allclose(view._found.data["recall"], [event.recall for event in judged], atol=0.02)
    np.testing.assert_allclose(view._found.data["precision"], [event.precision for event in judged], atol=0.02)
    np.testing.assert_allclose(view._gaps.data["gap"], [event.gap for event in judged], rtol=1e-6)
    assert (np.array(view._gaps.data["gap"]) <= view._gaps.data["refined"]).all()
    assert (np.array(view._gaps.data["refined"]) <= np.array(view._gaps.data["bound"]) * (1 + 1e-9)).all()
    assert min(view._early.data["accuracy"]) > 80
    assert view._times.data["step"] == ["16", "4", "refine", "gradient", "whole"]


def test_the_levels_view_is_judged_anew_when_a_better_solution_is_known(replay):
    view = LevelsView(dark=False)
    first, second = of_kind(replay, LevelFinished)
    for known, levels, words in ((first, [], "against level 2"), (second, ["16"], "against level 1")):
        so_far = Replay(_until(replay.recording, known))
        view.draw(so_far, len(so_far) - 1, so_far.frame_of(known), None)
        assert view._found.data["level"] == levels  # none is compared with itself
        assert view._against.visible
        assert words in view._against.text
    before = view._found.data["recall"]
    view.draw(replay, 0, replay.frame_of(second), None)
    assert view._found.data["level"] == ["16", "4"]
    assert view._found.data["recall"][0] != before[0]
    assert not view._against.visible


def test_an_early_end_has_no_objective_of_the_whole_problem(board):
    exact, early = replay_of(board), replay_of(board, stop_level=1)
    best = best_known(exact, ())
    assert best_known(early, ()) >= best  # and not that of the cells, which is lower
    assert np.isnan(objective_of(early.recording[-1]))


def test_levels_with_as_many_cells_have_names_of_their_own():
    replay = replay_of(datasets.load("moons", size=60), levels=5)
    view = LevelsView(dark=False)
    view.draw(replay, len(replay) - 1, last_frame(replay), None)
    assert len(set(view._levels.factors)) == len(view._levels.factors) == 5


def test_margins_are_true_in_refinement_too(replay):
    refined = [event for event in of_kind(replay, Iteration) if not event.active.all()]
    for event in (refined[0], refined[-1], of_kind(replay, Iteration)[-1]):
        frame = replay.frame_of(event)
        expected = frame.signs * replay.reader.decision(frame, replay.points)
        np.testing.assert_allclose(replay.reader.margins(frame), expected, atol=5e-3)


def test_many_cells_are_soon_looked_up():
    replay = replay_of(datasets.load("checkerboard-filled", size=600), levels=4, sample_size=600)
    solved = of_kind(replay, SubproblemSolved)
    members = replay.reader.cell_members(of_kind(replay, Partitioned)[0])
    assert sum(map(len, members)) == 600
    charts = Charts(presentation("dcsvm").charts, presentation("dcsvm").curves)
    charts.draw(replay, 0)
    assert 0 < charts.pending < len(solved) + len(replay)  # a moment's worth at a time
    while charts.pending:
        charts.draw(replay, 0)
    assert len(charts._numbers) >= len(solved)


def test_what_is_measured_is_not_the_solvers_work(board):
    measured, plain = (replay_of(board, instruments=which).recording[-1] for which in ("all", "none"))
    assert measured.stamp.evaluations == plain.stamp.evaluations


def _until(recording, last):
    kept = type(recording)(recording.header)
    for event in recording:
        kept.append(event)
        if event is last:
            return kept
    raise AssertionError("no such event")


def test_the_stage_plays_dcsvm_to_its_end(stage):
    tick(stage)
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    assert stage.transport.marks[0][1] == "level 2 · 16"
    names = [name for _, name in stage.transport.marks if name != "look at all"]
    assert names[1:] == ["level 1 · 4", "refine", "gradient", "whole"]
    assert not len(stage.scene.overlay._seams.data["x"])
    assert np.nanmax(stage.charts._sources["accuracy"].data["test"]) > 85


def test_a_cell_is_named_and_its_seams_are_drawn(stage):
    tick(stage)
    play_to_the_end(stage)
    solved = [k for k, event in enumerate(stage.replay.recording) if isinstance(event, SubproblemSolved)]
    stage.playback.go(solved[3])
    settle(stage)
    event = stage.replay.event(solved[3])
    assert len(stage.scene.overlay._seams.data["x"]) > 50
    assert stage.scene.overlay.annotation.source.data["text"] == [
        f"cell {event.cluster + 1}: {event.size:,} points, {event.n_support:,} SVs"
    ]
    assert f"cell {event.cluster + 1}" in stage.screen.story.object


def test_every_event_of_dcsvm_has_a_story_and_a_line(replay):
    assert len([*moments(replay)]) == len(replay)


def test_a_recording_of_dcsvm_is_played_and_a_damaged_one_refused(replay):
    check_reopened(replay)
    check_refused(replay, Partitioned, lambda event: {"labels": event.labels[:5]})


def test_three_classes_go_pair_by_pair():
    data = datasets.load("gaussians", size=240)
    replay = replay_of(data, levels=1)
    paths = {event.stamp.path for event in of_kind(replay, LevelFinished)}
    assert len(paths) == 3
    for event in of_kind(replay, SubproblemSolved):
        frame = replay.frame_of(event)
        assert len(frame.alpha) == len(frame.members)


def test_a_link_may_name_layers_of_its_own():
    act, table = presentation("dcsvm"), SOLVERS["dcsvm"].settings
    assert Link.read("?layers=cells,early field", table, act.layers).layers == ["cells", "early field"]
    with pytest.raises(ValueError, match="layers"):
        Link.read("?layers=cells", SOLVERS["kernel-svm"].settings, presentation("kernel-svm").layers)


def test_the_snippet_of_dcsvm_runs(stage):
    tick(stage)
    play_to_the_end(stage)
    stage.share_row.show_python()
    names: dict = {}
    exec(stage.share_row.code.replace("    print", "    None and print"), names)
    assert isinstance(names["model"], Model)
