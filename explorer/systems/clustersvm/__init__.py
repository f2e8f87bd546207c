"""ClusterSVM on the stage.

In flow splits, representatives, reduced problems and revisions; out flow clusters in the scene and the figures below
it. Read `presentation`, `reader` (the clusters at a moment), `exact_solution` (found in the background, to compare
with), `overlay`, then `view` with its parts `split_tree` and `feasible_set`, and `story`.
"""
