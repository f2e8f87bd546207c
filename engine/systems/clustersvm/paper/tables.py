"""Tables 1 to 4 of the ClusterSVM paper as rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.reproduction.paper import Effort, Row
from engine.systems.clustersvm.paper.bench import EXACT, METHODS, PAPERS, Case
from engine.systems.clustersvm.paper.printed import TABLE_1, TABLES


def passes(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 1: the error rate by the number of passes."""
    ready = case.ready(effort)
    for number, error in TABLE_1.items():
        fit = ready.fit(PAPERS, max_passes=number)
        ours = {"error": fit.error, "mean N_train": float(fit.sizes.mean()), "exact": fit.exact}
        yield ready.row({"passes": number}, ours, {"error": error})


def compared(case: Case, effort: Effort) -> Iterator[Row]:
    """Tables 2 to 4: time, error rate and training points of the classifiers, with and without clusters."""
    ready, printed = case.ready(effort), TABLES[case.published]
    fits = {method: ready.fit(method) for method in METHODS}
    quoted: dict[str, dict[str, Any]] = {
        EXACT: {"mean N_train": printed.n, "seconds": printed.smo_seconds, "error": printed.smo_error},
        PAPERS: {
            "mean N_train": float(np.mean(printed.sizes).round()), "seconds": printed.seconds, "error": printed.error,
            "clustering seconds": printed.clustering_seconds, "speedup": printed.speedup,
        },
    }  # fmt: skip
    for method, fit in fits.items():
        ours: dict[str, Any] = {
            "mean N_train": float(fit.sizes.mean()), "seconds": fit.seconds, "error": fit.error, "exact": fit.exact
        }  # fmt: skip
        if method != EXACT:
            ours |= {"clustering seconds": fit.clustering_seconds, "speedup": fits[EXACT].seconds / fit.seconds}
        yield ready.row({"classifier": "all", "method": method, "passes": fit.passes}, ours, quoted.get(method))
    sizes = np.roll(fits[PAPERS].sizes, -case.first_class)
    for number, (size, theirs) in enumerate(zip(sizes, printed.sizes, strict=True), 1):
        yield ready.row({"classifier": number, "method": PAPERS}, {"N_train": int(size)}, {"N_train": theirs})
