"""A published data set as it was published: arrays before any scaling or split, their .npz file, their checksum."""

import hashlib
import os
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.datasets.dataset import Features

PARTS = ("train", "test")
# Rows hashed at a time: enough to be fast, few enough to copy a column-major block within the processor's cache.
BLOCK = 4_096


@dataclass(frozen=True, eq=False)
class Raw:
    """Rows and labels as published; `categories` has the vocabulary of each column that holds codes into one."""

    X_train: Features
    y_train: NDArray[Any]
    X_test: Features | None = None
    y_test: NDArray[Any] | None = None
    categories: dict[int, NDArray[np.str_]] = field(default_factory=dict)


class DamagedFile(ValueError):
    """A file that is no .npz of a published data set."""


def read_npz(path: Path) -> Raw:
    """Read `X_train`, `y_train`, perhaps `X_test`, `y_test`; sparse X in CSR pieces, categories as codes."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            columns = stored["cat_columns"].tolist() if "cat_columns" in stored else []
            X_train, X_test = (_features(stored, f"X_{part}") for part in PARTS)
            categories = {int(j): stored[f"cat{j}"] for j in columns}
            return Raw(X_train, stored["y_train"], X_test, stored.get("y_test"), categories)
    except (ValueError, KeyError, TypeError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
        raise DamagedFile(f"{path} is not a data set in .npz form: {error}") from None


def write_npz(path: Path, raw: Raw) -> None:
    """Write what `read_npz` reads. The file appears whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {"y_train": raw.y_train}
    if raw.y_test is not None:
        arrays["y_test"] = raw.y_test
    for part, X in zip(PARTS, (raw.X_train, raw.X_test), strict=True):
        if scipy.sparse.issparse(X):
            pieces = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
            arrays |= {f"X_{part}_{piece}": values for piece, values in pieces.items()}
        elif X is not None:
            arrays[f"X_{part}"] = X
    if raw.categories:
        arrays["cat_columns"] = np.array(list(raw.categories))
        arrays |= {f"cat{j}": words for j, words in raw.categories.items()}
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # the stubs see `allow_pickle` in **arrays
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def checksum(raw: Raw) -> str:
    """Return the sha256 of the content, the same for a row-major, column-major or unsorted copy of it."""
    digest = hashlib.sha256()
    for part, X, y in zip(PARTS, (raw.X_train, raw.X_test), (raw.y_train, raw.y_test), strict=True):
        if X is None or y is None:
            continue
        digest.update(f"{part} {X.dtype.str} {X.shape}\n".encode())
        if scipy.sparse.issparse(X):
            rows = scipy.sparse.csr_matrix(X, copy=True)
            rows.sum_duplicates()
            rows.eliminate_zeros()
            for piece, dtype in ((rows.indptr, "<i8"), (rows.indices, "<i4"), (rows.data, rows.dtype)):
                digest.update(np.ascontiguousarray(piece, dtype=dtype).data)
        else:
            # Adding zero turns -0.0 into 0.0, which is equal but has other bytes.
            for start in range(0, len(X), BLOCK):
                digest.update(np.ascontiguousarray(X[start : start + BLOCK] + X.dtype.type(0)).data)
        digest.update(np.ascontiguousarray(y, dtype="<f4" if y.dtype.kind == "f" else "<i8").data)
    for column, words in raw.categories.items():
        # Copies differ in the blanks around a word.
        digest.update(f"column {column}: {'|'.join(word.strip() for word in words.tolist())}\n".encode())
    return digest.hexdigest()


def _features(stored: Any, key: str) -> Features | None:
    if key in stored:
        return stored[key]
    if f"{key}_data" not in stored:
        return None
    pieces = (stored[f"{key}_data"], stored[f"{key}_indices"].astype(np.int32), stored[f"{key}_indptr"])
    return scipy.sparse.csr_matrix(pieces, shape=tuple(stored[f"{key}_shape"].tolist()))
