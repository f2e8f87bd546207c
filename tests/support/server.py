"""A server of its own, started as a person would start it."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

CODE = "import sys; from apps.command import main; sys.exit(main())"


class Server:
    """`svm-explorer` on a free port, run by some Python; use as a context manager."""

    def __init__(self, *flags, python=sys.executable, cwd=None, **environment):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [python, "-c", CODE, "--no-browser", "--port", str(port), *flags],
            env={**os.environ, **environment},
            cwd=cwd,
            stdout=subprocess.DEVNULL,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait(20)

    def wait(self, seconds=120.0):
        """Wait until it answers."""
        end = time.monotonic() + seconds
        while True:
            try:
                urllib.request.urlopen(self.address, timeout=5)
                return self
            except OSError:
                assert self.process.poll() is None, "the server ended"
                assert time.monotonic() < end, "the server did not answer"
                time.sleep(0.05)
