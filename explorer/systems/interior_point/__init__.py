"""The interior-point method on the stage.

In flow pivots, factorisations and iterations; out flow pivots in the scene, the central path, and the kernel matrix
with what stands for it. Read `presentation`, `reader` (the factorisation and the iterate at a moment), `overlay`,
`view` with its part `kernel_matrix`, and `story`.
"""
