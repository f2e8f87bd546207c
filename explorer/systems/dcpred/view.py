"""What only DC-Pred++ shows: the routing tree, weights, the kernel approximated, leaf by leaf and all in all."""

from itertools import pairwise
from typing import Any

import numpy as np
from bokeh.models import (  # type: ignore[attr-defined]
    ColumnDataSource,
    NumeralTickFormatter,
    Slope,
    Span,
)

from engine.runtime.events import Array
from engine.systems.dcpred.events import FastFinished, LeafTrained, TreeSplit
from explorer.figures.marks import draw_marks, size_of
from explorer.figures.matrix_image import Squares
from explorer.figures.tile import Captions, tell_size, tile
from explorer.figures.view import View
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.number_format import number
from explorer.style.theme import AMBER, GREEN, NEGATIVE, PALETTE, POSITIVE, decades, tone, words_inside
from explorer.systems.dcpred.cost_sweep import WITHOUT, CostSweep
from explorer.systems.dcpred.reader import LeafFrame, LeafReader, Leaves

MOST_WEIGHTS = 60  # landmarks and pseudo-landmarks in the chart of one leaf
PICTURE = ("image", "x", "y", "dw", "dh")


class PredictionView(View):
    """Tiles: tree, weights, K approximated, errors, exact against fast by points, by leaves, and by landmarks."""

    def __init__(self, dark: bool) -> None:
        super().__init__(dark)
        self._needs_redraw = False
        self._nodes = ColumnDataSource({name: [] for name in ("x", "y", "size", "colour")})
        self._edges = ColumnDataSource({name: [] for name in ("xs", "ys", "colour", "width")})
        self._weights = ColumnDataSource({name: [] for name in ("x", "weight", "zero", "colour", "marker")})
        self._ways = ColumnDataSource({name: [] for name in ("x0", "y0", "x1", "y1", "colour")})
        self._cloud = ColumnDataSource({name: [] for name in PICTURE})
        self._pinned = ColumnDataSource({"x": [], "y": []})
        self._swept = {
            name: ColumnDataSource({"cost": [], "quality": []}) for name in ("with", "without", "exact", "own")
        }
        self.sources = (self._nodes, self._edges, self._weights, self._cloud, self._ways, *self._swept.values())
        self.tree = tile("fast-tree", "The tree, from root to leaves", (-0.2, 1))
        self.weights = tile("fast-weights", "Weights of a leaf", (-1, 1))
        self.kernel = Squares("fast-kernel", errors=False, most=1.0)
        self.errors = Squares("fast-errors", errors=True)
        self.agreement = tile("fast-agreement", "Does fast agree with exact?", (-1, 1))
        self.leaves = tile("fast-leaves", "Each leaf: exact → fast", (0, 1), x_scale="log")
        self.sweep = tile("fast-sweep", "More landmarks: better, and dearer", (0, 1), x_scale="log")
        self._sweep_of: CostSweep | None = None
        self._positions: tuple[int, dict[int, tuple[float, float]]] = (-1, {})
        self._build()
        self.plots = [
            self.tree, self.weights, self.kernel.plot, self.errors.plot, self.agreement, self.leaves, self.sweep,
        ]  # fmt: skip
        self.restyle(dark)
        self.clear()

    def _build(self) -> None:
        self.tree.multi_line("xs", "ys", source=self._edges, line_color="colour", line_width="width")
        self._circles = self.tree.scatter("x", "y", source=self._nodes, size="size", fill_color="colour", line_width=1)
        self.tree.axis.visible = False
        self.tree.grid.visible = False
        self.weights.segment("x", "zero", "x", "weight", source=self._weights, line_color="colour", line_width=2)
        self._heads = self.weights.scatter(
            "x", "weight", source=self._weights, marker="marker", size=8, fill_color="colour"
        )
        self._zero = Span(dimension="width", location=0, line_width=1)
        self.weights.add_layout(self._zero)
        self.weights.xaxis.visible = False
        self.weights.xgrid.visible = False
        self.agreement.image_rgba(image="image", x="x", y="y", dw="dw", dh="dh", source=self._cloud)
        tell_size(self.agreement)
        self._equal = Slope(gradient=1, y_intercept=0, line_width=1.4, line_dash="dashed")
        self.agreement.add_layout(self._equal)
        self._cross = self.agreement.scatter(
            "x", "y", source=self._pinned, marker="circle_cross", size=18, fill_color=None, line_width=1.6
        )
        self.agreement.xaxis.axis_label, self.agreement.yaxis.axis_label = "exact", "fast"
        self._apart = words_inside("", x=4, y=1, text_baseline="top")
        self.agreement.add_layout(self._apart)
        self.leaves.segment("x0", "y0", "x1", "y1", source=self._ways, line_color="colour", line_width=1.4)
        self.leaves.scatter("x0", "y0", source=self._ways, marker="circle", size=6, color=GREEN)
        self.leaves.scatter("x1", "y1", source=self._ways, marker="diamond", size=9, color=NEGATIVE)
        for name, (colour, dash, marker) in {
            "with": (NEGATIVE, "solid", "diamond"), "without": (POSITIVE, "dashed", "circle"),
        }.items():  # fmt: skip
            source = self._swept[name]
            self.sweep.line("cost", "quality", source=source, color=colour, line_dash=dash, line_width=2)
            self.sweep.scatter("cost", "quality", source=source, marker=marker, color=colour, size=8)
        self.sweep.scatter("cost", "quality", source=self._swept["exact"], marker="square", color=GREEN, size=10)
        self._star = self.sweep.scatter(
            "cost", "quality", source=self._swept["own"], marker="star", size=17, fill_color=AMBER
        )
        self._waiting = words_inside("", x=8, y=8, y_units="screen")
        self.sweep.add_layout(self._waiting)
        for plot in (self.leaves, self.sweep):
            plot.xaxis.formatter = NumeralTickFormatter(format="0.[0]a")
            plot.xaxis.axis_label = "inner products for a prediction"
        self._captions = captions = Captions()
        captions.add(self.tree, (("● trained", GREEN), ("● fast", NEGATIVE), ("● now", AMBER)))
        captions.add(self.weights, (("◆ landmarks", ""), ("● pseudo", "")))
        captions.add(self.leaves, (("● exact", GREEN), ("◆ fast", NEGATIVE)))
        captions.add(self.sweep, (("◆ pseudo", NEGATIVE), ("● alone", POSITIVE), ("■ exact", GREEN), ("★ run", AMBER)))
        captions.keep(self.agreement, self._apart)

    @property
    def needs_redraw(self) -> bool:
        """Whether results are still to come."""
        return self._needs_redraw

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        self._shade = shade = tone(dark)
        super().restyle(dark)
        for squares in (self.kernel, self.errors):
            squares.restyle(dark)
        self._equal.line_color = shade.faint
        for glyph in (self._circles, self._heads, self._star, self._cross):
            glyph.glyph.line_color = shade.text
        self._zero.line_color = shade.faint
        self._waiting.text_color = shade.faint
        self._captions.restyle(shade)

    def end(self) -> None:
        """The sweep is over."""
        if self._sweep_of is not None:
            self._sweep_of.end()

    def forget(self) -> None:
        """There will be another run."""
        self.end()
        self._sweep_of = None
        self._needs_redraw = False
        super().forget()

    def clear(self) -> None:
        """Show nothing."""
        self._positions = (-1, {})
        super().clear()
        self.kernel.show("K, and what stands for it", [])
        self.errors.show("What is wrong with it", [])
        self._waiting.text = self._apart.text = ""

    def draw(self, replay: Replay, cursor: int, frame: Frame, pinned: int | None) -> None:
        """Show the tree and the leaf that the cursor, or the pinned point, is at; at the end the sweep."""
        if not isinstance(frame, LeafFrame):
            self.clear()
            return
        leaves = frame.leaves
        followed = None if pinned is None or not leaves.grown else int(leaves.grown[0].labels[pinned])
        self._draw_tree(frame, leaves, replay.X[pinned] if pinned is not None else None)
        self._draw_weights(replay, frame, leaves, pinned, followed)
        self._draw_matrices(leaves, followed)
        self._draw_agreement(replay, frame, leaves, pinned)
        self._draw_leaves(replay, leaves)
        self._draw_sweep(replay, frame, leaves)
        self._captions.raise_all()

    # ---- the tree ----

    def _draw_tree(self, frame: Frame, leaves: Leaves, x: Array | None) -> None:
        if self._positions[0] != len(leaves.splits):
            self._positions = len(leaves.splits), _positions(leaves)
        places = self._positions[1]
        number_of = {} if not leaves.grown else {int(node): k for k, node in enumerate(leaves.grown[0].leaves)}
        route = leaves.tree.path(x) if x is not None and leaves.grown else []
        now = _now(frame, leaves)
        sizes = _sizes(leaves, len(frame.members))
        colours = [self._colour(leaves, number_of.get(node), node in now or node in route) for node in places]
        self._nodes.data = {
            "x": [place[0] for place in places.values()],
            "y": [place[1] for place in places.values()],
            "size": [5 + 13 * np.sqrt(sizes[node] / sizes[0]) for node in places],
            "colour": colours,
        }
        edges = [(split.node, int(child)) for split in leaves.splits for child in split.children]
        on_route = set(pairwise(route))
        self._edges.data = {
            "xs": [[places[a][0], places[b][0]] for a, b in edges],
            "ys": [[places[a][1], places[b][1]] for a, b in edges],
            "colour": [AMBER if edge in on_route else self._shade.faint for edge in edges],
            "width": [4 if edge in on_route else 1 for edge in edges],
        }
        deepest, widest = min(y for _, y in places.values()), max(x for x, _ in places.values())
        self.tree.x_range.update(start=-0.7, end=widest + 0.7)
        self.tree.y_range.update(start=deepest - 0.5, end=0.5 + 0.28 * (1 - deepest))
        said = f", {len(route) - 1} turns to leaf {number_of[route[-1]] + 1}" if route else ", from root to leaves"
        self.tree.title.text = f"The tree{said}"

    def _colour(self, leaves: Leaves, leaf: int | None, meant: bool) -> str:
        if meant:
            return AMBER
        if leaf in leaves.compressed:
            return NEGATIVE
        return GREEN if any(trained == leaf for trained, _ in leaves.trained) else self._shade.line

    # ---- a leaf ----

    def _draw_weights(
        self, replay: Replay, frame: Frame, leaves: Leaves, pinned: int | None, followed: int | None
    ) -> None:
        """Of the leaf in question; of a pinned point, what each of them says about it."""
        task = replay.reader_as(LeafReader).task_number(frame.task)
        leaf = followed if followed is not None else _latest(leaves.compressed, leaves.leaf)
        weights, landmarks = np.zeros(0), 0
        if pinned is not None and followed is not None:
            trace = leaves.fast.trace(replay.X[pinned])
            weights = np.concatenate([trace.contributions[:, task], trace.pseudo_contributions[:, task]])
            landmarks = len(trace.contributions)
            total = float(weights.sum() + trace.intercepts[task])
            title = f"What decides: {number(total, 3)}"
        elif leaf is not None:
            weights = leaves.compressed[leaf].coefficients[:, task]
            landmarks = len(leaves.landmarks[leaf].landmarks) if leaf in leaves.landmarks else 0
            title = f"Weights of leaf {leaf + 1}"
        else:
            title = "Weights of a leaf"
        kinds = np.arange(len(weights)) < landmarks
        order = np.concatenate([np.flatnonzero(kinds), np.flatnonzero(~kinds)])[:MOST_WEIGHTS]
        weights, kinds = weights[order].astype(float), kinds[order]
        self._weights.data = {
            "x": list(range(len(weights))), "weight": weights.tolist(), "zero": [0.0] * len(weights),
            "colour": np.where(weights > 0, POSITIVE, NEGATIVE).tolist(),
            "marker": np.where(kinds, "diamond", "circle").tolist(),
        }  # fmt: skip
        low, high = min(0.0, float(weights.min(initial=0.0))), max(0.0, float(weights.max(initial=0.0)))
        room = (high - low) or 1.0
        self.weights.x_range.update(start=-0.7, end=max(1, len(weights)) - 0.3)
        self.weights.y_range.update(start=low - 0.08 * room, end=high + 0.25 * room)
        self.weights.title.text = title

    def _draw_matrices(self, leaves: Leaves, followed: int | None) -> None:
        leaf = followed if followed in leaves.kernels else _latest(leaves.kernels, leaves.leaf)
        if leaf is None or not leaves.kernels[leaf].matrix.size:
            self.kernel.show("K, and what stands for it", [])
            self.errors.show("What is wrong with it", [])
            return
        event = leaves.kernels[leaf]
        self.kernel.show(f"K of leaf {leaf + 1}, and what stands for it", [event.matrix, event.approximation])
        wrong = [event.approximation - event.matrix]
        title = f"Error: {number(100 * event.error, 2)} %"
        if event.pseudo != WITHOUT:
            wrong = [event.without - event.matrix, *wrong]
            title = f"Error: {number(100 * event.error_without, 2)} %, with pseudo {number(100 * event.error, 2)} %"
        self.errors.show(title, wrong)

    def _draw_agreement(self, replay: Replay, frame: Frame, leaves: Leaves, pinned: int | None) -> None:
        """Of some points, what the fast machine says over what the exact one says."""
        reader, n = replay.reader_as(LeafReader), len(replay.X)
        task = reader.task_number(frame.task)
        some = np.linspace(0, n - 1, min(n, reader.affordable(frame))).astype(int)
        if pinned is not None:
            some = np.append(some, pinned)
        exact, fast = (leaves.values(replay.X[some], way)[:, task] for way in (False, True))
        both = np.column_stack([exact, fast]).astype(float)
        low, high = float(both.min()), float(both.max())
        room = (high - low) or 1.0
        window = (low - 0.06 * room, high + 0.06 * room, low - 0.06 * room, high + 0.28 * room)
        self.agreement.x_range.update(start=window[0], end=window[1])
        self.agreement.y_range.update(start=window[2], end=window[3])
        size, ratio = size_of(self.agreement, 150)
        kinds = replay.labels[some] % len(PALETTE)
        groups = [(both[kinds == k], shape, colour) for k, (colour, shape) in enumerate(PALETTE) if k in kinds]
        self._cloud.data = {
            "image": [draw_marks(groups, window, size, 2.2 * ratio)],
            "x": [window[0]], "y": [window[2]], "dw": [window[1] - window[0]], "dh": [window[3] - window[2]],
        }  # fmt: skip
        self._pinned.data = {"x": both[-1:, 0], "y": both[-1:, 1]} if pinned is not None else {"x": [], "y": []}
        if not leaves.compressed:
            self._apart.text = ""
        elif replay.regression:
            self._apart.text = f"apart by {number(float(np.sqrt(np.mean((exact - fast) ** 2))), 2)} (root mean square)"
        else:
            crossed = 100 * float(np.mean((exact > 0) != (fast > 0)))
            self._apart.text = f"{number(crossed, 2)} % on the other side"

    def _draw_leaves(self, replay: Replay, leaves: Leaves) -> None:
        done = list(leaves.compressed.values())
        scale = 1.0 if replay.regression else 100.0
        old = np.array([[event.exact_cost, scale * event.exact_quality] for event in done]).reshape(-1, 2)
        new = np.array([[event.cost, scale * event.quality] for event in done]).reshape(-1, 2)
        colour = [AMBER if event.leaf == leaves.leaf else self._shade.faint for event in done]
        self._ways.data = {
            "x0": old[:, 0], "y0": old[:, 1], "x1": new[:, 0], "y1": new[:, 1], "colour": colour,
        }  # fmt: skip
        self.leaves.title.text = f"Each leaf: {'error (RMS)' if replay.regression else 'points right, %'}"
        _suit(self.leaves, np.vstack([old, new]))

    # ---- all leaves ----

    def _draw_sweep(self, replay: Replay, frame: Frame, leaves: Leaves) -> None:
        event = frame.event
        where = "test" if replay.has_test else "training"
        measure = f"{where} error" if replay.regression else f"% right ({where})"
        self.sweep.title.text = f"More landmarks: {measure}"
        if isinstance(event, FastFinished) and self._sweep_of is None and len(leaves.compressed) == len(leaves.tree):
            self._sweep_of = CostSweep(replay, leaves, event)
        swept = self._sweep_of
        self._needs_redraw = swept is not None and swept.running
        self._waiting.text = "measured when the run is over" if swept is None else ""
        if swept is None:
            return
        train, test = replay.reader.accuracy(frame)
        kinds = dict(zip(("with", "without"), swept.results.values(), strict=True))
        own = [(leaves.mean(leaves.costs), test if replay.has_test else train)]
        for name, points in {**kinds, "exact": [swept.exact], "own": own}.items():
            self._swept[name].data = {"cost": [x for x, _ in points], "quality": [y for _, y in points]}
        _suit(self.sweep, np.array([*kinds["with"], *kinds["without"], swept.exact, *own]))


def _positions(leaves: Leaves) -> dict[int, tuple[float, float]]:
    """Where the cells are drawn: leaves side by side, a cell above its children."""
    children = {split.node: [int(child) for child in split.children] for split in leaves.splits}
    depth = {0: 0}
    for split in leaves.splits:
        depth |= {int(child): split.depth + 1 for child in split.children}
    places: dict[int, tuple[float, float]] = {}
    across = 0

    def put(node: int) -> float:
        nonlocal across
        if node in children:
            x = float(np.mean([put(child) for child in children[node]]))
        else:
            x, across = float(across), across + 1
        places[node] = (x, float(-depth[node]))
        return x

    put(0)
    return places


def _sizes(leaves: Leaves, n: int) -> dict[int, int]:
    """How many points are in each cell."""
    sizes = {0: n}
    for split in leaves.splits:
        sizes |= {int(child): int(size) for child, size in zip(split.children, split.sizes, strict=True)}
    return sizes


def _now(frame: Frame, leaves: Leaves) -> set[int]:
    """The cells that an event is about."""
    match frame.event:
        case TreeSplit():
            return {frame.event.node, *map(int, frame.event.children)}
        case LeafTrained():
            return {frame.event.node}
        case _ if leaves.leaf is not None and leaves.grown:
            return {int(leaves.grown[0].leaves[leaves.leaf])}
    return set()


def _latest(known: dict[int, Any], leaf: int | None) -> int | None:
    """This leaf if something is known of it, or the last one of which something is."""
    return leaf if leaf in known else next(reversed(known), None)


def _suit(plot: Any, points: Array) -> None:
    """Make a chart of quality over cost suit some points, with room for the words above."""
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return
    (low, bottom), (high, top) = points.min(axis=0), points.max(axis=0)
    low, high = max(float(low), 0.1) / 1.25, 1.25 * float(high)
    room = float(top - bottom) or 1.0
    plot.x_range.update(start=low, end=high)
    plot.y_range.update(start=float(bottom) - 0.1 * room, end=float(top) + 0.3 * room)
    plot.xaxis.ticker.ticks = decades(low, high)
