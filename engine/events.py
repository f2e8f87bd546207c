"""The one vocabulary of the project: what a solver says while it works.

A solver is a generator. It yields events, small frozen dataclasses, and now and then None, a breath: nothing to tell,
but a moment at which it may be paused or stopped. `Run` drives it and stamps each event; a solver looks at no clock.
What all solvers say is in `basis`, what only one says in the module of its name.
"""

from engine.registry import EVENTS
from engine.runtime.events import Array, Event, Result, Stamp, Steps, Stop, Within, passed_on, within

__all__ = [
    *EVENTS,
    "EVENTS",
    "Array",
    "Event",
    "Result",
    "Stamp",
    "Steps",
    "Stop",
    "Within",
    "passed_on",
    "within",
]
