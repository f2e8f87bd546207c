import numpy as np
import pytest

from engine.runtime.events import drain
from engine.systems.budgeted_sgd import merging_tables
from engine.systems.budgeted_sgd.merging import (
    NEVER,
    PRECISE,
    degradation,
    find_partner,
    golden_section,
    interpolated,
    merged_coefficient,
)
from engine.systems.budgeted_sgd.merging_tables import tables_steps
from tests.naive import budgeted_sgd, kernel_svm


@pytest.fixture(scope="module")
def made():
    return drain(tables_steps(400))


@pytest.fixture(scope="module")
def grid():
    """Points between those of the tables, more of them towards kappa = 0 and 1."""
    rng = np.random.default_rng(0)
    m = rng.uniform(0, 0.5, 20_000)
    kappa = rng.beta(0.5, 0.5, 20_000)
    return m, kappa, np.array([golden_section(a, b, PRECISE) for a, b in zip(m, kappa, strict=True)])


def test_golden_section_finds_the_best_h(grid):
    m, kappa, h = grid
    every = np.linspace(0, 1, 2001)
    for i in range(0, len(m), 100):
        best = budgeted_sgd.s(m[i], kappa[i], every).max()
        assert budgeted_sgd.s(m[i], kappa[i], h[i]) >= best - 1e-12
        assert budgeted_sgd.s(1 - m[i], kappa[i], 1 - h[i]) == pytest.approx(
            best, abs=1e-6
        )  # the other half mirrors it
    assert golden_section(0.3, 1.0, PRECISE) == 0.3
    assert golden_section(0.3, 0.0, PRECISE) < 1e-9
    assert golden_section(0.5, 0.9, PRECISE) == pytest.approx(0.5)
    assert golden_section(0.5, 0.1, PRECISE) < 0.4  # beyond the jump


def test_degradation_is_the_distance_in_feature_space():
    rng = np.random.default_rng(0)
    for _ in range(100):
        x, y, gamma = rng.normal(size=2), rng.normal(size=2), rng.uniform(0.1, 2)
        a, b, h = *rng.uniform(0.1, 3, 2), rng.uniform()
        z = h * x + (1 - h) * y
        K = kernel_svm.kernel_matrix([x, y, z], [x, y, z], "rbf", gamma)
        c = merged_coefficient(a, b, K[0, 1], h)
        signed = np.array([a, b, -c])
        assert c == pytest.approx(a * K[0, 2] + b * K[1, 2])
        assert degradation(a, b, K[0, 1], h) == pytest.approx(signed @ K @ signed)


def test_degradation_is_never_negative(made, grid):
    m, kappa, h = grid
    assert all(degradation(a, 1 - a, b, c) >= 0 for a, b, c in zip(m, kappa, h, strict=True))
    assert degradation(1.0, 1e8, 1.0, 0.0) >= 0
    assert (made.roots >= 0).all()
    rng = np.random.default_rng(0)
    wd = np.empty(50)
    for strategy in range(4):
        for kappa_row in (rng.uniform(size=50), np.zeros(50), np.ones(50)):
            coefficients = np.concatenate([[1e-3], rng.uniform(1e-3, 1e3, 49)])
            find_partner(strategy, made, coefficients, kappa_row, 0, 50, wd)
            assert (wd >= 0).all()


def test_lookup_is_near_the_precise_search(made, grid):
    m, kappa, h = grid
    looked = np.array([interpolated(made.h, a, b) for a, b in zip(m, kappa, strict=True)])
    # At kappa = 1 - 1e-7 s(h) is so flat that rounding, and not the search, decides within 1e-4.
    away = ((m < 0.47) | (kappa > np.exp(-2) + 0.03)) & (kappa < 1 - 1e-7)
    assert np.abs(looked - h)[away].max() < 1e-4
    roots = np.array([interpolated(made.roots, a, b) for a, b in zip(m, kappa, strict=True)])
    wd = np.array([degradation(a, 1 - a, b, c) for a, b, c in zip(m, kappa, h, strict=True)])
    assert np.abs(roots**2 - wd).max() < 1e-4
    assert np.abs(roots - np.sqrt(wd)).max() < 1e-4
    # At the jump too, h from the table loses next to nothing.
    lost = np.array([degradation(a, 1 - a, b, c) for a, b, c in zip(m, kappa, looked, strict=True)])
    assert (lost - wd).max() < 1e-4
    slow = [budgeted_sgd.bilinear(made.h, a, b) for a, b in zip(m[:500], kappa[:500], strict=True)]
    np.testing.assert_allclose(looked[:500], slow, atol=1e-12)


def test_the_edges_of_the_tables(made):
    assert interpolated(made.roots, 0.5, 1.0) == 0
    assert interpolated(made.h, 0.5, 1.0) == 0.5
    assert interpolated(made.h, 0.25, 1.0) == 0.25
    assert interpolated(made.roots, 0.0, 0.0) == 0
    assert interpolated(made.roots, 0.5, 0.0) == pytest.approx(0.5)
    assert interpolated(made.h, 0.5, 0.0) == pytest.approx(0, abs=1e-9)


def test_copies_are_merged_first_and_strangers_never(made):
    coefficients = np.array([1.0, -5.0, 5.0, 2.0, 9.0])
    kappa = np.array([1.0, 1.0, 0.999, 1.0, 0.1])
    wd = np.empty(5)
    for strategy in range(4):
        assert find_partner(strategy, made, coefficients, kappa, 0, 5, wd) == 3
        assert wd[1] == wd[0] == NEVER
        assert find_partner(strategy, made, coefficients, kappa, 1, 5, wd) == -1


def test_tables_are_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("SVM_EXPLORER_CACHE", str(tmp_path / "new"))
    monkeypatch.setattr(merging_tables, "_known", {})
    made = drain(tables_steps(20))
    assert drain(tables_steps(20)) is made
    [path] = (tmp_path / "new").iterdir()
    kept = np.load(path, allow_pickle=False)
    assert np.array_equal(kept, np.array(made))
    monkeypatch.setattr(merging_tables, "_fill", None)  # not computed again
    merging_tables._known.clear()
    assert np.array_equal(drain(tables_steps(20)).h, made.h)


@pytest.mark.parametrize("content", [b"", b"nonsense", "short", "wild"])
def test_damaged_tables_are_made_anew(tmp_path, monkeypatch, content):
    monkeypatch.setenv("SVM_EXPLORER_CACHE", str(tmp_path))
    monkeypatch.setattr(merging_tables, "_known", {})
    made = np.array(drain(tables_steps(20)))
    [path] = tmp_path.iterdir()
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, made[:1] if content == "short" else np.full_like(made, np.nan))
    merging_tables._known.clear()
    assert np.array_equal(np.array(drain(tables_steps(20))), made)
    assert np.array_equal(np.load(path), made)


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SVM_EXPLORER_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(merging_tables, "_known", {})
    assert drain(tables_steps(20)).h.shape == (20, 20)
