"""TODO: what this is."""

import time


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
