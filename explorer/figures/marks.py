"""Many small marks as one picture: a browser draws one image sooner than thousands of marks, frame after frame."""

from collections.abc import Iterable
from functools import cache

import numpy as np

from engine.runtime.events import Array

FINE = 6  # samples across a pixel
OPACITY = 0.6
BEYOND = 9  # pixels beyond the edge that a mark may be centred on


def _corners(count: int, turn: float, stretch: float) -> Array:
    angles = 2 * np.pi * (np.arange(count) / count + turn)
    return stretch * np.column_stack([np.cos(angles), np.sin(angles)])


def _star() -> Array:
    points = np.empty((10, 2))
    points[::2], points[1::2] = _corners(5, 0.25, 1.5), _corners(5, 0.35, 0.6)
    return points


# Corners of each mark, around the origin, about as large as a circle of radius 1.
SHAPES = {
    "circle": _corners(24, 0, 1.0),
    "triangle": _corners(3, 0.25, 1.35),
    "square": _corners(4, 0.125, 1.25),
    "diamond": _corners(4, 0, 1.35),
    "inverted_triangle": _corners(3, 0.75, 1.35),
    "hex": _corners(6, 0, 1.1),
    "star": _star(),
    "square_pin": _corners(4, 0.125, 1.0),
}


@cache
def _stamp(shape: str, radius: float) -> tuple[Array, Array]:
    """The pixels that a mark covers, as steps from its centre, and how much of each it covers."""
    reach = int(np.ceil(1.5 * radius))
    fine = (np.arange((2 * reach + 1) * FINE) + 0.5) / FINE - reach - 0.5
    x, y = np.meshgrid(fine, fine)
    inside = np.zeros(x.shape, bool)
    corners = SHAPES[shape] * radius
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:  # a ray to the right crosses the outline an odd number of times from inside
            inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    side = 2 * reach + 1
    cover = inside.reshape(side, FINE, side, FINE).mean(axis=(1, 3))
    steps = np.argwhere(cover > 0)
    return steps - reach, cover[tuple(steps.T)].astype(np.float32)


def draw_marks(
    groups: Iterable[tuple[Array, str, str]], window: tuple[float, ...], size: tuple[int, int], radius: float
) -> Array:
    """A picture of marks (places, shape, colour) in a window (left, right, bottom, top), as `image_rgba` takes it."""
    left, right, bottom, top = window
    width, height = size
    colour, alpha = np.zeros((height * width, 3), np.float32), np.zeros(height * width, np.float32)
    for places, shape, name in groups:
        steps, covers = _stamp(shape, radius)
        edge = BEYOND + int(np.abs(steps).max()) + 1
        wide = width + 2 * edge
        scaled = (places - (left, bottom)) * (width / (right - left), height / (top - bottom))
        around = np.all((scaled > -BEYOND) & (scaled < (width + BEYOND, height + BEYOND)), axis=1)
        columns, rows = np.floor(scaled[around]).astype(int).T + edge
        middle, covered = rows * wide + columns, np.zeros((height + 2 * edge) * wide, np.float32)
        for (up, across), cover in zip(steps, covers, strict=True):
            at = middle + (up * wide + across)
            covered[at] = np.maximum(covered[at], cover)
        covered = covered.reshape(-1, wide)[edge:-edge, edge:-edge].ravel()
        at = np.flatnonzero(covered)  # most of a picture is empty
        new, before = OPACITY * covered[at], alpha[at]
        paint = np.array([int(name[k : k + 2], 16) for k in (1, 3, 5)], np.float32)
        colour[at] += (paint - colour[at]) * (new / np.maximum(new + before * (1 - new), 1e-6))[:, None]
        alpha[at] += new * (1 - before)
    picture = np.empty((height * width, 4), np.uint8)
    picture[:, :3], picture[:, 3] = np.rint(colour), np.rint(255 * alpha)
    return picture.view(np.uint32).reshape(height, width)


def size_of(plot: object, height: int) -> tuple[tuple[int, int], float]:
    """How many pixels the frame of a plot has, and how many of them make one of the page's, as its browser said."""
    width, tall, ratio = getattr(plot, "tags", None) or (height * 4 / 3, height, 1)
    ratio = min(float(ratio), 2.0)
    return (max(16, round(width * ratio)), max(16, round(tall * ratio))), ratio
