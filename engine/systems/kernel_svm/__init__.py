"""The kernel SVM by decomposition: LIBSVM's solution, by large working sets on all cores.

In: labelled data. Out: a model with support vectors; `Iteration` and `ActiveSetChanged` on the way. The algorithm and
the queue of subproblems are also the tools of the systems that build on it.

Who calls whom: estimator -> training -> algorithm (the generator) -> state (what one iteration does to variables,
gradient and active set) -> row_cache (kernel rows) and smo (two-variable steps). A kernel of few features goes through
low_rank first; precision measures how far rounding lets the gradient be trusted. `subproblems` solves parts of a
problem side by side.
"""
