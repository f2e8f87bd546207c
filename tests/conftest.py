"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def published():
    """Return a function that makes sure a published set is at hand: in CI its absence is an error, else a skip."""

    def need(name: str) -> Path:
        folder = os.environ.get("SVM_EXPLORER_DATA")
        path = Path(folder or "") / f"{name}.npz"
        if folder and path.is_file():
            return path
        message = f"{name}.npz is needed: set SVM_EXPLORER_DATA to the folder that has it (now {folder!r})"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)

    return need
