"""What a person does, in a real browser, and what they see."""

import re

import pytest
from playwright.sync_api import expect

from engine import Recording


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def place(page):
    """(event, of how many) as the transport says it."""
    text = page.get_by_text(re.compile(r"event [\d,]+ of [\d,]+")).inner_text()
    return tuple(int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", text)[:2])


@pytest.fixture
def stage(open_page):
    page = open_page("/kernel-svm")
    expect(page.get_by_text(re.compile(r"Iteration \d+\."))).to_be_visible()
    return page


def test_home_leads_to_the_kernel_svm(open_page):
    page = open_page("/")
    page.get_by_role("link", name="Open Kernel SVM").click()
    expect(page.get_by_text("How far from the optimum?")).to_have_count(0)  # it is drawn, not written
    expect(page.get_by_text(re.compile(r"Iteration \d+\."))).to_be_visible()


def test_pause_step_and_go_back(stage):
    button(stage, "Pause").click()
    expect(button(stage, "Play")).to_be_visible()
    stage.wait_for_timeout(500)
    here, _ = place(stage)
    stage.wait_for_timeout(600)
    assert place(stage)[0] == here
    button(stage, "Step back").click()
    expect(stage.get_by_text(re.compile(rf"event {here - 1} of"))).to_be_visible()
    button(stage, "Step forward").click()
    expect(stage.get_by_text(re.compile(rf"event {here} of"))).to_be_visible()
    button(stage, "To start").click()
    expect(stage.get_by_text(re.compile(r"event 1 of"))).to_be_visible()
    expect(stage.get_by_text(re.compile(r"Start\."))).to_be_visible()
    button(stage, "To end").click()
    expect(stage.get_by_text(re.compile(r"Start\."))).to_have_count(0)


def test_keyboard_alone(stage):
    stage.locator("body").click(position={"x": 700, "y": 30})
    stage.keyboard.press("Space")
    expect(button(stage, "Play")).to_be_visible()
    stage.keyboard.press("Home")
    expect(stage.get_by_text(re.compile(r"event 1 of"))).to_be_visible()
    stage.keyboard.press("ArrowRight")
    expect(stage.get_by_text(re.compile(r"event 2 of"))).to_be_visible()
    stage.keyboard.press("ArrowLeft")
    expect(stage.get_by_text(re.compile(r"event 1 of"))).to_be_visible()
    stage.get_by_label("C", exact=True).click()
    stage.keyboard.press("End")  # while typing, keys belong to the field
    stage.wait_for_timeout(500)
    assert place(stage)[0] == 1


def test_another_c_and_run_again(stage):
    field = stage.get_by_label("C", exact=True)
    field.fill("0.5")
    field.press("Enter")
    stage.wait_for_timeout(300)
    button(stage, "Run").click()
    expect(stage.get_by_text(re.compile(r"Iteration \d+\."))).to_be_visible()
    field.fill("-4")
    field.press("Enter")
    stage.wait_for_timeout(300)
    button(stage, "Run").click()
    expect(stage.get_by_text("C must be a finite number above 0; got -4.0")).to_be_visible()


def test_phone_and_dark(open_page):
    page = open_page("/kernel-svm", 390, 844, "dark")
    expect(page.get_by_text(re.compile(r"event \d+ of"))).to_be_visible()
    expect(button(page, "Run")).to_be_hidden()  # the drawer starts closed
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
    shade = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", shade)[:3]) < 60


def test_share_a_moment_and_open_it_anew(stage, open_page):
    button(stage, "Pause").click()
    expect(button(stage, "Play")).to_be_visible()
    button(stage, "To start").click()
    button(stage, "Step forward").click()
    expect(stage.get_by_text(re.compile(r"event 2 of"))).to_be_visible()
    button(stage, "Share").click()
    link = stage.get_by_role("link", name=re.compile("data=checkerboard-filled")).get_attribute("href")
    anew = open_page("/kernel-svm?" + link.split("?")[1])
    expect(anew.get_by_text(re.compile(r"event 2 of"))).to_be_visible()
    expect(button(anew, "Play")).to_be_visible()


def test_a_wrong_link_is_explained(open_page):
    page = open_page("/kernel-svm?C=-5")
    expect(page.get_by_text("C must be a finite number above 0; got -5.0")).to_be_visible()
    expect(page.get_by_text(re.compile(r"event \d+ of"))).to_be_visible()


def test_save_and_open_a_recording(stage, tmp_path):
    button(stage, "Pause").click()
    expect(button(stage, "Play")).to_be_visible()
    with stage.expect_download() as download:
        stage.get_by_text("Save recording").click()
    path = tmp_path / "mine.svmrun"
    download.value.save_as(path)
    events = len(Recording.load(path))
    stage.locator("input[type=file][accept='.svmrun']").set_input_files(path)
    expect(stage.get_by_text(re.compile(rf"event \d+ of {events}\b"))).to_be_visible()


def test_upload_a_good_and_a_bad_file(stage, tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    rows = [f"{x},{y},{'in' if x * y > 6 else 'out'}" for x in range(6) for y in range(6)]
    good.write_text("\n".join(["a,b,side", *rows]))
    bad.write_text("a,b,side\n1,2,in\n3,four,out\n")
    button(stage, "Upload").click()
    chooser = stage.locator("input[type=file][accept*='.csv']")
    chooser.set_input_files(good)
    stage.wait_for_timeout(2500)
    button(stage, "To start").click()
    expect(stage.get_by_text(re.compile("36 points in 2 dimensions"))).to_be_visible()
    chooser.set_input_files(bad)
    expect(stage.get_by_text(re.compile(r"bad\.csv, line 3, column 2"))).to_be_visible()
