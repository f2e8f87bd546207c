"""The incremental interior-point method: a coarse factorisation of K first, then a fine one (Wu et al., KDD 2006).

In: labelled data. Out: a model; events for pivots, factorisations and iterations.

Who calls whom: estimator -> training -> algorithm (the generator) -> factors (which approximate K) and
`engine.optimisation.central_path` (the iteration); at the end exact_problem (bias, objective and duality gap with the
exact kernel) and expansion (the decision function). diagnostics: what events show of a factorisation.
"""
