"""Budgeted SGD on the stage.

In flow steps and merges; out flow merges that slide together in the scene, the surfaces of the merging tables, and the
strategies compared. Read `presentation`, `reader` (the vectors of the budget), `overlay`, `view` with its part
`strategy_comparison`, and `story`.
"""
