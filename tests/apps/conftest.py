"""A real server and a real browser."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from playwright.sync_api import expect, sync_playwright

expect.set_options(timeout=60_000)  # how long something takes on a busy machine decides nothing


@pytest.fixture(scope="session")
def server():
    """The address of a server started as a person would."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = "import sys; from apps.command import main; sys.exit(main())"
    process = subprocess.Popen([sys.executable, "-c", code, "--no-browser", "--port", str(port)])
    address = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            urllib.request.urlopen(address, timeout=5)
            break
        except OSError:
            assert process.poll() is None, "the server ended"
            time.sleep(0.2)
    yield address
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "these tests need Chromium: on Debian, apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, server):
    """Open a page of the server; at the end of the test nothing may have gone wrong in the browser."""
    contexts, troubles = [], []

    def open_(path, width=1440, height=900, scheme="light"):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(server + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert troubles == []
