"""Work in the background goes through the pool: it has the places that watched runs leave, and gives them up."""

import threading
import time

import pytest

from engine import SOLVERS, datasets
from explorer.server.background import Background
from explorer.server.pool import SERVER, Pool


class Work(Background):
    """So many short runs, one after the other."""

    def __init__(self, runs=1):
        super().__init__("work")
        self.results = []
        self.begin(self._go, runs)

    def _go(self, runs):
        for _ in range(runs):
            if self.ended:
                return
            self.results.append(self.watched(a_run()).result())


def a_run():
    data = datasets.load("moons", size=200)
    solver = SOLVERS["kernel-svm"]
    return solver.recorded_run(data.X, data.y, solver.settings.checked({"working_set": 2, "C": 100.0}))


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


@pytest.fixture(autouse=True)
def pool(monkeypatch):
    pool = Pool(1)
    monkeypatch.setattr(SERVER, "pool", pool)
    return pool


def test_work_is_done_where_nobody_watches(pool):
    work = Work(2)
    work.wait(60)
    assert work.done
    assert len(work.results) == 2


def test_work_waits_for_a_watched_run_and_goes_on_after_it(pool):
    watched = a_run()
    pool.enter(watched)
    work = Work()
    time.sleep(0.1)
    assert not work.results
    assert work.running
    watched.resume()
    watched.join(60)
    pool.admit()
    work.wait(60)
    assert len(work.results) == 1


def test_a_watched_run_takes_the_place_of_work(pool):
    work = Work(200)
    wait_for(lambda: work.results)
    watched = a_run()
    pool.enter(watched)
    wait_for(lambda: work._run.state == "paused")
    done = len(work.results)
    assert pool.ahead(watched) == 0  # it does not wait for work in the background
    time.sleep(0.2)
    assert len(work.results) == done
    pool.leave(watched)
    wait_for(lambda: len(work.results) > done)
    work.end()
    work.wait(60)
    assert work.done
    assert len(work.results) < 200


def test_work_that_never_began_ends(pool):
    watched = a_run()
    pool.enter(watched)
    work = Work()
    work.end()
    assert work.done
    pool.leave(watched)
    pool.admit()
    assert not [thread for thread in threading.enumerate() if thread.name == "work"]
    assert not work.results
