"""What a person does, in a real browser, and what they see."""

import re

import pytest
from playwright.sync_api import expect

from engine import Recording
from tests.support.page import SPOT, at_event, begun, button, pause, place, scene, settled


@pytest.fixture
def stage(open_page):
    return begun(open_page("/kernel-svm"), "kernel-svm")


def test_pause_step_and_go_back(stage):
    pause(stage)
    here, _ = place(stage)
    stage.wait_for_timeout(600)
    assert place(stage)[0] == here
    button(stage, "Step back").click()
    at_event(stage, here - 1).to_be_visible()
    button(stage, "Step forward").click()
    at_event(stage, here).to_be_visible()
    button(stage, "To start").click()
    at_event(stage, 1).to_be_visible()
    expect(stage.get_by_text(re.compile(r"Start\."))).to_be_visible()
    button(stage, "To end").click()
    expect(stage.get_by_text(re.compile(r"Start\."))).to_have_count(0)


def test_scrubbing_unpins_and_live_pins_again(stage):
    pause(stage)
    slider = stage.get_by_role("slider", name="Timeline")
    box = slider.bounding_box()
    stage.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    stage.mouse.down()
    stage.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    stage.mouse.up()
    expect(button(stage, "Live")).to_have_attribute("aria-pressed", "false")
    _, of = settled(stage, lambda here, of: 0.3 < here / of < 0.7)
    button(stage, "Live").click()
    expect(button(stage, "Live")).to_have_attribute("aria-pressed", "true")
    at_event(stage, of).to_be_visible()


def test_phases_are_on_the_timeline_and_a_step_can_be_one(stage):
    expect(stage.get_by_title("optimise")).to_be_visible()
    pause(stage)
    button(stage, "To start").click()
    stage.get_by_label("Step size").select_option("phase")
    button(stage, "Step forward").click()
    expect(stage.get_by_text(re.compile(r"event \d+ of \d+ · optimise"))).to_be_visible()


def test_keys(stage):
    stage.locator("body").click(position={"x": 1050, "y": 20})
    stage.keyboard.press("Space")
    expect(button(stage, "Play")).to_be_visible()
    stage.keyboard.press("Home")
    at_event(stage, 1).to_be_visible()
    stage.keyboard.press("ArrowRight")
    at_event(stage, 2).to_be_visible()
    stage.keyboard.press("ArrowLeft")
    at_event(stage, 1).to_be_visible()
    button(stage, "misses").click()  # a button needs the space bar alone
    stage.keyboard.press("ArrowRight")
    at_event(stage, 2).to_be_visible()
    stage.keyboard.press("Home")
    at_event(stage, 1).to_be_visible()
    stage.get_by_label("C", exact=True).click()
    stage.keyboard.press("End")  # while typing, keys belong to the field
    stage.wait_for_timeout(500)
    assert place(stage)[0] == 1


def test_the_keyboard_alone_reaches_and_works_every_control(stage):
    seen = set()
    wanted = {"To start", "Step back", "Pause", "Step forward", "To end", "Timeline", "Speed", "Step size", "Live"}
    focused = """() => {
      let e = document.activeElement
      while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement
      return e?.getAttribute("aria-label") ?? e?.innerText?.split("\\n").at(-1) ?? "" }"""
    button(stage, "To start").focus()
    for _ in range(12):
        seen.add(stage.evaluate(focused))
        stage.keyboard.press("Tab")
    assert wanted <= seen
    button(stage, "Pause").focus()
    stage.keyboard.press("Enter")
    expect(button(stage, "Play")).to_be_visible()
    slider = stage.get_by_role("slider", name="Timeline")
    slider.focus()
    slider.press("Home")
    at_event(stage, 1).to_be_visible()
    slider.press("ArrowRight")
    at_event(stage, 2).to_be_visible()
    slider.press("End")
    expect(button(stage, "Live")).to_have_attribute("aria-pressed", "true")
    run = button(stage, "Run")
    run.focus()
    run.press("Enter")
    expect(button(stage, "Pause")).to_be_visible()


def test_a_menu_opens_and_chooses_by_keyboard(stage):
    menu = stage.get_by_role("combobox", name="Data set")
    menu.focus()
    menu.press("Enter")
    chosen = stage.get_by_role("menuitem", name="Two moons", exact=True)
    expect(chosen).to_be_visible()
    chosen.focus()
    chosen.press("Enter")
    expect(stage.get_by_role("combobox", name="Data set")).to_have_text("Two moons")


def test_every_control_has_a_name(stage):
    unnamed = stage.evaluate(
        """() => {
          const bad = []
          const walk = (root) => { for (const e of root.querySelectorAll("*")) {
            if (["BUTTON", "INPUT", "SELECT", "TEXTAREA"].includes(e.tagName) && e.offsetParent && e.type !== "file" &&
                !e.ariaHidden) {
              const label = e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.title ||
                e.innerText?.trim() || e.labels?.[0]?.innerText
              if (!label) bad.push(e.outerHTML.slice(0, 200))
            }
            if (e.shadowRoot) walk(e.shadowRoot)
          } }
          walk(document)
          return bad
        }"""
    )
    assert unnamed == []


def test_another_c_and_run_again(stage):
    field = stage.get_by_label("C", exact=True)
    field.fill("0.5")
    field.press("Enter")
    stage.wait_for_timeout(300)
    button(stage, "Run").click()
    expect(stage).to_have_url(re.compile(r"[?&]C=0\.5&"))
    expect(stage.get_by_text(re.compile(r"Iteration \d+\."))).to_be_visible()
    field.fill("-4")
    field.press("Enter")
    stage.wait_for_timeout(300)
    button(stage, "Run").click()
    expect(stage.get_by_text("C must be a finite number above 0 to 1e100; got -4.0")).to_be_visible()


def test_draw_points_and_train_on_them(stage):
    button(stage, "Draw").click()
    button(stage, "Clear").click()
    expect(stage.get_by_text("0 ● and 0 ▲")).to_be_visible()
    box = scene(stage)
    left, top = box["x"], box["y"]
    for k in range(3):
        stage.mouse.click(left + 180 + 25 * k, top + 120)
    expect(stage.get_by_text("3 ● and 0 ▲")).to_be_visible()
    button(stage, "▲ class 1").click()
    stage.wait_for_timeout(500)
    stage.mouse.move(left + 180, top + 330)
    stage.mouse.down()
    stage.mouse.move(left + 420, top + 340, steps=12)
    stage.mouse.up()
    expect(stage.get_by_text(re.compile(r"3 ● and [5-9]\d? ▲|3 ● and 1\d ▲"))).to_be_visible()
    button(stage, "Undo").click()
    expect(stage.get_by_text("3 ● and 0 ▲")).to_be_visible()
    stage.mouse.click(left + 250, top + 330)
    stage.mouse.click(left + 350, top + 330)
    expect(stage.get_by_text("3 ● and 2 ▲")).to_be_visible()
    button(stage, "erase").click()
    stage.wait_for_timeout(500)
    stage.mouse.click(left + 350, top + 330)
    expect(stage.get_by_text("3 ● and 1 ▲")).to_be_visible()
    button(stage, "Run").click()
    expect(stage.get_by_text(re.compile("Finished: converged"))).to_be_visible()
    expect(stage).to_have_url(re.compile(r"[?&]points="))


def test_a_click_pins_a_point(stage, open_page):
    page = open_page("/kernel-svm?data=moons&size=60&C=10&gamma=2&working_set=4&at=12")
    at_event(page, 13).to_be_visible()
    titles = (
        "() => [...Bokeh.documents[0]._all_models.values()].filter(m => m.type === 'Figure').map(m => m.title.text)"
    )
    page.wait_for_function(f"() => ({titles})().includes('α of a point')")
    page.mouse.click(*page.evaluate(SPOT))
    page.wait_for_function(f"() => ({titles})().some((title) => /α of point \\d+/.test(title))")


def test_layers_and_axis_are_in_the_link(stage, open_page):
    button(stage, "misses").click()
    button(stage, "field").click()
    button(stage, "kernel evaluations").click()
    expect(stage).to_have_url(
        re.compile(r"axis=kernel\+evaluations&layers=margins,points,support\+vectors,working\+set,misses")
    )
    anew = open_page("/kernel-svm?" + stage.url.split("?")[1])
    expect(button(anew, "field")).to_have_attribute("aria-pressed", "false")
    expect(button(anew, "misses")).to_have_attribute("aria-pressed", "true")
    expect(button(anew, "kernel evaluations")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(("width", "height", "scheme"), [(390, 844, "dark"), (390, 844, "light"), (1920, 1080, "dark")])
def test_every_size_and_scheme(open_page, width, height, scheme):
    page = open_page("/kernel-svm", width, height, scheme)
    expect(page.get_by_text(re.compile(r"event \d+ of"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width + 1
    if width < 900:
        expect(button(page, "Run")).to_be_hidden()  # the drawer starts closed
    shade = "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))"
    page.wait_for_function(f"{shade} < 60" if scheme == "dark" else f"{shade} > 200")


def test_the_theme_goes_along_from_page_to_page(open_page):
    page = open_page("/")
    button(page, "Toggle theme").click()
    page.wait_for_function("document.cookie.includes('theme=dark')")
    page.get_by_role("link", name="Open Kernel SVM").click()
    expect(page.get_by_text(re.compile(r"event \d+ of"))).to_be_visible()
    dark = "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)) < 60"
    page.wait_for_function(dark)


def test_share_a_moment_and_open_it_anew(stage, open_page):
    pause(stage)
    button(stage, "To start").click()
    button(stage, "Step forward").click()
    at_event(stage, 2).to_be_visible()
    button(stage, "Share").click()
    link = stage.get_by_role("link", name=re.compile("data=checkerboard-filled")).get_attribute("href")
    anew = open_page("/kernel-svm?" + link.split("?")[1])
    at_event(anew, 2).to_be_visible()
    expect(button(anew, "Play")).to_be_visible()


def test_save_and_open_a_recording(stage, tmp_path):
    pause(stage)
    with stage.expect_download() as download:
        stage.get_by_text("Save recording").click()
    path = tmp_path / "mine.svmrun"
    download.value.save_as(path)
    events = len(Recording.load(path))
    stage.locator("input[type=file][accept='.svmrun']").set_input_files(path)
    expect(stage.get_by_text(re.compile(rf"event \d+ of {events}\b"))).to_be_visible()


def test_a_picture_of_a_figure(stage):
    pause(stage)
    for name in ("scene", "gap", "kkt"):
        with stage.expect_download() as download:
            button(stage, "PNG").click()
            stage.get_by_role("menuitem", name=name, exact=True).click()
        assert download.value.suggested_filename == f"kernel-svm-{name}.png"
        assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_python_is_shown(stage):
    button(stage, "Show the Python").click()
    expect(stage.get_by_text("recorded_run(X, y, settings)")).to_be_visible()
    stage.keyboard.press("Escape")
    expect(stage.get_by_text("recorded_run(X, y, settings)")).to_be_hidden()


def test_upload_a_good_and_a_bad_file(stage, tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    rows = [f"{x},{'in' if x * y > 6 else 'out'},{y}" for x in range(6) for y in range(6)]
    good.write_text("\n".join(["a,side,b", *rows]))
    bad.write_text("a,b,side\n1,2,in\n3,four,out\n")
    button(stage, "Upload").click()
    chooser = stage.locator("input[type=file][accept*='.csv']")
    chooser.set_input_files(good)
    expect(stage.get_by_role("combobox", name="Label column")).to_have_text("side")
    expect(stage.get_by_text(re.compile("Finished: converged"))).to_be_visible()
    button(stage, "To start").click()
    expect(stage.get_by_text(re.compile("36 points in 2 dimensions"))).to_be_visible()
    stage.get_by_role("combobox", name="Label column").click()
    stage.get_by_role("menuitem", name="b", exact=True).click()
    expect(stage.get_by_text(re.compile(r'good\.csv, line 2, column 2 \("side"\)'))).to_be_visible()
    chooser.set_input_files(bad)
    expect(stage.get_by_text(re.compile(r"bad\.csv, line 3, column 2"))).to_be_visible()


def test_download_the_data(stage, tmp_path):
    with stage.expect_download() as download:
        stage.get_by_text("Download data").click()
    path = tmp_path / "data.csv"
    download.value.save_as(path)
    assert len(path.read_text().splitlines()) == 1001
