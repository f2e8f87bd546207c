"""H'v and Hv for a tall matrix H, on a tile of its rows: what tiles on threads are made of."""

from numba import njit

from engine.numerics.jit import FAST


@njit(nogil=True, cache=True, fastmath=FAST)
def add_transposed(panel, V, out, top, bottom):  # type: ignore[no-untyped-def]
    """out += V @ panel, over these rows of the panel."""
    width = out.shape[1]
    for i in range(top, bottom):
        row = panel[i]
        for c in range(V.shape[0]):
            value, target = V[c, i], out[c]
            for k in range(width):
                target[k] += value * row[k]


@njit(nogil=True, cache=True, fastmath=FAST | {"reassoc"})
def add_times(panel, W, out, top, bottom):  # type: ignore[no-untyped-def]
    """out += W @ panel', over these rows of the panel."""
    width = W.shape[1]
    for i in range(top, bottom):
        row = panel[i]
        for c in range(W.shape[0]):
            weights = W[c]
            total = 0.0
            for k in range(width):
                total += row[k] * weights[k]
            out[c, i] += total
