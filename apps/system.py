"""Any system on the stage, by the name in the address, /system?solver=NAME: `panel serve apps/system.py`."""

import panel as pn

from explorer.pages.system_page import any_stage_page

pn.extension()
any_stage_page().servable(title="SVM Explorer")
