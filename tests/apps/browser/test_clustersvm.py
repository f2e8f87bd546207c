"""ClusterSVM in a real browser: what a person does, and what they see."""

import re

from playwright.sync_api import expect

from tests.support.page import COLUMN, TITLES, button, to_the_end, wait_for

SMALL = "/clustersvm?data=moons&size=200&C=10&gamma=1&n_clusters=5&max_passes=none&working_set=16"
WAY = re.compile(r"(PDDP splits|clusters of|Who stands for whom|The reduced set|Iteration \d+)")


def test_home_leads_to_clustersvm(open_page):
    page = open_page("/")
    page.get_by_role("link", name="Open ClusterSVM").click()
    expect(page.get_by_text(WAY).first).to_be_visible()


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
    field = page.get_by_label(re.compile("^most passes"))
    expect(field).to_have_value("1")
    page.wait_for_timeout(1500)  # until the last part of the page is there, as any person would
    for passes, end in (("0", "Finished: passes"), ("none", "Finished: converged")):
        field.fill(passes)
        page.keyboard.press("Enter")
        button(page, "Run").click()
        page.wait_for_function(f"location.search.includes('max_passes={passes}')")
        expect(page.get_by_text(end)).to_be_visible()


def test_a_wrong_number_of_clusters_in_a_link_is_named(open_page):
    page = open_page("/clustersvm?n_clusters=0")
    expect(page.get_by_text(re.compile('n_clusters must be a whole number from 1, or "sqrt"'))).to_be_visible()
    expect(page.get_by_text(WAY).first).to_be_visible()


def test_clustersvm_on_a_phone_in_the_dark(open_page):
    page = open_page(SMALL, width=390, height=844, scheme="dark")
    expect(page.get_by_text(re.compile(r"event [\d,]+ of"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
