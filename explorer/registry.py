"""The presentations of all systems by name: the built-in ones, and those that other packages bring.

A built-in system's presentation is in `explorer/systems/<folder>/presentation.py`, in a tuple `PRESENTATIONS`. Another
package declares an entry point of the group `svm_explorer.presentations` that leads to one, or to a tuple of them. A
system of another package without a presentation gets a plain one, made of its settings and events.

This module loads everything by name, when it is asked for, so that every room may import it.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
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
    """What reads the recordings of a system."""
    return presentation(solver).reader


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
def _of_other_packages() -> "dict[str, Presentation]":
    kind: type[Presentation] = import_module("explorer.stage.presentation").Presentation
    return brought_by_packages(GROUP, kind, lambda item: item.solver, _problems)
