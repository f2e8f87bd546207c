import pytest


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No data folder, and an empty cache; returns the cache."""
    monkeypatch.delenv("SVM_EXPLORER_DATA", raising=False)
    monkeypatch.setenv("SVM_EXPLORER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
