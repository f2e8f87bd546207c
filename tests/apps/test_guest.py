"""A solver of another package, installed beside the project in a fresh environment, is a system like any other."""

import json
import re
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.apps.conftest import pages_of
from tests.support.page import SPOT, TITLES, at_event, button, pause, place
from tests.support.server import Server

ROOT = Path(__file__).parents[2]
GUEST = ROOT / "tests/guest"
# A second one that brings no presentation.
PLAIN = """
from dataclasses import replace

from kernel_perceptron.system import SYSTEM

PLAIN = replace(SYSTEM, name="plain-perceptron", title="Plain perceptron")
"""
PLAIN_PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "plain-perceptron"
version = "0.1"

[project.entry-points."svm_explorer.systems"]
plain = "plain_perceptron:PLAIN"

[tool.hatch.build.targets.wheel]
only-include = ["plain_perceptron.py"]
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python of a fresh environment with the project and the guest; what these need is that of the tests."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder)
    python = folder / "bin/python"
    packages = folder / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    (packages / "what-they-need.pth").write_text("\n".join(site.getsitepackages()))
    plain = folder / "plain"
    plain.mkdir()
    (plain / "pyproject.toml").write_text(PLAIN_PROJECT)
    (plain / "plain_perceptron.py").write_text(PLAIN)
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*pip, "--ignore-installed", str(ROOT), str(GUEST), str(plain)], check=True, cwd=folder)
    return python


def run(python, *arguments):
    done = subprocess.run([python, *arguments], cwd=python.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_shows_the_guests_solver():
    text = (ROOT / "README.md").read_text()
    text = text[text.index("## Your own solver in 60 lines") :]
    code, config = re.search(r"```python\n(.*?)```.*?```toml\n(.*?)```", text, re.DOTALL).groups()
    assert code == (GUEST / "kernel_perceptron/system.py").read_text()
    assert config in (GUEST / "pyproject.toml").read_text()
    assert len([line for line in code.splitlines() if line.strip()]) <= 60


def test_the_command_runs_it(python):
    command = "import sys; from apps.command import main; sys.exit(main())"
    out = run(python, "-c", command, "run", "perceptron", "--data", "moons", "--epochs", "3", "--out", "mine.svmrun")
    assert "Kernel perceptron" in out
    assert re.search(r"test accuracy +9\d", out)
    code = """
from engine import Recording
from explorer.replay.lookup import Replay
replay = Replay(Recording.load("mine.svmrun"))
replay.reader.check()
kinds = {type(event).__name__ for event in replay.recording}
print(sorted(kinds), replay.reader.accuracy(replay.frame(len(replay) - 1))[0])
"""
    out = run(python, "-c", code)
    assert out.startswith("['Finished', 'MistakeMade', 'PhaseBegan', 'Started'] 9")


def test_it_is_explored_in_a_notebook(python):
    code = """
import json, time
from engine import datasets
from explorer import explore, notebook
notebook._load_extension = lambda: None
notebook.pn.state.add_periodic_callback = lambda work, period: None  # there is no cell, and no loop
data = datasets.load("moons", size=200)
shown = explore(data.X, data.y, solver="perceptron", epochs=2)
shown.__panel__()
stage = shown.stage
while not stage.replay or not stage.replay.is_over:
    stage.tick()
    stage.refresh.drawn = stage.window.frame
    stage.playback.speed = 0.0
    time.sleep(0.01)
print(json.dumps([stage.replay.recording[-1].stop_reason, stage.replay.settings.epochs]))
stage.close()
"""
    assert json.loads(run(python, "-c", code)) == ["passes", 2]


def test_it_has_a_stage_of_its_own(chromium, python, tmp_path):
    with Server(python=python, cwd=python.parent) as server, pages_of(chromium, server.wait().address) as open_page:
        page = open_page("/")
        page.get_by_role("link", name="Open Kernel perceptron").click()
        story = page.get_by_text(re.compile(r"Mistake \d+\."))
        expect(story).to_be_visible()
        # Charts and the figure of its own
        page.wait_for_function(f"({TITLES})().includes('Mistakes in each pass')")
        assert {"How many mistakes?", "How accurate, in %?"} <= set(page.evaluate(TITLES))
        # Transport, keyboard, listing
        pause(page)
        button(page, "To start").click()
        at_event(page, 1).to_be_visible()
        page.keyboard.press("ArrowRight")
        at_event(page, 2).to_be_visible()
        page.get_by_label("Step size").select_option("phase")
        button(page, "Step forward").click()
        expect(page.locator("[aria-current=step]").first).to_be_visible()
        # The address is a link to this moment and these settings
        page.wait_for_url(re.compile(r"[?&]at="))
        here, _ = place(page)
        again = open_page(page.url.removeprefix(server.address))
        at_event(again, here).to_be_visible()
        # A recording leaves and comes back; a point is picked
        page.get_by_label("Speed").select_option("full speed")
        button(page, "Play").click()
        expect(page.get_by_text(re.compile(r"Finished"))).to_be_visible()
        with page.expect_download() as download:
            page.get_by_text("Save recording").click()
        path = tmp_path / "mine.svmrun"
        download.value.save_as(path)
        page.keyboard.press("Home")
        at_event(page, 1).to_be_visible()
        page.locator("input[type=file][accept='.svmrun']").set_input_files(path)
        page.get_by_label("Speed").select_option("full speed")
        expect(page.get_by_text(re.compile(r"Finished"))).to_be_visible()
        assert place(page)[0] == place(page)[1] > 2
        page.mouse.click(*page.evaluate(SPOT))
        page.wait_for_function(f"({TITLES})().includes('α of point 7')")


def test_one_without_a_presentation_has_a_stage_too(chromium, python):
    with Server(python=python, cwd=python.parent) as server, pages_of(chromium, server.wait().address) as open_page:
        page = open_page("/")
        page.get_by_role("link", name="Open Plain perceptron").click()
        expect(page.get_by_text(re.compile(r"event \d+ of"))).to_be_visible()
        page.get_by_label("Speed").select_option("full speed")
        expect(page.get_by_text(re.compile(r"Finished"))).to_be_visible()
        expect(page.get_by_text("support vectors", exact=True).first).to_be_visible()
        assert "How accurate, in %?" in page.evaluate(TITLES)
