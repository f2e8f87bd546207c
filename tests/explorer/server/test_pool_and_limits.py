"""Runs that wait for a place, and what a server refuses, as a stage says it."""

from explorer.server.limits import Limits
from explorer.server.pool import SERVER, Pool
from explorer.stage.actions import Stage
from tests.support.stage import play_to_the_end, settle, tick, wait_until


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
    first.playback.pause()
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
    stage.playback.go(stage.playback.end // 2)
    sequence = stage.replay.event(stage.playback.cursor).stamp.sequence
    assert sequence > stage.playback.cursor
    assert stage.link().cursor == sequence
    stage.playback.seek(sequence)
    tick(stage)
    assert stage.replay.event(stage.playback.cursor).stamp.sequence == sequence
    stage.settings.values["cache_mb"] = 5000.0
    stage.begin()
    assert "cache_mb must be at most 1000, the limit of this server; got 5000" in stage.screen.message.object
    stage.close()
