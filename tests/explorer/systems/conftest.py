"""Data sets that the tests of several systems share."""

import pytest

from engine import datasets


@pytest.fixture(scope="session")
def moons():
    return datasets.load("moons", size=200)


@pytest.fixture(scope="session")
def board():
    return datasets.load("checkerboard-filled", size=400)
