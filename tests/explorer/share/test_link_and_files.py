"""Links, code and recording files, there and back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import DCSVC, ClusterSVC, InteriorPointSVC, Recording
from engine.systems.kernel_svm.events import Iteration
from explorer.share.python_code import snippet
from explorer.stage.actions import Stage
from tests.support.stage import play_to_the_end, settle, wait_until

OLD = Path(__file__).parents[2] / "data" / "old"


def test_a_link_brings_back_data_settings_and_moment(stage):
    stage.data.set({"name": "xor", "size": 150, "seed": 3})
    stage.settings.set({"C": 7.0, "gamma": 3.0, "bias": False, "working_set": 12})
    stage.begin()
    play_to_the_end(stage)
    stage.playback.go(9)
    stage.screen.layers.value = ["points", "misses"]
    stage.screen.axis.value = "kernel evaluations"
    other = Stage()
    other.restore("?" + stage.link().query())
    wait_until(other, lambda: other.playback.cursor == 9)
    assert other.screen.layers.value == ["points", "misses"]
    assert other.screen.axis.value == "kernel evaluations"
    assert not other.playback.playing
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
    content = stage.share_row.recording().getvalue()
    other = Stage()
    other.share_row.open.param.update(filename="mine.svmrun", value=content)
    play_to_the_end(other)
    assert other.screen.story.object == stage.screen.story.object
    other.share_row.open.param.update(filename="mine.svmrun", value=content[:500])
    assert "mine.svmrun is damaged or not a svm-explorer recording file" in other.screen.message.object
    other.close()


def test_the_python_does_the_same(stage):
    play_to_the_end(stage)
    stage.share_row.show_python()
    names = {}
    exec(stage.share_row.code, names)
    assert names["run"].latest.objective == stage.replay.recording[-1].objective


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


def test_a_link_to_an_unfinished_sketch_shows_it():
    stage = Stage()
    stage.restore("?points=")
    settle(stage)
    assert "Draw." in stage.screen.story.object
    stage.close()


def test_the_link_is_to_what_is_on_the_stage(stage):
    stage.settings.set({"C": 77.0})
    assert stage.link().settings["C"] == 10.0
    stage.begin()
    assert stage.link().settings["C"] == 77.0


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


def test_what_an_old_link_or_recording_leaves_out_is_as_it_was():
    stage = Stage("dcsvm")
    stage.restore("?data=moons&size=60&C=5&gamma=1&levels=1")
    assert stage.settings.values["bias"] is False
    assert stage.link().settings["bias"] is False  # a link says it from now on
    stage.close()
    old = Recording.load(OLD / "dcsvm.svmrun")
    assert old.header.settings["bias"] is False
    assert "'bias': False" in snippet("dcsvm", {}, old.header.settings)
    assert DCSVC.load(OLD / "DCSVC.svmmodel").bias is False
    assert InteriorPointSVC.load(OLD / "InteriorPointSVC.svmmodel").pivots == "greedy"
    assert (ClusterSVC().max_passes, DCSVC().bias) == (None, True)
