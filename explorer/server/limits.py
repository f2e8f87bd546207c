"""What a server lets one person have: settings like any other, from the command line or the environment."""

import os
from typing import Any
from urllib.parse import parse_qsl

import param

from engine.learning.settings import Settings
from engine.runtime.errors import invalid

VARIABLE = "SVM_EXPLORER_LIMITS"


class Limits(Settings):
    """What one server allows."""

    max_rows = param.Integer(200_000, bounds=(2, None), doc="Most rows of training data.")
    max_upload_mb = param.Integer(20, bounds=(1, None), doc="Largest file to upload, MiB.")
    max_seconds = param.Number(600.0, bounds=(0, None), inclusive_bounds=(False, True), doc="Solver time of a run.")
    max_recording_mb = param.Number(
        256.0, bounds=(0, None), inclusive_bounds=(False, True), doc="Memory of a recording, MiB."
    )
    max_cache_mb = param.Number(
        1000.0, bounds=(0, None), inclusive_bounds=(False, True), doc="Memory for kernel rows of a run, MiB."
    )
    max_runs = param.Integer(16, bounds=(1, None), doc="Runs at a time; the others wait in line.")
    max_idle = param.Number(60.0, bounds=(0, None), doc="Seconds a run may stay paused while others wait.")

    def check(self, settings: Any) -> None:
        """Refuse settings that would take more of the server than one person may have."""
        if (wanted := getattr(settings, "cache_mb", 0)) > self.max_cache_mb:
            raise invalid("cache_mb", wanted, f"at most {self.max_cache_mb:g}, the limit of this server")


def limits_of_environment() -> dict[str, Any]:
    """What a variable like max_rows=1000&max_seconds=60 says."""
    pairs = parse_qsl(os.environ.get(VARIABLE, ""))
    return {name: Limits.parse(name, value) if name in Limits.names() else value for name, value in pairs}
