"""`explore` and `watch` without a notebook: what they do before and beside being shown."""

import asyncio
import threading
import time

import numpy as np
import pytest

from engine import KernelSVC, datasets
from explorer import explore, notebook, watch


@pytest.fixture
def moons():
    return datasets.load("moons", size=120)


@pytest.fixture(autouse=True)
def no_page(monkeypatch):
    """There is no page to bring anything to, and no loop whose clock would tick."""
    monkeypatch.setattr(notebook, "_load_extension", lambda: None)

    class Clock:
        def stop(self):
            self.stopped = True

    monkeypatch.setattr(notebook.pn.state, "add_periodic_callback", lambda work, period: Clock())


def workers():
    return [thread for thread in threading.enumerate() if thread.name in ("run", "fit")]


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def hear(shown):
    """What the browser says once it has drawn the stage."""
    shown.stage.refresh.acknowledge(shown.stage.window.frame)


def test_explore_runs_on_the_given_data_once_it_is_shown(moons):
    shown = explore(moons.X, moons.y, C=10, gamma=2, working_set=8)
    assert shown.stage is None
    shown.__panel__()
    assert np.array_equal(shown.stage.replay.X, moons.X)
    assert shown.stage.replay.settings.C == 10
    shown._tick()  # nobody has seen it yet: nothing happens
    assert shown.stage.window.frame == 0
    while not (len(shown.stage.replay) > 5 and shown.stage.window.frame):
        hear(shown)
        shown._tick()
        time.sleep(0.01)
    shown.close()
    assert not workers()


def test_nobody_looking_pauses_an_exploration(moons, monkeypatch):
    shown = explore(moons.X, moons.y, working_set=2)
    shown.__panel__()
    hear(shown)
    shown._tick()
    assert shown.stage.playback.playing
    monkeypatch.setattr(notebook, "ABSENT", -1.0)
    shown._tick()
    assert not shown.stage.playback.playing
    shown.close()


def test_watch_gives_the_fitted_estimator(moons):
    fit = watch(KernelSVC(C=10, gamma=2)).fit(moons.X, moons.y)
    model = fit.result(30)
    plain = KernelSVC(C=10, gamma=2).fit(moons.X, moons.y)
    assert model.objective_ == plain.objective_
    assert np.array_equal(model.support_, plain.support_)
    assert len(model.history_["objective"]) == len(plain.history_["objective"])

    async def wait():
        return await fit

    assert asyncio.run(wait()) is model
    fit.__panel__()
    assert fit.stage.settings.values["C"] == 10
    assert len(fit.stage.replay) == len(fit.run.recording)
    fit.close()


def test_a_paused_fit_goes_on_when_its_result_is_asked_for():
    board = datasets.load("checkerboard-filled", size=3000)
    fit = watch(KernelSVC(C=1e3, gamma=20, tol=1e-5)).fit(board.X, board.y)
    fit.__panel__()
    fit.stage.playback.pause()
    wait_for(lambda: fit.run.state in ("paused", "done"))
    assert fit.result(60).stop_reason_ == "converged"
    fit.close()


def test_closing_ends_a_fit_and_the_result_says_so():
    board = datasets.load("checkerboard", size=20_000)
    fit = watch(KernelSVC(C=1e6, gamma=50, tol=1e-6)).fit(board.X, board.y)
    wait_for(lambda: fit.run.latest is not None)
    with pytest.warns(UserWarning, match="cancelled"):
        fit.close()
    assert fit.result(10).stop_reason_ == "cancelled"
    assert not workers()


def test_an_error_of_the_fit_is_the_result(moons):
    fit = watch(KernelSVC(cache_mb=1e-4)).fit(moons.X, moons.y)
    with pytest.raises(ValueError, match="cache_mb must be at least"):
        fit.result(30)
    fit.close()


@pytest.mark.parametrize(("attempt", "message"), [
    (lambda X, y: explore(X, y, solver="nobody"), "solver must be one of kernel-svm"),
    (lambda X, y: explore(X, y, C=-1), "C must be a finite number above 0 to 1e100; got -1"),
    (lambda X, y: explore(X, y, spell=3), "setting must be one of"),
    (lambda X, y: explore(X[:5], y), "y must be one label for each of the 5 rows"),
    (lambda X, y: explore(X * np.nan, y), r"X\[0, 0\] must be a finite number"),
    (lambda X, y: explore(X, np.ones(len(X))), "at least two classes"),
    (lambda X, y: watch(object()), "estimator must be an estimator whose solver has a stage"),
    (lambda X, y: watch(KernelSVC(C=0)).fit(X, y), "C must be a finite number above 0"),
])  # fmt: skip
def test_what_is_wrong_is_named(moons, attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt(moons.X, moons.y)


def test_a_fit_that_was_not_begun_says_so(moons):
    with pytest.raises(RuntimeError, match="fit has not been called yet"):
        watch(KernelSVC()).result()


def test_running_a_cell_again_closes_what_it_showed(moons, monkeypatch):
    monkeypatch.setattr(notebook, "_running_cell", lambda: ("cell", 1))
    first, beside = (explore(moons.X, moons.y, working_set=2) for _ in range(2))
    first.__panel__()
    beside.__panel__()
    assert len(workers()) == 2  # one cell may show two
    monkeypatch.setattr(notebook, "_running_cell", lambda: ("other", 2))
    other = explore(moons.X, moons.y, working_set=2)
    other.__panel__()
    assert len(workers()) == 3
    monkeypatch.setattr(notebook, "_running_cell", lambda: ("cell", 3))
    again = explore(moons.X, moons.y, working_set=2)
    assert len(workers()) == 1
    other.close()
    again.close()
    assert not workers()


def test_a_watched_fit_can_be_shown_twice_and_run_beside():
    board = datasets.load("checkerboard-filled", size=3000)
    fit = watch(KernelSVC(C=1e3, gamma=20, tol=1e-5)).fit(board.X, board.y)
    fit.__panel__()
    fit.__panel__()
    fit.stage.begin()
    assert fit.result(60).stop_reason_ == "converged"
    fit.close()


def test_settings_without_a_widget_reach_the_run(moons):
    shown = explore(moons.X, moons.y, max_iter=2)
    shown.__panel__()
    assert shown.stage.replay.settings.max_iter == 2
    shown.close()
