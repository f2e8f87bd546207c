"""Factorisations of the kernel matrix, each with `product`, `prepare` and `solve` of `Factor`.

In: a dual problem. Out: K~, products with it and solutions of (K~ + D) u = v for one diagonal D after the other.

`full_cholesky` is all of K. `low_rank` is HH' for any H, `incomplete_cholesky` finds such an H by greedy pivots.
`kronecker` is a Kronecker product over a `product_grid`, whose equations `kronecker_equations` solves.
"""
