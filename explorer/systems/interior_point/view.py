"""What only the interior-point method shows: what is left of K, the central path, what a coarse start saved."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, Span  # type: ignore[attr-defined]

from engine.runtime.events import Event
from engine.systems.interior_point.algorithm import scheme_of
from engine.systems.interior_point.events import ColdStart, Factorised, InteriorIteration, PivotsChosen, SchemeSwitched
from engine.systems.kernel_svm.events import Iteration
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.sources import empty
from explorer.figures.tile import Captions, tell_size, tile
from explorer.figures.view import View
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, GREEN, NEGATIVE, POSITIVE, PURPLE, decades, tone, words_inside
from explorer.systems.interior_point.kernel_matrix import Matrices

FOLLOWED = 60  # points whose alpha is drawn over the iterations
PICTURE = ("image", "x", "y", "dw", "dh")
LEAST = 1e-8  # of what is drawn on a logarithmic scale
PHASES = {"coarse": AMBER, "fine": NEGATIVE}


class CentralPathView(View):
    """Tiles: trace and pivots, products against mu, alphas between their bounds, steps, warm against cold, matrices."""

    def __init__(self, dark: bool) -> None:
        super().__init__(dark)
        self._trace = ColumnDataSource({"columns": [], "trace": [], "pivot": []})
        self._cloud = ColumnDataSource({name: [] for name in PICTURE})
        self._ways = ColumnDataSource({"xs": [], "ys": [], "colour": []})
        self._pinned = ColumnDataSource({"x": [], "y": []})
        self._steps = ColumnDataSource({"iteration": [], "step": [], "sigma": [], "colour": []})
        self._gaps = {name: ColumnDataSource({"x": [], "gap": []}) for name in ("coarse", "fine", "cold")}
        self.sources = (self._trace, self._cloud, self._ways, self._pinned, self._steps, *self._gaps.values())
        self.trace = tile("interior-trace", "What is left of K?", (1e-3, 3), y_scale="log")
        self.products = tile("interior-products", "The central path, log₁₀", (-4, 1))
        self.alphas = tile("interior-alphas", "α / C, iteration by iteration", (-0.04, 1.04))
        self.steps = tile("interior-steps", "How far does a step go?", (0, 1.3))
        self.gaps = tile("interior-start", "What did the coarse start save?", (1e-3, 1), y_scale="log")
        self._coarse_until = -np.inf
        self._build()
        self.matrices = Matrices()
        self.plots = [
            self.trace, self.products, self.alphas, self.steps, self.gaps, *self.matrices.plots,
        ]  # fmt: skip
        self.restyle(dark)

    def _build(self) -> None:
        self.trace.line("columns", "trace", source=self._trace, color=NEGATIVE, line_width=2)
        self.trace.line("columns", "pivot", source=self._trace, color=POSITIVE, line_width=1.6, line_dash="dashed")
        self.trace.xaxis.axis_label = "columns"
        self._coarse = Span(dimension="height", line_color=AMBER, line_width=1.6, line_dash="dotted", visible=False)
        self.trace.add_layout(self._coarse)
        self._nothing = words_inside("", x=8, y=8, y_units="screen")
        self.trace.add_layout(self._nothing)
        self.products.image_rgba(image="image", x="x", y="y", dw="dw", dh="dh", source=self._cloud)
        tell_size(self.products)
        self._mu = Span(dimension="width", line_width=1.8, visible=False)
        self.products.add_layout(self._mu)
        self.products.x_range.update(start=-0.04, end=1.04)
        self.products.xaxis.axis_label = "α / C"
        self.alphas.multi_line("xs", "ys", source=self._ways, line_color="colour", line_width=1.2, line_alpha=0.65)
        self._pin = self.alphas.line("x", "y", source=self._pinned, line_width=3)
        self._switch = [Span(dimension="height", line_color=AMBER, line_width=1.6, line_dash="dotted", visible=False)]
        self.alphas.add_layout(self._switch[0])
        self.steps.vbar(x="iteration", top="step", source=self._steps, width=0.7, color="colour")
        self._sigma = self.steps.scatter("iteration", "sigma", source=self._steps, marker="diamond", size=9)
        self.steps.yaxis.ticker = FixedTicker(ticks=[0, 0.5, 1])
        self.gaps.line("x", "gap", source=self._gaps["cold"], color=PURPLE, line_width=2, line_dash="dashed")
        for name in ("coarse", "fine"):
            self.gaps.line("x", "gap", source=self._gaps[name], color=PHASES[name], line_width=2)
            self.gaps.scatter("x", "gap", source=self._gaps[name], color=PHASES[name], size=5)
        self.gaps.xaxis.axis_label = "fine iterations, coarse before"
        self._saved = words_inside("", x=4, y=1, y_offset=-16, text_baseline="top")
        self.gaps.add_layout(self._saved)
        self._captions = captions = Captions()
        captions.add(self.trace, (("━ trace", NEGATIVE), ("╍ pivot", POSITIVE)))
        captions.add(self.products, (("● α z", GREEN), ("◆ (C − α) w", PURPLE), ("━ μ", "")))
        captions.add(self.steps, (("■ coarse", AMBER), ("■ fine", NEGATIVE), ("◆ σ", "")))
        captions.add(self.gaps, (("━ coarse", AMBER), ("━ fine", NEGATIVE), ("╍ fine alone", PURPLE)))
        captions.keep(self.gaps, self._saved)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        shade = tone(dark)
        super().restyle(dark)
        self.matrices.restyle(dark)
        self._mu.line_color = self._sigma.glyph.fill_color = self._sigma.glyph.line_color = shade.text
        self._pin.glyph.line_color = self._nothing.text_color = shade.text
        self._captions.restyle(shade)

    def clear(self) -> None:
        """Show nothing."""
        self._mu.visible = self._coarse.visible = self._switch[0].visible = False
        self._nothing.text = self._saved.text = ""
        self.matrices.clear()
        super().clear()

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show what the task had come to at the cursor."""
        until = replay.event(cursor) or frame.event
        task = [event for event in replay.recording if event.stamp.path == frame.event.stamp.path]
        past = [event for event in task if event.stamp.sequence <= until.stamp.sequence]
        iterates = [event for event in past if isinstance(event, InteriorIteration)]
        self._coarse_until = _coarse_until(replay, task)
        self._draw_trace(task, past)
        self._draw_products(task, iterates, frame)
        self._draw_alphas(past, frame, pinned)
        self._draw_steps(iterates)
        self._draw_gaps(past, iterates)
        self.matrices.draw(replay, past, frame)
        self._captions.raise_all()

    def _draw_trace(self, task: list[Event], past: list[Event]) -> None:
        chosen = [event for event in past if isinstance(event, PivotsChosen)]
        ready = [event for event in past if isinstance(event, Factorised)]
        words = {"cholesky": "all of K: nothing is left out", "kronecker": "K ≈ B ⊗ C: see its error"}
        self._nothing.text = "" if chosen or not ready else words.get(ready[-1].kind, "")
        self._coarse.visible = False
        if not chosen:
            empty(self._trace)
            return
        values, traces = (np.concatenate([getattr(event, name) for event in chosen]) for name in ("values", "traces"))
        columns = {"trace": traces / chosen[-1].total, "pivot": values / values[0]}
        columns = {name: np.maximum(column, LEAST).astype(np.float32) for name, column in columns.items()}
        self._trace.data = {"columns": np.arange(1, len(values) + 1), **columns}
        self.trace.x_range.end = max(2, *(event.rank for event in task if isinstance(event, PivotsChosen)))
        low = min(float(column.min()) for column in columns.values())
        _suit(self.trace, low, 1.0)
        coarse = [event for event in ready if event.kind == "icf"]
        if coarse and coarse[0].rank < len(values):
            self._coarse.update(location=coarse[0].rank, visible=True)

    def _draw_products(self, task: list[Event], iterates: list[InteriorIteration], frame: Frame) -> None:
        self._mu.visible = bool(iterates)
        if not iterates or not iterates[-1].products.size:
            empty(self._cloud)
            return
        now = iterates[-1]
        known = [event for event in task if isinstance(event, InteriorIteration)]
        low = np.log10(max(min(event.least_product for event in known), LEAST)) - 0.2
        high = np.log10(max(event.largest_product for event in known))
        high += 0.25 * (high - low)
        self.products.y_range.update(start=low, end=high)
        self._mu.location = float(np.log10(now.mu))
        share = now.alpha / frame.upper
        window = (-0.04, 1.04, low, high)
        size, ratio = size_of(self.products, 150)
        groups = [
            (np.column_stack([share, np.log10(np.maximum(product, 1e-30))]), shape, colour)
            for product, shape, colour in zip(now.products, ("circle", "diamond"), (GREEN, PURPLE), strict=True)
        ]
        self._cloud.data = {
            "image": [draw_marks(groups, window, size, 2.2 * ratio)],
            "x": [window[0]], "y": [low], "dw": [window[1] - window[0]], "dh": [high - low],
        }  # fmt: skip

    def _draw_alphas(self, past: list[Event], frame: Frame, pinned: int | None) -> None:
        """Some alphas from iteration to iteration; where a coarse factorisation gives way, they may start again."""
        places, rows = [], []
        inside = 0
        for event in past:
            if isinstance(event, InteriorIteration):
                inside = event.iteration
                places.append(inside)
                rows.append(event.alpha)
            elif isinstance(event, Iteration):
                places.append(inside + event.iteration)
                rows.append(event.alpha)
        if not rows:
            empty(self._ways, self._pinned)
            return
        some = np.linspace(0, len(frame.alpha) - 1, min(FOLLOWED, len(frame.alpha))).astype(int)
        table = np.stack([row[some] for row in rows]) / frame.upper[some]
        self._ways.data = {
            "xs": [places] * len(some),
            "ys": table.T.astype(np.float32).tolist(),
            "colour": np.where(frame.signs[some] > 0, POSITIVE, NEGATIVE).tolist(),
        }
        mine = np.flatnonzero(frame.members == pinned)
        shares = [float(row[mine[0]] / frame.upper[mine[0]]) for row in rows] if len(mine) else []
        self._pinned.data = {"x": places if shares else [], "y": shares}
        self.alphas.x_range.end = max(1, places[-1])
        switched = [event for event in past if isinstance(event, SchemeSwitched)]
        self._switch[0].visible = bool(switched)
        if switched:
            self._switch[0].location = switched[-1].iterations

    def _is_coarse(self, event: Event) -> bool:
        return event.stamp.sequence < self._coarse_until

    def _draw_steps(self, iterates: list[InteriorIteration]) -> None:
        made = [event for event in iterates if event.of_phase]
        self._steps.data = {
            "iteration": [event.iteration for event in made],
            "step": [event.step for event in made],
            "sigma": [min(event.sigma, 1.0) for event in made],
            "colour": [PHASES["coarse" if self._is_coarse(event) else "fine"] for event in made],
        }
        self.steps.x_range.update(start=0.4, end=max([event.iteration for event in made], default=1) + 0.6)

    def _draw_gaps(self, past: list[Event], iterates: list[InteriorIteration]) -> None:
        coarse = [event for event in iterates if self._is_coarse(event)]
        fine = [event for event in iterates if not self._is_coarse(event)]
        cold = [event for event in past if isinstance(event, ColdStart)]
        self._gaps["coarse"].data = _curve([event.of_phase - coarse[-1].of_phase for event in coarse], coarse)
        self._gaps["fine"].data = _curve([event.of_phase for event in fine], fine)
        gaps = cold[-1].gaps if cold else np.zeros(0)
        self._gaps["cold"].data = {"x": list(range(len(gaps))), "gap": gaps.tolist()}
        values = np.array([event.gap for event in iterates] + gaps.tolist())
        if len(values):
            _suit(self.gaps, max(float(values.min()), LEAST), float(values.max()), 0.4)
        first = coarse[0].of_phase - coarse[-1].of_phase if coarse else 0
        last = max([event.of_phase for event in fine] + [len(gaps) - 1, 1])
        self.gaps.x_range.update(start=first - 0.3, end=last + 0.3)
        self._saved.text = _saving(self._coarse_until, past, cold)


def _coarse_until(replay: Replay, task: list[Event]) -> float:
    """The sequence number up to which iterations are those of a coarse factorisation."""
    _, _, second = scheme_of(replay.settings).partition("+")
    if second == "icf":
        ready = [event.stamp.sequence for event in task if isinstance(event, Factorised)]
        return ready[1] if len(ready) > 1 else np.inf
    return np.inf if second else -np.inf


def _curve(x: list[int], events: list[InteriorIteration]) -> dict[str, Any]:
    return {"x": x, "gap": [max(event.gap, LEAST) for event in events]}


def _saving(coarse_until: float, past: list[Event], cold: list[ColdStart]) -> str:
    """What is known of it, in words."""
    if coarse_until == -np.inf:
        return "there is none in this scheme"
    if cold:
        return f"fine: {cold[-1].warm} iterations, alone {cold[-1].iterations}"
    switched = [event for event in past if isinstance(event, SchemeSwitched)]
    if switched and switched[-1].after == "decomposition":
        return "handed over to decomposition"
    if switched:
        return f"{switched[-1].columns:,} columns used again" if switched[-1].columns else ""
    fine = any(isinstance(event, InteriorIteration) and event.stamp.sequence > coarse_until for event in past)
    return "left out: too coarse to lead there" if fine else ""


def _suit(plot: Any, low: float, high: float, room: float = 0.25) -> None:
    """Make a logarithmic axis suit some values, with room for the words above, as a part of their height."""
    plot.y_range.update(start=low / 1.6, end=1.6 * high * (high / low) ** room)
    plot.yaxis.ticker.ticks = decades(low / 1.6, 1.6 * high)
