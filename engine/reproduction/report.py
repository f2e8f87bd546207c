"""Rows as text, as CSV and as lines of JSON. Our numbers and the paper's never share a column."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.reproduction.paper import Row

SIDES = ("ours", "paper")


def as_json(figure: str, row: Row) -> str:
    """One line of JSON."""
    table = {
        "figure": figure, **_setting(row), "case": dict(row.case), "ours": dict(row.ours), "paper": dict(row.paper)
    }  # fmt: skip
    return json.dumps(table, default=lambda value: value.item())


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """All rows of a figure in one file."""
    flat = _flat(rows)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(flat[0]) if flat else [])
        writer.writeheader()
        writer.writerows(flat)


def as_text(rows: Sequence[Row]) -> str:
    """A table for a terminal."""
    flat = _flat(rows)
    if not flat:
        return "nothing was measured"
    columns = {name: [name, *(_shown(row[name]) for row in flat)] for name in flat[0]}
    widths = {name: max(map(len, cells)) for name, cells in columns.items()}
    numeric = {name: any(isinstance(row[name], int | float | np.number) for row in flat) for name in columns}

    def line(i: int) -> str:
        cells = (
            cells[i].rjust(widths[name]) if numeric[name] else cells[i].ljust(widths[name])
            for name, cells in columns.items()
        )
        return "  ".join(cells).rstrip()

    rule = "  ".join("-" * width for width in widths.values())
    return "\n".join([line(0), rule, *(line(i) for i in range(1, len(flat) + 1))])


def _flat(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Every row with all columns: the setting, the case, then each quantity, ours next to the paper's."""
    cases = _names(row.case for row in rows)
    quantities = _names({**row.ours, **row.paper} for row in rows)
    pairs = [(name, side) for name in quantities for side in SIDES if any(name in getattr(row, side) for row in rows)]
    return [
        {
            **_setting(row),
            **{name: row.case.get(name) for name in cases},
            **{f"{name} ({side})": getattr(row, side).get(name) for name, side in pairs},
        }
        for row in rows
    ]


def _setting(row: Row) -> dict[str, Any]:
    return {"data": row.data, "n": row.n, "C": row.C, "gamma": row.gamma, "seed": row.seed}


def _names(tables: Iterator[Any]) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table))


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        size = abs(float(value))
        return f"{value:.4g}" if size < 10 else f"{value:.2f}" if size < 1e5 else f"{value:.3e}"
    return f"{value:,}" if isinstance(value, int | np.integer) else str(value)
