"""Merging strategies compared on the merges of a run, as in Table 3 and Figure 3 of the paper.

At the merges that are examined, every strategy solves the same problem: which partner does it choose, and how much
weight degradation does that cost? "auto" examines every merge of a short run and some of a long one, "all" every merge,
"none" no merge. Times are measured at the end: some of the problems are solved again many times, in loops that do
nothing else, one strategy and one section of the work after the other. (A clock inside the steps would take longer than
what it measures.)
"""

from itertools import pairwise

import numpy as np
from numba import njit

from engine.runtime.events import Array, Steps
from engine.systems.budgeted_sgd.budget import MAINTAINED, SIZE, STEP, Budget, Choice, kernel_row, merge
from engine.systems.budgeted_sgd.events import MergesReplayed, StrategiesCompared
from engine.systems.budgeted_sgd.merging import GSS, GSS_PRECISE, LOOKUP_WD, MERGING, degradation, find_h, find_partner
from engine.systems.budgeted_sgd.merging_tables import Tables

KEPT = 256  # problems to be solved again, at most
CANDIDATES = 100_000  # of these in all, each tried by each strategy
SLICE = 10_000  # candidates between two breaths: some 20 ms for the slowest


class MergeDiagnostics:
    """The strategy comparison of one run."""

    def __init__(self, which: str, merging: bool) -> None:
        self.every = merging and which == "all"
        self._on = merging and which != "none"
        self._compared, self._equal, self._stride = 0, 0, 1
        self._agreed, self._lost = np.zeros(len(MERGING)), np.zeros(len(MERGING))
        self._problems: list[tuple[Array, Array, int]] = []

    def look(self, budget: Budget, tables: Tables, choice: Choice) -> None:
        """Let every strategy solve the merge that is due; `budget.row` has its kernel values."""
        if not self._on or choice.partner < 0:
            return
        partners, lost = np.empty(len(MERGING), np.int64), np.empty(len(MERGING))
        coefficients, kappa, first = budget.coefficients, budget.row, choice.first
        _compare(tables, coefficients, kappa, first, np.empty_like(budget.wd), partners, lost)
        self._agreed += partners == partners[GSS_PRECISE]
        self._equal += int(partners[GSS] == partners[LOOKUP_WD])
        self._lost += lost
        if self._compared % self._stride == 0:
            self._problems.append((coefficients.copy(), kappa.copy(), first))
            if len(self._problems) > min(KEPT, max(2, CANDIDATES // len(kappa))):
                self._problems = self._problems[::2]
                self._stride *= 2
        self._compared += 1

    def compared(self, budget: Budget) -> Steps[None]:
        """Report how the strategies compare so far."""
        if not self._compared:
            return
        counts = budget.counts
        least = self._lost[GSS_PRECISE]
        yield StrategiesCompared(
            step=int(counts[STEP]), maintained=int(counts[MAINTAINED]),
            frequency=float(counts[MAINTAINED] / counts[STEP]), compared=self._compared, strategies=list(MERGING),
            agreement=self._agreed / self._compared, equal=self._equal / self._compared,
            factor=self._lost / least if least > 0 else np.ones(len(MERGING)),
        )  # fmt: skip

    def replay(self, budget: Budget, tables: Tables) -> Steps[None]:
        """Solve some of the problems again, to time them: two events enclose each section of the work."""
        if not self._problems:
            return
        coefficients, kappa, first = (np.array(column) for column in zip(*self._problems, strict=True))
        room, count = len(budget.coefficients), len(first)
        rounds = max(1, CANDIDATES // (room * count))
        step = max(1, SLICE // room)
        spare = Budget(*(part.copy() for part in budget))
        # The first calls pay for compiling.
        _search_again(0, tables, coefficients[:0], kappa[:0], first, spare.wd)
        _rest_again(spare, first[:0])
        yield MergesReplayed(section="", strategy="", merges=0)
        for strategy, name in enumerate(MERGING):
            for _ in range(rounds):
                for top in range(0, count, step):
                    part = slice(top, top + step)
                    _search_again(strategy, tables, coefficients[part], kappa[part], first[part], spare.wd)
                    yield None
            yield MergesReplayed(section="A", strategy=name, merges=rounds * count)
        for _ in range(rounds):
            _rest_again(spare, first)
            yield None
        yield MergesReplayed(section="B", strategy="", merges=rounds * count)


def time_split(events: list[MergesReplayed]) -> dict[str, tuple[float, float]]:
    """Seconds of a merge in section A and in section B, for each strategy, from the stamps of a run's replay."""
    split = {}
    for before, event in pairwise(events):
        if event.section:
            split[event.section, event.strategy] = (event.stamp.seconds - before.stamp.seconds) / event.merges
    return {name: (split["A", name], split["B", ""]) for section, name in split if section == "A"}


@njit(nogil=True, cache=True)
def _compare(tables, coefficients, kappa, first, wd, partners, lost):  # type: ignore[no-untyped-def]
    a_i = abs(coefficients[first])
    for strategy in range(partners.size):
        j = find_partner(strategy, tables, coefficients, kappa, first, coefficients.size, wd)
        a_j = abs(coefficients[j])
        partners[strategy] = j
        lost[strategy] = degradation(a_i, a_j, kappa[j], find_h(strategy, tables, a_i, a_j, kappa[j]))


@njit(nogil=True, cache=True)
def _search_again(strategy, tables, coefficients, kappa, first, wd):  # type: ignore[no-untyped-def]
    """Section A: the partner and h of each problem."""
    total = 0.0  # so that nothing is left out as useless
    for p in range(coefficients.shape[0]):
        a, k, i = coefficients[p], kappa[p], first[p]
        j = find_partner(strategy, tables, a, k, i, a.size, wd)
        total += find_h(strategy, tables, abs(a[i]), abs(a[j]), k[j])
    return total


@njit(nogil=True, cache=True)
def _rest_again(budget, first):  # type: ignore[no-untyped-def]
    """Section B: the smallest vector, its kernel values unless the step had them, the merge itself."""
    room, coefficients = budget.coefficients.size, budget.coefficients
    for p in range(first.size):
        budget.counts[SIZE] = room
        i = 0
        for j in range(1, room):
            if abs(coefficients[j]) < abs(coefficients[i]):
                i = j
        if first[p] != room - 1:
            budget.point[:] = budget.vectors[:, i]
            kernel_row(budget.vectors, budget.point, room, budget.row)
        merge(budget, Choice(i, (i + 1) % room, 0.5))
        coefficients[room - 1] = 1.0
