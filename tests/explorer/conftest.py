"""Runs and stages of the dual solver, small enough for a test."""

import pytest

from engine import KernelSVC, datasets
from explorer.replay.lookup import Replay
from explorer.stage.actions import Stage


def recorded(**settings):
    data = datasets.load("moons", size=120)
    table = KernelSVC.solver.settings.checked({"C": 5.0, "gamma": 2.0, "working_set": 8, **settings})
    return KernelSVC.solver.recorded_run(data.X, data.y, table), data


@pytest.fixture
def live():
    """A run not yet begun, and its replay."""
    run, data = recorded()
    return run, Replay(run.recording, data.X_test, data.y_test)


@pytest.fixture
def finished(live):
    """A replay of a run that is over."""
    run, replay = live
    run.result()
    return replay


@pytest.fixture
def stage():
    """A stage that has begun on its first preset."""
    made = Stage()
    made.begin()
    yield made
    made.close()
