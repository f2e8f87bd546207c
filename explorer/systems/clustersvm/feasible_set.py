"""Proposition 2.1 as a picture: what a dual problem may choose from, and what is left of it with a mean for a cluster.

Two multipliers of a cluster and one of a point of the other class make a cube. With their mean instead, the two are
equal: a plane through it. An answer in that plane is not lost: all of the cluster zero, or all of it at the bound.
"""

import numpy as np
from bokeh.models import ColumnDataSource, Range1d

from engine.runtime.events import Array
from explorer.figures.sources import empty
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.theme import GREEN, POSITIVE, PURPLE, SKY, TILE_HEIGHT, plain_figure, style, tone, words_inside
from explorer.systems.clustersvm.reader import ClusterFrame, ClusterReader

# How the three axes lie on the page, so that the plane in the middle is seen from the front.
AXES = np.array([[0.98, -0.30], [0.62, 0.40], [0.0, 1.0]])
CORNERS = {
    "o": (0, 0, 0), "v": (1, 0, 0), "u": (0, 1, 0), "w": (1, 1, 0),
    "p": (0, 0, 1), "q": (1, 0, 1), "t": (0, 1, 1), "s": (1, 1, 1),
}  # as the paper names them  # fmt: skip
SEEN = ("ov", "vw", "op", "vq", "ws", "pq", "qs", "pt", "ts")
HIDDEN = ("ou", "uw", "ut")
NEAR = 1e-6  # of C
KINDS = {"zero": (GREEN, "circle"), "bound": (PURPLE, "square"), "apart": (POSITIVE, "diamond")}


def _flat(spots: object) -> Array:
    """Where points of the cube are on the page."""
    return np.asarray(spots, float).reshape(-1, 3) @ AXES


class FeasibleSet:
    """One figure: the cube, the plane in it, and where the clusters of a frame are."""

    def __init__(self) -> None:
        self._clusters = {name: ColumnDataSource({"x": [], "y": []}) for name in KINDS}
        low, high = _flat(list(CORNERS.values())).min(axis=0), _flat(list(CORNERS.values())).max(axis=0)
        self.plot = plot = plain_figure(
            "feasible-set", title="Feasible set (Prop. 2.1)", tools="", height=TILE_HEIGHT,
            x_range=Range1d(start=low[0] - 0.16, end=high[0] + 0.16),
            y_range=Range1d(start=low[1] - 0.36, end=high[1] + 0.34),
        )  # fmt: skip
        plot.axis.visible = plot.grid.visible = False
        plane = _flat([CORNERS[name] for name in "opsw"])
        plot.patch(plane[:, 0], plane[:, 1], fill_color=SKY, fill_alpha=0.25, line_color=SKY, line_width=1.6)
        self._edges = [
            plot.multi_line(*_lines(edges), line_width=1.3, line_dash=dash)
            for edges, dash in ((SEEN, "solid"), (HIDDEN, "dotted"))
        ]
        for edge, name in (("op", "zero"), ("ws", "bound")):
            plot.multi_line(*_lines((edge,)), line_color=KINDS[name][0], line_width=4)
        for name, (colour, marker) in KINDS.items():
            plot.scatter(
                "x",
                "y",
                source=self._clusters[name],
                marker=marker,
                size=9,
                color=colour,
                fill_alpha=0.55,
                line_width=1,
            )
        ends = _flat([(1.12, 0, -0.02), (0, 1, 0.12), (-0.07, 0, 0.9)])
        self._names = plot.text(
            ends[:, 0], ends[:, 1], text=["α₁", "α₂", "α₃"], text_font_size="11px", text_align="center",
            text_baseline="middle",
        )  # fmt: skip
        self._words = [
            words_inside("", x=x, y=plot.y_range.end, text_color=KINDS[name][0], text_baseline="top")
            for name, x in (("zero", 2), ("bound", 66), ("apart", 130))
        ]
        for label in self._words:
            plot.add_layout(label)
        self._whose = words_inside("", x=4, y=2, y_units="screen")
        plot.add_layout(self._whose)
        self._drawn: tuple[object, ...] = ()

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        style(self.plot, dark)
        for edges in self._edges:
            edges.glyph.line_color = tone(dark).faint
        self._names.glyph.text_color = self._whose.text_color = tone(dark).text

    def clear(self) -> None:
        """Show the cube alone."""
        self._drawn = ()
        self._whose.text = ""
        for label in self._words:
            label.text = ""
        empty(*self._clusters.values())

    def draw(self, replay: Replay, frame: Frame) -> None:
        """Show each cluster: its least and its largest multiplier, and that of the nearest point of the other class."""
        from scipy.spatial import cKDTree  # not before a page is there: it takes a while

        exact = replay.reader_as(ClusterReader).exact(frame)
        if not isinstance(frame, ClusterFrame) or not (frame.clusters.trained or exact):
            self.clear()
            return
        drawn = (frame.event, exact is None)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        self._whose.text = "a mark is a cluster, " + ("exact α" if exact else "this SVM's α")
        alpha = (exact or frame).alpha / frame.upper
        groups = [frame.clusters.members(cluster) for cluster in frame.clusters.numbers]
        cube = np.array([(alpha[members].min(), alpha[members].max(), 0.0) for members in groups]).reshape(-1, 3)
        means = np.array([replay.places[members].mean(axis=0) for members in groups]).reshape(-1, 2)
        signs = np.array([frame.signs[members[0]] for members in groups])
        for sign in np.unique(signs):
            other = np.flatnonzero(frame.signs != sign)
            if len(other):
                cube[signs == sign, 2] = alpha[other[cKDTree(replay.places[other]).query(means[signs == sign])[1]]]
        kinds = {"zero": cube[:, 1] <= NEAR, "bound": cube[:, 0] >= 1 - NEAR}
        kinds["apart"] = ~(kinds["zero"] | kinds["bound"])
        flat = _flat(cube)
        for name, which in kinds.items():
            self._clusters[name].data = {"x": flat[which, 0].tolist(), "y": flat[which, 1].tolist()}
        texts = ("● all 0: {}", "■ all C: {}", "◆ other: {}")
        for label, text, which in zip(self._words, texts, kinds.values(), strict=True):
            label.text = text.format(int(np.count_nonzero(which)))


def _lines(edges: tuple[str, ...]) -> tuple[list[list[float]], list[list[float]]]:
    ends = [_flat([CORNERS[corner] for corner in edge]) for edge in edges]
    return [end[:, 0].tolist() for end in ends], [end[:, 1].tolist() for end in ends]
