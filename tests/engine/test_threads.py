"""What several threads do for one computation."""

import threading

import pytest

from engine.threads import aside


def test_what_is_done_aside_breathes_until_it_is_there():
    goes_on = threading.Event()

    def work():
        goes_on.wait()
        return 7

    steps = aside(work)
    assert [next(steps), next(steps)] == [None, None]
    goes_on.set()
    with pytest.raises(StopIteration) as end:
        while True:
            next(steps)
    assert end.value.value == 7


def test_what_goes_wrong_aside_is_raised_here():
    def work():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(aside(work))
