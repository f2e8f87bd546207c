"""Recordings of small runs as views see them, and what holds of every moment and of every file of one."""

from dataclasses import replace

import pytest

from engine import SOLVERS, Recording
from explorer.registry import presentation
from explorer.replay.lookup import Replay
from explorer.share.recording_file import read_recording, recording_bytes


def run_of(solver, data, **settings):
    """A recorded run that has not begun."""
    system = SOLVERS[solver]
    return system.recorded_run(data.X, data.y, system.settings.checked(settings))


def replay_and_result(solver, data, **settings):
    """A replay of a run that is over, and what was trained."""
    run = run_of(solver, data, **settings)
    trained = run.result()
    return Replay(run.recorded, data.X_test, data.y_test), trained


def replay_of(solver, data, **settings):
    return replay_and_result(solver, data, **settings)[0]


def of_kind(replay, kind):
    return [event for event in replay.recording if isinstance(event, kind)]


def last_frame(replay):
    return replay.frame(len(replay) - 1)


def moments(replay):
    """Each cursor with its frame, if there is one; at each there is a story, a line of the listing, and numbers."""
    shown = presentation(replay.recording.header.solver)
    lines = {name for name, _, _ in shown.listing}
    for cursor in range(len(replay)):
        event, frame = replay.event(cursor), replay.frame(cursor)
        assert shown.story(replay, cursor), event
        assert set(shown.line(event).split()) <= lines
        assert shown.numbers(replay, cursor) or frame is None
        yield cursor, frame


def check_reopened(replay):
    """A file of the recording is played."""
    again = Replay(read_recording(recording_bytes(replay.recording).getvalue(), "run.svmrun"))
    again.reader.check()
    assert len(again) == len(replay)


def check_refused(replay, kind, change, why="{kind} is not about its "):
    """A recording in which the events of a kind have other values is refused; `change` are these, or makes them."""
    damaged = Recording(replay.recording.header)
    for event in replay.recording:
        values = (change(event) if callable(change) else change) if isinstance(event, kind) else {}
        damaged.append(replace(event, **values))
    with pytest.raises(ValueError, match="the recording is damaged: " + why.format(kind=kind.__name__)):
        Replay(damaged).reader.check()
