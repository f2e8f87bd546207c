"""DC-Pred++, kernel ridge regression, on the stage: `panel serve apps/dcpred-ridge.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("dcpred-ridge").servable(title="DC-Pred++ (ridge) · SVM Explorer")
