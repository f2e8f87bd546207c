"""What several threads do for one computation."""

import threading

import pytest

from engine.runtime.threads import run_in_thread


def test_what_is_done_aside_breathes_until_it_is_there():
    goes_on = threading.Event()

    def work():
        goes_on.wait()
        return 7

    def outer():
        found.append((yield from run_in_thread(work)))

    found: list[int] = []
    steps = outer()
    assert [next(steps), next(steps)] == [None, None]
    goes_on.set()
    assert set(steps) <= {None}
    assert found == [7]


def test_what_goes_wrong_aside_is_raised_here():
    def work():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(run_in_thread(work))
