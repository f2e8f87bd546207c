"""The clusters of ClusterSVM in the scene: splits as they happen, who stands for whom, what is trained on and exact."""

from typing import Any

import contourpy
import numpy as np
from bokeh.models import ColumnDataSource

from engine.runtime.events import Array, Event
from engine.systems.clustersvm.events import ClusterSplit, ClustersRevised
from explorer.figures.annotation import Annotation
from explorer.figures.hull import hull
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.overlay import Overlay
from explorer.figures.scene import HEIGHT
from explorer.figures.sources import empty
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import AMBER, GREEN, PALETTE, PURPLE, SKY, tone
from explorer.systems.clustersvm.reader import ClusterFrame, ClusterReader, ClusterState

LAYERS = ("reduced set", "clusters", "representatives", "exact boundary")
# What became of a cluster: colour and dashes of its outline.
OUTCOMES = {
    "replaced": (GREEN, "solid"), "split": (AMBER, "dashed"), "kept": (SKY, "dotted"),
    "collapsed": ("#888888", "dotdash"),
}  # fmt: skip
EXACT = PURPLE
SIZES = 7.0, 16.0  # pixels of the square around a representative: of a single point, and of the largest cluster
ACROSS = 140  # places along the longer side of the grid that the exact boundary is found on
PICTURE = ("image", "x", "y", "dw", "dh")
MANY = 50  # clusters, whose outlines are thinner
FAINT = 0.28  # opacity of a point that nothing is trained on


class ClusterMarks(Overlay):
    """Glyphs on the scene's figure."""

    def __init__(self, plot: Any) -> None:
        super().__init__()
        self._plot = plot
        self._seen: tuple[Replay, Frame] | None = None  # what is drawn
        self._unused, self._used = (ColumnDataSource({name: [] for name in PICTURE}) for _ in range(2))
        self._hulls = ColumnDataSource({name: [] for name in ("xs", "ys", "colour", "dash")})
        self._parts = ColumnDataSource({name: [] for name in ("xs", "ys", "colour")})
        self._cut = ColumnDataSource({name: [] for name in ("x", "y")})
        self._direction = ColumnDataSource({name: [] for name in ("x", "y")})
        self._tip = ColumnDataSource({name: [] for name in ("x", "y", "angle")})
        self._squares = ColumnDataSource({name: [] for name in ("x", "y", "size", "colour", "marker")})
        self._boundary = ColumnDataSource({"x": [], "y": []})
        self.annotation = Annotation(plot, above=8)
        self.layers = self._build(plot)
        self.sources = (
            self._unused, self._used, self._hulls, self._parts, self._cut, self._direction, self._tip, self._squares,
            self._boundary, self.annotation.source,
        )  # fmt: skip
        self._known: dict[bytes, Any] = {}  # outlines of clusters, by their members

    def _build(self, plot: Any) -> dict[str, list[Any]]:
        image = {"image": "image", "x": "x", "y": "y", "dw": "dw", "dh": "dh", "level": "underlay"}
        points = [
            plot.image_rgba(**image, source=self._unused, global_alpha=FAINT),
            plot.image_rgba(**image, source=self._used),
        ]
        self._outlines = plot.patches(
            "xs", "ys", source=self._hulls, fill_color="colour", fill_alpha=0.1, line_color="colour",
            line_dash="dash", level="underlay",
        )  # fmt: skip
        parts = plot.patches(
            "xs", "ys", source=self._parts, fill_color="colour", fill_alpha=0.28, line_color="colour", line_width=2.6
        )
        self._line = plot.line("x", "y", source=self._direction, line_width=2.4)
        self._arrow = plot.scatter("x", "y", source=self._tip, marker="triangle", size=13, angle="angle")
        cut = plot.line("x", "y", source=self._cut, line_color=AMBER, line_width=3.4, line_dash="dashed")
        squares = plot.scatter(
            "x", "y", source=self._squares, marker="marker", size="size", fill_color=None, line_color="colour",
            line_width=2.2,
        )  # fmt: skip
        boundary = plot.line("x", "y", source=self._boundary, line_color=EXACT, line_width=3.2, line_dash="dotdash")
        return {
            "reduced set": points,
            "clusters": [self._outlines, parts, self._line, self._arrow, cut, self.annotation.glyph],
            "representatives": [squares],
            "exact boundary": [boundary],
        }

    @property
    def needs_redraw(self) -> bool:
        """Whether the exact answer has come since the last drawing."""
        if self._seen is None or self._drawn.get("exact boundary"):
            return False
        replay, frame = self._seen
        return replay.reader_as(ClusterReader).knows_exact(frame)

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self._line.glyph.line_color = tone(dark).text
        self._arrow.glyph.update(fill_color=tone(dark).text, line_color=tone(dark).text)

    def clear(self) -> None:
        """Show nothing."""
        self._known = {}
        self._seen = None
        super().clear()

    def draw(self, replay: Replay, frame: Frame, window: tuple[float, ...], pinned: int | None = None) -> None:
        """Show the clusters of a frame, and the boundary of the exact answer if it is known."""
        if not isinstance(frame, ClusterFrame):
            self.clear()
            return
        self._seen = replay, frame
        clusters = frame.clusters
        # Neither points nor clusters are sent with every iteration.
        if self._is_new("points", clusters.chosen, window, size_of(self._plot, HEIGHT)):
            self._draw_points(replay, clusters, window)
        news = clusters.since if clusters.since is frame.event else None
        if self._is_new("clusters", clusters.since, news, window):
            self._draw_hulls(replay, clusters)
            self._draw_split(replay, news if isinstance(news, ClusterSplit) else None, window)
            self._draw_representatives(replay, clusters)
            self._say(replay, news, window)
        self._draw_boundary(replay, frame, window)

    def _draw_points(self, replay: Replay, clusters: ClusterState, window: tuple[float, ...]) -> None:
        """Those that the SVM is trained on, and faintly the others."""
        left, right, bottom, top = window
        size, ratio = size_of(self._plot, HEIGHT)
        for source, which in ((self._used, clusters.used), (self._unused, ~clusters.used)):
            kinds = replay.labels % len(PALETTE)
            groups = [
                (replay.places[which & (kinds == k)], shape, colour) for k, (colour, shape) in enumerate(PALETTE)
                if (which & (kinds == k)).any()
            ]  # fmt: skip
            if groups:
                image = draw_marks(groups, window, size, 3 * ratio)
                source.data = {"image": [image], "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom]}
            else:
                empty(source)

    def _draw_hulls(self, replay: Replay, clusters: ClusterState) -> None:
        rows, known_before, self._known = [], self._known, {}
        for cluster in clusters.numbers:
            members = clusters.members(cluster)
            key = members.tobytes()  # most clusters are as they were
            outline = self._known[key] = known_before[key] if key in known_before else hull(replay.places[members])
            known = clusters.outcomes[cluster] if cluster < len(clusters.outcomes) else "collapsed"
            if not clusters.outcomes:
                known = ""
            own = (PALETTE[replay.labels[members[0]] % len(PALETTE)][0], "solid")
            rows.append((outline[:, 0].tolist(), outline[:, 1].tolist(), *OUTCOMES.get(known, own)))
        self._outlines.glyph.line_width = 1.8 if len(rows) <= MANY else 1.0
        columns = list(zip(*rows, strict=True)) or [()] * 4
        self._hulls.data = {name: list(column) for name, column in zip(self._hulls.data, columns, strict=True)}

    def _draw_split(self, replay: Replay, split: ClusterSplit | None, window: tuple[float, ...]) -> None:
        """Both parts, the principal direction, and in two dimensions the cut at the mean."""
        if split is None:
            empty(self._parts, self._cut, self._direction, self._tip)
            return
        parts = [hull(replay.places[split.members[side]]) for side in (~split.beyond, split.beyond)]
        self._parts.data = {
            "xs": [part[:, 0].tolist() for part in parts], "ys": [part[:, 1].tolist() for part in parts],
            "colour": [AMBER, SKY],
        }  # fmt: skip
        mean, ahead = replay.plane.project(np.stack([split.mean, split.mean + split.direction]))
        along = (ahead - mean) / max(float(np.hypot(*(ahead - mean))), 1e-12)
        across = np.array([-along[1], along[0]])
        off = replay.places[split.members] - mean
        low, high = (off @ along).min(), (off @ along).max()
        ends = np.stack([mean + low * along, mean + high * along])
        self._direction.data = {"x": ends[:, 0].tolist(), "y": ends[:, 1].tolist()}
        self._tip.data = {
            "x": [float(ends[1, 0])], "y": [float(ends[1, 1])],
            "angle": [float(np.arctan2(along[1], along[0]) - np.pi / 2)],
        }  # fmt: skip
        if replay.X.shape[1] == 2:
            left, right = (off @ across).min(), (off @ across).max()
            beyond = 0.15 * (right - left) + 0.01 * (window[1] - window[0])
            ends = np.stack([mean + (left - beyond) * across, mean + (right + beyond) * across])
            self._cut.data = {"x": ends[:, 0].tolist(), "y": ends[:, 1].tolist()}

    def _draw_representatives(self, replay: Replay, clusters: ClusterState) -> None:
        """A square around a pseudo-centre, a diamond at a mean, the larger the more points they stand for."""
        if (chosen := clusters.chosen) is None:
            empty(self._squares)
            return
        standing = clusters.numbers
        members = [clusters.members(c) for c in standing]
        largest = max(map(len, members), default=1)
        places = [
            replay.places[mine].mean(axis=0) if chosen.means[c] else replay.places[chosen.representatives[c]]
            for c, mine in zip(standing, members, strict=True)
        ]
        low, high = SIZES
        self._squares.data = {
            "x": [float(place[0]) for place in places],
            "y": [float(place[1]) for place in places],
            "size": [low + (high - low) * float(np.sqrt(len(mine) / largest)) for mine in members],
            "colour": [PALETTE[replay.labels[mine[0]] % len(PALETTE)][0] for mine in members],
            "marker": ["diamond_dot" if chosen.means[c] else "square" for c in standing],
        }

    def _say(self, replay: Replay, event: Event | None, window: tuple[float, ...]) -> None:
        middle, top = (window[0] + window[1]) / 2, window[3]
        if isinstance(event, ClusterSplit):
            beyond = int(np.count_nonzero(event.beyond))
            places = replay.places[event.members]
            place = (places[:, 0].mean(), places[:, 1].max())
            self.annotation.say(
                f"{len(event.members):,} points: {len(event.beyond) - beyond:,} | {beyond:,}", place, window
            )
        elif isinstance(event, ClustersRevised):
            counts = [(event.outcomes.count(word), word) for word in OUTCOMES]
            self.annotation.say(", ".join(f"{k} {word}" for k, word in counts if k), (middle, top), window)
        else:
            self.annotation.clear()

    def _draw_boundary(self, replay: Replay, frame: Frame, window: tuple[float, ...]) -> None:
        exact = replay.reader_as(ClusterReader).exact(frame)
        if not self._is_new("exact boundary", *(() if exact is None else (frame.task, window))):
            return
        if exact is None:
            empty(self._boundary)
            return
        left, right, bottom, top = window
        step = max(right - left, top - bottom) / ACROSS
        xs, ys = np.arange(left, right + step, step), np.arange(bottom, top + step, step)
        found: Any = contourpy.contour_generator(xs, ys, replay.reader.field(exact, xs, ys)).lines(0.0)
        whole: Array = np.concatenate([np.vstack([line, (np.nan, np.nan)]) for line in found] or [np.zeros((0, 2))])
        self._boundary.data = {"x": whole[:, 0].astype(np.float32), "y": whole[:, 1].astype(np.float32)}
