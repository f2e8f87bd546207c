"""ClusterSVM on the stage: `panel serve apps/clustersvm.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("clustersvm").servable(title="ClusterSVM · SVM Explorer")
