"""`svm-explorer run SOLVER`: train in the terminal, save the recording, print a summary.

Every system of the registry has its own sub-command; its flags are made from its table of settings.
"""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from apps.command.dask import add_cluster, cluster_of
from apps.command.flags import add_settings, read_settings
from engine import SOLVERS, Run, System, datasets
from engine.datasets import Dataset
from engine.learning.common_settings import SolverSettings
from engine.learning.model import Trained
from engine.learning.validation import dense
from engine.runtime.errors import invalid
from engine.runtime.events import Failed, Finished
from engine.runtime.progress import with_progress
from engine.runtime.threads import thread_count

INTERRUPTED = 130  # what shells expect after Ctrl-C


def add_run(run: argparse.ArgumentParser) -> None:
    """Add a sub-command for each system of the registry."""
    solvers = run.add_subparsers(required=True, metavar="SOLVER")
    for name, solver in SOLVERS.items():
        parser = solvers.add_parser(name, help=solver.title)
        _add_data(parser)
        parser.add_argument("--out", type=Path, metavar="FILE", help="keep the recording here (.svmrun)")
        parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop after so much solver time")
        parser.add_argument("--quiet", action="store_true", help="no progress bar")
        if solver.subproblems:
            add_cluster(parser, default=argparse.SUPPRESS)
        add_settings(parser, "settings", solver.settings)
        parser.set_defaults(action=_run, solver=solver)


def _add_data(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("data")
    group.add_argument(
        "--data", default="checkerboard-filled", metavar="NAME|FILE", help="a name, or a CSV or LIBSVM file"
    )
    group.add_argument("--size", type=int, metavar="N", help="training rows")
    group.add_argument("--noise", type=float, metavar="X", help="noise of a toy")
    group.add_argument("--data-seed", type=int, default=0, metavar="N", help="which points, rows and split")
    group.add_argument("--label-column", metavar="NAME", help="of a CSV file: name, or number from 0")


def _run(chosen: argparse.Namespace) -> int:
    solver: System = chosen.solver
    settings = solver.settings.checked(read_settings(chosen, solver.settings))
    if chosen.out is not None and (chosen.out.is_dir() or not chosen.out.absolute().parent.is_dir()):
        raise invalid("--out", str(chosen.out), "a file in a folder that exists")
    data, source = _load(chosen, solver.task)
    with cluster_of(chosen) as executor:
        how = {"source": source, "time_limit": chosen.time_limit, "executor": executor}
        run = solver.recorded_run(data.X, data.y, settings, **how)
        events = iter(run)
        if not chosen.quiet:
            events = with_progress(events, solver.title, solver.parts(data.y, settings), solver.progress)
        with _cancelled_by_ctrl_c(run):
            for event in events:
                if isinstance(event, Failed):
                    print(f"svm-explorer: {event.error}: {event.message}", file=sys.stderr)
    if chosen.out is not None and run.recording is not None:
        run.recording.save(chosen.out)
        size = chosen.out.stat().st_size / 2**20
        print(f"recording           {chosen.out} ({len(run.recording)} events, {size:.1f} MiB)")
    print(_summary(solver, settings, data, run))
    if run.error is not None:
        return 1
    return INTERRUPTED if run.stopping == "cancelled" else 0


def _load(chosen: argparse.Namespace, task: str) -> tuple[Dataset, dict[str, Any]]:
    """The data of a kind of task, and where they came from, for the recording."""
    if chosen.data in datasets.catalogue():
        options = {"size": chosen.size, "noise": chosen.noise, "seed": chosen.data_seed}
        data, source = datasets.load(chosen.data, **options), {"name": chosen.data, **options}
    elif Path(chosen.data).is_file():
        label = chosen.label_column
        data = datasets.read(chosen.data, label_column=int(label) if label and label.isdigit() else label)
        source = {"file": Path(chosen.data).name}
    else:
        names = ", ".join(datasets.catalogue())
        raise invalid("--data", chosen.data, f"a file that exists or one of {names}")
    if data.task != task:
        wanted = "a set with classes: this one is for regression" if task == "classification" else "one for regression"
        raise invalid("--data", chosen.data, wanted)
    return data, source


@contextmanager
def _cancelled_by_ctrl_c(run: Run[Trained]) -> Iterator[None]:
    """The first Ctrl-C ends the run and keeps what there is; a second one is the usual interrupt."""

    def cancel(number: int, frame: FrameType | None) -> None:
        run.cancel()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _summary(solver: System, settings: SolverSettings, data: Dataset, run: Run[Trained]) -> str:
    lines = {"solver": solver.title, "data": f"{data.title}, {data.n:,} x {data.d}"}
    last = run.latest
    if isinstance(last, Finished):
        lines |= {"stopped": last.stop_reason, **solver.summary(last)}
        model, threads = run.result().model, thread_count(settings.n_jobs)
        for part, X, y in (("train", data.X, data.y), ("test", data.X_test, data.y_test)):
            if X is not None:
                said = model.predict(model.task_values(dense(X), threads))
                if data.task == "classification":
                    lines[f"{part} accuracy"] = f"{100 * np.mean(said == y):.2f} %"
                else:
                    lines[f"{part} error (RMS)"] = f"{np.sqrt(np.mean((said - y) ** 2)):.5g}"
    lines |= {"solver seconds": f"{run.seconds:.2f}", "kernel evaluations": f"{run.evaluations:,}"}
    return "\n".join(f"{name:<20}{value}" for name, value in lines.items())
