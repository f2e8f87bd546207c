"""Budgeted SGD on the stage: `panel serve apps/budgeted-sgd.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("budgeted-sgd").servable(title="Budgeted SGD · SVM Explorer")
