"""The kernel SVM on the stage: `panel serve apps/kernel-svm.py`."""

import panel as pn

from explorer.pages.system_page import stage_page

pn.extension()
stage_page("kernel-svm").servable(title="Kernel SVM · SVM Explorer")
