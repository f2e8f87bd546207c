"""Budgeted SGD in a real browser: what a person does, and what they see."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.page import COLUMN, button, pause, place

SMALL = "/budgeted-sgd?data=moons&size=200&C=10&gamma=4&budget=15&epochs=2"


@pytest.fixture
def stage(open_page):
    page = open_page("/budgeted-sgd")
    expect(page.get_by_text(re.compile(r"(Step [\d,]+ of|Merge [\d,]+\.)"))).to_be_visible()
    return page


def to_the_end(page):
    page.get_by_label("Speed").select_option("full speed")
    expect(page.get_by_text("Finished: all passes done")).to_be_visible()


def test_home_leads_to_budgeted_sgd(open_page):
    page = open_page("/")
    page.get_by_role("link", name="Open Budgeted SGD").click()
    expect(page.get_by_text(re.compile(r"(Step [\d,]+ of|Merge [\d,]+\.)"))).to_be_visible()


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
    to_the_end(page)
    expect(page.get_by_title("pass 2")).to_have_count(1)
    button(page, "Race the strategies").click()
    for _ in range(300):
        if len(names := page.evaluate(COLUMN, "accuracy") or []) == 6:
            break
        page.wait_for_timeout(200)
    assert len(names) == 6


def test_a_slider_looks_at_any_place(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    titles = (
        "() => [...Bokeh.documents.at(-1)._all_models.values()].filter((m) => m.type === 'Title').map((m) => m.text)"
    )
    slider = page.get_by_role("slider", name="m", exact=True)
    slider.scroll_into_view_if_needed()
    slider.focus()
    slider.press("Home")
    for _ in range(100):
        if any(title.startswith("s(h), m = 0,") for title in page.evaluate(titles)):
            return
        page.wait_for_timeout(100)
    raise AssertionError(page.evaluate(titles))


def test_change_the_budget_and_share(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    field = page.get_by_label("budget", exact=True)
    page.wait_for_timeout(1500)  # until the last part of the page is there, as any person would
    field.fill("7")
    page.keyboard.press("Enter")
    expect(field).to_have_value("7")
    button(page, "Run").click()
    page.wait_for_function("location.search.includes('budget=7')")
    other = open_page("/budgeted-sgd" + page.evaluate("location.search"))
    to_the_end(other)
    expect(other.get_by_text("7 of 7")).to_be_visible()


def test_a_wrong_budget_in_a_link_is_named(open_page):
    page = open_page("/budgeted-sgd?budget=0")
    expect(page.get_by_text(re.compile("budget must be a whole number from 1"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"(Step [\d,]+ of|Merge [\d,]+\.)"))).to_be_visible()


def test_budgeted_sgd_on_a_phone_in_the_dark(open_page):
    page = open_page(SMALL, width=390, height=844, scheme="dark")
    expect(page.get_by_text(re.compile(r"event [\d,]+ of"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
