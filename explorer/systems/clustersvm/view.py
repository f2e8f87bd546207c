"""What only ClusterSVM shows: the tree of splits, what became of clusters, the feasible set, margins and exact ones."""

import numpy as np
from bokeh.models import ColumnDataSource, FactorRange, Range1d, Slope, Span  # type: ignore[attr-defined]

from engine.runtime.events import Array, Event
from engine.systems.clustersvm.events import ClusterSplit, ClustersRevised
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.sources import empty
from explorer.figures.tile import Captions, tell_size, tile
from explorer.figures.view import View
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import GREEN, NEGATIVE, POSITIVE, style, tone, words_inside
from explorer.systems.clustersvm.feasible_set import FeasibleSet
from explorer.systems.clustersvm.overlay import OUTCOMES
from explorer.systems.clustersvm.reader import ClusterFrame, ClusterReader, ClusterState
from explorer.systems.clustersvm.split_tree import SplitTree

PICTURE = ("image", "x", "y", "dw", "dh")
TALL = 150  # pixels of a tile's frame, more or less
USES = {"trained on": (NEGATIVE, "circle"), "represented": (GREEN, "square"), "missed": (POSITIVE, "diamond")}
SAMPLES = dict(zip(USES, "●■◆", strict=True))


class PassesView(View):
    """Tiles: PDDP's tree, outcomes pass by pass, the feasible set, margins of this SVM against the exact ones."""

    def __init__(self, dark: bool) -> None:
        super().__init__(dark)
        self._waiting_for: tuple[Replay, Frame] | None = None  # whose exact answer is to come
        self._size = ((0, 0), 1.0)  # of the cloud, in pixels
        self._cloud = ColumnDataSource({name: [] for name in PICTURE})
        self._counts = ColumnDataSource({name: [] for name in ("pass", *OUTCOMES)})
        self.sources = (self._cloud, self._counts)
        self._passes = FactorRange(factors=["-"])
        self.outcomes = tile("outcomes", "What became of clusters?", x_range=self._passes)
        self.margins = tile("margins", "y f(x): exact →, this ↑", x_range=Range1d(start=-1, end=3))
        self.tree, self.feasible = SplitTree(), FeasibleSet()
        self._build()
        self.plots = [self.tree.plot, self.outcomes, self.feasible.plot, self.margins]
        self.restyle(dark)

    def _build(self) -> None:
        colours = [colour for colour, _ in OUTCOMES.values()]
        self.outcomes.vbar_stack(list(OUTCOMES), x="pass", source=self._counts, width=0.65, color=colours, alpha=0.9)
        self.outcomes.xgrid.visible = False
        self.outcomes.xaxis.axis_label = "seen by the SVM of pass"
        self.margins.image_rgba(image="image", x="x", y="y", dw="dw", dh="dh", source=self._cloud)
        tell_size(self.margins)
        self._same = Slope(gradient=1, y_intercept=0, line_width=1.4)
        self._ones = [
            Span(dimension=way, location=1, line_width=1.2, line_dash="dashed") for way in ("width", "height")
        ]
        for line in (self._same, *self._ones):
            self.margins.add_layout(line)
        self._waiting = words_inside("", x=8, y=8, y_units="screen")
        self.margins.add_layout(self._waiting)
        self._captions = captions = Captions()
        captions.add(self.outcomes, [(f"■ {name}", colour) for name, (colour, _) in OUTCOMES.items()], columns=2)
        captions.add(self.margins, [(f"{SAMPLES[name]} {name}", colour) for name, (colour, _) in USES.items()], 2)

    @property
    def needs_redraw(self) -> bool:
        """Whether the exact answer has come since the last drawing, or the cloud has another size in the browser."""
        come = self._waiting_for is not None and self._waiting_for[0].reader_as(ClusterReader).knows_exact(
            self._waiting_for[1]
        )
        return come or (bool(self._cloud.data["image"]) and size_of(self.margins, TALL) != self._size)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        shade = tone(dark)
        for plot in (self.outcomes, self.margins):
            style(plot, dark)
        for part in (self.tree, self.feasible):
            part.restyle(dark)
        self._captions.restyle(shade)
        self._same.line_color = shade.text
        self._waiting.text_color = shade.faint
        for line in self._ones:
            line.line_color = shade.faint

    def clear(self) -> None:
        """Show nothing."""
        self._waiting_for = None
        self._waiting.text = ""
        for part in (self.tree, self.feasible):
            part.clear()
        super().clear()

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show what the task had come to at the cursor."""
        until = replay.event(cursor) or frame.event
        past = [event for event in replay.recording if event.stamp.sequence <= until.stamp.sequence]
        splits = [event for event in past if isinstance(event, ClusterSplit)]  # all tasks share those of the first
        self.tree.draw(splits, replay.settings.clustering, isinstance(until, ClusterSplit))
        self._draw_outcomes([event for event in past if event.stamp.path == frame.event.stamp.path])
        self.feasible.draw(replay, frame)
        self._draw_margins(replay, frame)
        self._captions.raise_all()

    def _draw_outcomes(self, past: list[Event]) -> None:
        revised = [event for event in past if isinstance(event, ClustersRevised)]
        passes = [str(event.passes or "initial") for event in revised]
        if self._passes.factors != (passes or ["-"]):
            self._passes.factors = passes or ["-"]
        counts = {name: [event.outcomes.count(name) for event in revised] for name in OUTCOMES}
        self._counts.data = {"pass": passes, **counts}
        self.outcomes.y_range.end = 1.45 * max([sum(column) for column in zip(*counts.values(), strict=True)] or [1])

    def _draw_margins(self, replay: Replay, frame: Frame) -> None:
        """All points: their margin by the exact answer, and by the SVM of this moment."""
        exact = replay.reader_as(ClusterReader).exact(frame)
        self._waiting_for = (replay, frame) if exact is None else None
        if exact is None or not isinstance(frame, ClusterFrame) or not frame.clusters.trained:
            self._waiting.text = "" if exact else "the exact answer is to come"
            empty(self._cloud)
            return
        self._waiting.text = ""
        both = np.column_stack([replay.reader.margins(exact), replay.reader.margins(frame)])
        low, high = _reach(both)
        top = high + 0.35 * (high - low)
        self.margins.x_range.update(start=low, end=high)
        self.margins.y_range.update(start=low, end=top)
        self._size = size, ratio = size_of(self.margins, TALL)
        groups = [
            (both[which], shape, colour)
            for which, (colour, shape) in zip(_uses(exact, frame.clusters), USES.values(), strict=True)
        ]
        self._cloud.data = {
            "image": [draw_marks(groups, (low, high, low, top), size, 2.4 * ratio)],
            "x": [low], "y": [low], "dw": [high - low], "dh": [top - low],
        }  # fmt: skip


def _uses(exact: Frame, clusters: ClusterState) -> tuple[Array, Array, Array]:
    """Which points the SVM is trained on; which others may be represented; which may not: they are support vectors."""
    missed = ~clusters.used & exact.support
    return clusters.used, ~clusters.used & ~missed, missed


def _reach(margins: Array) -> tuple[float, float]:
    """What an axis shows of margins: nearly all of them, and where they are 1."""
    known = margins[np.isfinite(margins).all(axis=1)]
    if not len(known):
        return -1.0, 3.0
    low, high = np.quantile(known, (0.01, 0.99))
    room = 0.06 * max(high - low, 1.0)
    return float(min(low, 0.5) - room), float(max(high, 1.5) + room)
