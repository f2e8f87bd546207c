"""From labelled data to a model: what all systems share.

In: X and y. Out: binary problems for a system's solver, and a `Model` with its scikit-learn estimator.

Read `system` (the one object that a system registers), `settings` and `common_settings` (tables of settings),
`validation` (checks of X and y), `multiclass` (binary tasks and back), `model` (the model and its file), `sealed` (what
notices exchanged arrays of a model), `estimator` (the base of all estimators; it needs scikit-learn, so it is imported
late).
"""
