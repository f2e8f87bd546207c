"""Many at a time: how soon a page answers among ten, and what two hundred visits leave behind in memory."""

import asyncio
import contextlib
import json
import time
import urllib.request

import psutil
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from tests.benchmarks._figures import say, say_pace
from tests.benchmarks.stage import CLICK, RUNNING, say_clicks
from tests.support.chromium import Chromium
from tests.support.server import Server

# What a browser says once the page is there; the run begins to be drawn then.
READY = {
    "kind": "MessageSent",
    "msg_type": "bokeh_event",
    "msg_data": {"type": "event", "name": "document_ready", "values": {"type": "map", "entries": []}},
}
AT_ONCE, VISITS, STEP = 10, 200, 20


def main(arguments: list[str]) -> None:
    """Both, or one of: together, visits."""
    for name in arguments or ["together", "visits"]:
        say_pace()
        {"together": _together, "visits": _visits}[name]()


def _together() -> None:
    """Nine visitors without a screen, whose pages run and are sent as any, and one whose clicks are timed."""
    with Server() as server, Chromium() as browser:
        server.wait()
        time.sleep(4)
        loop = asyncio.new_event_loop()
        visitors = [loop.run_until_complete(_visit(server.address)) for _ in range(AT_ONCE - 1)]
        browser.open(server.address + "/kernel-svm")
        browser.wait(RUNNING, 120)
        times = []
        for _ in range(20):
            loop.run_until_complete(_listen(visitors, 0.4))
            times.append(browser.do(CLICK))
        for visitor in visitors:
            visitor.close()
        say_clicks(f"click, one of {AT_ONCE} sessions", times)


def _visits() -> None:
    """Sessions opened, run for a moment and closed again; the server's memory after each twenty."""
    with Server() as server:
        server.wait()
        time.sleep(4)
        process = psutil.Process(server.process.pid)
        loop = asyncio.new_event_loop()
        for visit in range(VISITS + 1):
            if visit % STEP == 0:
                time.sleep(16)  # until the sessions that were left are given up
                say("memory", visits=visit, mb=process.memory_info().rss / 2**20, threads=process.num_threads())
            if visit < VISITS:
                visitor = loop.run_until_complete(_visit(server.address))
                loop.run_until_complete(_listen([visitor], 0.5))
                visitor.close()


async def _visit(address: str):  # type: ignore[no-untyped-def]
    """Open a page as a browser would: its text, then its socket."""
    page = urllib.request.urlopen(f"{address}/kernel-svm", timeout=60).read().decode()
    token = page.split('"token":"')[1].split('"')[0]
    request = HTTPRequest(
        address.replace("http", "ws") + "/kernel-svm/ws", headers={"Sec-WebSocket-Protocol": f"bokeh, {token}"}
    )
    socket = await websocket_connect(request, subprotocols=["bokeh", token])
    await socket.read_message()  # it greets in parts: header, metadata, content
    for part in ({"msgid": "1", "msgtype": "PATCH-DOC"}, {}, {"events": [READY]}):
        await socket.write_message(json.dumps(part))
    return socket


async def _listen(sockets, seconds: float) -> None:  # type: ignore[no-untyped-def]
    """Take what is sent, as a browser would."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for socket in sockets:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(socket.read_message(), 0.01)
