"""The stage is the same for every solver: what a person can do on one page they can do on each."""

import re

import pytest
from playwright.sync_api import expect

from engine import SOLVERS, Recording
from tests.support.page import at_event, begun, button, scene

PAGES = [name for name in SOLVERS if name not in ("kernel-svm", "dcpred-ridge")]


@pytest.mark.parametrize("name", SOLVERS)
def test_home_leads_to_it(open_page, name):
    page = open_page("/")
    expect(page.get_by_role("heading", name="See kernel machines train")).to_be_visible()
    page.get_by_role("link", name=f"Open {SOLVERS[name].title}", exact=True).click()
    begun(page, name)


@pytest.mark.parametrize(("name", "setting", "message"), [
    ("kernel-svm", "C=-5", "C must be a finite number above 0 to 1e100; got -5.0"),
    ("dcsvm", "levels=99", "levels must be one of auto, 1"),
    ("clustersvm", "n_clusters=0", 'n_clusters must be a whole number from 1, or "sqrt"'),
    ("budgeted-sgd", "budget=0", "budget must be a whole number from 1"),
    ("dcpred", "landmark_ratio=7", "landmark_ratio must be a finite number above 0 to 1"),
    ("interior-point", "rank=0", 'rank must be a whole number from 1, or "auto"'),
])  # fmt: skip
def test_a_wrong_setting_in_a_link_is_named(open_page, name, setting, message):
    page = open_page(f"/{name}?{setting}")
    expect(page.get_by_text(message)).to_be_visible()
    begun(page, name)


@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_in_the_dark(open_page, name):
    page = open_page(f"/{name}", width=390, height=844, scheme="dark")
    expect(page.get_by_text(re.compile(r"event [\d,]+ of"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 391


@pytest.mark.parametrize("name", PAGES)
def test_draw_train_keep_and_play_by_keyboard(open_page, tmp_path, name):
    page = open_page(f"/{name}")
    expect(page.get_by_text(re.compile(r"event \d+ of"))).to_be_visible()
    button(page, "Draw").click()
    button(page, "Clear").click()
    expect(page.get_by_text("0 ● and 0 ▲")).to_be_visible()
    box = scene(page)
    for brush, y in (("● class −1", 120), ("▲ class 1", 320)):
        button(page, brush).click()
        page.wait_for_timeout(500)
        for k in range(4):
            page.mouse.click(box["x"] + 180 + 40 * k, box["y"] + y)
    expect(page.get_by_text("4 ● and 4 ▲")).to_be_visible()
    button(page, "Run").click()
    expect(page.get_by_text(re.compile("Finished"))).to_be_visible()
    with page.expect_download() as download:
        page.get_by_text("Save recording").click()
    path = tmp_path / "mine.svmrun"
    download.value.save_as(path)
    recording = Recording.load(path)
    assert recording.header.solver == name
    page.locator("body").click(position={"x": 1050, "y": 20})
    page.keyboard.press("Home")
    at_event(page, 1).to_be_visible()
    page.locator("input[type=file][accept='.svmrun']").set_input_files(path)
    at_event(page, len(recording)).to_be_visible()  # it has played from its beginning
    expect(button(page, "Play")).to_be_visible()
    page.keyboard.press("Home")
    at_event(page, 1).to_be_visible()
    page.keyboard.press("ArrowRight")
    at_event(page, 2).to_be_visible()


@pytest.mark.parametrize("name", PAGES)
def test_upload_a_good_and_a_bad_file(open_page, tmp_path, name):
    page = open_page(f"/{name}")
    button(page, "Upload").click()
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    rows = [f"{x},{'in' if x * y > 6 else 'out'},{y}" for x in range(6) for y in range(6)]
    good.write_text("\n".join(["a,side,b", *rows]))
    bad.write_text("a,b,side\n1,2,in\n3,four,out\n")
    chooser = page.locator("input[type=file][accept*='.csv']")
    chooser.set_input_files(good)
    expect(page.get_by_role("combobox", name="Label column")).to_have_text("side")
    expect(page.get_by_text(re.compile("Finished"))).to_be_visible()
    chooser.set_input_files(bad)
    expect(page.get_by_text(re.compile(r"bad\.csv, line 3, column 2"))).to_be_visible()
