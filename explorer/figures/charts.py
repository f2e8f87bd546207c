"""Small charts, a question each: how far from the optimum, how many support vectors, how accurate, this point's α."""

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, NumeralTickFormatter, Range1d, Span  # type: ignore[attr-defined]

from engine.runtime.events import Event
from explorer.replay.lookup import Replay
from explorer.style.theme import (
    AMBER,
    GREEN,
    NEGATIVE,
    TILE_HEIGHT,
    decades,
    plain_figure,
    style,
    tone,
    words_inside,
)

AXES = {"iterations": "iteration", "kernel evaluations": "evaluations", "solver seconds": "seconds"}
MOST = 600  # points of a curve: longer runs are decimated, but never at the end
DASHES = (("solid", "━"), ("dashed", "╍"), ("dotted", "┅"))
ABOVE = 0.25  # room over the curves for the words, as a part of their height
MOMENT = 0.01  # seconds of a drawing that may go into accuracies


@dataclass(frozen=True)
class Chart:
    """A question, and the curves that answer it: colour and legend by name of the number."""

    name: str
    title: str
    scale: str
    curves: dict[str, tuple[str, str]]
    height: int = 158


ACCURACY = Chart("accuracy", "How accurate, in %?", "linear", {"train": (NEGATIVE, "train"), "test": (AMBER, "test")})
RMSE = replace(ACCURACY, title="How far off (root mean square)?")  # of a regression
ALPHA = Chart("alpha", "α of a point", "linear", {"alpha": (GREEN, "")}, TILE_HEIGHT)


class IterationAxis:
    """Where the events of a task lie on the axis of iterations: after how many of them each is."""

    def __init__(self) -> None:
        self.place = 0

    def read(self, event: Event) -> None:
        """Move on by an event; by default to the iteration that it tells, or by one."""
        self.place = getattr(event, "iteration", self.place + 1)


def event_numbers(replay: Replay, event: Event) -> dict[str, float]:
    """The numbers that an event has, by name."""
    return {name: float(value) for name, value in vars(event).items() if isinstance(value, int | float)}


def event_objective(event: Event) -> float:
    """The objective of the whole problem that an event tells; NaN if it tells none."""
    return float(getattr(event, "objective", np.nan))


@dataclass(frozen=True)
class Curves:
    """What the charts show of the events of a system."""

    events: tuple[type[Event], ...] = ()  # those that curves go through; empty: those after which there is a frame
    numbers: Callable[[Replay, Event], dict[str, float]] = event_numbers  # apart from "gap", "train" and "test"
    objective: Callable[[Event], float] = event_objective  # the curve "gap" is its distance from the lowest
    axis: type[IterationAxis] = IterationAxis


def _gap(objective: float, best: float) -> float:
    """How far from the best; NaN where rounding is all that is left."""
    gap = objective - best
    return gap if gap > 1e-9 * max(1.0, abs(best)) else np.nan


class Charts:
    """Curves of a recording, with a cursor line in each: those of the solver, and the alpha of a point."""

    def __init__(self, charts: tuple[Chart, ...], curves: Curves, dark: bool = False) -> None:
        self.axis = "iterations"
        self.pinned: int | None = None
        self.pending = 0  # events whose numbers are still to be found
        self._charts, self._curves = (*charts, ALPHA), curves
        self._sources = {chart.name: ColumnDataSource(_nothing(chart)) for chart in self._charts}
        self._numbers: dict[int, dict[str, float]] = {}
        self._accuracy: dict[int, dict[str, float]] = {}  # apart: it is dear
        self._drawn: tuple[Any, ...] = ()
        self._cursors: list[Any] = []
        self._legends: dict[str, list[Any]] = {}
        self._decades: dict[str, Any] = {}  # tickers of the logarithmic charts: a new model would cost a look at all
        self._hint = words_inside("click a point to follow its α", x=8, y=8, y_units="screen")
        self._range = Range1d(start=0, end=1)
        self.plots = {chart.name: self._chart(chart) for chart in self._charts}
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
        x = 6
        for (dash, sample), (name, (colour, label)) in zip(DASHES, chart.curves.items(), strict=False):
            plot.line("x", name, source=self._sources[chart.name], color=colour, line_width=2, line_dash=dash)
            if not label:
                continue
            words = words_inside(f"{sample} {label}", x=x, y=1, text_color=colour, text_baseline="top")
            x += 26 + 6 * len(label)
            self._legends.setdefault(chart.name, []).append(words)
            plot.add_layout(words)
        if chart.scale == "log":
            self._decades[chart.name] = plot.yaxis.ticker = FixedTicker(ticks=[])
        else:
            plot.yaxis.ticker.desired_num_ticks = 3
        plot.min_border_left = 46
        plot.xaxis.ticker.desired_num_ticks = 5
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
        self._numbers.clear()
        self._accuracy.clear()
        self.pending = 0
        self.pinned = None
        self._drawn = ()
        for chart in self._charts:
            self._sources[chart.name].data = _nothing(chart)
        self._name_point()

    def draw(self, replay: Replay, position: int) -> None:
        """Bring curves and cursor up to date."""
        kinds = self._curves.events or replay.reader.kinds
        events: list[Event] = [event for event in replay.recording if isinstance(event, kinds)]
        if not events:
            return
        chosen = events[:: max(1, len(events) // MOST)]
        if chosen[-1] is not events[-1]:
            chosen.append(events[-1])
        places = self._places(events)
        self.pending = self._learn(replay, chosen)
        state = (len(replay.recording), self.axis, self.pending, self.pinned)
        if state != self._drawn:
            self._drawn = state
            columns = self._columns(replay, chosen, places)
            self._range.end = float(columns["x"].max()) or 1.0
            for chart in self._charts:
                self._draw_curves(chart, columns)
            self._name_point()
        now = replay.event(position)
        here = 0 if now is None else bisect_right(events, now.stamp.sequence, key=lambda event: event.stamp.sequence)
        for cursor in self._cursors:
            cursor.location = places[events[max(0, here - 1)].stamp.sequence]

    def _name_point(self) -> None:
        self._hint.visible = self.pinned is None
        self.plots["alpha"].title.text = "α of a point" if self.pinned is None else f"α of point {self.pinned:,}"

    def _places(self, events: list[Event]) -> dict[int, float]:
        """Where on the axis each event is; iterations of several tasks, and of cells, follow one another."""
        name = AXES[self.axis]
        if name != "iteration":
            return {event.stamp.sequence: float(getattr(event.stamp, name)) for event in events}
        places, before, axis, path = {}, 0, self._curves.axis(), events[0].stamp.path
        for event in events:
            if event.stamp.path != path:
                before, axis, path = before + axis.place, self._curves.axis(), event.stamp.path
            axis.read(event)
            places[event.stamp.sequence] = float(before + axis.place)
        return places

    def _learn(self, replay: Replay, events: list[Event]) -> int:
        """Find what is not known of these events, for a moment; returns of how many something is missing."""
        missing = [event for event in events if event.stamp.sequence not in self._numbers]
        for event in _for_a_moment(missing):
            self._numbers[event.stamp.sequence] = self._curves.numbers(replay, event)
        states = [event for event in events if replay.reader.is_state(event)]
        missing = [event for event in states if event.stamp.sequence not in self._accuracy]
        for event in _for_a_moment(missing):
            train, test = replay.reader.accuracy(replay.frame_of(event))
            self._accuracy[event.stamp.sequence] = {"train": train, "test": test}
        return sum(
            event.stamp.sequence not in self._numbers or event.stamp.sequence not in self._accuracy for event in states
        )

    def _columns(self, replay: Replay, events: list[Event], places: dict[int, float]) -> dict[str, Any]:
        best: dict[tuple[str, ...], float] = {}  # of each task; the end of all of them is a sum
        for told in replay.recording:
            if not np.isnan(objective := self._curves.objective(told)):
                best[told.stamp.path] = min(objective, best.get(told.stamp.path, np.inf))
        rows = []
        for event in events:
            rows.append(
                {"x": places[event.stamp.sequence]}
                | {"gap": _gap(self._curves.objective(event), best.get(event.stamp.path, np.nan))}
                | self._numbers.get(event.stamp.sequence, {})
                | self._accuracy.get(event.stamp.sequence, {})
            )
            if self.pinned is not None and replay.reader.is_state(event):
                rows[-1]["alpha"] = replay.alpha_of(self.pinned, event)
        names = {"x", *(name for chart in self._charts for name in chart.curves)}
        return {name: np.array([row.get(name, np.nan) for row in rows], np.float32) for name in names}

    def _draw_curves(self, chart: Chart, columns: dict[str, Any]) -> None:
        """The rows that say something about this question; the chart is made to suit them."""
        known = np.any([np.isfinite(columns[name]) for name in chart.curves], axis=0)
        self._sources[chart.name].data = {name: columns[name][known] for name in ("x", *chart.curves)}
        plot = self.plots[chart.name]
        values = np.concatenate([columns[name] for name in chart.curves])
        values = values[np.isfinite(values)]
        if not len(values):
            return
        low, high = float(values.min()), float(values.max())
        if chart.scale == "log":
            plot.y_range.update(start=low / 1.6, end=high * (high / low) ** ABOVE * 1.6)
            self._decades[chart.name].ticks = decades(low, plot.y_range.end)
        else:
            room = (high - low) or 1.0
            start = low - 0.06 * room
            plot.y_range.update(start=start if low < 0 else max(start, 0), end=high + ABOVE * room)
        for words in self._legends.get(chart.name, ()):
            words.y = plot.y_range.end


def _nothing(chart: Chart) -> dict[str, Any]:
    return {name: [] for name in ("x", *chart.curves)}


def _for_a_moment(events: list[Event]) -> Iterator[Event]:
    """As many as there is time for: the newest, then all over the run, so that a curve is soon there as a whole."""
    end = time.monotonic() + MOMENT
    spread = sorted(range(len(events) - 1), key=lambda k: (k * 0.618) % 1)
    for done, event in enumerate([*events[-1:], *(events[k] for k in spread)]):
        if done and time.monotonic() > end:
            return
        yield event
