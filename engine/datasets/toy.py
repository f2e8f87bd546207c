"""Points drawn in the plane, each set to show one thing about support-vector machines.

A toy is a function of a generator, a size and a noise that returns points and class codes 0, 1, ...; its docstring
is its description in the catalogue. Two independent streams of one seed draw the training and the test part.
Two classes are called -1 and +1, more are called 0, 1, 2.
"""

import inspect
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.datasets.catalogue import Entry, register
from engine.datasets.dataset import Dataset
from engine.runtime.errors import invalid

MAX_SIZE = 1_000_000
MAX_TEST_SIZE = 10_000

Points = tuple[NDArray[np.float64], NDArray[np.int64]]


def _toy(
    name: str, title: str, *, size: int, noise: float, max_noise: float, classes: int = 2, source: str = ""
) -> Callable[[Callable[..., Points]], Callable[..., Points]]:
    def enter(draw: Callable[..., Points]) -> Callable[..., Points]:
        keywords = inspect.signature(draw).parameters.values()
        options = {p.name: p.default for p in keywords if p.kind is inspect.Parameter.KEYWORD_ONLY}

        def make(size: int, noise: float, seed: int, **chosen: Any) -> Dataset:
            train, test = np.random.default_rng(seed).spawn(2)
            X, codes = draw(train, size, noise, **chosen)
            X_test, test_codes = draw(test, min(size, MAX_TEST_SIZE), noise, **chosen)
            y, y_test = (2 * c - 1 if classes == 2 else c for c in (codes, test_codes))
            return Dataset(name, title, X, y, X_test, y_test, feature_names=("x1", "x2"))

        register(
            Entry(
                name=name,
                title=title,
                kind="toy",
                description=" ".join((draw.__doc__ or "").split()),
                size=size,
                min_size=classes,
                max_size=MAX_SIZE,
                make=make,
                noise=noise,
                max_noise=max_noise,
                options=options,
                source=source,
            )
        )
        return draw

    return enter


def _codes(rng: np.random.Generator, size: int, classes: int) -> NDArray[np.int64]:
    """Class codes in random order, as many of each class as the size allows."""
    return rng.permutation(np.arange(size) % classes)


def _flip(rng: np.random.Generator, codes: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Give a random `share` of the points another class, unless that would leave a class without a point."""
    classes = int(codes.max()) + 1
    other = (codes + rng.integers(1, classes, codes.size)) % classes
    flipped = np.where(rng.random(codes.size) < share, other, codes)
    return flipped if np.unique(flipped).size == classes else codes


def _jitter(rng: np.random.Generator, points: NDArray[np.float64], deviation: float) -> NDArray[np.float64]:
    return points + deviation * rng.standard_normal(points.shape)


def _check_board(board: int) -> None:
    if isinstance(board, bool) or not isinstance(board, Integral) or not 2 <= board <= 100:
        raise invalid("board", board, "a whole number from 2 to 100")


@_toy(
    "checkerboard",
    "Checkerboard, along the borders",
    size=1_000,
    noise=0.0,
    max_noise=0.5,
    source="Wu et al. 2006 (incremental interior-point SVM), Table 4",
)
def checkerboard(rng: np.random.Generator, size: int, noise: float, *, board: int = 5, border: float = 0.1) -> Points:
    """Two classes on a board of 5 by 5 unit cells, with points only along the borders between neighbouring cells.

    All points are candidates for support vectors: nothing can be left out beforehand. `board` is the number of
    cells along a side, `border` the farthest a point lies from its border; noise is the share of flipped labels.
    """
    _check_board(board)
    if isinstance(border, bool) or not isinstance(border, Real) or not 0 < border <= 0.5:
        raise invalid("border", border, "a number above 0 and up to 0.5 (half a cell)")
    codes = _codes(rng, size, 2)
    line = rng.integers(1, board, size)
    cell = rng.integers(0, board, size)
    along = cell + rng.random(size)
    # The cells on the two sides of a line have different colours: the class decides on which side a point lies.
    side = np.where((line + cell) % 2 == codes, 1.0, -1.0)
    across = line + side * border * (1.0 - rng.random(size))
    upright = rng.random(size) < 0.5
    X = np.column_stack([np.where(upright, across, along), np.where(upright, along, across)])
    return X - board / 2, _flip(rng, codes, noise)


@_toy("checkerboard-filled", "Checkerboard", size=1_000, noise=0.0, max_noise=0.5)
def checkerboard_filled(rng: np.random.Generator, size: int, noise: float, *, board: int = 4) -> Points:
    """Two classes on a board of 4 by 4 unit cells, with points all over it.

    No straight line comes near it, and a Gaussian kernel needs only the points along the borders. `board` is the
    number of cells along a side; noise is the share of flipped labels.
    """
    _check_board(board)
    codes = _codes(rng, size, 2)
    cells = np.argwhere(np.ones((board, board), dtype=bool))
    colour = cells.sum(axis=1) % 2
    cell = np.empty((size, 2))
    for code in (0, 1):
        mine = codes == code
        own = cells[colour == code]
        cell[mine] = own[rng.integers(0, len(own), int(mine.sum()))]
    return cell + rng.random((size, 2)) - board / 2, _flip(rng, codes, noise)


@_toy(
    "gaussians",
    "Three Gaussians",
    size=600,
    noise=0.0,
    max_noise=0.5,
    classes=3,
    source="Boley and Cao 2004 (ClusterSVM), the artificial data set of Table 2",
)
def gaussians(rng: np.random.Generator, size: int, noise: float) -> Points:
    """Three overlapping classes: normal distributions of unit variance around (0, sqrt 3), (-1, 0) and (1, 0).

    The best borders are straight, and many points lie on the wrong side. Noise is the share of flipped labels.
    """
    codes = _codes(rng, size, 3)
    centres = np.array([[0.0, np.sqrt(3.0)], [-1.0, 0.0], [1.0, 0.0]])
    return _jitter(rng, centres[codes], 1.0), _flip(rng, codes, noise)


@_toy("moons", "Two moons", size=400, noise=0.15, max_noise=1.0)
def moons(rng: np.random.Generator, size: int, noise: float) -> Points:
    """Two half circles that reach into each other: a curved border, and a narrow margin.

    Noise is the standard deviation of the points around their arc.
    """
    codes = _codes(rng, size, 2)
    angle = np.pi * rng.random(size)
    turn = 1.0 - 2.0 * codes
    X = np.column_stack([codes + turn * np.cos(angle), 0.5 * codes + turn * np.sin(angle)])
    return _jitter(rng, X, noise), codes


@_toy("spirals", "Two spirals", size=600, noise=0.06, max_noise=1.0)
def spirals(rng: np.random.Generator, size: int, noise: float) -> Points:
    """Two spirals wound around each other: hard for a wide kernel, easy for a narrow one.

    Noise is the standard deviation of the points around their arm.
    """
    codes = _codes(rng, size, 2)
    # The square root spreads the points evenly along the arm instead of crowding them in the middle.
    reach = np.sqrt(0.02 + 0.98 * rng.random(size))
    angle = 3.0 * np.pi * reach + np.pi * codes
    X = 2.5 * reach[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _jitter(rng, X, noise), codes


@_toy("rings", "Two rings", size=400, noise=0.15, max_noise=1.0)
def rings(rng: np.random.Generator, size: int, noise: float) -> Points:
    """A ring around a ring: a polynomial kernel of degree two is enough.

    Noise is the standard deviation of the points around their circle.
    """
    codes = _codes(rng, size, 2)
    angle = 2.0 * np.pi * rng.random(size)
    X = (2.0 - codes)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return _jitter(rng, X, noise), codes


@_toy("xor", "Exclusive or", size=400, noise=0.35, max_noise=2.0)
def xor(rng: np.random.Generator, size: int, noise: float) -> Points:
    """Four clouds at the corners of a square, equal classes at opposite corners: the smallest problem no line solves.

    Noise is the standard deviation of a cloud.
    """
    codes = _codes(rng, size, 2)
    first = rng.choice([-1.0, 1.0], size)
    corner = np.column_stack([first, np.where(codes == 1, first, -first)])
    return _jitter(rng, corner, noise), codes


@_toy("imbalanced", "One in twenty", size=1_000, noise=0.0, max_noise=0.5)
def imbalanced(rng: np.random.Generator, size: int, noise: float) -> Points:
    """A small cloud of positives at the edge of a large one of negatives, 1 to 19: accuracy says little here.

    Noise is the share of flipped labels.
    """
    positives = max(1, round(size / 20))
    codes = rng.permutation((np.arange(size) < positives).astype(np.int64))
    centre = np.where(codes[:, None] == 1, 1.8, 0.0)
    spread = np.where(codes[:, None] == 1, 0.5, 1.0)
    return centre + spread * rng.standard_normal((size, 2)), _flip(rng, codes, noise)


def _waves(size: int, noise: float, seed: int) -> Dataset:
    """A curve over one axis, slow on the left and ever faster to the right: one width of kernel has to do for both.

    Noise is the standard deviation of the targets around the curve.
    """

    def draw(rng: np.random.Generator, rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x = 10.0 * rng.random(rows)
        y = np.sin(0.12 * x**2) + 0.4 * np.sin(0.7 * x)
        return x[:, None], y + noise * rng.standard_normal(rows)

    train, test = np.random.default_rng(seed).spawn(2)
    parts = *draw(train, size), *draw(test, min(size, MAX_TEST_SIZE))
    return Dataset("waves", "Waves, a regression", *parts, feature_names=("x1",))


register(
    Entry(
        name="waves",
        title="Waves, a regression",
        kind="toy",
        description=" ".join((_waves.__doc__ or "").split()),
        size=400,
        min_size=2,
        max_size=MAX_SIZE,
        make=_waves,
        noise=0.15,
        max_noise=1.0,
        task="regression",
    )
)
