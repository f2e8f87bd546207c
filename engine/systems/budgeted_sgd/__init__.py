"""Budgeted SGD: at most B support vectors; when there is one too many, two merge (Glasmachers and Qaadan, 2018).

In: labelled data, at once or as a stream. Out: a model of at most B support vectors; events for steps and merges.

Who calls whom: estimator -> training (tasks, streams, files) -> algorithm (the generator) -> budget (SGD steps and
maintenance, in numba) -> merging (the merging problem) and merging_tables (its precomputed solutions). Beside the
run: strategy_comparison (what other strategies would have chosen, and how long they take).
"""
