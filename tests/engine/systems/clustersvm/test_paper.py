"""The tables and figures of the ClusterSVM paper on few rows: what they measure must hold whatever the size."""

import numpy as np
import pytest

from engine.registry import PAPERS
from engine.reproduction.paper import Effort
from engine.systems.clustersvm.paper import ARTIFICIAL, USPS
from engine.systems.clustersvm.paper.figures import by_clusters, by_size
from engine.systems.clustersvm.paper.printed import TABLES
from engine.systems.clustersvm.paper.tables import compared, passes

TINY = Effort(rows=600, tests=600, seed=1)


def test_errors_by_passes_end_at_the_exact_machine():
    rows = list(passes(ARTIFICIAL, TINY))
    assert [row.case["passes"] for row in rows] == [0, 1, 2, 3]
    assert [row.paper["error"] for row in rows] == [25.87, 25.43, 25.48, 25.47]
    assert all(row.n == 600 and row.paper["n"] == 6000 for row in rows)
    sizes = [row.ours["mean N_train"] for row in rows]
    assert sizes[0] == 42
    assert sizes == sorted(sizes)
    assert rows[-1].ours["exact"]


@pytest.mark.parametrize("case", [ARTIFICIAL, USPS], ids=lambda case: case.data)
def test_with_and_without_clusters(case, published):
    if case.size is None:
        published(case.data)
    rows = list(compared(case, TINY))
    whole = {row.case["method"]: row for row in rows if row.case["classifier"] == "all"}
    exact = whole["all points"]
    assert exact.ours["mean N_train"] == 600
    assert exact.paper["error"] == TABLES[case.published].smo_error
    assert whole["ClusterSVM, to the end"].ours["error"] == pytest.approx(exact.ours["error"], abs=0.4)
    assert whole["ClusterSVM, to the end"].ours["exact"]
    assert whole["ClusterSVM, Condition 2"].ours["mean N_train"] <= whole["ClusterSVM"].ours["mean N_train"] < 600
    assert not whole["ClusterSVM, Condition 2"].paper
    single = [row for row in rows if row.case["classifier"] != "all"]
    assert tuple(row.paper["N_train"] for row in single) == TABLES[case.published].sizes
    assert np.mean([row.ours["N_train"] for row in single]) == pytest.approx(whole["ClusterSVM"].ours["mean N_train"])


def test_curves():
    rows = list(by_clusters(ARTIFICIAL, TINY))
    assert [row.case["clusters of a class"] for row in rows] == [1, 21, 41, 61, 81]
    assert all(0 <= row.ours["relative difference"] <= row.ours["largest"] for row in rows)
    rows = list(by_size(ARTIFICIAL, TINY))
    assert [row.n for row in rows] == [300, 300, 300, 600, 600, 600]
    assert all(row.ours["mean N_train"] <= row.n for row in rows)


def test_published_numbers_are_complete():
    assert {name: len(table.sizes) for name, table in TABLES.items()} == {"artificial": 3, "USPS": 10, "Isolet": 26}
    means = {name: round(np.mean(table.sizes)) for name, table in TABLES.items()}
    assert means == {"artificial": 3103, "USPS": 1836, "Isolet": 1041}  # as printed
    names = [figure.name for figure in PAPERS["clustersvm"].figures]
    assert names == ["table1", "table2", "table3", "table4", "figure4", "figure6"]
