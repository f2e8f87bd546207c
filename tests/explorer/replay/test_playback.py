import time

import pytest

from engine.runtime.events import Finished, PhaseBegan
from engine.systems.kernel_svm.events import Iteration
from explorer.replay.playback import Playback


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


def test_a_replay_plays_at_its_speed_and_stops_at_the_end(finished):
    player = Playback(finished, live=False, speed=10.0)
    player.tick(0.25)
    assert player.cursor == 2
    player.tick(0.05)
    assert player.cursor == 3
    for _ in range(1000):
        player.tick(0.5)
    assert player.cursor == player.end
    assert not player.playing
    player.play()
    assert player.cursor == 0


def test_full_speed_goes_to_the_end_at_once(finished):
    player = Playback(finished, live=False, speed=0.0)
    player.tick(0.01)
    assert player.cursor == player.end


def test_steps_go_to_the_stops_of_their_size(finished):
    player = Playback(finished, live=False)
    for size, kinds in (("event", object), ("iteration", (Iteration, Finished)), ("phase", (PhaseBegan, Finished))):
        player.step_size = size
        player.to_start()
        player.step(1)
        assert isinstance(finished.event(player.cursor), kinds)
        seen = player.cursor
        player.step(1)
        assert player.cursor > seen
        player.step(-1)
        assert player.cursor == seen
    player.step_size = "event"
    player.to_start()
    player.step(-1)
    assert player.cursor == 0
    player.to_end()
    player.step(1)
    assert player.cursor == player.end


def test_scrubbing_unpins_and_new_events_leave_the_cursor_alone(live):
    run, replay = live
    run.start(paused=True)
    player = Playback(replay, run, speed=100.0)
    player.tick(0.1)
    wait_for(lambda: len(replay) >= 5)
    player.tick(0.0)
    assert player.cursor == player.end
    player.go(2)
    assert not player.live
    run.step(3)
    wait_for(lambda: run.state == "paused")
    player.playing = False
    player.tick(1.0)
    assert player.cursor == 2
    player.to_end()
    assert player.live
    run.cancel()
    assert run.join(20)


def test_pausing_pauses_the_solver_and_stepping_lets_it_go_one_event_on(live):
    run, replay = live
    run.start(paused=True)
    player = Playback(replay, run, speed=100.0)
    player.tick(0.1)
    wait_for(lambda: run.state == "paused" and len(replay) >= 3)
    player.pause()
    player.to_end()
    before = len(replay)
    player.tick(5.0)
    assert len(replay) == before
    player.step(1)
    wait_for(lambda: len(replay) == before + 1)
    player.tick(0.0)
    assert player.cursor == before
    run.cancel()
    assert run.join(20)


def test_rewinding_shows_the_same_again(finished):
    forward = [finished.frame(k) for k in range(len(finished))]
    backward = [finished.frame(k) for k in reversed(range(len(finished)))]
    for a, b in zip(forward, reversed(backward), strict=True):
        assert (a is None) == (b is None)
        assert a is None or a.event is b.event


@pytest.mark.parametrize("name", ["to_start", "to_end", "toggle", "pause", "play"])
def test_an_empty_recording_bears_every_button(live, name):
    run, replay = live
    player = Playback(replay, run)
    getattr(player, name)()
    player.tick(0.1)
    assert player.cursor == 0


def test_a_run_at_full_speed_can_be_slowed_down(live):
    run, replay = live
    run.start(paused=True)
    player = Playback(replay, run, speed=0.0)
    player.tick(0.01)
    player.speed = 1.0
    player.tick(0.01)
    wait_for(lambda: run.state in ("paused", "done"))
    run.cancel()
    assert run.join(20)
