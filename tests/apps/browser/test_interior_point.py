"""The interior-point method in a real browser: what a person does, and what they see."""

from playwright.sync_api import expect

from tests.support.page import COLUMN, TITLES, button, change, to_the_end, wait_for

SMALL = "/interior-point?data=moons&size=200&C=10&gamma=1&rank=30&coarse_rank=12"


def test_from_pivot_to_pivot_and_along_the_path(open_page):
    page = open_page(SMALL)
    to_the_end(page, "approximate")
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
    to_the_end(page, "approximate")
    wait_for(page, lambda: any(title.startswith("K − B ⊗ C") for title in page.evaluate(TITLES)))


def test_change_the_rank_and_share(open_page):
    page = open_page(SMALL)
    to_the_end(page, "approximate")
    change(page, "rank", "20")
    other = open_page("/interior-point" + page.evaluate("location.search"))
    to_the_end(other, "approximate")
    expect(other.get_by_title("interior point · icf 20")).to_have_count(1)
