"""`Paper` and `Figure`: figures and tables of a paper that can be measured again, row by row."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.datasets import DataUnavailable


@dataclass(frozen=True)
class Effort:
    """How much is measured: at most so many training and test rows, besides the limits of each figure."""

    rows: int | None = None
    tests: int | None = None
    seed: int = 0

    def train(self, rows: int | None) -> int | None:
        """Training rows where a figure asks for `rows`; None is all."""
        return _least(self.rows, rows)

    def test(self, tests: int | None) -> int | None:
        """Test rows where a figure asks for `tests`; None is all."""
        return _least(self.tests, tests)


FULL = Effort()
QUICK = Effort(rows=2000, tests=1000)


@dataclass(frozen=True)
class Row:
    """One line of a table: the data, the case, what was measured here, and the paper's numbers for the same."""

    data: str
    n: int
    C: float | None  # None in a row about several
    gamma: float | None
    seed: int
    case: Mapping[str, Any]
    ours: Mapping[str, Any]
    paper: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper; each part, on a data set of its own, yields rows as they are measured."""

    name: str
    title: str
    note: str
    parts: tuple[Callable[[Effort], Iterator[Row]], ...]

    def rows(self, effort: Effort, complain: Callable[[str], None]) -> Iterator[Row]:
        """Measure; a part whose data cannot be had is complained of and left out."""
        for part in self.parts:
            try:
                yield from part(effort)
            except DataUnavailable as error:
                complain(str(error))


@dataclass(frozen=True)
class Paper:
    """A paper: its name on the command line, what it is, on what it was measured, and its figures."""

    name: str
    title: str
    note: str
    figures: tuple[Figure, ...]


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
