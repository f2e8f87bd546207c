"""The plane that a scene shows: the data themselves in two dimensions, their principal plane in more."""

from dataclasses import dataclass

import numpy as np

from engine.runtime.events import Array


@dataclass(frozen=True, eq=False)
class Plane:
    """An affine plane in feature space: x = origin + coordinates @ axes."""

    origin: Array
    axes: Array
    labels: tuple[str, str]
    kept: float  # part of the variance that lies in the plane

    @classmethod
    def fit(cls, X: Array) -> "Plane":
        """The plane of these data."""
        d = X.shape[1]
        if d <= 2:
            return cls(np.zeros(d), np.eye(2, d), ("x₁", "x₂" if d == 2 else ""), 1.0)
        origin = X.mean(axis=0, dtype=float)
        most = min(5000, max(500, 500_000 // d))  # rows: wide ones are dear
        sample = X[:: max(1, len(X) // most)] - origin
        _, strengths, axes = np.linalg.svd(sample, full_matrices=False)
        axes, strengths = axes[:2], strengths**2
        axes *= np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])[:, None]  # one sign for one data set
        kept = float(strengths[:2].sum() / strengths.sum()) if strengths.sum() else 1.0
        return cls(origin, axes, ("first principal component", "second principal component"), kept)

    def project(self, X: Array) -> Array:
        """Coordinates in the plane."""
        return (np.asarray(X, float) - self.origin) @ self.axes.T

    def lift(self, coordinates: Array) -> Array:
        """The points of feature space at these coordinates."""
        return self.origin + coordinates @ self.axes
