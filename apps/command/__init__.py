"""The `svm-explorer` command."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from apps.command.dask import add_cluster, cluster_of
from apps.command.data import _list_data
from apps.command.flags import add_settings, read_settings
from apps.command.run import _add_data, _run
from apps.command.serve import add_arguments, serve
from engine import SOLVERS, Run, Solver, datasets
from engine.datasets import Dataset
from engine.learning.model import Trained
from engine.learning.validation import dense
from engine.runtime.errors import invalid
from engine.runtime.events import Failed, Finished
from engine.runtime.progress import with_progress
from engine.runtime.threads import thread_count

INTERRUPTED = 130  # what shells expect after Ctrl-C


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    chosen = _parser("paper" in arguments).parse_args(arguments)
    try:
        return int(chosen.action(chosen))
    except (ValueError, OSError) as error:
        print(f"svm-explorer: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser(with_papers: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="svm-explorer", description="Watch large-scale kernel machines train.")
    parser.add_argument("--version", action="version", version=f"svm-explorer {metadata.version('svm-explorer')}")
    add_arguments(parser)
    parser.set_defaults(action=serve)
    actions = parser.add_subparsers(metavar="ACTION")
    run = actions.add_parser("run", help="train without a screen and keep a recording")
    solvers = run.add_subparsers(required=True, metavar="SOLVER")
    for name, solver in SOLVERS.items():
        parser_of = solvers.add_parser(name, help=solver.title)
        _add_data(parser_of)
        add_settings(parser_of, "settings", solver.settings)
        parser_of.add_argument("--out", type=Path, metavar="FILE", help="keep the recording here (.svmrun)")
        parser_of.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop after so much solver time")
        parser_of.add_argument("--quiet", action="store_true", help="no progress bar")
        if solver.subproblems:
            add_cluster(parser_of, default=argparse.SUPPRESS)
        parser_of.set_defaults(action=_run, solver=solver)
    papers = actions.add_parser("paper", help="measure the figures and tables of a paper again")
    if with_papers:  # they need scikit-learn, whose import takes a second that a server need not wait for
        from apps.command.paper import add_papers

        add_papers(papers)
    data = actions.add_parser("data", help="list the data sets that have a name")
    data.set_defaults(action=_list_data)
    return parser
