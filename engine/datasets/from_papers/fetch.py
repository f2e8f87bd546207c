"""Find a published data set: in the user's folder, in the cache, or by downloading it.

Wherever it comes from, its content must have the recorded checksum, or it is not used.
"""

import bz2
import gzip
import io
import os
import time
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

from engine.datasets.from_papers.raw import DamagedFile, Raw, checksum, read_npz, write_npz
from engine.runtime.cache_folder import CACHE_VARIABLE, cache_folder

DATA_VARIABLE = "SVM_EXPLORER_DATA"

MAX_DOWNLOAD = 64_000_000
MAX_UNPACKED = 256_000_000
# Seconds without a byte, and seconds for a whole file.
SILENCE = 30.0
PATIENCE = 600.0


class DataUnavailable(OSError):
    """A data set that cannot be had here and now; the message says where it was looked for and what to do."""


@dataclass(frozen=True)
class Home:
    """The public files of a data set, and how their unpacked bytes become arrays."""

    urls: tuple[str, ...]
    parse: Callable[[list[bytes]], Raw]


def is_at_hand(name: str) -> bool:
    """Say whether a file of this data set is in the user's folder or in the cache."""
    return any(path.is_file() for path in _places(name))


def obtain(name: str, sha256: str, home: Home | None) -> Raw:
    """Return the data set `name` with the content `sha256`, from the first place that has it."""
    *given, cached = _places(name)
    for path in given:
        if path.is_file():
            return _checked_file(name, path, sha256)
    if cached.is_file():
        try:
            return _checked_file(name, cached, sha256)
        except DataUnavailable:
            # Without a home the file was put there by hand; else it is our own, went bad, and is fetched anew.
            if home is None:
                raise
            cached.unlink(missing_ok=True)
    missing = f"{name} is not on this computer (no {name}.npz in {_places_in_words(name)})"
    remedy = f"put {name}.npz into the folder that {DATA_VARIABLE} names"
    if home is None:
        raise DataUnavailable(f"{missing} and has no public home with these rows in this order: {remedy}.")
    try:
        files = [_download(url) for url in home.urls]
    except (OSError, HTTPException, EOFError, ValueError, zlib.error) as error:
        host = urlsplit(home.urls[0]).hostname
        reason = error.reason if isinstance(error, URLError) else error
        raise DataUnavailable(
            f"{missing}, and the download from {host} failed ({reason}): try again with a connection, or {remedy}."
        ) from None
    raw = _parsed(name, files, home, sha256)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_npz(cached, raw)
    except OSError as error:
        raise DataUnavailable(
            f"{name} was downloaded but cannot be kept in {cached.parent} ({error}): name another folder in "
            f"{CACHE_VARIABLE}."
        ) from None
    return raw


def _places(name: str) -> list[Path]:
    """The files that would be this data set, in order of search; the last is the cache's."""
    chosen = os.environ.get(DATA_VARIABLE)
    folders = [Path(chosen).expanduser(), cache_folder()] if chosen else [cache_folder()]
    return [folder / f"{name}.npz" for folder in folders]


def _places_in_words(name: str) -> str:
    folders = " or ".join(str(path.parent) for path in _places(name))
    return folders if os.environ.get(DATA_VARIABLE) else f"{folders}; {DATA_VARIABLE} is not set"


def _checked_file(name: str, path: Path, sha256: str) -> Raw:
    try:
        raw = read_npz(path)
    except DamagedFile as error:
        raise DataUnavailable(f"{error}: replace the file by a sound copy.") from None
    if checksum(raw) != sha256:
        raise DataUnavailable(
            f"{path} holds other data than the {name} on record (its checksum differs): replace or remove the file."
        )
    return raw


def _parsed(name: str, files: list[bytes], home: Home, sha256: str) -> Raw:
    try:
        raw = home.parse(files)
    except (ValueError, IndexError, OverflowError) as error:
        reason = f"could not be read ({error})"
    else:
        if checksum(raw) == sha256:
            return raw
        reason = "are not the data on record (the checksum differs)"
    raise DataUnavailable(
        f"the files of {name} at {', '.join(home.urls)} {reason}: nothing was kept; put {name}.npz into the folder "
        f"that {DATA_VARIABLE} names."
    )


def _download(url: str) -> bytes:
    """Fetch one file within the limits of size and time, unpacked."""
    deadline = time.monotonic() + PATIENCE
    request = urllib.request.Request(url, headers={"User-Agent": "svm-explorer"})
    packed = bytearray()
    with urllib.request.urlopen(request, timeout=SILENCE) as response:
        while chunk := response.read(1 << 18):
            packed += chunk
            if len(packed) > MAX_DOWNLOAD:
                raise ValueError(f"{url} is larger than {MAX_DOWNLOAD:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{url} took longer than {PATIENCE:g} seconds")
        announced = response.headers.get("Content-Length")
    if announced is not None and announced.isdigit() and len(packed) != int(announced):
        raise ValueError(f"{url} broke off after {len(packed):,} of {announced} bytes")
    return _unpacked(bytes(packed), url)


def _unpacked(packed: bytes, url: str) -> bytes:
    if packed.startswith(b"\x1f\x8b"):
        stream: io.BufferedIOBase = gzip.GzipFile(fileobj=io.BytesIO(packed))
    elif packed.startswith(b"BZh"):
        stream = bz2.BZ2File(io.BytesIO(packed))
    else:
        return packed
    data = stream.read(MAX_UNPACKED + 1)
    if len(data) > MAX_UNPACKED:
        raise ValueError(f"{url} unpacks to more than {MAX_UNPACKED:,} bytes")
    return data
