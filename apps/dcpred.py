"""DC-Pred++ on the stage: `panel serve apps/dcpred.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("dcpred").servable(title="DC-Pred++ · SVM Explorer")
