"""Arithmetic that knows no problem: kernels, k-means, Cholesky, and the loops below them.

In: arrays. Out: arrays; what takes long is a generator, so that a run can be paused meanwhile.

Read `points` (data in the form that kernels take), `kernels` (K(A, B) in tiles), `kernel_loops` (its numba loops). Each
of the others stands alone: `kmeans`, `cholesky`, `tall_products`, `simd` (sixteen floats at a time), `jit`.
"""
