"""The stage in a browser: start, frames a second, Run to first frame, scrub to drawn, clicks during a long fit."""

import tempfile
import time
from statistics import median

from tests.benchmarks._figures import say, say_pace
from tests.support.chromium import Chromium
from tests.support.server import Server

BOARD = "/kernel-svm?data=checkerboard-filled&size=5000&C=10&gamma=4&working_set=4"
LONG = "/kernel-svm?data=checkerboard&size=100000&C=10000&gamma=30&tol=1e-6&working_set=1024"
# What a person could find on the page, under all its shadow roots, and the field's data.
TOOLS = """
window.find = (test, root = document) => {
  for (const element of root.querySelectorAll("*")) {
    if (test(element)) return element
    const inside = element.shadowRoot && find(test, element.shadowRoot)
    if (inside) return inside
  }
  return null
}
window.named = (name) => find((e) => e.getAttribute("aria-label") === name || (e.tagName === "BUTTON" &&
  e.innerText?.split("\\n").at(-1) === name))
window.place = () => find((e) => e.classList.contains("where"))?.textContent ?? ""
window.field = () => {
  for (const model of window.Bokeh?.documents.at(-1)?._all_models.values() ?? [])
    if (model.type === "GlyphRenderer" && model.glyph.type === "Image") return model.data_source
}
window.frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
window.until = async (test) => { while (!test()) await new Promise((done) => setTimeout(done, 2)) }
window.choose = (name, value) => {
  const select = named(name); select.value = value; select.dispatchEvent(new Event("change"))
}
"""
RUNNING = TOOLS + "/event ([3-9]|\\d\\d)/.test(place()) && (field()?.get_array('image').length ?? 0) > 0"
FRAMES = """(async () => {
  let drawn = 0, changed = false
  field().properties.data.change.connect(() => { changed = true })
  const began = performance.now()
  while (performance.now() - began < 5000) {
    await new Promise(requestAnimationFrame)
    if (changed) { drawn++; changed = false }
  }
  return drawn / 5
})()"""
DRAWN_AFTER = """(async () => {
  let changed = false
  const note = () => { changed = true }
  field().properties.data.change.connect(note)
  const began = performance.now();
  %s
  await until(() => changed && field().get_array("image").length)
  await frame()
  return performance.now() - began
})()"""
SCRUB = """const slider = named("Timeline"); slider.value = %d; slider.dispatchEvent(new Event("input"))"""
CLICK = """(async () => {
  const button = named("Pause") ?? named("Play"), before = button.getAttribute("aria-label")
  const began = performance.now()
  button.click()
  await until(() => button.getAttribute("aria-label") !== before)
  await frame()
  const shown = performance.now() - began
  await until(() => button.getAttribute("aria-busy") === "false")
  await frame()
  return [shown, performance.now() - began]
})()"""


def main(arguments: list[str]) -> None:
    """All of them, or those whose names are given: start, frames, run, scrub, clicks."""
    for name in arguments or ["start", "frames", "run", "scrub", "clicks"]:
        say_pace()
        {"start": _start, "frames": _frames, "run": _run, "scrub": _scrub, "clicks": _clicks}[name]()


def _start() -> None:
    """From the command to a page that is seen running: with an empty cache of compiled kernels, and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        for cache in ("empty", "full", "full"):
            with Chromium() as browser:
                time.sleep(3)  # a person's browser is there already
                began = time.monotonic()
                with Server(NUMBA_CACHE_DIR=folder) as server:
                    server.wait()
                    answered = time.monotonic() - began
                    browser.open(server.address + "/kernel-svm")
                    browser.wait(RUNNING)
                    say("start", cache=cache, server_s=answered, running_page_s=time.monotonic() - began)


def _frames() -> None:
    with Server() as server, Chromium() as browser:
        _open(server, browser, BOARD)
        browser.do("choose('Speed', '100 / s')")
        time.sleep(2)
        rates = [browser.do(FRAMES) for _ in range(3)]
        say("frames a second, 5,000 points", median=median(rates), worst=min(rates))


def _run() -> None:
    with Server() as server, Chromium() as browser:
        _open(server, browser, BOARD)
        times = []
        for _ in range(8):
            time.sleep(1.5)
            times.append(browser.do(DRAWN_AFTER % "named('Run').click()"))
        say("Run to first frame, 5,000 points, ms", median=median(times), worst=max(times))


def _scrub() -> None:
    with Server() as server, Chromium() as browser:
        _open(server, browser, BOARD)
        time.sleep(6)
        browser.do("named('Pause')?.click()")
        time.sleep(2)
        times = []
        for k in range(15):
            times.append(browser.do(DRAWN_AFTER % (SCRUB % (10 + 7 * (k % 4) + k))))
            time.sleep(0.3)
        say("scrub to drawn, 5,000 points, ms", median=median(times), worst=max(times))


def _clicks() -> None:
    with Server() as server, Chromium() as browser:
        _open(server, browser, LONG)
        browser.do("choose('Speed', 'full speed')")
        times = []
        for _ in range(20):
            time.sleep(0.7)
            times.append(browser.do(CLICK))
        say_clicks("click during a fit of 100,000 points", times)


def say_clicks(figure: str, times: list[tuple[float, float]]) -> None:
    """How soon a press was shown by the page, and how soon the server had answered it."""
    for what, some in zip(("shown", "answered"), zip(*times, strict=True), strict=True):
        say(f"{figure}, {what}, ms", median=median(some), worst=max(some))


def _open(server: Server, browser: Chromium, path: str) -> None:
    server.wait()
    time.sleep(4)  # warm
    browser.open(server.address + path)
    browser.wait(RUNNING, 120)
