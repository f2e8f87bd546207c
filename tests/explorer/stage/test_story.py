"""What is said of every system, and the presets of one that brings none."""

from dataclasses import replace

import pytest

from engine import SOLVERS
from engine.runtime.events import Failed
from explorer.registry import presentations
from explorer.stage.presets import presets_of
from explorer.stage.story import common_numbers, common_story


def test_a_run_is_told_from_its_start_to_its_end(finished):
    told = [common_story(finished, cursor) for cursor in range(-1, len(finished))]
    assert told[0] == "Nothing has happened yet."
    assert told[1].startswith("<b>Start.</b> 120 points in 2 dimensions, rbf kernel with γ = 2")
    assert told[-1].startswith("<b>Finished: converged</b>, the stopping rule is met")
    assert "" in told  # what only this solver does


def test_a_failure_is_told_as_text(finished, monkeypatch):
    failed = Failed(error="ValueError", message="<b>")
    monkeypatch.setattr(finished, "event", lambda cursor: replace(failed, stamp=finished.recording[-1].stamp))
    assert common_story(finished, 0) == "<b>Failed.</b> ValueError: &lt;b&gt;"


def test_numbers_come_from_the_event_and_from_the_frame(finished):
    assert common_numbers(finished, -1) == {}
    assert set(common_numbers(finished, 0)) == {"kernel evaluations", "solver time"}
    numbers = common_numbers(finished, len(finished) - 1)
    assert list(numbers) == ["objective", "support vectors", "kernel evaluations", "solver time"]
    assert float(numbers["objective"].replace("−", "-")) == pytest.approx(finished.recording[-1].objective, rel=1e-5)
    assert numbers["support vectors"] == str((finished.recording[-1].alpha > 0).sum())


@pytest.mark.parametrize("name", SOLVERS)
def test_a_package_without_presets_begins_on_a_toy(name):
    (start,) = presets_of(name)
    assert start.title == "Start"
    assert start.available
    assert not start.settings


def test_every_built_in_system_brings_presets_of_its_own():
    assert all(len(shown.presets) > 1 for shown in presentations().values())
