"""A regression of another package, without a presentation: points, its curve, and how far off it is."""

from dataclasses import dataclass

import numpy as np
import param
import pytest

from engine import SOLVERS, System
from engine.datasets import Dataset
from engine.learning.common_settings import KernelSettings
from engine.numerics.kernels import Kernel
from engine.runtime.events import Array, Event, Finished, Started
from explorer.stage.actions import Stage
from tests.support.stage import play_to_the_end


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted(Event):
    """The coefficients of the points."""

    alpha: Array


class PlainRidgeSettings(KernelSettings):
    """Kernel ridge regression."""

    alpha = param.Number(0.1, bounds=(0, None))


def train(X, y, settings, counter):
    kernel = Kernel.fit(X, settings.kernel, settings.gamma, settings.degree, settings.coef0)
    points, n = kernel.points(X), len(y)
    yield Started(solver="plain-ridge", n=n, d=X.shape[1], kernel=kernel.name, gamma=kernel.gamma, bias=False, tol=0)
    alpha = np.linalg.solve(kernel.block(points, points) + settings.alpha * np.eye(n), y)
    yield Fitted(alpha=alpha)
    yield Finished(
        stop_reason="converged", iterations=1, inner_steps=0, objective=np.nan, gap=np.nan, violation=0.0,
        intercept=0.0, n_free=n, n_bound=0, alpha=alpha,
    )  # fmt: skip
    return alpha


PLAIN_RIDGE = System("plain-ridge", "Plain ridge", PlainRidgeSettings, train, events=(Fitted,), task="regression")


def wide():
    """Data in three dimensions."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.sin(X[:, 0]) + X[:, 1]
    return Dataset("wide", "Wide", X[:200], y[:200], X[200:], y[200:], task="regression")


@pytest.fixture(params=[None, wide()], ids=["on its toy", "in three dimensions"])
def stage(request, monkeypatch):
    monkeypatch.setattr(SOLVERS, "_guests", {"plain-ridge": PLAIN_RIDGE})
    made = Stage("plain-ridge", data=request.param)
    made.begin()
    yield made
    made.close()


def test_it_has_points_a_curve_and_errors(stage):
    play_to_the_end(stage)
    replay = stage.replay
    assert stage.charts.plots["accuracy"].title.text == "How far off (root mean square)?"
    frame = replay.frame(len(replay) - 1)
    values = replay.kernel.block(replay.points, replay.points) @ frame.alpha
    train, test = replay.reader.accuracy(frame)
    assert train == pytest.approx(np.sqrt(np.mean((values - replay.y) ** 2)), rel=1e-3)
    assert 0 < test < 2 * np.std(replay.y)
    assert len(stage.scene._marks.data["image"]) == 1
    assert all(renderer.visible for renderer in stage.scene._layers["points"])
    curve = stage.scene._curve.data
    x, y = np.asarray(curve["x"]), np.asarray(curve["y"])
    left, right, bottom, top = stage.scene.window()
    assert (x[0], x[-1]) == pytest.approx((left, right))
    assert np.isfinite(y).all()
    if replay.X.shape[1] == 1:
        near = np.interp(replay.X[:, 0], x, y)
        assert np.abs(near - values).max() < 0.02 * (top - bottom)
