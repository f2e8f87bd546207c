"""The levels of DC-SVM as figures: support vectors found, gap and bounds, early prediction, time."""

from dataclasses import replace

import numpy as np
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker, Span  # type: ignore[attr-defined]

from engine.runtime.counter import Counter
from engine.runtime.events import Event, PhaseBegan
from engine.systems.dcsvm.events import LevelFinished
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.tile import Captions, tile
from explorer.figures.view import View
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.number_format import count
from explorer.style.theme import AMBER, GREEN, NEGATIVE, POSITIVE, PURPLE, decades, tone, words_inside
from explorer.systems.dcsvm.levels import (
    NO_BOUNDS,
    STEPS,
    LevelSummary,
    best_known,
    finished_levels,
    names,
    reference,
    without_bounds,
)
from explorer.systems.dcsvm.reader import CellFrame, CellReader


class LevelsView(View):
    """Per level: support vectors found, gap against its bounds, early prediction, and where the time went."""

    def __init__(self, dark: bool) -> None:
        super().__init__(dark)
        self._levels = FactorRange(factors=["-"])
        self._steps = FactorRange(factors=["-"])
        self._found = ColumnDataSource({name: [] for name in ("level", "precision", "recall")})
        self._gaps = ColumnDataSource({name: [] for name in ("level", "gap", "bound", "refined")})
        self._early = ColumnDataSource({name: [] for name in ("level", "accuracy", "text", "cost")})
        self._times = ColumnDataSource({name: [] for name in ("step", "clustering", "whole")})
        self.sources = (self._found, self._gaps, self._early, self._times)
        self._judged: dict[int, tuple[float, float]] = {}  # accuracy and cost of a level's early prediction
        self.found = tile("levels-support-vectors", "Support vectors found", (0, 1.32), self._levels)
        self.gaps = tile("levels-gap", "Gap, and what bounds it", (1e-3, 1), self._levels, y_scale="log")
        self.early = tile("levels-early", "Early: points right, %", (0, 100), self._levels)
        self.times = tile("levels-time", "Where the time went, s", x_range=self._steps)
        self._build()
        self.plots = [self.found, self.gaps, self.early, self.times]
        for plot in self.plots:
            plot.xgrid.visible = False
        self.restyle(dark)

    def _build(self) -> None:
        looks = {"recall": ("circle", NEGATIVE, "solid"), "precision": ("square", POSITIVE, "dashed")}
        for name, (marker, colour, dash) in looks.items():
            self.found.line("level", name, source=self._found, color=colour, line_width=2, line_dash=dash)
            self.found.scatter("level", name, source=self._found, marker=marker, color=colour, size=8)
        self.found.yaxis.ticker = FixedTicker(ticks=[0, 0.5, 1])
        self._against = words_inside("", x=8, y=6, y_units="screen", text_color=PURPLE)
        self.found.add_layout(self._against)
        looks = {
            "bound": ("inverted_triangle", AMBER, "dashed"), "refined": ("diamond", PURPLE, "dotted"),
            "gap": ("circle", NEGATIVE, "solid"),
        }  # fmt: skip
        for name, (marker, colour, dash) in looks.items():
            self.gaps.line("level", name, source=self._gaps, color=colour, line_width=2, line_dash=dash)
            self.gaps.scatter("level", name, source=self._gaps, marker=marker, color=colour, size=8)
        self._no_bounds = words_inside("", x=8, y=6, y_units="screen", text_color=PURPLE)
        self.gaps.add_layout(self._no_bounds)
        self._decades = self.gaps.yaxis.ticker = FixedTicker(ticks=[])
        self.early.vbar(x="level", top="accuracy", source=self._early, width=0.6, color=GREEN)
        self._words = [
            self.early.text(
                "level", y, text=text, source=self._early, text_align="center", y_offset=offset, text_font_size="11px",
                text_baseline=line,
            )
            for y, text, offset, line in (("accuracy", "text", -3, "bottom"), ("accuracy", "cost", 3, "top"))
        ]  # fmt: skip
        self._exact = Span(dimension="width", line_dash="dashed", line_width=1.4, visible=False)
        self.early.add_layout(self._exact)
        self.times.vbar(x="step", top="clustering", source=self._times, width=0.6, color=AMBER)
        self.times.vbar(
            x="step", bottom="clustering", top="whole", source=self._times, width=0.6, color=NEGATIVE,
        )  # fmt: skip
        self._captions = captions = Captions()
        captions.add(self.found, (("● recall", NEGATIVE), ("■ precision", POSITIVE)))
        captions.add(self.gaps, (("● gap", NEGATIVE), ("▼ Thm 1", AMBER), ("◆ Thm 3", PURPLE)), gap=4)
        captions.add(self.times, (("■ clustering", AMBER), ("■ solving", NEGATIVE)))
        captions.add(self.early, (("inside: kernel values a point", GREEN),))
        self.times.xaxis.major_label_orientation = 0.5

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        super().restyle(dark)
        self._captions.restyle(tone(dark))
        self._exact.line_color = tone(dark).text
        self._words[0].glyph.text_color = tone(dark).text
        self._words[1].glyph.text_color = "#ffffff"

    def forget(self) -> None:
        """There will be another run."""
        self._judged.clear()
        super().forget()

    def clear(self) -> None:
        """Show nothing."""
        self._exact.visible = False
        super().clear()

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show the levels finished so far, against the best that is known by now."""
        levels = finished_levels(replay, frame.event)
        phases = _phases(replay, frame.event)
        named = names(levels)
        if self._levels.factors != (named or ["-"]):
            self._levels.factors = named or ["-"]
        steps = [*(named or ["-"]), *(name for name in STEPS if name in phases)]
        if self._steps.factors != steps:
            self._steps.factors = steps
        self._draw_found(replay, levels)
        self._draw_gaps(replay, levels)
        self._draw_early(replay, levels, frame)
        times = [
            (level.cells.stamp.seconds - level.began, level.finished.stamp.seconds - level.cells.stamp.seconds)
            for level in levels
        ] + [(0.0, phases[name]) for name in STEPS if name in phases]
        self._times.data = {
            "step": [name for name in steps if name != "-"],
            "clustering": [clustering for clustering, _ in times],
            "whole": [sum(both) for both in times],
        }
        self.times.y_range.end = 1.35 * max((sum(both) for both in times), default=1.0)
        self._captions.raise_all()

    def _draw_found(self, replay: Replay, levels: list[LevelSummary]) -> None:
        best = reference(replay, levels[0].finished.stamp.path) if levels else None
        named = [name for name, level in zip(names(levels), levels, strict=True) if level.finished is not best]
        found = [level.finished.alpha > 0 for level in levels if level.finished is not best]  # none against itself
        against = np.zeros(0, bool) if best is None else best.alpha > 0
        both = [int(np.count_nonzero(level & against)) for level in found]
        so_far = isinstance(best, LevelFinished)
        self._against.text = f"against level {best.level}, so far" if isinstance(best, LevelFinished) else ""
        self._against.visible = so_far
        self._found.data = {
            "level": named,
            "precision": [hit / max(1, int(level.sum())) for hit, level in zip(both, found, strict=True)],
            "recall": [hit / max(1, int(against.sum())) for hit in both],
        }

    def _draw_gaps(self, replay: Replay, levels: list[LevelSummary]) -> None:
        best = best_known(replay, levels[0].finished.stamp.path) if levels else np.nan
        columns = {
            "gap": [_positive(level.measured.objective - best) if level.measured else np.nan for level in levels],
            "bound": [_positive(level.measured.bound) if level.measured else np.nan for level in levels],
            "refined": [_positive(level.judged.refined_bound) if level.judged else np.nan for level in levels],
        }
        self._gaps.data = {"level": names(levels), **columns}
        self._no_bounds.text = NO_BOUNDS.replace(" hold", "\nhold") if any(map(without_bounds, levels)) else ""
        self._no_bounds.visible = bool(self._no_bounds.text)
        values = np.array([value for column in columns.values() for value in column])
        values = values[np.isfinite(values)]
        if len(values):
            low, high = float(values.min()), float(values.max())
            self.gaps.y_range.update(start=low / 2, end=2 * high * (high / low) ** 0.35)
            self._decades.ticks = decades(low / 2, 2 * high)

    def _draw_early(self, replay: Replay, levels: list[LevelSummary], frame: Frame) -> None:
        rows = [self._early_prediction(replay, level) for level in levels]
        best = [right for right, _ in rows]
        low = 10 * np.floor((min(best, default=100.0) - 3) / 10)
        self._early.data = {
            "level": names(levels),
            "accuracy": [right for right, _ in rows],
            "text": [f"{right:.1f}" for right, _ in rows],
            "cost": [count(round(cost)) for _, cost in rows],
        }
        exact = None
        if isinstance(frame.event, Iteration):
            train, test = replay.reader.accuracy(frame)
            exact = train if np.isnan(test) else test
        self._exact.visible = exact is not None
        if exact is not None:
            self._exact.location = exact
        where = "test" if len(replay.test_points(frame.task)[0]) else "training"
        self.early.title.text = f"Early: {where} points right, %"
        self.early.y_range.update(start=max(0.0, low), end=max([*best, exact or 0.0, low + 5]) + 0.35 * (105 - low))

    def _early_prediction(self, replay: Replay, level: LevelSummary) -> tuple[float, float]:
        """Per cent right and kernel evaluations a point, routing among them."""
        known = self._judged.get(level.finished.stamp.sequence)
        if known is None:
            frame = replay.frame_of(level.finished)
            points, positive = replay.test_points(frame.task)
            if not len(points):
                points, positive = replay.points[frame.members], frame.signs > 0
            kernel = replace(replay.kernel, counter=Counter())
            assert isinstance(frame, CellFrame)
            committee = replay.reader_as(CellReader).committee(frame)
            committee = replace(committee, kernel=kernel, router=replace(committee.router, kernel=kernel))
            right = (committee.values(points, "early", replay.threads) > 0) == positive
            known = 100 * float(right.mean()), kernel.counter.value / len(points)
            self._judged[level.finished.stamp.sequence] = known
        return known


def _positive(value: float) -> float:
    return value if value > 0 else np.nan


def _phases(replay: Replay, until: Event) -> dict[str, float]:
    """Solver seconds spent in what follows the levels, by name, up to an event."""
    spent: dict[str, float] = {}
    name, began = "", 0.0
    for event in replay.recording:
        if event.stamp.path != until.stamp.path or event.stamp.sequence > until.stamp.sequence:
            continue
        if isinstance(event, PhaseBegan) and (event.name in STEPS or event.name.startswith("level")):
            name, began = event.name, event.stamp.seconds
        if name in STEPS:
            spent[name] = event.stamp.seconds - began
    return spent
