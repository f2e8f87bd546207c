import gc
import time
import weakref
from dataclasses import replace

import numpy as np
import pytest

from engine import SOLVERS, KernelSVC, datasets
from engine.events import Iteration
from explorer.browser import Browser
from explorer.limits import Limits
from explorer.page import plain_page
from explorer.plane import Plane
from explorer.pool import SERVER, Pool
from explorer.replay import Replay
from explorer.sketch import Sketch
from explorer.solvers import acts
from explorer.stage import Stage


def settle(stage):
    """Until nothing is left to draw."""
    tick(stage)
    while stage._todo or stage.charts.pending:
        tick(stage)


def tick(stage):
    stage.tick()
    stage._drawn = stage.browser.frame  # as a browser would say


def wait_until(stage, condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        tick(stage)
        time.sleep(0.005)


def play_to_the_end(stage):
    end = time.monotonic() + 60
    tick(stage)
    stage.player.speed = 0.0
    while stage.player.playing or stage.player.running or stage.charts.pending:
        assert time.monotonic() < end
        tick(stage)
        time.sleep(0.005)
    settle(stage)


@pytest.fixture
def stage():
    made = Stage()
    made.begin()
    yield made
    made.close()


def test_the_first_screen_is_already_running(stage):
    assert stage.player.playing
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    assert len(stage.scene._support.data["x"]) > 50
    assert np.isfinite(stage.charts._sources["accuracy"].data["train"]).all()


def test_every_preset_runs(stage):
    for k in range(1, len(stage.act.presets)):
        stage.screen.presets.value = k
        play_to_the_end(stage)
        assert "Finished" in stage.screen.story.object
        assert not stage.screen.message.visible


def test_any_moment_can_be_drawn_in_any_order(stage):
    play_to_the_end(stage)
    rng = np.random.default_rng(0)
    for position in rng.integers(0, len(stage.replay), 30):
        stage.player.go(int(position))
        settle(stage)
    stage.restyle(True)
    settle(stage)
    stage.screen.axis.value = "solver seconds"
    tick(stage)
    assert stage.charts.axis == "solver seconds"


def test_a_wrong_value_is_named_and_the_page_goes_on(stage):
    stage.settings.values["C"] = -3.0
    stage.begin()
    assert stage.screen.message.visible
    assert "C must be a finite number above 0 to 1e100; got -3.0" in stage.screen.message.object
    stage.settings.values["C"] = 3.0
    stage.begin()
    assert not stage.screen.message.visible
    play_to_the_end(stage)


def test_the_field_is_the_models_decision_function(finished):
    data = datasets.load("moons", size=120)
    model = KernelSVC(C=5.0, gamma=2.0).fit(data.X, data.y)
    frame = finished.frame(len(finished) - 1)
    places = np.random.default_rng(0).uniform(-1, 2, (50, 2))
    xs, ys = np.unique(places[:, 0]), np.unique(places[:, 1])
    grid = np.stack(np.meshgrid(xs, ys), axis=-1)
    expected = model.decision_function(grid.reshape(-1, 2)).reshape(50, 50)
    np.testing.assert_allclose(finished.field(frame, xs, ys), expected, atol=5e-3)
    train, test = finished.accuracy(frame)
    assert train == pytest.approx(100 * model.score(data.X, data.y), abs=1)
    assert test == pytest.approx(100 * model.score(data.X_test, data.y_test), abs=1)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_the_field_of_inner_products_needs_no_features(kernel):
    data = datasets.load("breast-cancer")
    svm = SOLVERS["kernel-svm"]
    run = svm.recorded_run(data.X, data.y, svm.settings.checked({"kernel": kernel, "gamma": 0.01, "degree": 2}))
    run.result()
    replay = Replay(run.recorded)
    frame = replay.frame(len(replay) - 1)
    xs, ys = np.linspace(-3, 3, 7), np.linspace(-2, 2, 5)
    expected = replay.decision(frame, replay.grid(xs, ys)).reshape(5, 7)
    np.testing.assert_allclose(replay.field(frame, xs, ys), expected, rtol=1e-4, atol=1e-4)


def test_several_classes_are_shown_task_by_task(stage):
    stage.data.set({"name": "gaussians", "size": 300})
    stage.begin()
    play_to_the_end(stage)
    assert "Finished" in stage.screen.story.object
    names = {event.stamp.path for event in stage.replay.recording}
    assert len(names) == 4  # three pairs, and the whole


def test_more_dimensions_show_their_principal_plane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) * [5, 3, 0.1, 0.1, 0.1, 0.1] + 7
    plane = Plane.fit(X)
    assert plane.kept > 0.99
    places = plane.project(X)
    np.testing.assert_allclose(plane.lift(places), X, atol=0.6)
    assert np.array_equal(Plane.fit(X[:, :2]).project(X[:, :2]), X[:, :2])
    assert Plane.fit(X[:, :1]).project(X[:, :1]).shape == (300, 2)


def test_a_link_brings_back_data_settings_and_moment(stage):
    stage.data.set({"name": "xor", "size": 150, "seed": 3})
    stage.settings.set({"C": 7.0, "gamma": 3.0, "bias": False, "working_set": 12})
    stage.begin()
    play_to_the_end(stage)
    stage.player.go(9)
    stage.screen.layers.value = ["points", "misses"]
    stage.screen.axis.value = "kernel evaluations"
    other = Stage()
    other.restore("?" + stage.link().query())
    wait_until(other, lambda: other.player.cursor == 9)
    assert other.screen.layers.value == ["points", "misses"]
    assert other.screen.axis.value == "kernel evaluations"
    assert not other.player.playing
    assert other.settings.values == stage.settings.values
    assert np.array_equal(other.replay.X, stage.replay.X)
    assert np.array_equal(other.replay.frame(9).event.alpha, stage.replay.frame(9).event.alpha)
    other.close()


@pytest.mark.parametrize(("search", "message"), [
    ("?C=-1", "C must be a finite number above 0 to 1e100; got -1.0"),
    ("?C=lots", "C must be a finite number above 0 to 1e100; got 'lots'"),
    ("?size=many", "size must be a whole number; got 'many'"),
    ("?spell=abracadabra", "the link's field must be one of at, axis, layers, data"),
    ("?layers=field,ghosts", "layers must be one of field"),
    ("?data=nowhere", "data must be one of checkerboard"),
    ("?points=!!", "points must be points as a link of this page writes them"),
    ("?kernel=sigmoid", "kernel must be one of rbf"),
])  # fmt: skip
def test_a_wrong_link_is_explained_and_the_page_works(stage, search, message):
    stage.restore(search)
    assert message in stage.screen.message.object
    play_to_the_end(stage)


def test_a_recording_is_saved_and_opened_again(stage):
    play_to_the_end(stage)
    content = stage.take_along.recording().getvalue()
    other = Stage()
    other.take_along.open.param.update(filename="mine.svmrun", value=content)
    play_to_the_end(other)
    assert other.screen.story.object == stage.screen.story.object
    other.take_along.open.param.update(filename="mine.svmrun", value=content[:500])
    assert "mine.svmrun is damaged or not a svm-explorer recording file" in other.screen.message.object
    other.close()


def test_the_python_does_the_same(stage):
    play_to_the_end(stage)
    stage.take_along.show_python()
    names = {}
    exec(stage.take_along.code, names)
    assert names["run"].latest.objective == stage.replay.recording[-1].objective


def test_uploads(stage):
    rng = np.random.default_rng(0)
    rows = [f"{a:.4f},{b:.4f},{'yes' if a > 0 else 'no'}" for a, b in rng.normal(size=(60, 2))]
    stage.data.way.value = "Upload"
    stage.data.file.param.update(filename="mine.csv", value="\n".join(["u,v,answer", *rows]).encode())
    assert not stage.screen.message.visible, stage.screen.message.object
    assert len(stage.replay.X) == 60
    play_to_the_end(stage)
    stage.data.file.param.update(filename="bad.csv", value=b"u,v,answer\n1,2,yes\n1,oops,no\n")
    assert "line 3" in stage.screen.message.object
    assert 'column 2 ("v")' in stage.screen.message.object
    assert stage.data._csv().getvalue().startswith(b"u,v,")


def test_drawn_points_are_trained_on_and_travel_in_the_link(stage):
    stage.data.way.value = "Draw"
    tick(stage)
    stage.data._redraw(type(stage.data.sketch).clear)
    stage.begin()
    assert "Draw at least one point of each class first." in stage.screen.message.object
    rng = np.random.default_rng(0)
    for label, middle in ((-1, -1.0), (1, 1.0)):
        stage.data.brush.value = label
        for x, y in rng.normal(middle, 0.3, (10, 2)):
            stage._touch("tap", x, y)
    tick(stage)
    assert len(stage.scene._points.data["x"]) == 20
    stage.begin()
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    replay = stage.replay
    stage._touch("tap", *replay.X[3])  # now it pins
    settle(stage)
    assert stage.pinned == 3
    assert stage.replay is replay
    other = Stage()
    other.restore("?" + stage.link().query())
    assert np.array_equal(other.replay.X, stage.replay.X)
    other.close()
    stage.take_along.show_python()
    names = {}
    exec(stage.take_along.code, names)
    assert np.array_equal(names["X"], stage.replay.X)


def test_erase_and_undo():
    sketch = Sketch()
    for x in range(3):
        sketch.begin()
        sketch.put(x, 0.5, 1)
    sketch.begin()
    sketch.erase(1, 0.5, 0.1)
    assert sketch.places[:, 0].tolist() == [0, 2]
    sketch.undo()
    assert len(sketch) == 3
    sketch.clear()
    assert len(sketch) == 0
    sketch.undo()
    sketch.undo()
    assert len(sketch) == 2
    assert np.array_equal(Sketch.read(sketch.text()).points, sketch.points)
    for x in np.linspace(-9, 9, 1500):
        sketch.put(x, 0, -1)
    assert len(sketch) == 1000
    assert np.abs(sketch.places).max() <= 4


def test_a_pinned_point_shows_its_history(stage):
    play_to_the_end(stage)
    place = stage.replay.places[11]
    stage._touch("tap", *place)
    settle(stage)
    assert stage.pinned == 11
    expected = [e.alpha[11] for e in stage.replay.recording if isinstance(e, Iteration)]
    np.testing.assert_allclose(stage.charts._sources["alpha"].data["alpha"][-1], expected[-1], rtol=1e-5)
    assert stage.charts.plots["alpha"].title.text == "α of point 11"
    stage._touch("tap", 1e6, 1e6)
    settle(stage)
    assert stage.pinned is None


def test_runs_beyond_the_places_wait_in_line(monkeypatch):
    monkeypatch.setattr(SERVER, "pool", Pool(1))
    first, second, third = (Stage() for _ in range(3))
    for one in (first, second, third):
        one.begin()
        tick(one)
    settle(third)
    assert "Waiting." in third.screen.story.object
    assert "2 in line" in third.screen.story.object
    second.close()
    tick(third)
    settle(third)
    assert "1 in line" in third.screen.story.object
    first.close()
    play_to_the_end(third)
    assert "Finished: converged" in third.screen.story.object


def test_a_paused_run_makes_room_for_those_who_wait(monkeypatch):
    monkeypatch.setattr(SERVER, "pool", Pool(1))
    monkeypatch.setattr(SERVER, "limits", Limits.checked({"max_idle": 0.0}))
    first, second = Stage(), Stage()
    first.begin()
    tick(first)
    first.player.pause()
    second.begin()
    wait_until(first, lambda: first.run.state == "done")
    assert "Others were waiting" in first.screen.message.object
    play_to_the_end(second)


def test_limits_are_shown_when_met(monkeypatch):
    limits = {"max_rows": 500, "max_seconds": 0.001, "max_recording_mb": 0.1}
    monkeypatch.setattr(SERVER, "limits", Limits.checked(limits))
    stage = Stage()
    stage.begin()
    assert "Points must be at most 500, the limit of this server; got 1000" in stage.screen.message.object
    stage.data.set({"name": "moons", "size": 400})
    stage.settings.set({"working_set": 2})
    stage.begin()
    play_to_the_end(stage)
    assert "This server ends a run after 0.001 s" in stage.screen.message.object
    monkeypatch.setattr(SERVER, "limits", Limits.checked({**limits, "max_seconds": 60.0}))
    stage.begin()
    play_to_the_end(stage)
    assert "for at most 0.1 MiB" in stage.screen.note.object
    # Some events were left out: a link means the event, not its place.
    stage.player.go(stage.player.end // 2)
    sequence = stage.replay.event(stage.player.cursor).stamp.sequence
    assert sequence > stage.player.cursor
    assert stage.link().cursor == sequence
    stage.player.seek(sequence)
    tick(stage)
    assert stage.replay.event(stage.player.cursor).stamp.sequence == sequence
    stage.settings.values["cache_mb"] = 5000.0
    stage.begin()
    assert "cache_mb must be at most 1000, the limit of this server; got 5000" in stage.screen.message.object
    stage.close()


def test_a_wrong_value_leaves_the_run_alone(stage):
    tick(stage)
    run = stage.run
    stage.settings.values["gamma"] = "wide"
    stage.begin()
    assert stage.run is run
    assert run.stopping is None
    assert "gamma must be" in stage.screen.message.object


def test_seeking_waits_for_the_run(stage):
    stage.player.seek(25)
    wait_until(stage, lambda: stage.player.cursor == 25)
    assert not stage.player.playing
    stage.player.seek(10**6)
    wait_until(stage, lambda: not stage.player.running and stage.player.cursor == stage.player.end)


def test_while_kernels_are_compiled_the_stage_says_so(monkeypatch):
    monkeypatch.setattr("engine.warm.compiled", lambda: False)
    stage = Stage()
    assert "Compiling." in stage.screen.story.object
    stage.begin()
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    stage.close()


def test_figures_suit_the_window(stage):
    stage.main()
    for (width, height), scene in {(1440, 900): 472, (1920, 1080): 652, (390, 844): 390}.items():
        stage._fit([width, height])
        settle(stage)
        assert stage.scene.plot.height == scene


@pytest.mark.parametrize("value", ["scale", "auto"])
def test_a_rule_for_gamma_is_shown_by_its_name(stage, value):
    stage.restore(f"?gamma={value}")
    assert not stage.screen.message.visible
    assert stage.settings.values["gamma"] == value
    assert stage.settings._inputs["gamma"].field.value == value
    play_to_the_end(stage)
    stage.settings._inputs["gamma"].slider.value = 0.5
    assert stage.settings.values["gamma"] == 3.16


def test_what_a_link_says_is_never_html(stage):
    stage.restore("?data=<img src=x onerror=alert(1)>")
    assert "&lt;img" in stage.screen.message.object
    assert "<img" not in stage.screen.message.object


@pytest.mark.parametrize("search", ["?size=1", "?size=99999999", "?noise=99", "?size=" + "9" * 400])
def test_a_link_that_the_data_refuse_gets_the_usual_beginning(search):
    stage = Stage()
    stage.main()
    stage.restore(search)
    assert stage.screen.message.visible
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    stage.close()


def test_an_empty_file_and_another_files_columns(stage):
    stage.data.way.value = "Upload"
    stage.data.file.param.update(filename="one.csv", value=b"a,b,side\n1,2,in\n3,4,out\n")
    assert stage.data.label.value == 2
    stage.data.file.param.update(filename="two.csv", value=b"a,side,b\n1,in,2\n3,out,4\n")
    assert stage.data.label.value == 1
    assert list(stage.data.label.options) == ["a", "side", "b"]
    stage.data.file.param.update(filename="none.csv", value=b"")
    assert "none.csv" in stage.screen.message.object
    stage.take_along.open.param.update(filename="none.svmrun", value=b"")
    assert "none.svmrun" in stage.screen.message.object


def test_every_preset_says_what_to_look_at_until_something_is_changed(stage):
    assert all(preset.look for act in acts().values() for preset in act.presets)
    assert stage.screen.look.object == stage.beginnings[0].look
    stage.settings.values["C"] = 3.0
    stage.begin()
    assert "your own" in stage.screen.look.object


def test_a_kernel_too_narrow_for_the_data_is_told(stage):
    assert not stage.screen.message.visible
    stage.restore("?data=digits&size=200")
    assert 'γ = "scale" is' in stage.screen.message.object


def test_several_tasks_say_whose_numbers_are_shown(stage):
    stage.restore("?data=gaussians&size=90")
    play_to_the_end(stage)
    assert "shown is" in stage.screen.story.object


def test_a_link_to_an_unfinished_sketch_shows_it():
    stage = Stage()
    stage.restore("?points=")
    settle(stage)
    assert "Draw." in stage.screen.story.object
    stage.close()


def test_settings_without_a_widget_are_kept_and_reset(stage):
    stage.restore("?max_iter=3&class_weight=balanced")
    play_to_the_end(stage)
    assert stage.replay.settings.max_iter == 3
    assert "max_iter=3" in stage.link().query()
    stage._choose_preset(None)
    play_to_the_end(stage)
    assert stage.replay.settings.max_iter == -1


def test_the_link_is_to_what_is_on_the_stage(stage):
    stage.settings.set({"C": 77.0})
    assert stage.link().settings["C"] == 10.0
    stage.begin()
    assert stage.link().settings["C"] == 77.0


def test_weighted_classes_have_bounds_of_their_own(stage):
    stage.data.set({"name": "imbalanced", "size": 200})
    stage.settings.values["class_weight"] = "balanced"
    stage.begin()
    play_to_the_end(stage)
    frame = stage.replay.frame(len(stage.replay) - 1)
    assert len(np.unique(frame.upper)) == 2
    assert (frame.event.alpha <= frame.upper * (1 + 1e-9)).all()
    drawn = list(stage.scene._support.data["marker"])
    assert sum(marker in ("circle_x", "triangle_dot") for marker in drawn) == frame.event.n_bound


def test_the_gap_of_each_task_goes_to_nothing(stage):
    stage.data.set({"name": "gaussians", "size": 300})
    stage.begin()
    play_to_the_end(stage)
    gap = stage.charts._sources["gap"].data["gap"]
    assert np.nanmin(gap) < 1e-2 * np.nanmax(gap)


def test_too_many_classes_are_refused(stage):
    stage.data.way.value = "Upload"
    rows = "\n".join(f"{k},{k + 1},{k}" for k in range(200))
    stage.data.file.param.update(filename="ids.csv", value=f"u,v,id\n{rows}".encode())
    assert "at most 50: is it the right column?" in stage.screen.message.object


def test_a_recording_that_does_not_fit_together_is_refused(stage):
    play_to_the_end(stage)
    recording = stage.replay.recording
    other = Stage()
    recording._events = [
        replace(event, alpha=event.alpha[:3]) if isinstance(event, Iteration) else event for event in recording
    ]
    with pytest.raises(ValueError, match="the recording is damaged"):
        other.play_recording(recording)
    other.close()


def test_a_page_that_was_left_is_freed():
    page = plain_page(Browser({}))
    left = weakref.ref(page)
    del page
    gc.collect()
    assert left() is None


def test_a_button_shows_that_it_was_pressed_however_many_frames_are_on_their_way(stage):
    tick(stage)
    stage.browser.frame += 10  # sent, and not yet drawn
    stage._sent_at = time.monotonic() + 60
    stage.transport._handle_msg({"act": "toggle"})
    assert not stage.transport.now["playing"]
