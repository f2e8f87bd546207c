"""The figures of the DC-SVM paper on very few rows: what they measure must hold whatever the size."""

from functools import partial

import pytest

from engine.registry import PAPERS
from engine.reproduction.paper import Effort
from engine.systems.dcsvm.paper import IJCNN1, printed
from engine.systems.dcsvm.paper.bench import Case
from engine.systems.dcsvm.paper.figures import against_time, bound_and_gap, support_vectors
from engine.systems.dcsvm.paper.tables import bags, clustering_and_training, contenders, early_on_all, grid, prediction

TINY = Effort(rows=400, tests=200, seed=1)
SMALL = Case("ijcnn1", C=32, gamma=2)


@pytest.fixture(autouse=True)
def data(published):
    published("ijcnn1")


def measured(part):
    rows = list(part(TINY))
    assert {(row.data, row.n, row.seed) for row in rows} == {("ijcnn1", 400, 1)}
    return rows


def test_the_bound_holds_and_kernel_kmeans_beats_chance():
    rows = measured(partial(bound_and_gap, SMALL))
    assert [row.case["k"] for row in rows] == 2 * [8, 16, 32, 64, 128]
    assert all(-1e-6 <= row.ours["gap"] <= row.ours["bound"] for row in rows)
    assert all(ours.ours["gap"] < chance.ours["gap"] for ours, chance in zip(rows[:5], rows[5:], strict=True))


def test_support_vectors_by_level_beside_cascade_and_shrinking():
    rows = measured(partial(support_vectors, SMALL))
    by = {(row.case["method"], row.case["subsets"]): row.ours for row in rows}
    assert by["DC-SVM", 4]["F1"] > by["CascadeSVM", 4]["F1"]
    for subsets in (4, 16):
        fair = by["DC-SVM", subsets]["recall of as many as CascadeSVM finds"]
        assert fair > by["CascadeSVM", subsets]["recall"]
    assert by["shrinking", 1]["recall"] == by["shrinking", 1]["precision"] == 1  # the last glance
    assert all(0 < row.ours["recall"] <= 1 for row in rows)


def test_errors_against_time_end_at_the_optimum():
    rows = measured(partial(against_time, IJCNN1))
    ends = {row.case["method"]: row.ours for row in rows if row.case["at"] == "end"}
    for method in ("DC-SVM", "DC-SVM, 4 levels", "dual solver"):
        assert ends[method]["relative error"] < 1e-5
    assert ends["SVC, with bias"]["relative error"] is None
    seconds = [row.ours["seconds"] for row in rows if row.case["method"] == "DC-SVM, 4 levels"]
    assert seconds == sorted(seconds)


def test_contenders_have_their_published_numbers_beside_them():
    rows = measured(partial(contenders, SMALL))
    assert [row.case["method"] for row in rows] == list(printed.METHODS_2)
    first = rows[0]
    assert dict(first.paper) == {"n": 49_990, "seconds": 12, "accuracy": 98.35}
    assert first.ours["accuracy"] > 85
    assert dict(rows[-1].ours) == {}  # nobody here stands for LTPU


def test_early_prediction_on_all_rows():
    assert list(early_on_all(SMALL, TINY)) == []
    (row,) = early_on_all(SMALL, Effort(tests=2000))
    assert (row.n, row.paper["n"]) == (49_990, 49_990)
    assert row.ours["accuracy"] > 97.5


def test_the_other_tables(monkeypatch):
    monkeypatch.setitem(printed.GRID, "ijcnn1", {(1, 1): printed.GRID["ijcnn1"][1, 1]})
    assert {row.case["prediction"] for row in measured(partial(prediction, SMALL))} == {"early", "naive", "bcm"}
    assert [row.case["level"] for row in measured(partial(clustering_and_training, SMALL))] == [4, 3, 2, 1, 0]
    assert [row.case["k"] for row in measured(partial(bags, SMALL))] == [256, 256, 64, 64, 16, 16]
    rows = measured(partial(grid, SMALL))
    assert [(row.C, row.gamma) for row in rows] == 3 * [(2, 2)] + 3 * [(None, None)]
    assert rows[3].ours["seconds"] == rows[0].ours["seconds"]


def test_published_numbers_are_complete():
    assert all(len(numbers) == len(printed.METHODS_2) for numbers in printed.TABLE_2.values())
    assert all(len(settings) == 9 for settings in printed.GRID.values())
    names = [figure.name for figure in PAPERS["dcsvm"].figures]
    assert len(set(names)) == len(names) == 12
