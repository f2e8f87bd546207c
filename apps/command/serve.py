"""`svm-explorer` without an action: the server, for this computer alone by default.

It has the home page, and a page for each system of the registry at /<name of the solver>.
"""

import argparse
import gc
import logging
import socket
import sys
from collections.abc import Callable
from typing import Any

from apps.command.dask import add_cluster, cluster_of
from apps.command.flags import add_settings, read_settings
from engine import SOLVERS, compile_ahead
from engine.runtime.errors import invalid
from explorer.server.limits import Limits, limits_of_environment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the server."""
    group = parser.add_argument_group("server")
    group.add_argument("--port", type=int, metavar="N", help="5006, or a free one if that is taken")
    group.add_argument("--address", default="127.0.0.1", metavar="HOST", help="to listen on; 127.0.0.1 if not given")
    group.add_argument(
        "--allow-origin", action="append", default=[], metavar="HOST:PORT", help="may connect; repeatable"
    )
    group.add_argument("--no-browser", action="store_true", help="do not open a browser")
    add_cluster(group, default=None)
    add_settings(parser, "limits of the server", Limits)


def serve(chosen: argparse.Namespace) -> int:
    """Serve the apps until Ctrl-C."""
    if ":" in chosen.address:  # Bokeh knows no others as the origin of a page
        raise invalid("address", chosen.address, "a host name or an address like 127.0.0.1")
    if chosen.port is not None and not 0 < chosen.port < 2**16:
        raise invalid("port", chosen.port, f"a whole number from 1 to {2**16 - 1}")
    gc.disable()  # imports leave nothing to collect, and looking for it takes a tenth of their time
    import panel as pn

    from explorer.server.pool import SERVER

    pn.extension()
    _expect_closed_tabs()
    SERVER.set(Limits.checked({**limits_of_environment(), **read_settings(chosen, Limits)}))
    with cluster_of(chosen) as SERVER.executor:
        _serve(chosen)
    return 0


def _serve(chosen: argparse.Namespace) -> None:
    import panel as pn

    from explorer.pages.home import home_page
    from explorer.registry import problems
    from explorer.server.pool import SERVER

    compile_ahead.start()
    # Panel calls plain functions for each session; anything else it would try to show.
    pages = {"/": home_page, **{name: _page_of(name) for name in SOLVERS}}
    SERVER.pages = frozenset(SOLVERS)
    for name, reason in problems().items():
        print(f"svm-explorer: {name} is not loaded: {reason}", file=sys.stderr)
    port = chosen.port or _free_port(chosen.address)
    gc.freeze()  # what the imports brought stays: no collection needs to look through it, a page is built sooner
    gc.enable()
    print(f"SVM Explorer is at http://{chosen.address}:{port} (Ctrl-C ends it)", flush=True)
    pn.serve(
        pages,
        title="SVM Explorer",
        address=chosen.address,
        port=port,
        show=not chosen.no_browser,
        websocket_origin=[f"{chosen.address}:{port}", f"localhost:{port}", *chosen.allow_origin],
        check_unused_sessions_milliseconds=5000,
        unused_session_lifetime_milliseconds=10_000,
    )


def _page_of(solver: str) -> Callable[[], Any]:
    from explorer.pages.system_page import stage_page

    return lambda: stage_page(solver)


def _expect_closed_tabs() -> None:
    """A tab that closes while something is on its way to it is no news for the log."""
    logging.getLogger("bokeh.server.views.ws").setLevel(logging.ERROR)
    closed = ("WebSocketClosedError", "StreamClosedError")
    logging.getLogger("asyncio").addFilter(
        lambda record: not (record.exc_info and record.exc_info[0] and record.exc_info[0].__name__ in closed)
    )


def _free_port(address: str, wanted: int = 5006) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError(f"no port is free on {address}")
