"""The ready notebook, executed without a screen, and in a real JupyterLab in Chromium."""

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.support.jupyter_lab import ROOT, Lab

NOTEBOOK = ROOT / "apps/notebooks/first-steps.ipynb"
WORKERS = "import threading; sorted(t.name for t in threading.enumerate() if t.name in ('run', 'fit'))"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with Lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


def test_the_notebook_is_clean_and_runs_without_a_screen(lab):
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
    out = lab.folder / "executed.ipynb"
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(NOTEBOOK), "--output", str(out)]
    done = subprocess.run(command, env=lab.environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    outputs = [o for cell in json.loads(out.read_text())["cells"] for o in cell.get("outputs", [])]
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert any("converged" in str(o.get("data", {}).get("text/plain", "")) for o in outputs)


@pytest.fixture
def with_workers(lab):
    """The notebook, with a cell more that says which threads work."""
    content = json.loads(NOTEBOOK.read_text())
    content["cells"].append({**content["cells"][-1], "id": "workers", "source": WORKERS})
    copy = lab.folder.parent / "with-workers.ipynb"
    copy.write_text(json.dumps(content))
    return copy


def run_cell(page, text):
    """Run the cell that has this text once more."""
    page.locator(".jp-CodeCell .cm-content", has_text=text).click()
    page.keyboard.press("Control+Enter")


def test_the_stage_lives_in_a_cell(chromium, lab, with_workers):
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(100_000)
    troubles, elsewhere = [], []
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: elsewhere.append(request.url) if _leaves(request.url) else None)
    page.goto(lab.put(with_workers))
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.get_by_text("| Idle").wait_for()
    page.wait_for_timeout(500)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    first = page.locator(".jp-OutputArea-output:has(.bk-Figure)").first
    first.scroll_into_view_if_needed(timeout=100_000)
    expect(first.get_by_text(re.compile(r"event [\d,]+ of"))).to_be_visible(timeout=100_000)

    # It is stepped and rewound, run again on the given data, and paused.
    def press(name):
        first.get_by_role("button", name=name, exact=True).click()

    def at(event):
        expect(first.get_by_text(re.compile(rf"event {event} of"))).to_be_visible(timeout=100_000)

    press("Step back")
    press("To start")
    at(1)
    press("Step forward")
    at(2)
    press("Step back")
    at(1)
    press("Run")
    at(r"([3-9]|\d\d)")
    press("Pause")
    expect(first.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=100_000)
    first.get_by_role("button", name="Show the Python").click()
    expect(page.get_by_text("recorded_run(X, y, settings)")).to_be_visible(timeout=60_000)
    page.get_by_role("dialog").get_by_role("button", name="close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)

    # The watched fit has ended; running the first stage's cell again ends its worker, and begins another.
    workers = page.locator(".jp-OutputArea-executeResult pre").last
    for again in (False, True):
        if again:
            run_cell(page, "explore(data.X, data.y")
            page.wait_for_timeout(1000)
        run_cell(page, "threading.enumerate()")
        expect(workers).to_have_text(re.compile(r"^\[('run')?\]$"), timeout=60_000)
    context.close()
    assert troubles == []
    assert elsewhere == []


def _leaves(address):
    return not address.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:"))
