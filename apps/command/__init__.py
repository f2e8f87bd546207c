"""The `svm-explorer` command: its parser, and what each action leads to.

Without an action it serves the pages (`serve`); `run` trains in the terminal, `paper` measures the figures of a paper
again, `data` lists the data sets. Systems, papers and data sets come from their registries: no action names one.
`flags` makes flags from a table of settings, `dask` connects to a cluster.
"""

import argparse
import sys
from importlib import metadata

from apps.command.data import list_data
from apps.command.run import INTERRUPTED, add_run
from apps.command.serve import add_arguments, serve
from engine import registry


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser("paper" in arguments)
    if {"run", "paper"} & {*arguments}:
        for name, reason in registry.problems().items():
            print(f"svm-explorer: {name} is not loaded: {reason}", file=sys.stderr)
    chosen = parser.parse_args(arguments)
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
    add_run(actions.add_parser("run", help="train without a screen and keep a recording"))
    papers = actions.add_parser("paper", help="measure the figures and tables of a paper again")
    if with_papers:  # they need scikit-learn, whose import takes a second that a server need not wait for
        from apps.command.paper import add_papers

        add_papers(papers)
    data = actions.add_parser("data", help="list the data sets that have a name")
    data.set_defaults(action=list_data)
    return parser
