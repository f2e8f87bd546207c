"""Settings for Table 1, chosen without a look at the test part.

A fifth of the training part is put aside; every setting of a case's grid is trained on the rest, and the most accurate
one on that fifth whose prediction takes no longer than the paper's wins. `svm-explorer paper dcpred choice` repeats it;
what it found is written down in the cases.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from engine.reproduction.paper import Effort, Row
from engine.systems.dcpred.paper.bench import Case, Ready
from engine.systems.dcpred.paper.printed import TABLE_1

ASIDE = 0.2  # of the training part
WITHIN = 0.9  # of the paper's prediction time: the clock of another day is another
TUNED = {"landmark_ratio": 1.0, "tuning": 300, "landmarks": "sided-kmeans", "pseudo_ratio": 0.0}


def grid(**values: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    """All combinations of these values, with tuned landmarks."""
    return tuple(settings(**dict(zip(values, some, strict=True))) for some in product(*values.values()))


def settings(**values: Any) -> dict[str, Any]:
    """These values, with tuned landmarks."""
    return {**TUNED, **values}


def choice(case: Case, effort: Effort) -> Iterator[Row]:
    """Accuracy and prediction time on the rows put aside, for each setting of the grid."""
    ready, limit = put_aside(case.ready(effort)), TABLE_1[case.published][1]["DC-Pred++"][0]
    for some in case.grid:
        model, seconds = ready.fit(**some)
        ours = ready.measured(model.model_.fast, seconds)
        within = "yes" if ours["prediction time"] <= WITHIN * limit else "no"
        chosen = "here" if case.chosen == some else ""
        yield ready.row({**varied(some), "fast enough": within, "chosen": chosen}, ours)


def put_aside(ready: Ready) -> Ready:
    """The training part alone, with some of it in place of the test part."""
    order = np.random.default_rng(ready.effort.seed).permutation(len(ready.y))
    aside, rest = np.split(order, [int(ASIDE * len(order))])
    X, y = ready.X, ready.y
    return replace(ready, X=X[rest], y=y[rest], X_test=X[aside], y_test=y[aside])


def varied(some: dict[str, Any]) -> dict[str, Any]:
    """The settings that differ from the common ones."""
    return {name: value for name, value in some.items() if name not in TUNED or TUNED[name] != value}
