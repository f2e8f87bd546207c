"""A progress bar for a run: how far the violation has come down, on a log scale, from its first value to tol.

A solver that goes through the data a given number of times shows how many of its steps are made.
"""

import math
from collections.abc import Iterable, Iterator

from tqdm import tqdm

from engine.runtime.events import Event, Finished, PhaseBegan, Started
from engine.systems.budgeted_sgd.events import StepsTaken
from engine.systems.dcpred.events import LeafCompressed, TreeGrown
from engine.systems.interior_point.events import InteriorIteration
from engine.systems.kernel_svm.events import Iteration


def with_progress(events: Iterable[Event], label: str, tasks: int = 1) -> Iterator[Event]:
    """Pass events on and draw the bar on standard error; `tasks` is how many parts the run has."""
    shape = "{l_bar}{bar}| {elapsed}{postfix}"
    done, first, tol, leaves = 0, 0.0, 1.0, 1
    with tqdm(total=100 * tasks, desc=label, bar_format=shape, leave=True) as bar:
        for event in events:
            match event:
                case Started():
                    first, tol = 0.0, event.tol
                case PhaseBegan(name=name) if name != "optimise":
                    bar.set_postfix_str(name)
                case Iteration():
                    first = first or max(event.violation, tol)
                    part = math.log(first / max(event.violation, tol)) / math.log(first / tol) if first > tol else 1.0
                    _advance(bar, 100 * done + 100 * min(max(part, 0.0), 1.0))
                    bar.set_postfix_str(
                        f"iteration {event.iteration}, violation {event.violation:.2g}, "
                        f"{event.n_free + event.n_bound:,} SVs, objective {event.objective:.6g}"
                    )
                case InteriorIteration():
                    # From a gap as large as the objective to one of tol.
                    left = min(max(event.relative_gap, event.dual_residual, tol), 1.0)
                    _advance(bar, 100 * done + (100 * math.log(left) / math.log(tol) if tol < 1 else 100))
                    bar.set_postfix_str(
                        f"{event.kind}, iteration {event.iteration}, gap {event.relative_gap:.2g}, "
                        f"objective {event.objective:.6g}"
                    )
                case StepsTaken():
                    _advance(bar, 100 * done + 100 * event.step / event.steps)
                    bar.set_postfix_str(
                        f"pass {event.epoch}, {event.size:,} SVs, {event.maintained:,} merges, "
                        f"accuracy {100 * event.accuracy:.1f} %"
                    )
                case TreeGrown():
                    leaves = len(event.sizes)
                case LeafCompressed():
                    _advance(bar, 100 * (event.leaf + 1) / leaves)
                    bar.set_postfix_str(
                        f"leaf {event.leaf + 1} of {leaves}, {event.cost:.0f} of {event.exact_cost:.0f} inner products"
                    )
                case Finished() if event.stamp.path or tasks == 1:
                    done += 1
                    if event.stop_reason in ("converged", "early", "passes"):
                        _advance(bar, 100 * done)
            yield event


def _advance(bar: "tqdm[None]", to: float) -> None:
    # A violation may rise for a while; a bar that runs backwards tells nobody anything.
    bar.update(max(0.0, to - bar.n))
