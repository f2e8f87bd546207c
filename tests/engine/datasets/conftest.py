import os
from pathlib import Path

import pytest


@pytest.fixture
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


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No data folder, and an empty cache; returns the cache."""
    monkeypatch.delenv("SVM_EXPLORER_DATA", raising=False)
    monkeypatch.setenv("SVM_EXPLORER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
