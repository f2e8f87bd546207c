"""Tables 5 and 6 of the interior-point paper as rows."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from engine.reproduction.paper import Effort, Row
from engine.systems.interior_point.paper.bench import DUAL, SCHEMES, SVC, C, Case, fit
from engine.systems.interior_point.paper.printed import BELOW, SECONDS, SPEED_UP, TWO_THREADS

COMPARED = ("IPM-ICF", "IPM-KF")  # in Table 5
THREADED = ("ICF+ICF", "KF+ICF")  # in the last two columns of Table 6


def decomposition_or_factorisation(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 5: seconds and accuracy, on one thread."""
    ready = case.ready(effort)
    exact = fit(case, effort, DUAL)
    for rival in _rivals(case):
        found = fit(case, effort, rival)
        ours = {"by": rival, "seconds": found.seconds, "accuracy": found.accuracy}
        yield ready.row({"method": "SVMLight"}, ours, _seconds(case, "SVMLight", 1))
    for method in COMPARED:
        found = fit(case, effort, method)
        ours = {
            "by": SCHEMES[method], "seconds": found.seconds, "accuracy": found.accuracy,
            "below SVMLight": exact.accuracy - found.accuracy, "rank": found.rank, "relative error": found.error,
            "iterations": found.fine,
        }  # fmt: skip
        yield ready.row({"method": method}, ours)


def mean_losses(cases: Sequence[Case], effort: Effort) -> Iterator[Row]:
    """Table 5: the mean over all sets, which is what the text quotes."""
    for method, below in BELOW.items():
        losses = [fit(case, effort, DUAL).accuracy - fit(case, effort, method).accuracy for case in cases]
        yield _about_all(cases, effort, method, {"below SVMLight": fmean(losses)}, {"below SVMLight": below})


def speed_ups(case: Case, effort: Effort) -> Iterator[Row]:
    """Table 6: how many times faster than decomposition, on one thread and, in the end, on two."""
    ready = case.ready(effort)
    for method, scheme in SCHEMES.items():
        for threads in (1, 2) if method in THREADED else (1,):
            found, alone = fit(case, effort, method, threads), fit(case, effort, method)
            ours: dict[str, Any] = {"by": scheme, "seconds": found.seconds, "accuracy": found.accuracy}
            ours |= {f"over {rival}": fit(case, effort, rival).seconds / found.seconds for rival in _rivals(case)}
            ours |= {"coarse iterations": found.coarse, "iterations": found.fine}
            if threads == 2:
                ours["over one thread"] = alone.seconds / found.seconds
            yield ready.row({"method": method, "threads": threads}, ours, _seconds(case, method, threads))


def mean_speed_ups(cases: Sequence[Case], effort: Effort) -> Iterator[Row]:
    """Table 6: the means over all sets, which is what the text quotes."""
    for method in SCHEMES:
        ours = {
            f"over {rival}": fmean(fit(case, effort, rival).seconds / fit(case, effort, method).seconds for case in of)
            for rival in (SVC, DUAL)
            if (of := [case for case in cases if rival in _rivals(case)])
        }
        quoted = {"over SVMLight": SPEED_UP[method]} if method in SPEED_UP else {}
        yield _about_all(cases, effort, method, ours, quoted)
    for method in THREADED:
        ratios = [fit(case, effort, method).seconds / fit(case, effort, method, 2).seconds for case in cases]
        yield _about_all(cases, effort, method, {"over one thread": fmean(ratios)}, {"over one thread": TWO_THREADS}, 2)


def _rivals(case: Case) -> tuple[str, ...]:
    return (SVC, DUAL) if case.with_svc else (DUAL,)


def _seconds(case: Case, method: str, threads: int) -> dict[str, Any]:
    seconds = SECONDS.get((case.published, method, threads))
    return {"seconds": seconds} if seconds else {}


def _about_all(
    cases: Sequence[Case], effort: Effort, method: str, ours: dict[str, Any], paper: dict[str, Any], threads: int = 1
) -> Row:
    rows = sum(len(case.ready(effort).y) for case in cases)
    case = {"method": method, "threads": threads}
    return Row(f"mean of {len(cases)}", rows, C, None, effort.seed, case, ours, paper)
