"""TODO: what this is."""

from collections.abc import Iterator

from engine.reproduction.paper import Effort, Row
from engine.systems.interior_point.paper.bench import DUAL, Case, fit
from engine.systems.interior_point.paper.printed import ENOUGH
from engine.systems.interior_point.paper.tables import SHARES


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
