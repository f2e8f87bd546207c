"""The convex hull of points in the plane."""

import numpy as np

from engine.runtime.events import Array


def hull(places: Array) -> Array:
    """The corners of the convex hull, closed; all places where they have none."""
    from scipy.spatial import ConvexHull, QhullError  # not before a page is there: it takes a while

    try:
        corners = places[ConvexHull(places).vertices]
    except (QhullError, ValueError):  # too few, or on one line
        corners = places
    return np.vstack([corners, corners[:1]])
