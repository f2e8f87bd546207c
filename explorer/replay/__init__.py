"""A recording as views see it.

In flows a recording, finished or still growing; out flow frames: the state of the solver at a cursor. Read `plane` and
`context` (what is known before the first event), `frame`, `reader` (events become frames and decision values, with
`decision_field` for grids), `lookup` (the frame at a cursor), and `playback` (how the cursor moves).
"""
