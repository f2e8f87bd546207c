"""The catalogue of data sets by name: each kind of set registers its own here; `load` loads one."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from engine.datasets.dataset import Dataset, Task
from engine.runtime.errors import invalid

Kind = Literal["toy", "bundled", "sample", "paper"]


@dataclass(frozen=True)
class Entry:
    """What can be known of a data set without loading it: enough for a menu and its widgets."""

    name: str
    title: str
    kind: Kind
    description: str
    size: int
    """The number of training rows when none is asked for."""
    min_size: int
    max_size: int
    """A toy is drawn with up to this many rows; any other set has just this many."""
    make: Callable[..., Dataset] = field(repr=False)
    """Called with `size`, `noise`, `seed` and the options."""
    noise: float | None = None
    """The noise when none is asked for; None where noise has no meaning."""
    max_noise: float = 0.0
    options: Mapping[str, object] = field(default_factory=dict)
    """Further keywords of `load` for this set, with their defaults."""
    task: Task = "classification"
    source: str = ""
    home: tuple[str, ...] = ()
    """The addresses it can be downloaded from; empty where it is at hand, or has no public home."""
    available: Callable[[], bool] = field(default=lambda: True, repr=False)


_entries: dict[str, Entry] = {}


def register(entry: Entry) -> None:
    """Add a data set to the catalogue; a name can be taken once."""
    if entry.name in _entries:
        raise ValueError(f"two data sets are called {entry.name!r}")
    _entries[entry.name] = entry


def catalogue() -> dict[str, Entry]:
    """Return all data sets by name: toys, bundled sets, samples, the papers' sets."""
    return dict(_entries)


def entry(name: str) -> Entry:
    """Return the entry of a data set, or raise an error that lists the names and the closest one."""
    found = _entries.get(name) if isinstance(name, str) else None
    if found is None:
        near = difflib.get_close_matches(str(name).lower(), _entries, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise invalid("name", name, f"one of {', '.join(_entries)}{hint}")
    return found


def is_available(name: str) -> bool:
    """Say whether a data set can be loaded without a download. Looks for files, opens none."""
    return entry(name).available()


def load(name: str, *, size: int | None = None, noise: float | None = None, seed: int = 0, **options: Any) -> Dataset:
    """Load a data set by name.

    `size` is the number of training rows: so many are drawn for a toy; of any other set so many are picked at
    random, or all when it has no more. `noise` and the options are those of the set's `Entry`. `seed` decides the
    points of a toy, the split where a set has no test part of its own, and which rows are picked.
    """
    found = entry(name)
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise invalid("seed", seed, "a whole number from 0")
    size = _checked_size(found, size)
    noise = _checked_noise(found, noise)
    for option in options:
        if option not in found.options:
            known = ", ".join(found.options) or "none"
            raise invalid("option", option, f"an option of {name} (it has: {known})")
    data = found.make(size=size, noise=noise, seed=int(seed), **options)
    return replace(data, description=found.description, source=found.source, task=found.task)


def _checked_size(found: Entry, size: int | None) -> int:
    if size is None:
        return found.size
    whole = isinstance(size, Integral) and not isinstance(size, bool)
    if not whole or size < found.min_size or (found.kind == "toy" and size > found.max_size):
        upper = f" to {found.max_size:,}" if found.kind == "toy" else ""
        raise invalid("size", size, f"a whole number from {found.min_size}{upper} for {found.name}")
    return min(int(size), found.max_size)


def _checked_noise(found: Entry, noise: float | None) -> float | None:
    if noise is None:
        return found.noise
    if found.noise is None:
        raise invalid("noise", noise, f"left out for {found.name}, which is not drawn at random")
    number = isinstance(noise, Real) and not isinstance(noise, bool) and np.isfinite(float(noise))
    if not number or not 0 <= noise <= found.max_noise:
        raise invalid("noise", noise, f"a number from 0 to {found.max_noise:g} for {found.name}")
    return float(noise)
