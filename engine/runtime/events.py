"""What a solver is, and the events of every run.

A solver is a generator. It yields events, small frozen dataclasses, and now and then None. That is called a breath:
there is nothing to report, but the run may be paused or stopped at that moment, so a solver breathes every 10 to 20 ms.
`Run` drives it and stamps each event with the time; a solver never reads a clock. The events that only one system emits
are in the folder of that system.
"""

from collections.abc import Callable, Generator
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Result = TypeVar("Result")

# Why a solver stops. Several tasks together stop for the first of these reasons that any of them has.
FROM_OUTSIDE = ("cancelled", "time")
UNFINISHED = ("stalled", "max_iter")
DONE = ("approximate", "early", "passes", "converged")  # "approximate": what converged was an approximate problem
STOP_REASONS = (*FROM_OUTSIDE, *UNFINISHED, *DONE)


@dataclass(frozen=True)
class Stamp:
    """When and where an event happened: its number, seconds inside the solver, kernel evaluations so far, task path."""

    sequence: int
    seconds: float
    evaluations: int
    path: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Event:
    """Something that happened. Arrays in an event are snapshots, made read-only."""

    stamp: Stamp = Stamp(-1, 0.0, 0)

    thins: ClassVar[bool] = False  # whether a long recording may drop some events of this kind

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def stamped(self, stamp: Stamp) -> "Event":
        """Return a copy with a stamp; `replace` would make every array read-only again."""
        copied = copy(self)
        object.__setattr__(copied, "stamp", stamp)
        return copied


@dataclass(frozen=True, eq=False, kw_only=True)
class Started(Event):
    """A solver begins on a problem."""

    solver: str
    n: int
    d: int
    kernel: str
    gamma: float
    bias: bool
    tol: float


@dataclass(frozen=True, eq=False, kw_only=True)
class PhaseBegan(Event):
    """A part of the run that deserves a mark on the timeline; `size` is how many points it is about."""

    name: str
    size: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Finished(Event):
    """A solver has stopped; `stop_reason` is one of `STOP_REASONS`.

    At the end of several tasks the numbers are sums, the violation is the largest, and there is no alpha or intercept.
    """

    stop_reason: str
    iterations: int
    inner_steps: int
    objective: float
    gap: float  # primal minus dual value
    violation: float
    intercept: float
    n_free: int
    n_bound: int
    alpha: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Failed(Event):
    """The solver raised an error."""

    error: str
    message: str


@dataclass(frozen=True)
class Within:
    """An event of a task (such as one class against another), with the name of that task."""

    task: str
    event: "Event | Within"


Steps: TypeAlias = Generator[Event | Within | None, None, Result]
"""What a solver is: yields events and breaths, returns its result."""


class Stop(Exception):
    """Thrown into a solver at a yield: it yields `Finished` with this reason and returns what it has.

    A solver that has already yielded its last event lets the exception pass, with what it has as its `result`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.result: Any = None


def within(task: str, steps: Steps[Result]) -> Steps[Result]:
    """Pass on the steps of a part of the work under the name of its task."""
    return passed_on(steps, lambda item: Within(task, item))


def passed_on(steps: Steps[Result], changed: Callable[[Any], "Event | Within | None"]) -> Steps[Result]:
    """Pass on the steps of a part of the work, its events `changed`; None leaves a breath of one."""
    try:
        item = next(steps)
        while True:
            try:
                yield None if item is None else changed(item)
            except Stop as stop:
                item = steps.throw(stop)
            else:
                item = next(steps)
    except StopIteration as end:
        return end.value


def drain(steps: Steps[Result]) -> Result:
    """Take all steps of a part of the work here and return its result; its events are lost."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


def finish(result: Result, event: Event) -> Steps[Result]:
    """Yield the closing event and return the result; a `Stop` at that moment takes the result along."""
    try:
        yield event
    except Stop as stop:
        stop.result = result
        raise
    return result


COMMON: tuple[type[Event], ...] = (Started, PhaseBegan, Finished, Failed)  # what any solver may yield
