"""DC-Pred++ in a real browser: what a person does, and what they see."""

import re

from playwright.sync_api import expect

from tests.support.page import COLUMN, SPOT, TITLES, button, to_the_end, wait_for

SMALL = "/dcpred?data=checkerboard-filled&size=400&C=1&gamma=4&n_leaves=8&landmark_ratio=0.15"
CURVE = "/dcpred-ridge?data=waves&size=200&gamma=4&n_leaves=4&landmark_ratio=0.1"
WAY = re.compile(r"(Divided\.|Trained: leaf \d+|Leaf \d+)")


def test_home_leads_to_dcpred(open_page):
    page = open_page("/")
    page.get_by_role("link", name="Open DC-Pred++", exact=True).click()
    expect(page.get_by_text(WAY).first).to_be_visible()


def test_from_the_tree_to_a_fast_machine_and_the_route_of_a_point(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    for name in ("tree", "leaves", "compress"):
        expect(page.get_by_title(name, exact=True)).to_have_count(1)
    page.wait_for_timeout(1500)  # until the last part of the page is there, as any person would
    page.mouse.click(*page.evaluate(SPOT))
    wait_for(page, lambda: any("turns to leaf" in title for title in page.evaluate(TITLES)))
    assert any(title.startswith("What decides") for title in page.evaluate(TITLES))
    button(page, "To start").click()
    page.get_by_label("Step size").select_option("phase")
    for phase in ("The tree.", "The leaves.", "Compress."):
        button(page, "Step forward").click()
        expect(page.get_by_text(phase, exact=True)).to_be_visible()


def test_a_regression_is_a_curve_and_its_costs_are_swept(open_page):
    page = open_page(CURVE)
    to_the_end(page)
    wait_for(page, lambda: len(page.evaluate(COLUMN, "quality") or []) > 2)
    expect(page.get_by_role("button", name="Draw", exact=True)).to_have_count(0)


def test_a_wrong_setting_in_a_link_is_named(open_page):
    page = open_page("/dcpred?landmark_ratio=7")
    expect(page.get_by_text(re.compile("landmark_ratio must be a finite number above 0 to 1"))).to_be_visible()
    expect(page.get_by_text(WAY).first).to_be_visible()


def test_dcpred_on_a_phone_in_the_dark(open_page):
    page = open_page(SMALL, width=390, height=844, scheme="dark")
    expect(page.get_by_text(re.compile(r"event [\d,]+ of"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
