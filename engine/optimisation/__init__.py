"""The dual problem of an SVM, how it is measured, and the interior-point iteration that two systems use.

In: points, labels and a kernel. Out: objective, gradient, duality gap and KKT violation of any alpha; a `Solution`.

Read `dual_problem` (the problem and all its measures), `solution` (what a solver of it returns), then `kernel_factor`
(what an interior-point method asks of a factorisation of K) and `central_path` (one primal-dual iteration over it).
"""
