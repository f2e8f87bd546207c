"""A recording as the content of a file, for download and upload."""

import io
import tempfile
from pathlib import Path

from engine import Recording


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
