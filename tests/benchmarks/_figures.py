"""What the benchmarks share: a clock and a way to say a figure."""

import json
import time
from collections.abc import Callable
from statistics import median
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result], repeats: int = 1) -> tuple[float, Result]:
    """Median time of a piece of work in seconds, and what it returned last."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return median(times), result


def say(figure: str, **values: object) -> None:
    """Print one figure as a JSON line."""
    rounded = {k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in values.items()}
    print(json.dumps({"figure": figure, **rounded}), flush=True)


def say_pace() -> None:
    """Print the pace of the machine at this moment, to compare figures of different times and places by."""
    spent, _ = timed(lambda: sum(range(20_000_000)), 3)
    say("pace of the machine: seconds for twenty million additions in Python", seconds=spent)
