"""The tables and figures of the Budgeted SGD paper on very few rows: what they measure must hold whatever the size."""

from functools import partial

import numpy as np
import pytest

from engine.registry import PAPERS
from engine.reproduction.paper import Effort
from engine.systems.budgeted_sgd.paper import CASES, IJCNN, printed
from engine.systems.budgeted_sgd.paper.bench import accuracies, merging_decisions, merging_time
from engine.systems.budgeted_sgd.paper.figures import breakdown, surfaces
from engine.systems.budgeted_sgd.paper.tables import accuracy, exact, other_lambdas, savings

TINY = Effort(rows=600, tests=300, seed=1)


def measured(part):
    rows = list(part(TINY))
    assert {(row.data, row.n, row.gamma, row.seed) for row in rows} == {("ijcnn1", 600, 2, 1)}
    return rows


@pytest.mark.usefixtures("ijcnn1")
def test_the_machine_without_a_budget():
    (row,) = measured(partial(exact, IJCNN))
    assert dict(row.paper) == {"n": 49_990, "features": 22, "accuracy": 98.77}
    assert row.ours["features"] == 22
    assert row.ours["accuracy"] > 85


@pytest.mark.usefixtures("ijcnn1")
def test_accuracy_and_savings_are_of_the_same_runs():
    rows = measured(partial(accuracy, IJCNN))
    assert [(row.case["budget"], row.case["method"]) for row in rows] == [
        (budget, method) for budget in (100, 500) for method in printed.METHODS.values()
    ]
    assert dict(rows[3].paper) == {"n": 49_990, "accuracy": 97.13, "accuracy +-": 0.363}
    assert all(row.ours["accuracy"] > 80 and row.case["runs"] == 2 for row in rows)
    small, large = measured(partial(savings, IJCNN))
    assert small.paper["merging frequency"] == 17
    assert small.paper["WD excess of GSS"] == pytest.approx(2.429)
    assert 0 < small.ours["merging frequency"] < 100
    assert small.ours["WD excess of Lookup-WD"] < small.ours["WD excess of GSS"]
    assert small.ours["equal decisions"] > 80
    assert "equal decisions" not in {**large.ours, **large.paper}


@pytest.mark.usefixtures("ijcnn1")
def test_sections_of_a_merge():
    rows = measured(partial(breakdown, IJCNN))
    by = {row.case["method"]: row.ours for row in rows if row.case["budget"] == 100}
    assert list(by) == ["GSS-precise", "GSS", "Lookup-h", "Lookup-WD"]
    for ours in by.values():
        assert ours["A, seconds"] == pytest.approx(1e-6 * ours["A, us a merge"] * ours["merges"])
        assert ours["A, seconds"] > 0
        assert ours["B, seconds"] == by["GSS"]["B, seconds"] > 0
    assert by["GSS"]["merging time saved"] == 0
    assert all(dict(row.paper) == {} for row in rows)


@pytest.mark.usefixtures("ijcnn1")
def test_a_larger_lambda_merges_more():
    rows = list(other_lambdas(IJCNN, TINY))
    assert abs(rows[0].C - 32) < 1e-9
    assert rows[0].case["lambda"] == pytest.approx(1 / (600 * 32))
    by = sorted(rows, key=lambda row: row.case["lambda"])
    assert by[0].ours["merging frequency"] < by[-1].ours["merging frequency"]


def test_surfaces_are_mirrored_and_lookup_is_near():
    rows = list(surfaces(TINY))
    h = {(row.case["kappa"], row.case["m"]): row.ours.get("h") for row in rows}
    assert h[0.5, 0.7] == pytest.approx(1 - h[0.5, 0.3])
    assert h[0.01, 0.4] < 0.05  # one of two far vectors is as good as removed
    assert h[0.01, 0.6] > 0.95
    assert all(row.ours["WD, largest error"] < 1e-4 for row in rows[-2:])


def test_on_any_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.3 * rng.normal(size=1500), 1.0, -1.0)
    settings = {"C": 5, "gamma": 0.5, "budget": 20, "epochs": 2}
    found = accuracies(X[:1000], y[:1000], X[1000:], y[1000:], settings, seeds=range(3))
    assert found.shape == (3,)
    assert (found > 0.6).all()
    compared = merging_decisions(X, y, settings)
    assert compared.maintained - compared.compared < 20  # all but those without a partner
    merges, split = merging_time(X, y, settings)
    assert merges == compared.maintained
    assert split["gss"][0] > 0


def test_published_numbers_are_complete():
    assert {case.published for case in CASES} == set(printed.TABLE_1)
    for case in CASES:
        assert tuple(printed.TABLE_2[case.published]) == tuple(printed.TABLE_3_SAVED[case.published]) == case.budgets
        assert len(printed.TABLE_3_DECISIONS[case.published]) == 4
        assert all(len(numbers) == len(printed.METHODS) for numbers in printed.TABLE_2[case.published].values())
    names = [figure.name for figure in PAPERS["bsgd"].figures]
    assert names == ["table1", "table2", "table3", "figure2", "figure3", "lambda"]


@pytest.fixture
def ijcnn1(published):
    published("ijcnn1")
