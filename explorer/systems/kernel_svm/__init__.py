"""The kernel SVM on the stage.

In flow iterations of the dual solver; out flow the KKT picture, the curves of a dual problem, and their story. Read
`presentation`, then `story`, `curves` (other systems build on both) and `view`. The common reader reads its events.
"""
