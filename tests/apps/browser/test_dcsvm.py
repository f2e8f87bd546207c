"""DC-SVM in a real browser: what a person does, and what they see."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.page import (
    COLUMN,
    TITLES,
    at_event,
    begun,
    button,
    change,
    pause,
    place,
    settled,
    to_the_end,
    wait_for,
)

SMALL = "/dcsvm?data=checkerboard-filled&size=400&C=10&gamma=4&levels=2&working_set=32"
FIELD = """() => {
  for (const model of Bokeh.documents.at(-1)._all_models.values())
    if (model.type === "GlyphRenderer" && model.glyph.type === "Image" && model.glyph.color_mapper.low === -2)
      return Array.from(model.data_source.get_array("image")[0] ?? []).reduce((a, b, k) => a + b * (k % 97), 0)
}"""
SEAMS = """() => {
  for (const model of Bokeh.documents.at(-1)._all_models.values())
    if (model.type === "GlyphRenderer" && model.glyph.type === "Line" && model.glyph.line_alpha?.value === 0.6)
      return [model.visible, model.data_source.get_array("x").length]
}"""


@pytest.fixture
def stage(open_page):
    return begun(open_page("/dcsvm"), "dcsvm")


def test_cells_are_solved_before_ones_eyes_and_one_can_go_back(stage):
    pause(stage)
    here, _ = place(stage)
    assert stage.evaluate(SEAMS)[1] > 50
    button(stage, "Step back").click()
    at_event(stage, here - 1).to_be_visible()
    stage.get_by_label("Step size").select_option("phase")
    button(stage, "To start").click()
    button(stage, "Step forward").click()
    expect(stage.get_by_text(re.compile(r"event \d+ of \d+ · level 3 · 64"))).to_be_visible()
    expect(stage.get_by_text("are to be divided into 64 cells")).to_be_visible()


def test_to_the_end_phases_and_the_levels(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    for name in ("level 2 · 16", "level 1 · 4", "refine", "whole"):
        expect(page.get_by_title(name)).to_have_count(1)
    wanted = {"Support vectors found", "Gap, and what bounds it", "Early: test points right, %"}
    wait_for(page, lambda: wanted <= set(page.evaluate(TITLES)))
    wait_for(page, lambda: len(page.evaluate(COLUMN, "recall") or []) == 2)
    assert all(value > 0.5 for value in page.evaluate(COLUMN, "recall"))


def test_the_early_field_can_be_switched_to_the_exact_one_and_cells_off(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    button(page, "To start").click()
    page.get_by_label("Step size").select_option("phase")
    for _ in range(3):
        button(page, "Step forward").click()
        page.wait_for_timeout(300)
    settled(page, lambda here, of: 1 < here < of)
    page.get_by_label("Step size").select_option("event")
    button(page, "Step back").click()
    page.wait_for_timeout(1000)
    early = page.evaluate(FIELD)
    button(page, "early field").click()
    page.wait_for_function(f"({FIELD})() !== {early}")
    button(page, "cells").click()
    page.wait_for_function(f"!({SEAMS})()[0]")


def test_change_run_share_and_open_anew(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    change(page, "C", "3")
    to_the_end(page)
    other = open_page("/dcsvm" + page.evaluate("location.search"))
    to_the_end(other)
    assert place(other)[1] == place(page)[1]
