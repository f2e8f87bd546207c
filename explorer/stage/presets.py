"""Beginnings worth seeing, as `presets.toml` has them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine import SOLVERS, datasets


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
def _file() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def presets_of(solver: str) -> tuple[Preset, ...]:
    """Those of a solver, in order; the first is what its page begins with."""
    table = SOLVERS[solver].settings

    def read(entry: dict[str, Any]) -> Preset:
        settings = {
            name: table.parse(name, value) if isinstance(value, str) else value
            for name, value in entry["settings"].items()
        }
        return Preset(entry["title"], entry["data"], settings, entry["look"])

    return tuple(read(entry) for entry in _file()[solver])
