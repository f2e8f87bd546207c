import gc
import time
import weakref

import numpy as np
import pytest

from engine.systems.kernel_svm.events import Iteration
from explorer.pages.shell import plain_page
from explorer.registry import presentations
from explorer.stage.actions import Stage
from explorer.stage.browser_window import Window
from tests.support.stage import play_to_the_end, settle, tick, wait_until


def test_the_first_screen_is_already_running(stage):
    assert stage.playback.playing
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    assert len(stage.scene._support.data["x"]) > 50
    assert np.isfinite(stage.charts._sources["accuracy"].data["train"]).all()


def test_every_preset_runs(stage):
    for k in range(1, len(stage.presentation.presets)):
        stage.screen.presets.value = k
        play_to_the_end(stage)
        assert "Finished" in stage.screen.story.object
        assert not stage.screen.message.visible


def test_any_moment_can_be_drawn_in_any_order(stage):
    play_to_the_end(stage)
    rng = np.random.default_rng(0)
    for position in rng.integers(0, len(stage.replay), 30):
        stage.playback.go(int(position))
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


def test_several_classes_are_shown_task_by_task(stage):
    stage.data.set({"name": "gaussians", "size": 300})
    stage.begin()
    play_to_the_end(stage)
    assert "Finished" in stage.screen.story.object
    names = {event.stamp.path for event in stage.replay.recording}
    assert len(names) == 4  # three pairs, and the whole


def test_uploads(stage):
    rng = np.random.default_rng(0)
    rows = [f"{a:.4f},{b:.4f},{'yes' if a > 0 else 'no'}" for a, b in rng.normal(size=(60, 2))]
    stage.data.source.value = "Upload"
    stage.data.file.param.update(filename="mine.csv", value="\n".join(["u,v,answer", *rows]).encode())
    assert not stage.screen.message.visible, stage.screen.message.object
    assert len(stage.replay.X) == 60
    play_to_the_end(stage)
    stage.data.file.param.update(filename="bad.csv", value=b"u,v,answer\n1,2,yes\n1,oops,no\n")
    assert "line 3" in stage.screen.message.object
    assert 'column 2 ("v")' in stage.screen.message.object
    assert stage.data._csv().getvalue().startswith(b"u,v,")


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


def test_a_wrong_value_leaves_the_run_alone(stage):
    tick(stage)
    run = stage.run
    stage.settings.values["gamma"] = "wide"
    stage.begin()
    assert stage.run is run
    assert run.stopping is None
    assert "gamma must be" in stage.screen.message.object


def test_seeking_waits_for_the_run(stage):
    stage.playback.seek(25)
    wait_until(stage, lambda: stage.playback.cursor == 25)
    assert not stage.playback.playing
    stage.playback.seek(10**6)
    wait_until(stage, lambda: not stage.playback.running and stage.playback.cursor == stage.playback.end)


def test_while_kernels_are_compiled_the_stage_says_so(monkeypatch):
    monkeypatch.setattr("engine.compile_ahead.compiled", lambda: False)
    stage = Stage()
    assert "Compiling." in stage.screen.story.object
    stage.begin()
    play_to_the_end(stage)
    assert "Finished: converged" in stage.screen.story.object
    stage.close()


def test_figures_suit_the_window(stage):
    stage.main()
    for (width, height), scene in {(1440, 900): 472, (1920, 1080): 652, (390, 844): 390}.items():
        stage.refresh.fit([width, height])
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


def test_an_empty_file_and_another_files_columns(stage):
    stage.data.source.value = "Upload"
    stage.data.file.param.update(filename="one.csv", value=b"a,b,side\n1,2,in\n3,4,out\n")
    assert stage.data.label.value == 2
    stage.data.file.param.update(filename="two.csv", value=b"a,side,b\n1,in,2\n3,out,4\n")
    assert stage.data.label.value == 1
    assert list(stage.data.label.options) == ["a", "side", "b"]
    stage.data.file.param.update(filename="none.csv", value=b"")
    assert "none.csv" in stage.screen.message.object
    stage.share_row.open.param.update(filename="none.svmrun", value=b"")
    assert "none.svmrun" in stage.screen.message.object


def test_every_preset_says_what_to_look_at_until_something_is_changed(stage):
    assert all(preset.look for shown in presentations().values() for preset in shown.presets)
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


def test_settings_without_a_widget_are_kept_and_reset(stage):
    stage.restore("?max_iter=3&class_weight=balanced")
    play_to_the_end(stage)
    assert stage.replay.settings.max_iter == 3
    assert "max_iter=3" in stage.link().query()
    stage._choose_preset(None)
    play_to_the_end(stage)
    assert stage.replay.settings.max_iter == -1


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
    stage.data.source.value = "Upload"
    rows = "\n".join(f"{k},{k + 1},{k}" for k in range(200))
    stage.data.file.param.update(filename="ids.csv", value=f"u,v,id\n{rows}".encode())
    assert "at most 50: is it the right column?" in stage.screen.message.object


def test_a_page_that_was_left_is_freed():
    page = plain_page(Window())
    left = weakref.ref(page)
    del page
    gc.collect()
    assert left() is None


def test_a_button_shows_that_it_was_pressed_however_many_frames_are_on_their_way(stage):
    tick(stage)
    stage.window.frame += 10  # sent, and not yet drawn
    stage.refresh._sent_at = time.monotonic() + 60
    stage.transport._handle_msg({"act": "toggle"})
    assert not stage.transport.now["playing"]


def test_a_reader_ends_when_its_recording_leaves_the_stage(stage, monkeypatch):
    ended = []

    def follow(name):
        monkeypatch.setattr(stage.replay.reader, "end", lambda: ended.append(name))

    follow("first")
    stage.begin()
    assert set(ended) == {"first"}
    follow("second")
    stage.data.source.value = "Draw"
    assert set(ended) == {"first", "second"}
    stage.data.source.value = "Choose"
    follow("third")
    stage.close()
    assert ended[-1] == "third"
