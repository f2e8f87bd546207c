"""Files of ours: a zip of one JSON document and the arrays it names as .npy, written atomically, read without pickle.

Recordings and models are both kept this way. Whatever is read is untrusted: sizes are limited, every oddity is an
`ArchiveError` that says which file and what is wrong with it.
"""

import io
import json
import math
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

DOCUMENT = "document.json"
READ_LIMIT = 4 * 2**30  # bytes, unpacked
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same file


# What zipfile, zlib, json and numpy raise on files that are cut, altered or made up.
_DAMAGE = (zipfile.BadZipFile, zlib.error, LookupError, ValueError, TypeError, EOFError, OSError, RuntimeError)


class ArchiveError(ValueError):
    """A file that is not what it should be."""


def write(path: str | Path, kind: str, version: int, content: dict[str, Any]) -> None:
    """Write `content` (nested dicts and lists of plain values and arrays), replacing the file in one go."""
    path = Path(path)
    arrays: list[np.ndarray[Any, Any]] = []
    known: dict[int, int] = {}

    def encode(value: Any) -> Any:
        if isinstance(value, dict):
            if all(isinstance(key, str) for key in value):
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
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                _add(archive, DOCUMENT, json.dumps(document, allow_nan=False).encode())
                for number, array in enumerate(arrays):
                    buffer = io.BytesIO()
                    np.save(buffer, array, allow_pickle=False)
                    _add(archive, f"{number}.npy", buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp's are for the owner alone
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(path: str | Path, kind: str, version: int, limit: int = READ_LIMIT) -> dict[str, Any]:
    """Read what `write` wrote, of this kind and no later version."""
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            unpacked = sum(item.file_size for item in archive.infolist())
            if unpacked > limit:
                raise ArchiveError(f"{path.name} unpacks to {unpacked:,} bytes; at most {limit:,} are read")
            if DOCUMENT not in names:
                raise ArchiveError(f"{path.name} is not a {kind} file: it has no {DOCUMENT}")
            document = json.loads(archive.read(DOCUMENT))
            if not isinstance(document, dict) or document.get("kind") != kind:
                raise ArchiveError(f"{path.name} is not a {kind} file")
            if document.get("version") != version:
                raise ArchiveError(
                    f"{path.name} is a {kind} file of version {document.get('version')!r}; this program reads {version}"
                )
            arrays = [np.load(io.BytesIO(archive.read(f"{i}.npy")), allow_pickle=False) for i in range(len(names) - 1)]
            content = _decode(document["content"], arrays)
    except (ArchiveError, FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except _DAMAGE as error:
        raise ArchiveError(f"{path.name} is damaged or not a {kind} file: {error}") from error
    if not isinstance(content, dict):
        raise ArchiveError(f"{path.name} is damaged: its content is not a table")
    return content


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED, 1)


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
