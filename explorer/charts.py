"""Small charts, a question each: how far from the optimum, how many support vectors, how accurate, this point's α."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, Label, NumeralTickFormatter, Range1d, Span  # type: ignore[attr-defined]

from engine.events import Finished, Iteration
from explorer.replay import Replay
from explorer.theme import AMBER, FONT, GREEN, NEGATIVE, POSITIVE, PURPLE, TILE_HEIGHT, plain_figure, style, tone

AXES = {"iterations": "iteration", "kernel evaluations": "evaluations", "solver seconds": "seconds"}
MOST = 600  # points of a curve: longer runs are decimated, but never at the end
DASHES = (("solid", "━"), ("dashed", "╍"))
ABOVE = 0.25  # room over the curves for the words, as a part of their height
MOMENT = 0.01  # seconds of a drawing that may go into accuracies


@dataclass(frozen=True)
class Chart:
    """A question, and the curves that answer it: colour and legend by name of the column."""

    name: str
    title: str
    scale: str
    curves: dict[str, tuple[str, str]]
    height: int = 158


CHARTS = (
    Chart(
        "gap",
        "How far from the optimum?",
        "log",
        {"gap": (NEGATIVE, "objective − best"), "violation": (POSITIVE, "KKT violation")},
    ),
    Chart(
        "support-vectors",
        "How many support vectors?",
        "linear",
        {"free": (GREEN, "free"), "bound": (PURPLE, "at the bound")},
    ),
    Chart("accuracy", "How accurate, in %?", "linear", {"train": (NEGATIVE, "train"), "test": (AMBER, "test")}),
    Chart("alpha", "α of a point", "linear", {"alpha": (GREEN, "")}, TILE_HEIGHT),
)
COLUMNS = ("x", "gap", "violation", "free", "bound", "train", "test", "alpha")


def _words(text: str, **look: Any) -> Any:
    """Words in a chart, so many pixels from its left edge."""
    return Label(text=text, text_font=FONT, text_font_size="11px", x_units="screen", **look)


def _gap(objective: float, best: float) -> float:
    """How far from the best; NaN where rounding is all that is left."""
    gap = objective - best
    return gap if gap > 1e-9 * max(1.0, abs(best)) else np.nan


class Charts:
    """Curves of a recording, with a cursor line in each."""

    def __init__(self, dark: bool = False) -> None:
        self.axis = "iterations"
        self.pinned: int | None = None
        self.pending = 0  # frames whose accuracy is still to be found
        self._source = ColumnDataSource({name: [] for name in COLUMNS})
        self._accuracy: dict[int, tuple[float, float]] = {}
        self._drawn: tuple[Any, ...] = ()
        self._cursors: list[Any] = []
        self._legends: dict[str, list[Any]] = {}
        self._decades: dict[str, Any] = {}  # tickers of the logarithmic charts: a new model would cost a look at all
        self._hint = _words("click a point to follow its α", x=8, y=8, y_units="screen")
        self._range = Range1d(start=0, end=1)
        self.plots = {chart.name: self._chart(chart) for chart in CHARTS}
        self.plots["alpha"].add_layout(self._hint)
        self.restyle(dark)

    def _chart(self, chart: Chart) -> Any:
        plot = plain_figure(
            chart.name,
            title=chart.title,
            y_axis_type=chart.scale,
            tools="",
            height=chart.height,
            x_range=self._range,
            y_range=Range1d(start=1e-3, end=1),
        )
        for k, (name, (colour, label)) in enumerate(chart.curves.items()):
            dash, sample = DASHES[k]
            plot.line("x", name, source=self._source, color=colour, line_width=2, line_dash=dash)
            # Legends are elements of the page, and slow: words on the canvas do.
            if not label:
                continue
            words = _words(f"{sample} {label}", x=6 + 128 * k, y=1, text_color=colour, text_baseline="top")
            self._legends.setdefault(chart.name, []).append(words)
            plot.add_layout(words)
        if chart.scale == "log":
            self._decades[chart.name] = plot.yaxis.ticker = FixedTicker(ticks=[])
        else:
            plot.yaxis.ticker.desired_num_ticks = 3
        plot.min_border_left = 46
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
        self._hint.text_color = tone(dark).faint

    def clear(self) -> None:
        """Forget the curves."""
        self._accuracy.clear()
        self.pending = 0
        self.pinned = None
        self._drawn = ()
        self._source.data = {name: [] for name in COLUMNS}
        self._name_point()

    def draw(self, replay: Replay, position: int) -> None:
        """Bring curves and cursor up to date."""
        frames = [event for event in replay.recording if isinstance(event, Iteration)]
        if not frames:
            return
        chosen = frames[:: max(1, len(frames) // MOST)]
        if chosen[-1] is not frames[-1]:
            chosen.append(frames[-1])
        places = self._places(frames)
        self.pending = self._learn_accuracy(replay, chosen)
        state = (len(replay.recording), self.axis, self.pending, self.pinned)
        if state != self._drawn:
            self._drawn = state
            columns = self._columns(replay, chosen, places)
            self._source.data = columns
            self._fit_ranges(columns)
            self._name_point()
        frame = replay.frame(position)
        # A long recording may have left this one out since the places were looked up.
        here = places.get((frame.event if frame else frames[0]).stamp.sequence, places[frames[-1].stamp.sequence])
        for cursor in self._cursors:
            cursor.location = here

    def _name_point(self) -> None:
        self._hint.visible = self.pinned is None
        self.plots["alpha"].title.text = "α of a point" if self.pinned is None else f"α of point {self.pinned:,}"

    def _places(self, events: list[Iteration]) -> dict[int, float]:
        """Where on the axis each iteration is; those of several tasks follow one another."""
        name = AXES[self.axis]
        if name != "iteration":
            return {event.stamp.sequence: float(getattr(event.stamp, name)) for event in events}
        places, before, last = {}, 0, events[0]
        for event in events:
            if event.stamp.path != last.stamp.path:
                before += last.iteration
            places[event.stamp.sequence] = float(before + event.iteration)
            last = event
        return places

    def _learn_accuracy(self, replay: Replay, events: list[Iteration]) -> int:
        """Evaluate frames not yet evaluated, the newest first, for a moment; returns how many are left."""
        missing = [event for event in events if event.stamp.sequence not in self._accuracy]
        missing = [*missing[-1:], *missing[:-1]]
        end = time.monotonic() + MOMENT
        for k, event in enumerate(missing):
            if k and time.monotonic() > end:
                return len(missing) - k
            self._accuracy[event.stamp.sequence] = replay.accuracy(replay.frame_of(event))
        return 0

    def _columns(self, replay: Replay, events: list[Iteration], places: dict[int, float]) -> dict[str, Any]:
        best = {event.stamp.path: np.inf for event in events}  # of each task; the end of all of them is a sum
        for told in replay.recording:
            if isinstance(told, Iteration | Finished) and told.stamp.path in best:
                best[told.stamp.path] = min(told.objective, best[told.stamp.path])
        known = [self._accuracy.get(event.stamp.sequence, (np.nan, np.nan)) for event in events]
        columns = {
            "x": [places[event.stamp.sequence] for event in events],
            "gap": [_gap(event.objective, best[event.stamp.path]) for event in events],
            "violation": [event.violation or np.nan for event in events],
            "free": [event.n_free for event in events],
            "bound": [event.n_bound for event in events],
            "train": [train for train, _ in known],
            "test": [test for _, test in known],
            "alpha": [np.nan] * len(events)
            if self.pinned is None
            else [replay.alpha_of(self.pinned, event) for event in events],
        }
        return {name: np.array(column, np.float32) for name, column in columns.items()}

    def _fit_ranges(self, columns: dict[str, Any]) -> None:
        """Suit each chart to its curves."""
        self._range.end = float(columns["x"].max()) or 1.0
        for chart in CHARTS:
            plot = self.plots[chart.name]
            values = np.concatenate([columns[name] for name in chart.curves])
            values = values[np.isfinite(values)]
            if not len(values):
                continue
            low, high = float(values.min()), float(values.max())
            if chart.scale == "log":
                plot.y_range.update(start=low / 1.6, end=high * (high / low) ** ABOVE * 1.6)
                first, last = np.ceil(np.log10(low)), np.floor(np.log10(plot.y_range.end))
                decades = np.arange(first, last + 1, max(1, (last - first) // 3))
                self._decades[chart.name].ticks = (10.0**decades).tolist()
            else:
                room = (high - low) or 1.0
                plot.y_range.update(start=max(low - 0.06 * room, 0), end=high + ABOVE * room)
            for words in self._legends.get(chart.name, ()):
                words.y = plot.y_range.end
