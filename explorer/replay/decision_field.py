"""Decision values on a grid in the plane of the scene: the field behind the points, for each kind of kernel."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.numerics.points import Points
from engine.runtime.events import Array
from explorer.replay.context import RunContext
from explorer.replay.frame import Expansion


def grid(context: RunContext, xs: Sequence[float] | Array, ys: Sequence[float] | Array) -> Points:
    """The places of a grid in the plane, as the kernel takes them in."""
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    return context.kernel.points(context.plane.lift(places))


def values_on_grid(context: RunContext, terms: Expansion, intercept: float, xs: Array, ys: Array) -> Array:
    """The values of a decision function, a row for each of `ys`."""
    kernel = context.kernel
    if kernel.name in ("linear", "poly"):
        return _of_inner_products(context, terms, intercept, xs, ys)
    if kernel.name != "rbf":
        values = kernel.product(grid(context, xs, ys), terms.points, terms.weights, context.threads)
        return (values + intercept).reshape(len(ys), len(xs))
    across, up = gaussian_sides(context, terms, xs, ys)
    return up @ across.T + intercept


def gaussian_sides(context: RunContext, terms: Expansion, xs: Array, ys: Array) -> tuple[Array, Array]:
    """The two factors of the field of a Gaussian kernel, a column for each vector.

    On a grid the kernel is a product of one along each axis and one for what lies beside the plane.
    """
    weights = terms.weights * np.exp(-context.kernel.gamma * terms.plane_distance)
    across, up = (
        np.exp((-context.kernel.gamma * (places[:, None] - terms.places[:, axis]) ** 2).astype(np.float32))
        for axis, places in enumerate((xs, ys))
    )
    up *= weights.astype(np.float32)
    return across, up


def _of_inner_products(context: RunContext, terms: Expansion, intercept: float, xs: Array, ys: Array) -> Array:
    """The field of a kernel of inner products: in a plane each is a sum of three, for any number of features."""
    kernel = replace(context.kernel, origin=np.zeros(3))  # such kernels have no other origin
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    along = np.stack([context.plane.origin, *context.plane.axes])
    inner = kernel.points(terms.points.X.astype(float) @ along.T)
    values = kernel.product(kernel.points(np.insert(places, 0, 1.0, axis=1)), inner, terms.weights, context.threads)
    return (values + intercept).reshape(len(ys), len(xs))
