"""What only Budgeted SGD shows: the merging problem as surfaces, its curve s(h), and the strategies side by side."""

from functools import cache
from typing import Any, TypeVar

import numpy as np
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource, FactorRange, LinearColorMapper, Span  # type: ignore[attr-defined]
from bokeh.palettes import Cividis256

from engine.runtime.events import Array, Event
from engine.systems.budgeted_sgd.events import BudgetMaintained, MergesReplayed, StrategiesCompared
from engine.systems.budgeted_sgd.merging import MERGING, PRECISE, degradation, golden_section
from engine.systems.budgeted_sgd.strategy_comparison import time_split
from explorer.figures.sources import empty
from explorer.figures.tile import Captions, tile
from explorer.figures.view import View
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.layout import row
from explorer.style.number_format import number
from explorer.style.theme import AMBER, GREEN, NEGATIVE, POSITIVE, tone, words_inside
from explorer.systems.budgeted_sgd.strategy_comparison import StrategyComparison

Told = TypeVar("Told", StrategiesCompared, MergesReplayed)
SIDE = 120  # points of a surface along each axis
NAMES = {"lookup-wd": "l-WD", "lookup-h": "l-h", "gss": "gss", "gss-precise": "precise"}
SLIDER: dict[str, Any] = {"size": "small", "width": 96, "margin": (0, 8)}


@cache
def surfaces(side: int = SIDE) -> tuple[Array, Array]:
    """h and WD (of a_i + a_j = 1) over m along x and kappa along y, both from 0 to 1 (Figure 2 of the paper)."""
    h, wd = np.empty((side, side), np.float32), np.empty((side, side), np.float32)
    for i, kappa in enumerate(np.linspace(0, 1, side)):
        for j, m in enumerate(np.linspace(0, 1, side)):
            found = golden_section(min(m, 1 - m), kappa, PRECISE)
            h[i, j] = found if m <= 0.5 else 1 - found
            wd[i, j] = degradation(m, 1 - m, kappa, h[i, j])
    return h, wd


def kept(m: float, kappa: float, h: Array) -> Array:
    """s(h): what a merge at h keeps of two coefficients with a sum of 1."""
    log_kappa = np.log(max(kappa, 1e-300))
    return m * np.exp(log_kappa * (1 - h) ** 2) + (1 - m) * np.exp(log_kappa * h**2)


class MergeView(View):
    """Both surfaces with the candidates of a merge, s(h) of the winner or of any place, the strategies."""

    def __init__(self, dark: bool) -> None:
        super().__init__(dark)
        self._needs_redraw = False
        self._image = [ColumnDataSource({"image": [surface]}) for surface in surfaces()]
        self._candidates = ColumnDataSource({"m": [], "kappa": []})
        self._winner = ColumnDataSource({"m": [], "kappa": []})
        self.sources = (self._candidates, self._winner)
        self._place = ColumnDataSource({"m": [0.3], "kappa": [0.5]})
        self._curve = ColumnDataSource({"h": [], "s": []})
        self._top = ColumnDataSource({"h": [], "s": []})
        names = [NAMES[name] for name in MERGING]
        self._agree = ColumnDataSource({"name": names, "agreement": [np.nan] * 4, "text": [""] * 4})
        self._times = ColumnDataSource({"name": names, "a": [0.0] * 4, "whole": [0.0] * 4, "text": [""] * 4})
        self._race = ColumnDataSource({"name": [], "accuracy": [], "text": []})
        self.h = self._surface("merge-h", "Where to: h(m, κ)", self._image[0], 1.0)
        self.wd = self._surface("merge-wd", "What it costs: WD(m, κ)", self._image[1], float(surfaces()[1].max()))
        self.curve = tile("merge-curve", "s(h)")
        self.agree = self._bars("strategies-agreement", "Partner as gss-precise's, %", names)
        self.times = self._bars("strategies-time", "Time a merge, µs", names)
        self.race = self._bars("strategies-race", "Strategies raced: right, %", ["-"])
        self._build()
        self.plots = [self.h, self.wd, self.curve, self.agree, self.times, self.race]
        self._following = True  # the sliders go with the merges until somebody moves them
        self._setting = False
        self._race_of: StrategyComparison | None = None
        self._replay: Replay | None = None
        self._build_widgets()
        self.look(0.3, 0.5)
        self.restyle(dark)

    def _surface(self, name: str, title: str, image: Any, high: float) -> Any:
        plot = tile(name, title)
        colours = LinearColorMapper(palette=Cividis256, low=0, high=high)
        plot.image(image="image", x=0, y=0, dw=1, dh=1, source=image, color_mapper=colours, level="image")
        plot.scatter(
            "m", "kappa", source=self._candidates, marker="circle", size=5, fill_color="white", line_color="#1f2933"
        )
        plot.scatter("m", "kappa", source=self._winner, marker="star", size=15, fill_color=AMBER, line_color="#1f2933")
        plot.scatter(
            "m", "kappa", source=self._place, marker="cross", size=14, line_color="white", line_width=2, fill_color=None
        )
        plot.xaxis.axis_label, plot.yaxis.axis_label = "m", "κ"
        plot.grid.visible = False
        return plot

    def _bars(self, name: str, title: str, factors: list[str]) -> Any:
        plot = tile(name, title, x_range=FactorRange(factors=factors))
        plot.xgrid.visible = False
        plot.xaxis.major_label_orientation = 0.5
        return plot

    def _build(self) -> None:
        self.curve.line("h", "s", source=self._curve, color=NEGATIVE, line_width=2)
        self.curve.scatter("h", "s", source=self._top, marker="star", size=15, fill_color=AMBER, line_color="#1f2933")
        self.curve.xaxis.axis_label = "h"
        self._modes = words_inside("", x=8, y=6, y_units="screen", text_color=NEGATIVE)
        self.curve.add_layout(self._modes)
        self._middle = Span(dimension="height", location=0.5, line_dash="dotted", line_width=1)
        self.curve.add_layout(self._middle)
        self.agree.vbar(x="name", top="agreement", source=self._agree, width=0.6, color=GREEN)
        self.times.vbar(x="name", top="a", source=self._times, width=0.6, color=POSITIVE)
        self.times.vbar(x="name", bottom="a", top="whole", source=self._times, width=0.6, color=NEGATIVE)
        self.race.vbar(x="name", top="accuracy", source=self._race, width=0.6, color=NEGATIVE)
        self._labels = [
            plot.text(
                "name", top, text="text", source=source, text_align="center", text_font_size="9.5px", y_offset=-3,
                text_baseline="bottom",
            )
            for plot, top, source in (
                (self.agree, "agreement", self._agree), (self.race, "accuracy", self._race),
                (self.times, "whole", self._times),
            )
        ]  # fmt: skip
        self._captions = Captions()
        self._captions.add(self.times, (("■ A: h or WD", POSITIVE), ("■ B: the rest", NEGATIVE)))

    def _build_widgets(self) -> None:
        self.m = pmui.FloatSlider(label="m", start=0.0, end=1.0, step=0.01, value=0.3, **SLIDER)
        self.kappa = pmui.FloatSlider(label="κ", start=0.0, end=1.0, step=0.01, value=0.5, **SLIDER)
        for slider in (self.m, self.kappa):
            slider.param.watch(self._slid, "value")
        self.button = pmui.Button(label="Race the strategies", size="small", variant="outlined", margin=(2, 8))
        self.button.on_click(lambda event: self.begin_race())
        self.widgets: dict[str, list[Any]] = {
            "merge-curve": [row(self.m, self.kappa)],
            "strategies-race": [self.button],
        }

    @property
    def needs_redraw(self) -> bool:
        """Whether results are still to come."""
        return self._needs_redraw

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        super().restyle(dark)
        self._captions.restyle(tone(dark))
        self._middle.line_color = tone(dark).faint
        for label in self._labels:
            label.glyph.text_color = tone(dark).text

    def forget(self) -> None:
        """There will be another run: the race ends, and the curve goes with the merges again."""
        self._following = True
        self._replay = None
        self.end()
        self._race_of = None
        empty(self._race)
        super().forget()

    def end(self) -> None:
        """The race is over."""
        if self._race_of is not None:
            self._race_of.end()

    def clear(self) -> None:
        """Show nothing of a frame; the surfaces are always there."""
        super().clear()
        blank = {"name": [NAMES[name] for name in MERGING]}
        self._agree.data = {**blank, "agreement": [np.nan] * 4, "text": [""] * 4}
        self._times.data = {**blank, "a": [0.0] * 4, "whole": [0.0] * 4, "text": [""] * 4}

    # ---- any place ----

    def _slid(self, event: Any) -> None:
        if not self._setting:
            self._following = False
            self._needs_redraw = True

    def look(self, m: float, kappa: float) -> None:
        """Show s(h) of a place."""
        h = np.linspace(0, 1, 101)
        s = kept(m, kappa, h)
        low = float(min(s.min(), 0.9 * s.max()))
        self.curve.y_range.update(start=0.95 * low, end=1.05 * float(s.max()))
        self._curve.data = {"h": h, "s": s}
        best = golden_section(min(m, 1 - m), kappa, PRECISE)
        best = best if m <= 0.5 else 1 - best
        tops = [best, 1 - best] if m == 0.5 and kappa < np.exp(-2) else [best]
        self._top.data = {"h": tops, "s": kept(m, kappa, np.array(tops)).tolist()}
        # Where the curve follows the merges, the winner's star is the place.
        self._place.data = {"m": [], "kappa": []} if self._following else {"m": [m], "kappa": [kappa]}
        self._modes.text = "two modes" if _modes(s) > 1 else "one mode"
        self.curve.title.text = f"s(h), m = {number(m, 2)}, κ = {number(kappa, 2)}"

    # ---- a frame ----

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show the merge at the cursor, and what is known of the strategies by then."""
        self._replay = replay
        self._needs_redraw = self._race_of is not None and self._race_of.running
        event, now = frame.event, replay.event(cursor) or frame.event
        if isinstance(event, BudgetMaintained):
            won = event.candidates == event.partner
            self._candidates.data = {"m": event.m.tolist(), "kappa": event.kappa.tolist()}
            self._winner.data = {"m": event.m[won].tolist(), "kappa": event.kappa[won].tolist()}
            if self._following and won.any():
                self._follow(float(event.m[won][0]), float(event.kappa[won][0]))
        if not self._following:
            self.look(self.m.value, self.kappa.value)
        self._draw_agreement(replay, now)
        self._draw_times(replay, now)
        self._draw_race()

    def _follow(self, m: float, kappa: float) -> None:
        self._setting = True
        self.m.value, self.kappa.value = round(m, 2), round(kappa, 2)
        self._setting = False
        self.look(m, kappa)

    def _draw_agreement(self, replay: Replay, until: Event) -> None:
        told = [event for event in replay.recording if isinstance(event, StrategiesCompared)]
        before = _by(told, until)
        if before:
            share, factor = 100 * before[-1].agreement, before[-1].factor
            low = max(0.0, float(share.min()) - 5)
            self._agree.data = {
                "name": [NAMES[name] for name in before[-1].strategies],
                "agreement": share.tolist(),
                "text": [f"×{value:.4f}" for value in factor],
            }
            self.agree.y_range.update(start=low, end=100 + 0.3 * (100 - low))

    def _draw_times(self, replay: Replay, until: Event) -> None:
        told = [event for event in replay.recording if isinstance(event, MergesReplayed)]
        told = _by(told, until)
        if not {("B", ""), *(("A", name) for name in MERGING)} <= {(event.section, event.strategy) for event in told}:
            return  # they are still being measured
        split = time_split(told)
        a = [1e6 * split[name][0] for name in MERGING]
        whole = [1e6 * sum(split[name]) for name in MERGING]
        text = [number(value, 2) for value in whole]
        self._times.data = {"name": [NAMES[name] for name in MERGING], "a": a, "whole": whole, "text": text}
        self.times.y_range.end = 1.4 * max(whole)
        self._captions.raise_all()

    # ---- the race ----

    def begin_race(self) -> None:
        """Every strategy on the same stream; a race that is on goes on."""
        if self._replay is not None and not (self._race_of is not None and self._race_of.running):
            self._race_of = StrategyComparison(self._replay)
            self._needs_redraw = True

    def _draw_race(self) -> None:
        raced = {} if self._race_of is None else dict(self._race_of.results)
        if not raced:
            return
        shares = [share for share, _ in raced.values()]
        low = max(0.0, min(shares) - 5)
        names = [NAMES.get(name, name) for name in raced]
        if self.race.x_range.factors != names:
            self.race.x_range.factors = names
        self._race.data = {
            "name": names,
            "accuracy": shares,
            "text": [f"{share:.1f}\n{spent}" for share, spent in raced.values()],
        }
        self.race.y_range.update(start=low, end=max(shares) + 0.45 * (max(shares) - low))


def _by(events: list[Told], until: Event) -> list[Told]:
    """Those of the same task that were told by then."""
    return [
        event
        for event in events
        if event.stamp.path == until.stamp.path and event.stamp.sequence <= until.stamp.sequence
    ]


def _modes(s: Array) -> int:
    rises = np.diff(s) > 0
    return int(np.count_nonzero(rises[:-1] & ~rises[1:])) + int(not rises[0]) + int(rises[-1])
