"""`--dask ADDRESS`: a Dask cluster to solve subproblems on."""

import argparse
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from engine.runtime.errors import invalid

PATIENCE = 10  # seconds to wait for a scheduler


def add_cluster(group: Any, default: str | None) -> None:
    """The flag; an action's own flag must not forget what was said before the action: its default is SUPPRESS."""
    group.add_argument(
        "--dask", default=default, metavar="ADDRESS", help="solve subproblems on this Dask cluster: tcp://HOST:8786"
    )


@contextmanager
def cluster_of(chosen: argparse.Namespace) -> Iterator[Executor | None]:
    """The executor of the chosen cluster, or None if there was no flag."""
    if chosen.dask is None:
        yield None
        return
    try:
        import distributed
    except ImportError:
        raise ValueError("--dask needs the package distributed: pip install distributed") from None
    try:
        distributed.comm.resolve_address(chosen.dask)  # a client with a malformed address would take long to go away
        client = distributed.Client(chosen.dask, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        wanted = f"the address of a Dask scheduler that answers, as tcp://HOST:8786 ({reason})"
        raise invalid("--dask", chosen.dask, wanted) from None
    with client:
        yield client.get_executor()
