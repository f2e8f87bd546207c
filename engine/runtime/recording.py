"""Recording: the events of a run, with the data and settings that are needed to run it again; its file."""

import dataclasses
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import metadata
from pathlib import Path
from typing import Any, overload

import numpy as np

from engine import registry
from engine.runtime import archive
from engine.runtime.archive import ArchiveError
from engine.runtime.errors import invalid
from engine.runtime.events import Array, Event, Stamp

KIND, VERSION = "svm-explorer recording", 1
LIMIT_MB = 256


def versions() -> dict[str, str]:
    """What a result depends on besides data and settings."""
    packages = ("svm-explorer", "numpy", "numba", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in packages}}


@dataclass(frozen=True)
class Header:
    """What was run: solver and settings by name, the data themselves, where they came from, versions."""

    solver: str
    settings: Mapping[str, Any]
    X: Array
    y: Array
    source: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)


class Recording(Sequence[Event]):
    """The events of a run so far, within `limit_mb` of memory. One thread writes, any may read.

    When they outgrow the limit, every other event of the kinds that thin is dropped, but never the first or the last.
    """

    def __init__(self, header: Header, limit_mb: float = LIMIT_MB) -> None:
        if not limit_mb > 0:
            raise invalid("limit_mb", limit_mb, "a positive number of megabytes")
        self.header = header
        self.limit = int(limit_mb * 2**20)
        self.bytes = 0
        self._events: list[Event] = []
        self._stride = 1  # one in so many thinning events is kept for good
        self._seen = 0
        self._provisional: Event | None = None  # kept only until the next event that thins

    @property
    def stride(self) -> int:
        """One in so many of the events that thin is kept; 1 while nothing was left out."""
        return self._stride

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        """The event or events at a position of the recording (not at a sequence number: some may be left out)."""
        return self._events[index]

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events[:])

    def append(self, event: Event) -> None:
        """Add the next event of the run."""
        events = self._events
        replaced = self._provisional if event.thins else None
        if event.thins:
            self._provisional = event if self._seen % self._stride else None
            self._seen += 1
        # Readers take no lock: they see either the old events or the new ones.
        if replaced is None:
            events.append(event)
        elif events[-1] is replaced:
            events[-1] = event
        else:
            self._events = [*(kept for kept in events if kept is not replaced), event]
        self.bytes += _size(event) - (_size(replaced) if replaced else 0)
        while self.bytes > self.limit and self._thin():
            pass

    def _thin(self) -> bool:
        """Leave out every other event that thins, but not the last one; False if none was left to leave out."""
        frames = [event for event in self._events if event.thins]
        going = {id(event) for event in frames[1:-1:2]}
        if not going:
            return False
        self._stride *= 2
        if len(frames) % 2 == 0:
            self._provisional = frames[-1]  # out of step with the others
        self._events = [event for event in self._events if id(event) not in going]
        self.bytes = sum(map(_size, self._events))
        return True

    def save(self, path: str | Path) -> None:
        """Write to one file, replacing it in one go."""
        events = self._events
        content = {
            "header": {item.name: getattr(self.header, item.name) for item in fields(Header)},
            "events": [_encode(event) for event in events],
        }
        archive.write(path, KIND, VERSION, content)

    @classmethod
    def load(cls, path: str | Path) -> "Recording":
        """Read a file that `save` wrote; an `ArchiveError` says what is wrong with any other."""
        content = archive.read(path, KIND, VERSION)
        try:
            header = Header(**content["header"])
            if not (isinstance(header.X, np.ndarray) and isinstance(header.y, np.ndarray)):
                raise TypeError("X and y are not arrays")
            kinds = _kinds(header.solver)
            formerly = registry.SOLVERS[header.solver].settings.formerly
            recording = cls(dataclasses.replace(header, settings={**formerly, **header.settings}))
            recording._events = [_decode(item, kinds) for item in content["events"]]
        except ArchiveError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ArchiveError(f"{Path(path).name} is damaged: {error}") from error
        recording.bytes = sum(map(_size, recording._events))
        recording.limit = max(recording.limit, recording.bytes)
        return recording


def _size(event: Event) -> int:
    arrays = sum(value.nbytes for value in vars(event).values() if isinstance(value, np.ndarray))
    return arrays + 512  # the object itself, its numbers and strings


def _encode(event: Event) -> dict[str, Any]:
    values = {item.name: getattr(event, item.name) for item in fields(event) if item.name != "stamp"}
    return {"event": type(event).__name__, "stamp": list(dataclasses.astuple(event.stamp)), "values": values}


def _kinds(solver: str) -> dict[str, type[Event]]:
    """The kinds of events that a recording of this solver may have."""
    try:
        return registry.vocabulary(solver)
    except KeyError:
        known = ", ".join(registry.SOLVERS)
        raise ArchiveError(f"it is a recording of {solver!r}, which is not installed here; known are {known}") from None


def _decode(item: dict[str, Any], kinds: Mapping[str, type[Event]]) -> Event:
    kind = kinds.get(item["event"])
    if kind is None:
        raise ArchiveError(f"the recording has an event of an unknown kind, {item['event']!r}")
    sequence, seconds, evaluations, path = item["stamp"]
    return kind(**item["values"], stamp=Stamp(sequence, seconds, evaluations, tuple(path)))
