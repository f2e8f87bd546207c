"""Take it along: the state of a stage as a link and as Python, and recordings as files."""

import io
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from engine import SOLVERS, Recording
from engine.errors import invalid
from engine.settings import Settings

DATA_FIELDS = {"data": str, "size": int, "noise": float, "data_seed": int}
NAMES = {"data": "name", "data_seed": "seed"}


def query(data: Mapping[str, Any], settings: Mapping[str, Any], cursor: int) -> str:
    """Data, settings and cursor as the query of a link."""
    names = {inner: outer for outer, inner in NAMES.items()}
    fields = {names.get(key, key): value for key, value in data.items()}
    return urlencode({**fields, **{key: value for key, value in settings.items() if value is not None}, "at": cursor})


def read_query(text: str, table: type[Settings]) -> tuple[dict[str, Any], dict[str, Any], int | None]:
    """What a link asks for: data, settings, cursor. Untrusted: a wrong field is named, with what is accepted."""
    data: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    cursor = None
    for key, value in parse_qsl(text.lstrip("?")):
        if key == "at":
            cursor = int(_parsed(key, value, int))
        elif key in DATA_FIELDS:
            data[NAMES.get(key, key)] = _parsed(key, value, DATA_FIELDS[key])
        elif key in table.names():
            settings[key] = table.parse(key, value)
        elif key != "theme":  # Panel's own
            raise invalid("the link's field", key, f"one of at, {', '.join([*DATA_FIELDS, *table.names()])}")
    table.checked(settings)
    return data, settings, cursor


def _parsed(key: str, text: str, kind: Any) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise invalid(key, text, "a whole number" if kind is int else "a number") from None


def snippet(solver: str, source: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Python that does the same run with the engine alone."""
    table = SOLVERS[solver].settings
    changed = {name: value for name, value in settings.items() if value != table.param[name].default}
    inner = ", ".join(f"{name!r}: {value!r}" for name, value in changed.items())
    if "file" in source:
        load = f"datasets.read({source['file']!r})"
    else:
        rest = "".join(f", {key}={value!r}" for key, value in source.items() if key != "name")
        load = f"datasets.load({source['name']!r}{rest})"
    return (
        "from engine import SOLVERS, datasets\n\n"
        f"data = {load}\n"
        f"solver = SOLVERS[{solver!r}]\n"
        f"settings = solver.settings.checked({{{inner}}})\n"
        "run = solver.recorded_run(data.X, data.y, settings)\n"
        "for event in run:\n"
        "    print(event.stamp.sequence, type(event).__name__)\n"
        "model = run.result().model\n"
    )


def recording_bytes(recording: Recording) -> io.BytesIO:
    """A recording as the content of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.svmrun"
        recording.save(path)
        return io.BytesIO(path.read_bytes())


def read_recording(content: bytes, name: str) -> Recording:
    """The recording in the content of a file; an `ArchiveError` says what is wrong with any other."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return Recording.load(path)
