"""Landmarks and pseudo-landmarks of the leaves of DC-Pred++ in a scene, and words on what happens to a leaf."""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from engine.runtime.events import Array, Event
from engine.systems.dcpred.events import KernelApproximated, LandmarksChosen, LeafCompressed, LeafTrained, TreeSplit
from explorer.replay.frame import Frame
from explorer.replay.lookup import Replay
from explorer.style.number_format import number
from explorer.style.theme import AMBER, NEGATIVE, POSITIVE, tone
from explorer.systems.dcpred.reader import LeafReader, Leaves

LAYERS = ("landmarks", "pseudo-landmarks")
SIZES = 8.0, 20.0  # pixels of landmarks: the lightest, the heaviest
LINES = ("xs", "ys", "colour", "width")
Place = Callable[[Array], Array]  # from the data's space to that of a figure


class Marks:
    """Glyphs on a figure. A landmark's size is what it stands for (alpha^2); with its machine it has a side."""

    def __init__(self, plot: Any) -> None:
        self._links, self._rays = (ColumnDataSource({name: [] for name in LINES}) for _ in range(2))
        self._marks = ColumnDataSource({name: [] for name in ("x", "y", "size", "colour", "alpha")})
        self._pseudo = ColumnDataSource({name: [] for name in ("x", "y", "colour", "alpha")})
        self.sources = (self._links, self._rays, self._marks, self._pseudo)
        look: dict[str, Any] = {"line_color": "colour", "line_width": "width", "line_alpha": 0.75}
        links = plot.multi_line("xs", "ys", source=self._links, **look)
        rays = plot.multi_line("xs", "ys", source=self._rays, **look)
        self._glyphs = [
            plot.scatter(
                "x", "y", source=source, marker=marker, size=size, fill_color="colour", fill_alpha="alpha",
                line_alpha="alpha", line_width=1.2,
            )
            for source, marker, size in ((self._pseudo, "circle", 6), (self._marks, "diamond", "size"))
        ]  # fmt: skip
        self.layers: dict[str, list[Any]] = {
            "landmarks": [self._glyphs[1], rays], "pseudo-landmarks": [self._glyphs[0], links],
        }  # fmt: skip

    def restyle(self, dark: bool) -> None:
        """Take the colours of a light or a dark page."""
        for glyph in self._glyphs:
            glyph.glyph.line_color = tone(dark).text

    def draw(self, replay: Replay, frame: Frame, leaves: Leaves, pinned: int | None, place: Place) -> None:
        """Show those of all leaves, and of the one in question what its pseudo-landmarks are made of."""
        meant, task = leaf_in_question(leaves, pinned), replay.reader_as(LeafReader).task_number(frame.task)
        marks: list[tuple[Any, ...]] = []
        dots: list[tuple[Any, ...]] = []
        links: list[tuple[Any, ...]] = []
        heaviest = max((float(event.weights.max()) for event in leaves.landmarks.values()), default=1.0) or 1.0
        for leaf, event in leaves.landmarks.items():
            places = place(event.landmarks)
            count, done = len(places), leaves.compressed.get(leaf)
            sides = _sides(done.coefficients[:, task]) if done else None
            alpha = 1.0 if meant in (leaf, None) else 0.8
            sizes = SIZES[0] + (SIZES[1] - SIZES[0]) * np.sqrt(event.weights / heaviest)
            colours = sides[:count] if sides else [AMBER] * count
            marks += [(*at, *look, alpha) for at, *look in zip(places, sizes, colours, strict=True)]
            if leaf not in leaves.kernels:
                continue
            between = place(leaves.pseudo_places(leaf))
            colours = sides[count:] if sides else [AMBER] * len(between)
            dots += [(*at, colour, alpha) for at, colour in zip(between, colours, strict=True)]
            if leaf == meant and leaves.kernels[leaf].pseudo == "products":
                ends = places[leaves.kernels[leaf].pairs]
                links += [(*pair.T.tolist(), colour, 1.0) for pair, colour in zip(ends, colours, strict=True)]
        rows = {self._marks: marks, self._pseudo: dots, self._links: links}
        rows[self._rays] = [] if pinned is None else _rays(replay, leaves, task, pinned, place)
        for source, filled in rows.items():
            source.data = {name: [row[k] for row in filled] for k, name in enumerate(source.data)}


def leaf_in_question(leaves: Leaves, pinned: int | None) -> int | None:
    """The leaf of a pinned point, or else the one that the last event is about."""
    return int(leaves.grown[0].labels[pinned]) if pinned is not None and leaves.grown else leaves.leaf


def _rays(replay: Replay, leaves: Leaves, task: int, pinned: int, place: Place) -> list[tuple[Any, ...]]:
    """From a point to what decides about it: the more a landmark says, the wider."""
    trace = leaves.fast.trace(replay.X[pinned])
    start, ends, said = replay.places[pinned], place(trace.landmarks), trace.contributions[:, task]
    widths = 1 + 5 * np.abs(said) / (np.abs(said).max(initial=0.0) or 1.0)
    return [
        ([start[0], end[0]], [start[1], end[1]], colour, width)
        for end, colour, width in zip(ends, _sides(said), widths, strict=True)
    ]


def words_of(event: Event) -> str:
    """What an event says of its cell, in a few words."""
    match event:
        case TreeSplit():
            return f"{event.size:,} points: {' + '.join(f'{size:,}' for size in event.sizes)}"
        case LeafTrained():
            return f"{_name(event)}: {event.size:,} points, {event.n_support:,} SVs"
        case LandmarksChosen():
            return f"leaf {event.leaf + 1}: {many(len(event.landmarks), 'landmark')} for {len(event.support):,} points"
        case KernelApproximated():
            pseudo = len(event.pairs)
            return f"leaf {event.leaf + 1}: {many(pseudo, 'pseudo-landmark')}, error {100 * event.error:.0f} %"
        case LeafCompressed():
            return f"leaf {event.leaf + 1}: {number(event.exact_cost, 3)} → {number(event.cost, 3)} inner products"
        case _:
            return ""


def price_of(leaves: Leaves, x: Array) -> str:
    """What a prediction for a point costs, in a few words."""
    trace = leaves.fast.trace(x)
    ways, asked, pseudo = len(trace.nodes) - 1, len(trace.kernel_values), len(trace.pseudo_values)
    if trace.leaf not in leaves.compressed:
        return f"{many(ways, 'turn')} + {many(asked, 'support vector')}"
    return f"{many(ways, 'turn')} + {many(asked, 'landmark')} + {pseudo} pseudo = {number(trace.cost, 3)}"


def _name(event: LeafTrained) -> str:
    return f"leaf {int(event.leaves[0]) + 1}" if len(event.leaves) == 1 else f"{len(event.leaves)} leaves together"


def many(count: int, what: str) -> str:
    """So many of something, in words."""
    more = {"leaf": "leaves"}.get(what, f"{what}s")
    return f"{count:,} {what if count == 1 else more}"


def _sides(weights: Array) -> list[str]:
    return [POSITIVE if weight > 0 else NEGATIVE for weight in weights]
