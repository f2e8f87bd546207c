"""Figures 2 and 3 of the Budgeted SGD paper as rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.reproduction.paper import Effort, Row
from engine.runtime.counter import Counter
from engine.runtime.run import Run
from engine.systems.budgeted_sgd.merging import PRECISE, degradation, golden_section, interpolated
from engine.systems.budgeted_sgd.merging_tables import Tables, tables_steps
from engine.systems.budgeted_sgd.paper.bench import Case, merging_time
from engine.systems.budgeted_sgd.paper.printed import MERGING_SAVED, METHODS

SIZE = 400  # of the tables, each way
SHARES = tuple(i / 10 for i in range(11))  # m
E_2 = float(np.exp(-2))  # kappa below which h jumps at m = 1/2
COSINES = (0.01, 0.05, E_2, 0.25, 0.5, 0.75, 0.95)  # kappa
TRIALS = 20_000


def surfaces(effort: Effort) -> Iterator[Row]:
    """Figure 2: h and WD over m and kappa, found by search and by lookup; then how far the two are apart at most."""
    found = {(m, kappa): _solved(m, kappa) for kappa in COSINES for m in SHARES}
    for (m, kappa), (h, wd, h_table, wd_table) in found.items():
        ours = {"h": h, "h, lookup": h_table, "WD": wd, "WD, lookup": wd_table}
        yield _about_none(effort, {"kappa": kappa, "m": m}, ours)
    rng = np.random.default_rng(effort.seed)
    for low, high, where in ((0.0, E_2, "below e^-2"), (E_2, 1.0, "above e^-2")):
        pairs = np.column_stack([rng.random(TRIALS), rng.uniform(low, high, TRIALS)])
        trials = np.array([_solved(m, kappa) for m, kappa in pairs])
        h, wd, h_table, wd_table = trials.T
        ours = {"h, largest error": np.abs(h_table - h).max(), "WD, largest error": np.abs(wd_table - wd).max()}
        yield _about_none(effort, {"kappa": where, "m": "any"}, ours)


def breakdown(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 3: the time of merging in sections A, the search for h or WD, and B, the rest."""
    ready = case.ready(effort)
    for budget in case.budgets:
        merges, split = merging_time(ready.X, ready.y, ready.settings(budget))
        if not merges:
            continue
        for name, method in METHODS.items():
            section_a, section_b = split[name]
            saved = 100 * (1 - sum(split[name]) / sum(split["gss"]))
            quoted = case.published == "SUSY" and name == "lookup-h" and budget == 100
            yield ready.row(
                {"budget": budget, "passes": ready.passes, "method": method},
                {
                    "merges": merges, "A, us a merge": 1e6 * section_a, "B, us a merge": 1e6 * section_b,
                    "A, seconds": section_a * merges, "B, seconds": section_b * merges, "merging time saved": saved,
                },
                {"merging time saved": MERGING_SAVED} if quoted else {},
            )  # fmt: skip


def _solved(m: float, kappa: float) -> tuple[float, float, float, float]:
    """h and WD of vectors with lengths m and 1 - m, by search, then the same from the tables."""
    small = min(m, 1 - m)
    h = golden_section(small, kappa, PRECISE)
    tables = _tables()
    h_table, root = interpolated(tables.h, small, kappa), interpolated(tables.roots, small, kappa)
    wd = degradation(small, 1 - small, kappa, h)
    if m > small:  # the other half mirrors it
        h, h_table = 1 - h, 1 - h_table
    return float(h), float(wd), float(h_table), float(root) ** 2


def _tables() -> Tables:
    return Run(tables_steps(SIZE), Counter()).result()


def _about_none(effort: Effort, case: dict[str, Any], ours: dict[str, float]) -> Row:
    """A row on the merging problem itself, whatever the data."""
    return Row("any", 0, None, None, effort.seed, case, ours)
