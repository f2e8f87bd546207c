"""From a new process to the first iteration: with an empty compilation cache and with a full one, in seconds."""

import os
import subprocess
import sys
import tempfile

from tests.benchmarks._figures import say, timed

CODE = """
from engine import KernelSVC, datasets
from engine.events import Iteration
data = datasets.load("checkerboard-filled", size=5000)
for event in KernelSVC(bias={bias}, C=10, gamma=10).iter_fit(data.X, data.y):
    if isinstance(event, Iteration):
        break
"""


def main(arguments: list[str]) -> None:
    """A fit of either form from nothing, then again."""
    for bias in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", CODE.format(bias=bias)]
            for cache in ("empty", "full"):
                spent, _ = timed(lambda c=command, e=environment: subprocess.run(c, env=e, check=True))
                say("start", bias=bias, cache=cache, seconds=spent)
