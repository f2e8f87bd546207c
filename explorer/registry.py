"""The presentations of all systems by name: the built-in ones, and those that other packages bring.

A built-in system's presentation is in `explorer/systems/<folder>/presentation.py`, in a tuple `PRESENTATIONS`. What
reads its recordings is `READER` in `reader.py` beside it, the common `Reader` without such a file; it loads no screen.
Another package declares an entry point of the group `svm_explorer.presentations` that leads to one, or to a tuple of
them. A system of another package without a presentation gets a plain one, made of its settings and events.

This module loads everything by name, when it is asked for, so that every room may import it.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from engine import SOLVERS
from engine.registry import BUILT_IN, brought_by_packages, folder_of
from engine.registry import problems as engine_problems

if TYPE_CHECKING:
    from explorer.replay.reader import Reader
    from explorer.stage.presentation import Presentation

GROUP = "svm_explorer.presentations"
_problems: dict[str, str] = {}


def presentations() -> "dict[str, Presentation]":
    """All presentations by the name of their system, in the order of the home page."""
    return {name: presentation(name) for name in SOLVERS}


def presentation(solver: str) -> "Presentation":
    """The presentation of a system; a KeyError if there is no such system."""
    if (folder := folder_of(solver)) is not None:
        return _built_in(folder)[solver]
    if (found := _of_other_packages().get(solver)) is not None:
        return found
    plain: Any = import_module("explorer.stage.presentation").plain
    made: Presentation = plain(SOLVERS[solver])
    return made


def reader(solver: str) -> "type[Reader]":
    """What reads the recordings of a system; that of a built-in one comes without its presentation."""
    if (folder := folder_of(solver)) is not None:
        return _built_in_reader(folder)
    if (found := _of_other_packages().get(solver)) is not None:
        return found.reader
    common: type[Reader] = import_module("explorer.replay.reader").Reader
    return common


def problems() -> Mapping[str, str]:
    """What other packages bring and could not be loaded: name and reason."""
    _of_other_packages()
    return {**engine_problems(), **_problems}


@cache
def _built_in(folder: str) -> "dict[str, Presentation]":
    assert folder in BUILT_IN
    module = import_module(f"explorer.systems.{folder}.presentation")
    return {item.solver: item for item in module.PRESENTATIONS}


@cache
def _built_in_reader(folder: str) -> "type[Reader]":
    own = f"explorer.systems.{folder}.reader"
    found: type[Reader] = (
        import_module(own).READER if find_spec(own) else import_module("explorer.replay.reader").Reader
    )
    return found


@cache
def _of_other_packages() -> "dict[str, Presentation]":
    kind: type[Presentation] = import_module("explorer.stage.presentation").Presentation
    return brought_by_packages(GROUP, kind, lambda item: item.solver, _problems)
