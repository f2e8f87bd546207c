"""DC-SVM on the stage.

In flow partitions, solved cells and finished levels; out flow cells in the scene, the early field, and the levels as
figures. Read `presentation`, `reader` (alpha amid a level), `levels` (what is known of each), then `view`, `overlay`,
`curves` and `story`.
"""
