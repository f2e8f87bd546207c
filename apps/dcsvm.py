"""DC-SVM on the stage: `panel serve apps/dcsvm.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("dcsvm").servable(title="DC-SVM · SVM Explorer")
