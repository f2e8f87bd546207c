"""The interior-point method on the stage: pivots in the scene, the central path, matrices, a coarse start."""

from functools import partial

import numpy as np
import pytest
from bokeh.plotting import figure

from engine import datasets
from engine.systems.interior_point.events import (
    ColdStart,
    Factorised,
    InteriorFinished,
    InteriorIteration,
    PivotsChosen,
    SchemeSwitched,
)
from engine.systems.interior_point.settings import SCHEMES
from explorer.registry import presentation
from explorer.systems.interior_point.overlay import Pivots
from explorer.systems.interior_point.view import CentralPathView
from tests.naive.kernel_svm import kernel_matrix
from tests.support import replays
from tests.support.replays import check_refused, last_frame, moments, of_kind
from tests.support.stage import play_to_the_end, settle, stage_on, tick

SETTINGS = {"C": 10.0, "gamma": 1.0, "rank": 30, "coarse_rank": 12}

replay_of = partial(replays.replay_of, "interior-point", **SETTINGS)


@pytest.fixture(scope="module")
def replay(moons):
    return replay_of(moons)


@pytest.fixture
def stage():
    with stage_on("interior-point", "?data=moons&size=200&C=10&gamma=1&rank=30&coarse_rank=12") as made:
        yield made


def view_at(replay, event):
    view = CentralPathView(dark=False)
    position = replay.position(event)
    view.draw(replay, position, replay.frame(position), None)
    return view


@pytest.mark.parametrize("scheme", SCHEMES)
def test_any_scheme_is_told_and_drawn_at_every_event(moons, scheme):
    replay, trained = replays.replay_and_result("interior-point", moons, **SETTINGS, scheme=scheme)
    replay.reader.check()
    view, overlay = CentralPathView(dark=True), Pivots(figure())
    for cursor, frame in moments(replay):
        if frame is not None:
            view.draw(replay, cursor, frame, 7)
            overlay.draw(replay, frame, (-1, 2, -1, 1))
    X = replay.test_data[0]
    expected = trained.model.task_values(X, 1)[:, 0]
    np.testing.assert_allclose(
        replay.reader.decision(last_frame(replay), replay.kernel.points(X)), expected, rtol=1e-3, atol=5e-3
    )


def test_an_iterate_decides_by_the_matrix_that_was_factorised(replay):
    event = [event for event in of_kind(replay, InteriorIteration) if event.of_phase][2]
    frame = replay.frame_of(event)
    K = kernel_matrix(replay.X, replay.X, "rbf", 1.0)
    pivots = frame.factor.pivots_used
    assert len(pivots) == 12
    nystrom = K[:, pivots] @ np.linalg.solve(K[np.ix_(pivots, pivots)], K[pivots])
    expected = nystrom @ (frame.signs * event.alpha) + event.intercept
    found = replay.reader.decision(frame, replay.points)
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-2 * np.abs(expected).max())


def test_pivots_appear_and_the_residual_shrinks(replay):
    overlay, chosen = Pivots(figure()), of_kind(replay, PivotsChosen)
    window = (-1.5, 2.5, -1, 1.5)
    painted = []
    for event in (chosen[0], chosen[5]):
        overlay.draw(replay, replay.frame_of(event), window)
        assert len(overlay._chosen.data["x"]) == event.rank
        assert len(overlay._fresh.data["x"]) == len(event.pivots)
        assert overlay.annotation.source.data["text"] == [f"pivot {event.rank}"]
        painted.append(int(overlay._halos.data["image"][0].view(np.uint8)[:, 3::4].sum()))
    assert painted[1] < painted[0]
    overlay.draw(replay, replay.frame_of(of_kind(replay, InteriorIteration)[0]), window)
    assert not overlay.annotation.source.data["text"]


def test_support_vectors_are_the_alphas_that_are_not_near_zero(replay):
    first, *_, last = of_kind(replay, InteriorIteration)
    assert len(replay.reader.drawn(replay.frame_of(first)).weights) == 200  # all inside their bounds
    assert len(replay.reader.drawn(replay.frame_of(last)).weights) < 60
    assert replay.frame_of(last).at_bound.any()


def test_the_trace_and_the_steps_are_those_of_the_events(replay):
    view = view_at(replay, replay.recording[-1])
    values = np.concatenate([event.values for event in of_kind(replay, PivotsChosen)])
    np.testing.assert_allclose(view._trace.data["pivot"], np.maximum(values / values[0], 1e-8), rtol=1e-5)
    assert view._coarse.location == 12
    made = [event for event in of_kind(replay, InteriorIteration) if event.of_phase]
    assert view._steps.data["step"] == [event.step for event in made]
    assert len(set(view._steps.data["colour"])) == 2  # coarse and fine
    assert view._mu.location == pytest.approx(np.log10(made[-1].mu))


def test_what_the_coarse_start_saved_is_said_when_it_is_known(replay):
    [cold], [switched] = of_kind(replay, ColdStart), of_kind(replay, SchemeSwitched)
    view = view_at(replay, switched)
    assert view._saved.text == "12 columns used again"
    assert list(view._gaps["coarse"].data["x"])[-1] == 0
    view = view_at(replay, cold)
    assert view._saved.text == f"fine: {cold.warm} iterations, alone {cold.iterations}"
    assert list(view._gaps["cold"].data["gap"]) == cold.gaps.tolist()


def test_a_kronecker_product_shows_its_factors_and_its_error(moons):
    replay = replay_of(moons, scheme="kronecker+icf")
    first, second = of_kind(replay, Factorised)
    matrices = view_at(replay, first).matrices
    assert [image.shape for image in matrices.parts.source.data["image"]] == [first.left.shape, first.right.shape]
    np.testing.assert_allclose(matrices.rest.source.data["image"][0][::-1], first.difference, rtol=1e-6)
    assert "B ⊗ C" in matrices.rest.plot.title.text
    matrices = view_at(replay, second).matrices
    assert len(matrices.parts.source.data["image"]) == 1
    assert "HHᵀ" in matrices.rest.plot.title.text


def test_the_stage_plays_to_its_end(stage):
    tick(stage)
    play_to_the_end(stage)
    assert "Finished: approximate" in stage.screen.story.object
    assert stage.transport.marks[1][1] == "interior point · icf 12"
    curves = stage.charts._sources["gaps"].data
    assert np.isfinite(curves["gap_exact"]).all()
    assert np.nanmin(curves["gap_instead"]) < 1e-3 * curves["gap_instead"][0]
    stage.playback.go(0)
    settle(stage)
    assert not len(stage.view._trace.data["trace"])


def test_decomposition_goes_on_where_the_iterations_were(moons):
    with stage_on("interior-point", "?data=moons&size=200&C=10&gamma=1&rank=30&scheme=icf%2Bdecomposition") as made:
        tick(made)
        play_to_the_end(made)
        x = made.charts._sources["accuracy"].data["x"]
        assert (np.diff(x) >= 0).all()
        assert made.view._saved.text == "handed over to decomposition"


def test_ranks_are_typed(stage):
    field = stage.settings._inputs["rank"]
    field.value = "25"
    assert stage.settings.values["rank"] == 25
    field.value = "many"
    stage.begin()
    assert "rank must be a whole number from 1" in stage.screen.message.object
    stage.settings.set({"rank": "auto"})
    assert field.value == "auto"


def test_three_classes_end_in_a_frame():
    replay = replay_of(datasets.load("gaussians", size=150))
    replay.reader.check()
    frame = last_frame(replay)
    assert isinstance(frame.event, InteriorFinished)
    assert frame.event.stamp.path  # of the last task; the end of all has no alpha
    assert np.isfinite(replay.reader.accuracy(frame)).all()
    assert presentation("interior-point").story(replay, len(replay) - 1)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (PivotsChosen, {"pivots": np.array([999])}),
        (PivotsChosen, {"residual": np.zeros(3)}),
        (Factorised, {"difference": np.zeros((2, 3))}),
        (InteriorIteration, {"alpha": np.zeros(3)}),
        (InteriorIteration, {"products": np.zeros(200)}),
        (InteriorFinished, {"vectors": np.array([-1])}),
        (SchemeSwitched, {"alpha": np.zeros(3)}),
        (ColdStart, {"gaps": np.zeros((2, 2))}),
    ],
)
def test_a_damaged_recording_is_refused(replay, kind, wrong):
    check_refused(replay, kind, wrong)
