"""Chromium at its own pace: told what to do through its debugging port, with none of the listening that slows it down.

(A browser under test tools copies each message of a live page to the tool, at a third of its time.)
"""

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from tornado.websocket import websocket_connect

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-breakpad",
    "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
]  # a browser with nothing else to do  # fmt: skip


class Chromium:
    """One window on one page; use as a context manager."""

    def __init__(self, address="about:blank", size=(1440, 900)):
        path = shutil.which("chromium") or shutil.which("google-chrome")
        assert path, "this benchmark needs Chromium: on Debian, apt-get install chromium"
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        size = f"--window-size={size[0]},{size[1]}"
        self._process = subprocess.Popen(
            [path, *FLAGS, size, f"--user-data-dir={folder}", "--remote-debugging-port=0", address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._port_file = folder / "DevToolsActivePort"
        self._loop = asyncio.new_event_loop()
        self._number = 0

    def __enter__(self):
        wait_for(lambda: self._port_file.exists() and self._port_file.read_text().strip())
        port = self._port_file.read_text().split()[0]
        pages = wait_for(lambda: [page for page in _get(f"http://127.0.0.1:{port}/json") if page["type"] == "page"])
        self._socket = self._loop.run_until_complete(_connect(pages[0]["webSocketDebuggerUrl"]))
        return self

    def __exit__(self, *error):
        self._process.terminate()
        self._process.wait(20)
        self._loop.close()
        self._folder.cleanup()

    def open(self, address):
        """Go to a page."""
        self._command("Page.navigate", url=address)

    def do(self, script):
        """The value of a script, awaited."""
        answer = self._command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script, seconds=60.0):
        """Wait until a script says something that is true."""
        return wait_for(lambda: self.do(script), seconds)

    def _command(self, method, **params):
        self._number += 1
        return self._loop.run_until_complete(self._exchange(method, params))

    async def _exchange(self, method, params):
        await self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            answer = json.loads(await self._socket.read_message())
            if answer.get("id") == self._number:
                return answer["result"]


def wait_for(condition, seconds=60.0):
    """The first true value of a condition."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)  # looking is not for free
    return value


def _get(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return json.load(answer)


async def _connect(address):
    return await websocket_connect(address, max_message_size=2**28)
