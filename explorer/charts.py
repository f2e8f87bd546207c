"""Three small charts that answer three questions: how far from the optimum, how many support vectors, how accurate."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, NumeralTickFormatter, Span  # type: ignore[attr-defined]

from engine.events import Finished, Iteration
from explorer.replay import Replay
from explorer.theme import AMBER, GREEN, NEGATIVE, POSITIVE, PURPLE, plain_figure, style, tone

AXES = {"iterations": "iteration", "kernel evaluations": "evaluations", "solver seconds": "seconds"}
MOST = 600  # points of a curve: longer runs are decimated, but never at the end
CHARTS: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "How far from the optimum?": ("log", {"gap": (NEGATIVE, "objective − best"), "violation": (POSITIVE, "violation")}),
    "How many support vectors?": ("linear", {"free": (GREEN, "free"), "bound": (PURPLE, "at the bound")}),
    "How accurate, in %?": ("linear", {"train": (NEGATIVE, "train"), "test": (AMBER, "test")}),
}
NAMES = ("position", "iteration", "evaluations", "seconds", "gap", "violation", "free", "bound", "train", "test")


class Charts:
    """Curves of a recording, with a cursor line in each."""

    def __init__(self, dark: bool = False) -> None:
        self.axis = "iterations"
        self.pending = 0  # frames whose accuracy is still to be found
        self._source = ColumnDataSource({"x": [], **{name: [] for name in NAMES}})
        self._accuracy: dict[int, tuple[float, float]] = {}
        self._drawn = (-1, "")
        self._cursors: list[Any] = []
        self.plots = {title: self._chart(title, scale, curves) for title, (scale, curves) in CHARTS.items()}
        self.restyle(dark)

    def _chart(self, title: str, scale: str, curves: dict[str, tuple[str, str]]) -> Any:
        plot = plain_figure(title=title, y_axis_type=scale, tools="", height=168, min_height=130)
        for dash, (name, (colour, label)) in zip(("solid", "dashed"), curves.items(), strict=True):
            plot.line("x", name, source=self._source, color=colour, line_width=2, line_dash=dash, legend_label=label)
        plot.add_layout(plot.legend[0], "above")
        plot.legend[0].update(orientation="horizontal", padding=0, margin=0, spacing=12, glyph_width=18)
        plot.yaxis.ticker.desired_num_ticks = 4
        plot.xaxis.formatter = NumeralTickFormatter(format="0.[0]a")
        self._cursors.append(Span(dimension="height", line_width=1.5, location=0))
        plot.add_layout(self._cursors[-1])
        return plot

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        for plot in self.plots.values():
            style(plot, dark)
        for cursor in self._cursors:
            cursor.line_color = tone(dark).text

    def clear(self) -> None:
        """Forget the curves."""
        self._accuracy.clear()
        self.pending = 0
        self._drawn = (-1, "")
        self._source.data = {name: [] for name in self._source.data}

    def draw(self, replay: Replay, position: int) -> None:
        """Bring curves and cursor up to date."""
        frames = [(position, event) for position, event in enumerate(replay.recording) if isinstance(event, Iteration)]
        if not frames:
            return
        chosen = frames[:: max(1, len(frames) // MOST)]
        if chosen[-1] != frames[-1]:
            chosen.append(frames[-1])
        self.pending = self._learn_accuracy(replay, [place for place, _ in chosen])
        state = (len(replay.recording), f"{self.axis} {self.pending}")
        if state != self._drawn:
            self._drawn = state
            self._source.data = self._columns(replay, chosen)
        frame = replay.frame(position) or replay.frame(frames[0][0])
        if frame is not None:
            for cursor in self._cursors:
                cursor.location = self._place(frame.event)

    def _learn_accuracy(self, replay: Replay, positions: list[int]) -> int:
        """Evaluate some frames not yet evaluated, the newest first; returns how many are left for another time."""
        missing = [p for p in positions if replay.recording[p].stamp.sequence not in self._accuracy]
        for position in [*missing[-1:], *missing[: 4 - 1]]:
            frame = replay.frame(position)
            if frame is not None:
                self._accuracy[frame.event.stamp.sequence] = replay.accuracy(frame)
        return max(0, len(missing) - 4)

    def _columns(self, replay: Replay, frames: list[tuple[int, Iteration]]) -> dict[str, Any]:
        events = [event for _, event in frames]
        last = replay.recording[-1]
        best = min(event.objective for event in events)
        if isinstance(last, Finished):
            best = min(best, last.objective)
        least = 1e-9 * max(1.0, abs(best))  # what is smaller is no gap but rounding
        known = [self._accuracy.get(event.stamp.sequence, (np.nan, np.nan)) for event in events]
        return {
            "x": [self._place(event) for event in events],
            "position": [position for position, _ in frames],
            "iteration": [event.iteration for event in events],
            "evaluations": [event.stamp.evaluations for event in events],
            "seconds": [event.stamp.seconds for event in events],
            "gap": [gap if (gap := event.objective - best) > least else np.nan for event in events],
            "violation": [event.violation or np.nan for event in events],
            "free": [event.n_free for event in events],
            "bound": [event.n_bound for event in events],
            "train": [train for train, _ in known],
            "test": [test for _, test in known],
        }

    def _place(self, event: Iteration) -> float:
        name = AXES[self.axis]
        return float(event.iteration if name == "iteration" else getattr(event.stamp, name))
