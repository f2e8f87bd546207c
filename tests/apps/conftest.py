"""A real server and a real browser."""

import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.support.server import Server

expect.set_options(timeout=60_000)  # how long something takes on a busy machine decides nothing


@pytest.fixture(scope="session")
def server():
    """The address of a server started as a person would."""
    with Server() as running:
        yield running.wait().address


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
    with pages_of(chromium, server) as open_:
        yield open_


@contextmanager
def pages_of(chromium, address):
    """Opens pages of a server, and closes them; errors in the browser's console are errors."""
    contexts, troubles = [], []

    def open_(path, width=1440, height=900, scheme="light"):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(address + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert troubles == []
