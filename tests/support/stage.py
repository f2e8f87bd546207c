"""What a browser and its clock do to a stage, for tests without either."""

import time
from contextlib import contextmanager

from explorer.stage.actions import Stage


@contextmanager
def stage_on(solver, link):
    """A stage that has begun on a link."""
    made = Stage(solver)
    made.restore(link)
    yield made
    made.close()


def settle(stage):
    """Until nothing is left to draw."""
    tick(stage)
    while stage.refresh.pending:
        tick(stage)


def tick(stage):
    stage.tick()
    stage.refresh.drawn = stage.window.frame  # as a browser would say


def wait_until(stage, condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        tick(stage)
        time.sleep(0.005)


def play_to_the_end(stage):
    end = time.monotonic() + 60
    tick(stage)
    stage.playback.speed = 0.0
    while stage.playback.playing or stage.playback.running or stage.charts.pending:
        assert time.monotonic() < end
        tick(stage)
        time.sleep(0.005)
    settle(stage)
