"""Read comma-separated text into arrays, row by row, so that every error names its line and column."""

import csv
import io
from array import array
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.datasets.dataset import Task
from engine.datasets.labels import from_numbers
from engine.runtime.errors import invalid

# 400 MB as float64: a file within the byte limit can hold far more cells than that.
MAX_CELLS = 50_000_000
DELIMITERS = "\t;,"
LABEL_NAMES = ("label", "class", "target", "y")
MISSING = frozenset(("", "?", "na", "n/a", "nan", "null"))
# numpy gives all labels the room of the longest.
MAX_LABEL = 100


@dataclass(frozen=True)
class Table:
    """The numbers, the labels and the feature names of a file."""

    X: NDArray[np.float64]
    y: NDArray[Any]
    task: Task
    feature_names: tuple[str, ...]


@dataclass(frozen=True)
class _Layout:
    """What the first row tells: how wide the file is, which column is the label, what the columns are called."""

    file: str
    width: int
    label: int
    header: tuple[str, ...] | None

    def fault(self, line: int, column: int, text: str, wanted: str) -> NoReturn:
        """Refuse the cell at `line` and (counted from 0) `column`."""
        called = f' ("{self.header[column]}")' if self.header else ""
        shown = text if len(text) <= 40 else text[:37] + "..."
        what = "the value is missing" if text.strip().lower() in MISSING else f'"{shown}" is not {wanted}'
        raise ValueError(f"{self.file}, line {line}, column {column + 1}{called}: {what}")


def parse_csv(data: bytes, file: str, *, label_column: str | int | None, task: Task | None, max_rows: int) -> Table:
    """Read rows of numbers and one label; `file` is the name used in messages."""
    try:
        return _parse(data, file, label_column, task, max_rows)
    except UnicodeDecodeError:
        line = data.count(b"\n", 0, _first_undecodable(data)) + 1
        raise ValueError(f"{file}, line {line}: not UTF-8 text; save the file as UTF-8") from None


def _parse(data: bytes, file: str, label_column: str | int | None, task: Task | None, max_rows: int) -> Table:
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    delimiter = _delimiter(text)
    text.seek(0)
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=True, strict=True)

    layout: _Layout | None = None
    rows_allowed = max_rows
    numbers, lines = array("d"), array("q")
    labels: list[str] = []
    # float() reads "1_000" as 1000; in a data file it is not a number.
    underscores = b"_" in data
    line = 1
    while True:
        start = line
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise ValueError(f"{file}, line {start}: {error}") from None
        if row is None:
            break
        line = reader.line_num + 1
        if not row or (len(row) == 1 and not row[0].strip()):
            continue
        if layout is None:
            layout = _layout_from(row, file, start, label_column)
            rows_allowed = min(max_rows, MAX_CELLS // (layout.width - 1))
            if layout.header:
                continue
        if len(row) != layout.width:
            raise ValueError(f"{file}, line {start}: {len(row)} values where the first row has {layout.width}")
        if len(labels) == rows_allowed:
            limit = f"{max_rows:,} rows" if rows_allowed == max_rows else f"{MAX_CELLS:,} values"
            raise ValueError(f"{file}, line {start}: the file has more than {limit}, the most that is read")
        label = row.pop(layout.label).strip()
        if label.lower() in MISSING:
            layout.fault(start, layout.label, label, "a label")
        if len(label) > MAX_LABEL:
            layout.fault(start, layout.label, label, f"a label of at most {MAX_LABEL} characters")
        filled = len(numbers)
        try:
            if underscores and "_" in "".join(row):
                raise ValueError
            numbers.extend(map(float, row))
        except ValueError:
            del numbers[filled:]
            _refuse_cell(row, start, layout)
        labels.append(label)
        lines.append(start)

    if layout is None or not labels:
        raise ValueError(f"{file}: there are no rows of data in it")
    X = np.frombuffer(numbers, dtype=np.float64).reshape(len(labels), layout.width - 1)
    _refuse_infinite(X, lines, layout)
    y, found_task = _labels(labels, lines, layout, task)
    names = tuple(name for j, name in enumerate(layout.header or ()) if j != layout.label)
    return Table(X, y, found_task, names)


def columns(data: bytes, file: str) -> tuple[tuple[str, ...], int]:
    """The names of the columns, and which of them would be taken for the label."""
    text = io.TextIOWrapper(io.BytesIO(data[:100_000]), encoding="utf-8-sig", errors="replace", newline="")
    delimiter = _delimiter(text)
    text.seek(0)
    rows = csv.reader(text, delimiter=delimiter, skipinitialspace=True)
    filled = [row for _, row in zip(range(20), rows, strict=False) if any(cell.strip() for cell in row)]
    layout = _layout_from(filled[0] if filled else [], file, 1, None)
    label = layout.label
    words = [j for j, cell in enumerate(filled[-1]) if not _is_number(cell)]
    if len(words) == 1 and (layout.header is None or layout.header[label].lower() not in LABEL_NAMES):
        label = words[0]  # the only column that is no feature
    return layout.header or tuple(f"column {j + 1}" for j in range(layout.width)), label


def _delimiter(text: io.TextIOWrapper) -> str:
    """The one that cuts the first line into most parts."""
    sample = next((line for line in text if line.strip()), "")
    return max(DELIMITERS, key=lambda d: len(next(csv.reader([sample[:10_000]], delimiter=d), [])))


def _layout_from(row: list[str], file: str, line: int, label_column: str | int | None) -> _Layout:
    """Judge the first row: names or numbers, and where the label is."""
    width = len(row)
    if width < 2:
        raise ValueError(
            f"{file}, line {line}: one column only; a label and a feature are needed, between them a comma, "
            "a semicolon or a tab"
        )
    cells = [cell.strip() for cell in row]
    header = tuple(cells) if _is_header(cells, label_column) else None
    columns = f"an index from 0 to {width - 1}" + (f" or one of {', '.join(header)}" if header else "")
    if label_column is None:
        label = _guessed_label(header) if header else width - 1
    elif isinstance(label_column, str):
        # The last of equal names: that is where `write_csv` puts the label.
        matches = [j for j, name in enumerate(header or ()) if name == label_column]
        if not matches:
            raise invalid("label_column", label_column, f"{columns} (of {file})")
        label = matches[-1]
    else:
        if isinstance(label_column, bool) or not -width <= label_column < width:
            raise invalid("label_column", label_column, f"{columns} (of {file})")
        label = label_column % width
    return _Layout(file, width, label, header)


def _is_header(cells: list[str], label_column: str | int | None) -> bool:
    """Tell names from data: no number where the features would be, or columns numbered in turn beside a label."""
    if isinstance(label_column, str):
        return True
    label = label_column if label_column is not None else -1
    features = [cell for cell in cells[:label] + cells[label:][1:] if cell.lower() not in MISSING]
    if features and not any(_is_number(cell) for cell in features):
        return True
    numbered = [cell for cell in cells if cell.lower() not in LABEL_NAMES]
    in_turn = any(numbered == [str(first + j) for j in range(len(numbered))] for first in (0, 1))
    return in_turn and len(numbered) == len(cells) - 1


def _guessed_label(header: tuple[str, ...]) -> int:
    names = [name.lower() for name in header]
    for wanted in LABEL_NAMES:
        if wanted in names:
            return len(names) - 1 - names[::-1].index(wanted)
    return len(names) - 1


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _refuse_cell(features: list[str], line: int, layout: _Layout) -> NoReturn:
    j = next(j for j, cell in enumerate(features) if not _is_number(cell))
    layout.fault(line, j + (j >= layout.label), features[j], "a number")


def _refuse_infinite(X: NDArray[np.float64], lines: "array[int]", layout: _Layout) -> None:
    finite = np.isfinite(X)
    if not finite.all():
        i, j = divmod(int(np.argmin(finite)), X.shape[1])
        layout.fault(lines[i], j + (j >= layout.label), f"{X[i, j]:g}", "a finite number")


def _labels(texts: list[str], lines: "array[int]", layout: _Layout, task: Task | None) -> tuple[NDArray[Any], Task]:
    """Whole numbers are classes, other numbers the targets of a regression, anything else names of classes."""
    named = {text for text in set(texts) if not _is_number(text)}
    if not named:
        values = np.array(texts, dtype=np.float64)
        if not np.isfinite(values).all():
            i = int(np.argmin(np.isfinite(values)))
            layout.fault(lines[i], layout.label, texts[i], "a finite number")
        return from_numbers(values, task)
    if task == "regression":
        i = next(i for i, text in enumerate(texts) if text in named)
        layout.fault(lines[i], layout.label, texts[i], "a number")
    return np.array(texts), "classification"


def _first_undecodable(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0
