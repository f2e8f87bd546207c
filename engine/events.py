"""The vocabulary of all solvers in one place, for users: `from engine.events import Finished, Iteration`.

`EVENTS` has the kinds of events by name. They are defined in `engine/runtime/events.py` and in the `events.py` of each
system, where the code of the engine itself imports them from.
"""

from typing import Any

from engine import registry
from engine.runtime.events import COMMON, Array, Event, Result, Stamp, Steps, Stop, Within, finish, passed_on, within

__all__ = ["Array", "Event", "Result", "Stamp", "Steps", "Stop", "Within", "finish", "passed_on", "within"]


def __getattr__(name: str) -> Any:
    """The kind of event of this name, of any system."""
    if name == "EVENTS":
        kinds = (kind for system in registry.SOLVERS.values() for kind in system.events)
        return {kind.__name__: kind for kind in (*COMMON, *kinds)}
    if not name.startswith("_"):
        for kind in COMMON:
            if kind.__name__ == name:
                return kind
        for system in registry.SOLVERS.built_in():
            for kind in system.events:
                if kind.__name__ == name:
                    return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(["EVENTS", *__all__, *__getattr__("EVENTS")])
