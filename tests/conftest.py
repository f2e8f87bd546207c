"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest

APPS = Path(__file__).parent / "apps"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last, when kernels are compiled, their longest file first: no core waits long for the other."""
    items.sort(key=lambda item: item.path.is_relative_to(APPS))


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
