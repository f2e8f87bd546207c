"""The figures that all systems share, in raw Bokeh, updated in place.

In flow frames; out flow columns of figures. Read `scene` (data, field and support vectors in the plane; `marks` draws
many points as one image), `charts` (curves over a run), then `overlay` and `view`: what a system may add, and `tile`,
`annotation`, `hull`, `matrix_image` and `sources`, which help it to.
"""
