"""ClusterSVM in a real browser: what a person does, and what they see."""

import re

from playwright.sync_api import expect

from tests.support.page import COLUMN, TITLES, button, change, to_the_end, wait_for

SMALL = "/clustersvm?data=moons&size=200&C=10&gamma=1&n_clusters=5&max_passes=none&working_set=16"


def test_splits_then_passes_then_exact(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    for name in ("clusters", "initial SVM", "pass 1"):
        expect(page.get_by_title(name, exact=True)).to_have_count(1)
    expect(page.get_by_text("The answer is the exact one")).to_be_visible()
    wanted = {"Scatter, split by split", "What became of clusters?", "Feasible set (Prop. 2.1)"}
    wait_for(page, lambda: wanted <= set(page.evaluate(TITLES)))
    wait_for(page, lambda: (page.evaluate(COLUMN, "replaced") or [0])[-1] > 0)
    button(page, "To start").click()
    page.get_by_label("Step size").select_option("iteration")
    button(page, "Step forward").click()
    expect(page.get_by_text("PDDP splits a cluster", exact=True)).to_be_visible()
    wait_for(page, lambda: len(page.evaluate(COLUMN, "angle") or []) == 1)  # the arrow along the principal direction


def test_change_the_passes_and_share(open_page):
    page = open_page(SMALL.replace("max_passes=none", "max_passes=1"))
    page.get_by_label("Speed").select_option("full speed")
    label = re.compile("^most passes")
    expect(page.get_by_label(label)).to_have_value("1")
    for passes, end in (("0", "Finished: passes"), ("none", "Finished: converged")):
        change(page, "max_passes", passes, label)
        expect(page.get_by_text(end)).to_be_visible()
