"""Data sets from files and back: CSV and LIBSVM's sparse format, from a path or from uploaded bytes.

Files are not trusted: the size of a file, its rows and its cells is limited, and an error names the line.
"""

import csv
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.datasets import csv_file
from engine.datasets.csv_file import parse_csv
from engine.datasets.dataset import Dataset, Features, Task
from engine.datasets.libsvm_file import parse_libsvm
from engine.runtime.errors import invalid

Format = Literal["csv", "libsvm"]

MAX_BYTES = 200_000_000
MAX_ROWS = 1_000_000
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
}
_LIBSVM_LINE = re.compile(rb"[^\s,;]+(\s+(qid|[+-]?\d+):[^\s,;]+)+\s*(#.*)?")


def read(
    source: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    format: Format | None = None,
    label_column: str | int | None = None,
    task: Task | None = None,
    max_rows: int = MAX_ROWS,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a data set from a path, or from bytes with the file's `name`.

    `format` is judged by the name and the content if not given. `label_column` is for CSV: a name, or an index from
    0 (negative from the end); by default a column called label, class, target or y, else the last. `task` decides
    what numeric labels are; by default whole numbers are classes and others the targets of a regression.
    """
    if format is not None and format not in get_args(Format):
        raise invalid("format", format, "csv or libsvm")
    if task is not None and task not in get_args(Task):
        raise invalid("task", task, "classification or regression")
    if isinstance(source, bytes):
        file = Path(name or "upload").name
        data = source[: max_bytes + 1]
    else:
        path = Path(source)
        file = Path(name or path).name
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"{file}: the file has more than {max_bytes:,} bytes, the most that is read")

    names: tuple[str, ...] = ()
    if (format or _guessed_format(file, data)) == "csv":
        table = parse_csv(data, file, label_column=label_column, task=task, max_rows=max_rows)
        X, y, task, names = table.X, table.y, table.task, table.feature_names
    else:
        if label_column is not None:
            raise invalid("label_column", label_column, "left out for the LIBSVM format")
        X, y, task = parse_libsvm(data, file, task=task, max_rows=max_rows)
    return Dataset(Path(file).stem, file, X, y, source=file, task=task, feature_names=names)


def columns(data: bytes, name: str) -> tuple[tuple[str, ...], int] | None:
    """The columns of a CSV file and which is taken for the label; None for a LIBSVM file, which has its own place."""
    return csv_file.columns(data, Path(name).name) if _guessed_format(name, data) == "csv" else None


def write_csv(data: Dataset | tuple[Features, NDArray[Any]], file: str | os.PathLike[str] | IO[str]) -> None:
    """Write the training rows as CSV with a header, the label last; `read` gives the same numbers again."""
    X, y = (data.X, data.y) if isinstance(data, Dataset) else data
    names = data.feature_names if isinstance(data, Dataset) else ()
    with _opened(file) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*(names or [f"x{j + 1}" for j in range(X.shape[1])]), "label"])
        # In blocks, so that a sparse matrix is never dense as a whole.
        for start in range(0, X.shape[0], 1_000):
            block = X[start : start + 1_000]
            dense = np.asarray(block.toarray() if scipy.sparse.issparse(block) else block, dtype=np.float64).tolist()
            labels = y[start : start + 1_000].tolist()
            writer.writerows([*row, label] for row, label in zip(dense, labels, strict=True))


@contextmanager
def _opened(file: str | os.PathLike[str] | IO[str]) -> Iterator[IO[str]]:
    if isinstance(file, str | os.PathLike):
        with Path(file).open("w", encoding="utf-8", newline="") as stream:
            yield stream
    else:
        yield file


def _guessed_format(file: str, data: bytes) -> Format:
    """Go by the suffix, else by the first line with more than a label: `label index:value ...` is LIBSVM's."""
    known = SUFFIXES.get(Path(file).suffix.lower())
    if known:
        return known
    lines = (line.strip() for line in data[:65_536].splitlines())
    telling = next((line for line in lines if len(line.split()) > 1 and not line.startswith(b"#")), b"")
    return "libsvm" if _LIBSVM_LINE.fullmatch(telling) else "csv"
