from engine.registry import PAPERS
from engine.reproduction.paper import Effort
from engine.systems.dcpred.paper import A9A, REGRESSION, USPS
from engine.systems.dcpred.paper.figures import kernel_error, ridge
from engine.systems.dcpred.paper.tables import all_classes, prediction

FEW = Effort(rows=1000, tests=500)


def test_pseudo_landmarks_lower_the_error_at_equal_cost(published):
    for case in (USPS, A9A):
        published(case.data)
        rows = [row for row in kernel_error(case, FEW) if row.case["method"] == "Nys-dp"]
        assert len(rows) == 5
        for row in rows:
            assert row.ours["error"] < row.ours["error of Nystrom at this cost"]


def test_ridge_regression_beside_its_contenders(published):
    published("cpusmall")
    rows = list(ridge(REGRESSION[0], FEW))
    assert len(rows) == 12
    ours, *others = (row.ours["test RMSE"] for row in rows[6:9])
    assert ours < min(others)


def test_table_1_has_ours_and_the_papers_numbers(published):
    published("usps")
    first, *rest = prediction(USPS, FEW)
    assert first.case["method"] == "DC-Pred++"
    assert first.paper["prediction time"] == 14.4
    assert first.ours["accuracy"] > 80
    assert {row.case["method"] for row in rest} >= {"kmeans Nystrom", "exact SVM", "LDKL"}
    assert [figure.name for figure in PAPERS["dcpred"].figures][:3] == ["table1", "classes", "choice"]


def test_all_digits_beside_the_exact_machine(published):
    published("usps")
    exact, squares, sided = all_classes(USPS, FEW)
    assert exact.ours["accuracy"] > sided.ours["accuracy"] > squares.ours["accuracy"] - 2
    assert sided.ours["inner products"] < 0.2 * exact.ours["inner products"]
