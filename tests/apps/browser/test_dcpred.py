"""DC-Pred++ in a real browser: what a person does, and what they see."""

from playwright.sync_api import expect

from tests.support.page import COLUMN, SPOT, TITLES, button, to_the_end, wait_for

SMALL = "/dcpred?data=checkerboard-filled&size=400&C=1&gamma=4&n_leaves=8&landmark_ratio=0.15"
CURVE = "/dcpred-ridge?data=waves&size=200&gamma=4&n_leaves=4&landmark_ratio=0.1"


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
