"""Figures 4 to 6 of the ClusterSVM paper as rows."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from engine.reproduction.paper import Effort, Row
from engine.systems.clustersvm.paper.bench import CONDITION_2, EXACT, PAPERS, Case, Fit, Ready

COUNTS = range(1, 82, 2)  # clusters of each class
SIZES = (300, 600, 1200, 2400, 3600, 4800, 6000)
RUNS, QUICK_RUNS = 10, 2  # data sets that are drawn for a mean


def by_clusters(case: Case, effort: Effort) -> Iterator[Row]:
    """Figures 4 and 5: how far the initial SVM is from the true one, and how long it takes, by clusters of a class."""
    ready = case.ready(effort)
    counts = COUNTS if effort.rows is None else COUNTS[:: len(COUNTS) // 4]
    for count in counts:
        differences, seconds = [], []
        for seed in _seeds(effort):
            drawn, true = _drawn(case, effort, seed)
            initial = drawn.fit(PAPERS, n_clusters=count, max_passes=0)
            differences.append(abs(initial.error - true.error) / true.error)
            seconds.append(initial.seconds)
        yield ready.row(
            {"clusters of a class": count, "runs": len(seconds)},
            {
                "relative difference": float(np.mean(differences)), "largest": max(differences),
                "seconds": float(np.mean(seconds)),
            },
        )  # fmt: skip


def by_size(case: Case, effort: Effort) -> Iterator[Row]:
    """Figure 6: training time by the number of points."""
    ready = case.ready(effort)
    for size in SIZES:
        if size != effort.train(size):
            break
        for method in (EXACT, PAPERS, CONDITION_2):
            fits = [
                _on(case, replace(effort, rows=size, tests=size), seed).fit(method) for seed in _seeds(effort)
            ]  # fmt: skip
            row = ready.row(
                {"method": method, "runs": len(fits)},
                {
                    "seconds": float(np.mean([fit.seconds for fit in fits])),
                    "mean N_train": float(np.mean([fit.sizes.mean() for fit in fits])),
                    "error": float(np.mean([fit.error for fit in fits])),
                },
            )  # fmt: skip
            yield replace(row, n=size)


def _seeds(effort: Effort) -> range:
    return range(effort.seed, effort.seed + (RUNS if effort.rows is None else QUICK_RUNS))


@cache
def _drawn(case: Case, effort: Effort, seed: int) -> tuple[Ready, Fit]:
    """A data set of its own for each run, and the model of all its points."""
    drawn = _on(case, effort, seed)
    return drawn, drawn.fit(EXACT)


def _on(case: Case, effort: Effort, seed: int) -> Ready:
    return Ready(case, effort, *case.drawn(effort.train(None), effort.test(None), seed))
