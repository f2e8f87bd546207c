"""Frames, decision fields and planes of a recording."""

import subprocess
import sys

import numpy as np
import pytest

from engine import SOLVERS, KernelSVC, datasets
from explorer.registry import presentation, reader
from explorer.replay.decision_field import grid
from explorer.replay.lookup import Replay
from explorer.replay.plane import Plane


def test_the_field_is_the_models_decision_function(finished):
    data = datasets.load("moons", size=120)
    model = KernelSVC(C=5.0, gamma=2.0).fit(data.X, data.y)
    frame = finished.frame(len(finished) - 1)
    places = np.random.default_rng(0).uniform(-1, 2, (50, 2))
    xs, ys = np.unique(places[:, 0]), np.unique(places[:, 1])
    grid = np.stack(np.meshgrid(xs, ys), axis=-1)
    expected = model.decision_function(grid.reshape(-1, 2)).reshape(50, 50)
    np.testing.assert_allclose(finished.reader.field(frame, xs, ys), expected, atol=5e-3)
    train, test = finished.reader.accuracy(frame)
    assert train == pytest.approx(100 * model.score(data.X, data.y), abs=1)
    assert test == pytest.approx(100 * model.score(data.X_test, data.y_test), abs=1)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_the_field_of_inner_products_needs_no_features(kernel):
    data = datasets.load("breast-cancer")
    svm = SOLVERS["kernel-svm"]
    run = svm.recorded_run(data.X, data.y, svm.settings.checked({"kernel": kernel, "gamma": 0.01, "degree": 2}))
    run.result()
    replay = Replay(run.recorded)
    frame = replay.frame(len(replay) - 1)
    xs, ys = np.linspace(-3, 3, 7), np.linspace(-2, 2, 5)
    expected = replay.reader.decision(frame, grid(replay, xs, ys)).reshape(5, 7)
    np.testing.assert_allclose(replay.reader.field(frame, xs, ys), expected, rtol=1e-4, atol=1e-4)


def test_more_dimensions_show_their_principal_plane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) * [5, 3, 0.1, 0.1, 0.1, 0.1] + 7
    plane = Plane.fit(X)
    assert plane.kept > 0.99
    places = plane.project(X)
    np.testing.assert_allclose(plane.lift(places), X, atol=0.6)
    assert np.array_equal(Plane.fit(X[:, :2]).project(X[:, :2]), X[:, :2])
    assert Plane.fit(X[:, :1]).project(X[:, :1]).shape == (300, 2)


NO_SCREEN = """
import sys
from engine import SOLVERS, Recording
from explorer import registry
from explorer.replay.lookup import Replay
replay = Replay(Recording.load(sys.argv[1]))
replay.reader.check()
print(replay.reader.accuracy(replay.frame(len(replay) - 1))[0])
for solver in SOLVERS:
    registry.reader(solver)
screens = ("bokeh", "panel", "explorer.figures", "explorer.stage")
assert not [name for name in sys.modules if name.startswith(screens)]
"""


def test_a_recording_is_read_without_a_screen(finished, tmp_path):
    path = tmp_path / "run.svmrun"
    finished.recording.save(path)
    done = subprocess.run([sys.executable, "-c", NO_SCREEN, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 90


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_reader_is_that_of_the_presentation(solver):
    assert reader(solver) is presentation(solver).reader
