"""Figure 1 of the interior-point paper as rows."""

from collections.abc import Iterator

from engine.reproduction.paper import Effort, Row
from engine.systems.interior_point.paper.bench import DUAL, Case, fit
from engine.systems.interior_point.paper.printed import ENOUGH

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)  # percent of n


def accuracy_by_rank(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 1: accuracy against the number of columns."""
    ready = case.ready(effort)
    whole = fit(case, effort, DUAL)
    for share in SHARES:
        found = fit(case, effort, "IPM-ICF", share=share / 100)
        ours = {
            "rank": found.rank, "accuracy": found.accuracy, "below the dual solver": whole.accuracy - found.accuracy,
            "relative error": found.error, "iterations": found.fine, "seconds": found.seconds,
        }  # fmt: skip
        enough = {"rank, % of n, from which it stays": ENOUGH[case.published]} if share == SHARES[0] else {}
        yield ready.row({"rank, % of n": share}, ours, enough)
    yield ready.row({"rank, % of n": DUAL}, {"accuracy": whole.accuracy, "seconds": whole.seconds})
