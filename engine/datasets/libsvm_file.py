"""Read LIBSVM's sparse text (`label index:value ...`) into a CSR matrix.

scikit-learn reads the file; when it stumbles, or what it read cannot be right, the lines are gone through one by one
for the first that is wrong.
"""

import io
import re
from typing import Any, NoReturn

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.datasets.csv_file import MAX_CELLS
from engine.datasets.dataset import Features, Task
from engine.datasets.labels import from_numbers

# The widest set in common use, webspam with trigrams, has 16.6 million features.
MAX_INDEX = 2**24
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BOM = b"\xef\xbb\xbf"


def parse_libsvm(data: bytes, file: str, *, task: Task | None, max_rows: int) -> tuple[Features, NDArray[Any], Task]:
    """Read indices from 1 with their values; comments after '#' and query ids are passed over.

    The matrix is dense if at least half of its values are there, and they fit.
    """
    data = data.removeprefix(_BOM)
    # int() and float() accept "1_0"; a file of more lines than rows allowed may be blank lines, or too long.
    if b"_" in data or data.count(b"\n") > max_rows:
        _check_lines(data, file, max_rows)
    from sklearn.datasets import load_svmlight_file  # not before it is needed: it takes seconds

    try:
        X, values = load_svmlight_file(io.BytesIO(data), dtype=np.float64, zero_based=False)
    except (ValueError, OverflowError) as error:
        _check_lines(data, file, max_rows)
        raise ValueError(f"{file}: {error}") from None
    if X.shape[0] == 0:
        raise ValueError(f"{file}: there are no rows of data in it")
    if (
        X.shape[0] > max_rows
        or X.shape[1] > MAX_INDEX
        or not np.isfinite(X.data).all()
        or not np.isfinite(values).all()
    ):
        _check_lines(data, file, max_rows)
    if X.nnz == 0:
        raise ValueError(f"{file}: no row has a feature")
    y, found_task = from_numbers(values, task)
    cells = X.shape[0] * X.shape[1]
    dense = 2 * X.nnz >= cells and cells <= MAX_CELLS
    return (X.toarray() if dense else scipy.sparse.csr_matrix(X)), y, found_task


def _check_lines(data: bytes, file: str, max_rows: int) -> None:
    """Raise an error for the first line that is wrong, if any is."""
    rows = 0
    for number, line in enumerate(io.BytesIO(data), start=1):
        parts = line.partition(b"#")[0].split()
        if not parts:
            continue
        where = f"{file}, line {number}"
        rows += 1
        if rows > max_rows:
            raise ValueError(f"{where}: the file has more than {max_rows:,} rows, the most that is read")
        if not _is_number(parts[0]):
            _fault(where, f'the label "{_shown(parts[0])}" is not a number')
        pairs = parts[2:] if len(parts) > 1 and parts[1].startswith(b"qid:") else parts[1:]
        previous = 0
        for pair in pairs:
            index, colon, value = pair.partition(b":")
            if not colon or not re.fullmatch(rb"[+-]?\d+", index):
                _fault(where, f'"{_shown(pair)}" is not index:value with a whole number as index')
            # Far too long for an index, and Python refuses to convert thousands of digits.
            if len(index) > 20:
                _fault(where, f"the index {_shown(index)} is above {MAX_INDEX:,}, the most that is read")
            if int(index) < 1:
                _fault(where, f'the index in "{_shown(pair)}" is below 1; indices start at 1')
            if int(index) == previous:
                _fault(where, f"the index {previous} is there twice")
            if int(index) < previous:
                _fault(where, f"the index {int(index)} comes after {previous}; indices must ascend")
            if int(index) > MAX_INDEX:
                _fault(where, f"the index {_shown(index)} is above {MAX_INDEX:,}, the most that is read")
            if not _is_number(value):
                _fault(where, f'the value in "{_shown(pair)}" is not a finite number')
            previous = int(index)


def _is_number(text: bytes) -> bool:
    return _NUMBER.fullmatch(text) is not None and bool(np.isfinite(float(text)))


def _shown(text: bytes) -> str:
    readable = text.decode("utf-8", errors="replace")
    return readable if len(readable) <= 40 else readable[:37] + "..."


def _fault(where: str, what: str) -> NoReturn:
    raise ValueError(f"{where}: {what}")
