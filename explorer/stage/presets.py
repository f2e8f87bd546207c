"""Presets: data and settings to begin with. Each system has its own, in the `presets.toml` of its package.

The file has an array of tables named like the solver, each with a title, what to look at, data (as `datasets.load`
takes them) and settings; the text "none" stands for no number.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engine import SOLVERS, datasets

TOYS = {"classification": "checkerboard-filled", "regression": "waves"}  # data where a package has no presets
START = "Press Run after changing data or settings."  # what to do there


@dataclass(frozen=True)
class Preset:
    """Data and settings to begin with, and what to look at."""

    title: str
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    look: str = ""

    @property
    def available(self) -> bool:
        """Whether its data are on this computer."""
        return not self.data or datasets.is_available(self.data["name"])


@cache
def presets_of(solver: str, package: str = "") -> tuple[Preset, ...]:
    """The presets of a solver, in order; its page begins with the first. Without a file there is one, on toy data."""
    table = SOLVERS[solver].settings

    def read(entry: dict[str, Any]) -> Preset:
        settings = {
            name: table.parse(name, value) if isinstance(value, str) else value
            for name, value in entry.get("settings", {}).items()
        }
        return Preset(entry["title"], entry["data"], settings, entry.get("look", ""))

    return tuple(read(entry) for entry in _file(package).get(solver, ())) or (_start(solver),)


@cache
def _file(package: str) -> dict[str, list[dict[str, Any]]]:
    """The tables of a package; empty if it has no file."""
    if not package:
        return {}
    path = files(package) / "presets.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _start(solver: str) -> Preset:
    """The default settings on toy data."""
    toy = datasets.catalogue()[TOYS[SOLVERS[solver].task]]
    return Preset("Start", {"name": toy.name, "size": toy.size}, {}, START)
