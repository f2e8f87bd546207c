"""The file format of recordings and models: a zip of one JSON document and its arrays as .npy, without pickle.

Files are written in one go. A file that is read is not trusted: sizes are limited, and anything unexpected is an
`ArchiveError` that says which file it is and what is wrong with it.
"""

import io
import json
import math
import os
import secrets
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

DOCUMENT = "document.json"
READ_LIMIT = 4 * 2**30  # bytes, unpacked
DOCUMENT_LIMIT = 2**28
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same file


class ArchiveError(ValueError):
    """A file that is not what it should be."""


def write(path: str | Path, kind: str, version: int, content: dict[str, Any]) -> None:
    """Write `content` (nested dicts and lists of plain values and arrays), replacing the file in one go."""
    path = Path(path)
    arrays: list[np.ndarray[Any, Any]] = []
    known: dict[int, int] = {}

    def encode(value: Any) -> Any:
        if isinstance(value, dict):
            if all(isinstance(key, str) and not key.startswith("$") for key in value):
                return {key: encode(item) for key, item in value.items()}
            return {"$items": [[encode(key), encode(item)] for key, item in value.items()]}
        if isinstance(value, list | tuple):
            return [encode(item) for item in value]
        if isinstance(value, np.ndarray):
            if value.dtype == object:
                return {"$objects": [encode(item) for item in value.tolist()]}
            if id(value) not in known:
                known[id(value)] = len(arrays)
                arrays.append(value)
            return {"$array": known[id(value)]}
        if isinstance(value, np.generic):
            return encode(value.item())
        if isinstance(value, float) and not math.isfinite(value):
            return {"$float": str(value)}
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise TypeError(f"a {kind} file cannot hold a {type(value).__name__}")

    document = {"kind": kind, "version": version, "content": encode(content)}
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                _add(archive, DOCUMENT, json.dumps(document, allow_nan=False).encode())
                for number, array in enumerate(arrays):
                    buffer = io.BytesIO()
                    np.save(buffer, array, allow_pickle=False)
                    _add(archive, f"{number}.npy", buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read(path: str | Path, kind: str, version: int, limit: int = READ_LIMIT) -> dict[str, Any]:
    """Read a file that `write` wrote, of this kind and version."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            unpacked = sum(item.file_size for item in archive.infolist())
            if unpacked > limit:
                raise ArchiveError(f"{path.name} unpacks to {unpacked:,} bytes; at most {limit:,} are read")
            if DOCUMENT not in names:
                raise ArchiveError(f"{path.name} is not a {kind} file: it has no {DOCUMENT}")
            if archive.getinfo(DOCUMENT).file_size > DOCUMENT_LIMIT:
                raise ArchiveError(f"{path.name} has a {DOCUMENT} of more than {DOCUMENT_LIMIT:,} bytes")
            document = json.loads(archive.read(DOCUMENT))
            if not isinstance(document, dict) or document.get("kind") != kind:
                raise ArchiveError(f"{path.name} is not a {kind} file")
            if document.get("version") != version:
                raise ArchiveError(
                    f"{path.name} is a {kind} file of version {document.get('version')!r}; this program reads {version}"
                )
            arrays = [_array(archive.read(f"{i}.npy")) for i in range(len(names) - 1)]
            content = _decode(document["content"], arrays)
    except (ArchiveError, FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:  # whatever zipfile, json and numpy say to files that are cut, altered or made up
        raise ArchiveError(f"{path.name} is damaged or not a {kind} file: {error}") from error
    if not isinstance(content, dict):
        raise ArchiveError(f"{path.name} is damaged: its content is not a table")
    return content


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED, 1)


def _array(content: bytes) -> np.ndarray[Any, Any]:
    """An .npy file's array, its size checked before any memory is asked for."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array is of an unknown format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError("an array is not of the size it says")
    flat = np.frombuffer(content, dtype, offset=file.tell()) if math.prod(shape) else np.empty(0, dtype)
    return flat.reshape(shape, order="F" if fortran else "C").copy(order="A")


def _decode(value: Any, arrays: list[Any]) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        [(key, inner)] = value.items()
        if key == "$array":
            return arrays[inner]
        if key == "$float":
            return float(inner)
        if key == "$items":
            return {_decode(name, arrays): _decode(item, arrays) for name, item in inner}
        if key == "$objects":
            result = np.empty(len(inner), object)
            result[:] = [_decode(item, arrays) for item in inner]
            return result
    return {key: _decode(item, arrays) for key, item in value.items()}
