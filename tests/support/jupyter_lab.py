"""A JupyterLab of its own, with nothing of the user's in it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Lab:
    """JupyterLab in a folder; use as a context manager."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        homes = {
            name: str(folder / f".{name.lower()}")
            for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        }
        self.environment = {**os.environ, **homes, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
        self.folder = folder / "work"
        self.folder.mkdir()

    def __enter__(self):
        options = {"port": self.port, "token": "", "password": "", "root_dir": self.folder, "open_browser": False}
        flags = [f"--ServerApp.{name}={value}" for name, value in options.items() if name not in ("token", "password")]
        flags += ["--IdentityProvider.token=", "--ServerApp.password="]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyter", "lab", "--allow-root", "--no-browser", *flags],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.address}/api", timeout=5)
                return self
            except OSError:
                assert self.process.poll() is None, "JupyterLab ended"
                time.sleep(0.2)
        raise AssertionError("JupyterLab did not answer")

    def __exit__(self, *error):
        self.process.terminate()  # and its kernels with it
        self.process.wait(30)

    def put(self, notebook):
        """Copy a notebook into the folder; the address that opens it."""
        shutil.copy(notebook, self.folder / notebook.name)
        return f"{self.address}/lab/tree/{notebook.name}?reset"
