"""The interior-point method in a real browser: what a person does, and what they see."""

import re

from playwright.sync_api import expect

from tests.support.page import COLUMN, TITLES, button, to_the_end, wait_for

SMALL = "/interior-point?data=moons&size=200&C=10&gamma=1&rank=30&coarse_rank=12"
WAY = re.compile(r"(Pivot \d+|Iteration \d+\.|Factorise by|K ≈)")


def test_home_leads_to_the_interior_point_method(open_page):
    page = open_page("/")
    page.get_by_role("link", name="Open Interior point").click()
    expect(page.get_by_text(WAY).first).to_be_visible()


def test_from_pivot_to_pivot_and_along_the_path(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    for name in ("interior point · icf 12", "interior point · icf 30", "exact kernel"):
        expect(page.get_by_title(name)).to_have_count(1)
    button(page, "To start").click()
    page.get_by_label("Step size").select_option("iteration")
    for pivot in ("Pivot 1 ", "Pivot 2 "):
        button(page, "Step forward").click()
        expect(page.get_by_text(pivot.strip(), exact=True)).to_be_visible()
    page.get_by_label("Step size").select_option("phase")
    for phase in ("Along the central path.", "Factorise"):
        button(page, "Step forward").click()
        expect(page.get_by_text(phase, exact=True)).to_be_visible()
    wait_for(page, lambda: len(page.evaluate(COLUMN, "sigma") or []) > 0)


def test_a_kronecker_product_shows_its_error(open_page):
    page = open_page(f"{SMALL}&scheme=kronecker")
    to_the_end(page)
    wait_for(page, lambda: any(title.startswith("K − B ⊗ C") for title in page.evaluate(TITLES)))


def test_change_the_rank_and_share(open_page):
    page = open_page(SMALL)
    to_the_end(page)
    field = page.get_by_label("rank", exact=True)
    page.wait_for_timeout(1500)  # until the last part of the page is there, as any person would
    field.fill("20")
    page.keyboard.press("Enter")
    expect(field).to_have_value("20")
    button(page, "Run").click()
    page.wait_for_function("location.search.includes('rank=20')")
    other = open_page("/interior-point" + page.evaluate("location.search"))
    to_the_end(other)
    expect(other.get_by_title("interior point · icf 20")).to_have_count(1)


def test_a_wrong_rank_in_a_link_is_named(open_page):
    page = open_page("/interior-point?rank=0")
    expect(page.get_by_text(re.compile('rank must be a whole number from 1, or "auto"'))).to_be_visible()
    expect(page.get_by_text(WAY).first).to_be_visible()


def test_the_interior_point_method_on_a_phone_in_the_dark(open_page):
    page = open_page(SMALL, width=390, height=844, scheme="dark")
    expect(page.get_by_text(re.compile(r"event [\d,]+ of"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
