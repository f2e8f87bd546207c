"""DC-Pred++ on the stage, for the SVM and for kernel ridge regression.

In flow the tree, trained leaves, landmarks and compressed models; out flow cells and landmarks in the scene, the route
and cost of a point, and accuracy against cost. Read `presentation`, `reader` (exact and compressed models of the
leaves), `overlay` (the plane) or `overlay_regression` (curves) with `overlay_landmarks`, `view` with its part
`cost_sweep`, and `story`.
"""
