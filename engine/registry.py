"""The systems by name: the built-in ones, and those that other packages bring. The only list of systems there is.

A built-in system is a folder of `engine/systems/` whose `system.py` has a tuple `SYSTEMS`. Another package declares an
entry point of the group `svm_explorer.systems` that leads to a `System`, or to a tuple of them. Everything is loaded
when it is asked for: one built-in system loads its folder alone, and other packages are looked at only for a name that
no built-in system has, or when all systems are listed.

This module imports nothing of the engine when it is loaded, so that every room may import it.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from engine.learning.system import System
    from engine.reproduction.paper import Paper
    from engine.runtime.events import Event

BUILT_IN = ("kernel_svm", "dcsvm", "clustersvm", "budgeted_sgd", "interior_point", "dcpred")  # in the order of display
GROUP = "svm_explorer.systems"
Item = TypeVar("Item")


def folder_of(name: str) -> str | None:
    """The built-in folder that has the system of this name, such as dcpred for "dcpred-ridge"; None if none has it.

    Each folder has a system of its own name. It is loaded only to see whether it also has one whose name goes on.
    """
    for folder in BUILT_IN:
        first = folder.replace("_", "-")
        if name == first:
            return folder
        if name.startswith(f"{first}-") and any(system.name == name for system in systems_of(folder)):
            return folder
    return None


def systems_of(folder: str) -> "tuple[System, ...]":
    """The systems of a built-in folder, which is loaded for it."""
    systems: tuple[System, ...] = import_module(f"engine.systems.{folder}.system").SYSTEMS
    return systems


def load(reference: str) -> Any:
    """The object that "package.module:NAME" refers to."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def brought_by_packages(
    group: str, kind: type[Item], key: Callable[[Item], str], problems: dict[str, str]
) -> dict[str, Item]:
    """The objects that other packages declare in a group of entry points, by key.

    One that cannot be loaded, or whose name is taken, is left out; `problems` gets its name and the reason.
    """
    found: dict[str, Item] = {}
    for entry in entry_points(group=group):
        try:
            loaded = entry.load()
            for item in loaded if isinstance(loaded, tuple | list) else (loaded,):
                if not isinstance(item, kind):
                    raise TypeError(f"{entry.value} is a {type(item).__name__}, not a {kind.__name__}")
                if key(item) in found:
                    raise ValueError(f"there is another system named {key(item)!r}")
                found[key(item)] = item
        except Exception as error:  # another package may fail in any way; the others still work
            problems[entry.name] = f"{type(error).__name__}: {error}"
    return found


class _Systems(Mapping[str, "System"]):
    """All systems, each loaded when it is first asked for."""

    def __init__(self) -> None:
        self._built_in: dict[str, System] = {}
        self._guests: dict[str, System] | None = None
        self._lock = threading.RLock()
        self.problems: dict[str, str] = {}

    def __getitem__(self, name: str) -> "System":
        if (folder := folder_of(name)) is not None:
            self._load(folder)
        if name in self._built_in:
            return self._built_in[name]
        return self._other_packages()[name]

    def __iter__(self) -> Iterator[str]:
        for folder in BUILT_IN:
            self._load(folder)
        yield from [*self._built_in, *self._other_packages()]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def built_in(self) -> "Iterator[System]":
        """The built-in systems, folder by folder."""
        for folder in BUILT_IN:
            yield from self._load(folder)

    def _load(self, folder: str) -> "tuple[System, ...]":
        systems = systems_of(folder)
        with self._lock:
            if any(system.name not in self._built_in for system in systems):
                self._built_in |= {system.name: system for system in systems}
        return systems

    def _other_packages(self) -> "dict[str, System]":
        with self._lock:
            if self._guests is None:
                kind: type[System] = load("engine.learning.system:System")
                found = brought_by_packages(GROUP, kind, lambda system: system.name, self.problems)
                for name in [name for name in found if folder_of(name) is not None]:
                    self.problems[name] = "the name belongs to a built-in system"
                    del found[name]
                self._guests = found
        return self._guests


class _Papers(Mapping[str, "Paper"]):
    """The papers of all systems, by the name that the command has for each; they need scikit-learn."""

    def _found(self) -> "dict[str, Paper]":
        found = {paper.name: paper for paper in map(load, _papers_of(SOLVERS.built_in()))}
        for reference in _papers_of(SOLVERS[name] for name in SOLVERS if folder_of(name) is None):
            try:
                paper: Paper = load(reference)
                found.setdefault(paper.name, paper)
            except Exception as error:  # another package may fail in any way; the others still work
                SOLVERS.problems[reference] = f"{type(error).__name__}: {error}"
        return found

    def __getitem__(self, name: str) -> "Paper":
        return self._found()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found())

    def __len__(self) -> int:
        return len(self._found())


def _papers_of(systems: "Iterable[System]") -> list[str]:
    return list(dict.fromkeys(system.paper for system in systems if system.paper))


SOLVERS = _Systems()
PAPERS = _Papers()


def problems() -> Mapping[str, str]:
    """What other packages bring and could not be loaded: name and reason."""
    list(SOLVERS)
    return SOLVERS.problems


def vocabulary(solver: str) -> "dict[str, type[Event]]":
    """The kinds of events that a system emits, by name: those of every run, and its own."""
    common: tuple[type[Event], ...] = load("engine.runtime.events:COMMON")
    return {kind.__name__: kind for kind in (*common, *SOLVERS[solver].events)}


def estimator(name: str) -> Any:
    """The built-in estimator of this name; a KeyError if there is none."""
    for system in SOLVERS.built_in():
        if system.estimator.endswith(f":{name}"):
            return load(system.estimator)
    raise KeyError(name)
