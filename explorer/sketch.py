"""A sheet to draw points on: two classes, a rubber, undo; small enough to travel in a link."""

import base64

import numpy as np

from engine.datasets import Dataset
from engine.runtime.errors import invalid
from engine.runtime.events import Array

MOST_POINTS = 1000
GRAIN = 1000  # places to a unit: a link holds whole numbers
SHEET = 4.0  # points lie within plus and minus so much
SPACING = 0.12  # of the sheet's units, between two points of a stroke


class Sketch:
    """Points of classes -1 and 1, put and erased by hand."""

    def __init__(self) -> None:
        self.points: Array = np.zeros((0, 3), np.int16)  # x and y in grains, class
        self._before: list[Array] = []

    def __len__(self) -> int:
        return len(self.points)

    @property
    def places(self) -> Array:
        """Where the points are."""
        return self.points[:, :2] / GRAIN

    @property
    def labels(self) -> Array:
        """0 for class -1 and 1 for class 1."""
        return (self.points[:, 2] > 0).astype(int)

    def begin(self) -> None:
        """A stroke begins: what undo goes back to."""
        self._before.append(self.points)
        del self._before[:-100]

    @property
    def full(self) -> bool:
        """Whether there is no room for another point."""
        return len(self) >= MOST_POINTS

    def put(self, x: float, y: float, label: int) -> None:
        """Put a point, unless the sheet is full."""
        if not self.full:
            place = np.clip(np.round(np.array([x, y]) * GRAIN), -SHEET * GRAIN, SHEET * GRAIN)
            self.points = np.vstack([self.points, [*place, label]]).astype(np.int16)

    def stroke(self, x: float, y: float, label: int) -> None:
        """Put a point, if the stroke has come far enough from its last one."""
        if not len(self) or np.hypot(*(self.places[-1] - (x, y))) >= SPACING:
            self.put(x, y, label)

    def erase(self, x: float, y: float, radius: float) -> None:
        """Take away the points around a place."""
        self.points = self.points[np.hypot(*(self.places - (x, y)).T) > radius]

    def undo(self) -> None:
        """Take back the last stroke."""
        if self._before:
            self.points = self._before.pop()

    def clear(self) -> None:
        """Start again with an empty sheet; undo brings the points back."""
        self.begin()
        self.points = self.points[:0]

    def trace(self, data: Dataset) -> None:
        """Start from data in the plane, where they fit on the sheet and leave room."""
        X = np.asarray(data.X.todense() if hasattr(data.X, "todense") else data.X)
        if data.d == 2 and data.n <= MOST_POINTS // 2 and len(data.classes) == 2 and np.abs(X).max() <= SHEET:
            classes = np.where(data.y == data.classes[1], 1, -1)
            self.points = np.column_stack([np.round(X * GRAIN), classes]).astype(np.int16)

    def dataset(self) -> Dataset:
        """What was drawn, as data to train on."""
        if len(set(self.labels)) < 2:
            raise ValueError("Draw at least one point of each class first.")
        return Dataset("drawn", "Drawn by hand", self.places, np.where(self.labels, 1, -1))

    # ---- in a link ----

    def text(self) -> str:
        """The points as characters that a link may hold."""
        return base64.urlsafe_b64encode(self.points.astype("<i2").tobytes()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str) -> "Sketch":
        """The sketch that a text stands for."""
        sketch = cls()
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            points = np.frombuffer(raw, "<i2").reshape(-1, 3)
        except ValueError:
            raise invalid("points", text[:20], "points as a link of this page writes them") from None
        inside = (np.abs(points[:, :2]) <= SHEET * GRAIN).all() and np.isin(points[:, 2], (-1, 1)).all()
        if len(points) > MOST_POINTS or not inside:
            raise invalid("points", text[:20], f"at most {MOST_POINTS:,} points as a link of this page writes them")
        sketch.points = points.astype(np.int16)
        return sketch
