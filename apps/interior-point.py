"""The interior-point method on the stage: `panel serve apps/interior-point.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("interior-point").servable(title="Interior point · SVM Explorer")
