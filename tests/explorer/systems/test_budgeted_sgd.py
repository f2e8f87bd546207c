"""Budgeted SGD on the stage: frames of a budget, merges in the scene, the surfaces, the strategies."""

from functools import partial

import numpy as np
import pytest
from bokeh.plotting import figure

from engine import datasets
from engine.systems.budgeted_sgd.events import BudgetChosen, BudgetMaintained, StepsTaken, StrategiesCompared
from engine.systems.budgeted_sgd.merging import PRECISE, golden_section
from explorer.registry import presentation
from explorer.replay.decision_field import grid
from explorer.replay.lookup import Replay
from explorer.replay.playback import Playback
from explorer.systems.budgeted_sgd.overlay import Merges
from explorer.systems.budgeted_sgd.view import MergeView, kept, surfaces
from tests.support import replays
from tests.support.replays import check_refused, last_frame, moments, of_kind
from tests.support.stage import play_to_the_end, settle, stage_on, tick

SETTINGS = {"C": 10.0, "gamma": 4.0, "budget": 15, "lam": None, "epochs": 3}

replay_of = partial(replays.replay_of, "budgeted-sgd", **SETTINGS)


@pytest.fixture(scope="module")
def finished(moons):
    return replays.replay_and_result("budgeted-sgd", moons, **SETTINGS)


@pytest.fixture(scope="module")
def replay(finished):
    return finished[0]


@pytest.fixture
def stage():
    with stage_on("budgeted-sgd", "?data=moons&size=200&C=10&gamma=4&budget=15&epochs=3") as made:
        yield made


def test_the_last_frame_decides_as_the_model_does(finished):
    replay, trained = finished
    frame = last_frame(replay)
    X = replay.test_data[0]
    expected = trained.model.task_values(X, 1)[:, 0]
    np.testing.assert_allclose(replay.reader.decision(frame, replay.kernel.points(X)), expected, rtol=1e-3, atol=1e-3)


def test_the_field_is_the_decision_function(replay):
    frame = replay.frame_of(of_kind(replay, StepsTaken)[-1])
    xs, ys = np.linspace(-1, 2, 17), np.linspace(-1, 1, 13)
    values = replay.reader.field(frame, xs, ys)
    expected = replay.reader.decision(frame, grid(replay, xs, ys))
    np.testing.assert_allclose(values.ravel(), expected, rtol=1e-3, atol=2e-3)


def test_the_frame_of_a_merge_is_what_is_left_after_it(replay):
    merge = next(event for event in of_kind(replay, BudgetMaintained) if event.kind == "merge")
    frame = replay.frame_of(merge)
    assert len(frame.budget.coefficients) == len(merge.coefficients) - 1
    assert frame.budget.merged.sum() == 1 + (merge.sources < 0).sum()  # the first merge of all
    np.testing.assert_allclose(frame.budget.vectors[frame.budget.merged][0], merge.z)
    point = next(k for k in range(len(frame.alpha)) if frame.alpha[k] > 0)
    assert point in merge.sources


def test_a_training_point_in_the_budget_has_its_coefficient(replay):
    event = of_kind(replay, StepsTaken)[0]
    source = int(event.sources[event.sources >= 0][0])
    expected = abs(event.coefficients[list(event.sources).index(source)])
    assert replay.alpha_of(source, event) == pytest.approx(expected)


def test_surfaces_mirror_each_other_and_jump():
    h, wd = surfaces(41)
    np.testing.assert_allclose(h[:, ::-1][:, :20], 1 - h[:, :20], atol=1e-6)
    np.testing.assert_allclose(wd, wd[:, ::-1], atol=1e-6)
    assert (wd >= 0).all()
    assert h[0, 19] < 0.01
    assert h[0, 21] > 0.99
    assert abs(h[-1, 21] - h[-1, 19]) < 0.1


def test_the_curve_has_its_top_where_the_search_finds_it():
    for m, kappa in ((0.3, 0.5), (0.1, 0.9), (0.45, 0.05)):
        h = np.linspace(0, 1, 2001)
        assert h[kept(m, kappa, h).argmax()] == pytest.approx(golden_section(m, kappa, PRECISE), abs=1e-3)


def test_the_view_shows_the_candidates_and_the_winner(replay):
    view = MergeView(dark=False)
    merge = next(event for event in of_kind(replay, BudgetMaintained) if event.kind == "merge")
    view.draw(replay, replay.position(merge), replay.frame_of(merge), None)
    assert len(view._candidates.data["m"]) == len(merge.candidates)
    won = list(merge.candidates).index(merge.partner)
    assert view._winner.data["m"] == [merge.m[won]]
    assert view.m.value == pytest.approx(merge.m[won], abs=0.006)


def test_a_slider_moves_the_curve_and_merges_no_longer_do(replay):
    view = MergeView(dark=False)
    merges = [event for event in of_kind(replay, BudgetMaintained) if event.kind == "merge"]
    view.draw(replay, 0, replay.frame_of(merges[0]), None)
    view.m.value, view.kappa.value = 0.5, 0.05
    assert view.needs_redraw
    view.draw(replay, 0, replay.frame_of(merges[1]), None)
    assert view._place.data == {"m": [0.5], "kappa": [0.05]}
    assert view._modes.text == "two modes"
    assert len(view._top.data["h"]) == 2
    view.kappa.value = 0.9
    view.draw(replay, 0, replay.frame_of(merges[1]), None)
    assert view._modes.text == "one mode"


def test_the_strategies_are_compared_and_timed(replay):
    view = MergeView(dark=True)
    told = of_kind(replay, StrategiesCompared)
    view.draw(replay, replay.position(told[0]) - 1, replay.frame_of(of_kind(replay, StepsTaken)[0]), None)
    assert np.isnan(view._agree.data["agreement"]).all()  # nothing is known yet
    view.draw(replay, len(replay) - 1, last_frame(replay), None)
    assert view._agree.data["agreement"] == pytest.approx((100 * told[-1].agreement).tolist())
    assert all(whole > 0 for whole in view._times.data["whole"])


def test_a_race_runs_every_strategy_on_the_same_stream(replay):
    view = MergeView(dark=False)
    frame = last_frame(replay)
    view.draw(replay, len(replay) - 1, frame, None)
    view.begin_race()
    view._race_of.wait(60)
    view.clear()  # the cursor before the first frame: the race is still there
    view.draw(replay, len(replay) - 1, frame, None)
    assert len(view._race.data["name"]) == 6
    assert all(share > 50 for share in view._race.data["accuracy"])
    assert not view.needs_redraw
    view.forget()
    assert not view._race.data["name"]


def test_a_race_ends_with_its_stage(stage):
    tick(stage)
    play_to_the_end(stage)
    stage.view.begin_race()
    race = stage.view._race_of
    stage.close()
    race.wait(30)
    assert not race.running
    assert len(race.results) < 6


def test_a_step_to_the_next_merge_goes_as_far_as_it_takes(moons):
    run = replays.run_of("budgeted-sgd", moons, **SETTINGS)
    sizes = presentation("budgeted-sgd").step_sizes
    player = Playback(Replay(run.recorded), run.start(paused=True), sizes, playing=False, step_size="merge")
    for expected in (1, 2):
        player.step(1)
        for _ in range(2000):
            player.tick(0.04)
            event = player.replay.event(player.cursor)
            if isinstance(event, BudgetMaintained) and event.number == expected:
                break
            run.join(0.005)
        assert event.number == expected
    run.cancel()
    run.join()


def test_the_stage_plays_budgeted_sgd_to_its_end(stage):
    tick(stage)
    play_to_the_end(stage)
    assert "Finished: all passes done" in stage.screen.story.object
    assert [name for _, name in stage.transport.marks] == ["pass 1", "pass 2", "pass 3"]
    assert 0 < len(stage.scene._support.data["x"]) <= 15
    assert {"circle_x", "triangle_dot"} & set(stage.scene._support.data["marker"])  # merged ones are told apart
    assert np.isfinite(stage.charts._sources["objective"].data["objective"]).all()
    assert "merge" in stage.transport.sizes


def test_two_vectors_slide_into_one(stage):
    tick(stage)
    play_to_the_end(stage)
    events = enumerate(stage.replay.recording)
    position, merge = next((k, e) for k, e in events if isinstance(e, BudgetMaintained) and e.kind == "merge")
    stage.playback.go(position)
    settle(stage)
    overlay = stage.scene.overlay
    assert overlay.needs_redraw
    assert f"Merge {merge.number}." in stage.screen.story.object
    assert "lost" in overlay.annotation.source.data["text"][0]
    overlay._since -= 10
    stage.refresh.ask("scene")
    settle(stage)
    end = stage.replay.plane.project(np.asarray(merge.z, float)[None])[0]
    np.testing.assert_allclose(overlay._partners.data["x"], [end[0]] * 2, atol=1e-6)
    assert not overlay.needs_redraw


@pytest.mark.parametrize("maintenance", ["removal", "projection"])
def test_what_has_no_partner_has_a_story_too(moons, maintenance):
    replay = replay_of(moons, maintenance=maintenance)
    assert len([*moments(replay)]) == len(replay)
    overlay = Merges(figure())
    overlay.draw(replay, replay.frame_of(of_kind(replay, BudgetMaintained)[0]), (-1, 1, -1, 1))
    assert maintenance in overlay.annotation.source.data["text"][0]


def test_every_event_of_budgeted_sgd_has_a_story(replay):
    assert len([*moments(replay)]) == len(replay)


def test_three_classes_end_in_a_frame():
    replay = replay_of(datasets.load("gaussians", size=150), epochs=1)
    replay.reader.check()
    frame = last_frame(replay)
    assert len(frame.budget.coefficients)
    assert np.isfinite(replay.reader.accuracy(frame)).all()


def test_damaged_vectors_are_refused(replay):
    replay.reader.check()
    check_refused(replay, StepsTaken, lambda event: {"vectors": event.vectors[:, :1]})


@pytest.mark.parametrize(
    "wrong",
    [
        {"first": -99},
        {"partner": 10_000},
        {"candidates": np.array([99])},
        {"m": np.zeros(1)},
        {"z": np.zeros(7)},
        {"coefficients": np.full(16, np.nan)},
    ],
)
def test_a_damaged_merge_is_refused(replay, wrong):
    check_refused(replay, BudgetMaintained, wrong)


def test_a_chosen_budget_is_told_and_used(moons):
    replay = replay_of(moons, budget="auto", lam="auto")
    page = presentation("budgeted-sgd")
    [chosen] = of_kind(replay, BudgetChosen)
    said = [page.story(replay, cursor) for cursor in range(len(replay))]
    assert f"Chosen: {chosen.budget:,} vectors, λ = " in said[0]
    assert "held back" in said[0]
    assert f"at most {chosen.budget:,} vectors" in said[1]
    assert any(f"of {chosen.budget:,} vectors are in use" in text for text in said)
    assert all(page.line(event) for event in replay.recording)
    assert page.numbers(replay, len(replay) - 1)["vectors"].endswith(f"of {chosen.budget:,}")
