"""Budgeted SGD in a real browser: what a person does, and what they see."""

import pytest
from playwright.sync_api import expect

from tests.support.page import COLUMN, TITLES, begun, button, change, pause, place, to_the_end, wait_for

SMALL = "/budgeted-sgd?data=moons&size=200&C=10&gamma=4&budget=15&epochs=2"
END = "all passes done"


@pytest.fixture
def stage(open_page):
    return begun(open_page("/budgeted-sgd"), "budgeted-sgd")


def test_from_merge_to_merge(stage):
    pause(stage)
    button(stage, "To start").click()
    stage.get_by_label("Step size").select_option("merge")
    button(stage, "Step forward").click()
    expect(stage.get_by_text("Merge 1.")).to_be_visible()
    button(stage, "Step forward").click()
    expect(stage.get_by_text("Merge 2.")).to_be_visible()
    here, _ = place(stage)
    button(stage, "Step back").click()
    expect(stage.get_by_text("Merge 1.")).to_be_visible()
    assert place(stage)[0] < here
    assert len(stage.evaluate(COLUMN, "kappa")) > 0


def test_to_the_end_and_a_race_of_the_strategies(open_page):
    page = open_page(SMALL)
    to_the_end(page, END)
    expect(page.get_by_title("pass 2")).to_have_count(1)
    button(page, "Race the strategies").click()
    wait_for(page, lambda: len(page.evaluate(COLUMN, "accuracy") or []) == 6)


def test_a_slider_looks_at_any_place(open_page):
    page = open_page(SMALL)
    to_the_end(page, END)
    slider = page.get_by_role("slider", name="m", exact=True)
    slider.scroll_into_view_if_needed()
    slider.focus()
    slider.press("Home")
    wait_for(page, lambda: any(title.startswith("s(h), m = 0,") for title in page.evaluate(TITLES)))


def test_change_the_budget_and_share(open_page):
    page = open_page(SMALL)
    to_the_end(page, END)
    change(page, "budget", "7")
    other = open_page("/budgeted-sgd" + page.evaluate("location.search"))
    to_the_end(other, END)
    expect(other.get_by_text("7 of 7")).to_be_visible()
