"""The home page: `panel serve apps/*.py --index index`."""

import panel as pn

from explorer.pages.home import home_page

pn.extension()
home_page().servable(title="SVM Explorer")
