import time
from itertools import pairwise

import numpy as np
import pytest

from engine import SOLVERS, Recording, datasets
from engine.numerics.kernels import SMALL, Kernel
from engine.runtime.events import Finished, PhaseBegan, Started
from engine.systems.budgeted_sgd.algorithm import BudgetedModel
from engine.systems.budgeted_sgd.budget import MAINTAINED, SIZE, STEP, advance, choose, merge, project
from engine.systems.budgeted_sgd.events import (
    BudgetFinished,
    BudgetMaintained,
    MergesReplayed,
    StepsTaken,
    StrategiesCompared,
)
from engine.systems.budgeted_sgd.merging import MERGING, STRATEGIES
from engine.systems.budgeted_sgd.settings import BudgetedSGDSettings
from engine.systems.budgeted_sgd.strategy_comparison import time_split
from tests.naive import budgeted_sgd
from tests.naive.kernel_svm import kernel_matrix

SOLVER = SOLVERS["budgeted-sgd"]


def run_of(X, y, **settings):
    return SOLVER.recorded_run(X, y, SOLVER.settings.checked({"budget": 100, "lam": None, **settings}))


def stream(n, seed, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.3 * rng.normal(size=n), 1.0, -1.0)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_step_by_step_as_the_slow_twin(strategy, seed):
    X, y = stream(500, seed)
    gamma, C, B = 0.7, 3.0, 15
    kernel = Kernel.fit(X, "rbf", gamma)
    model = BudgetedModel(kernel, BudgetedSGDSettings(C=C, budget=B, maintenance=strategy), 1 / (len(X) * C))
    list(model.prepare())
    slow = budgeted_sgd.BudgetedSGD(gamma, C, len(X), B, strategy, *map(np.asarray, model.tables))
    points, budget, order = kernel.points(X), model.budget, np.arange(len(X))
    seen = 0
    for t in range(len(X)):
        _, chosen = slow.step(X[t], y[t])
        advance(budget, points.X, y, order, t, t + 1, model.decay, model.strategy, model.tables, seen)
        assert (budget.counts[SIZE] > B) == (chosen is not None)
        if chosen is not None:
            seen += 1
            choice = choose(budget, model.strategy, model.tables, True)
            first, partner, wds = chosen
            assert (choice.first, choice.partner) == (first, -1 if partner is None else partner)
            if partner is not None:
                ours = budget.wd * model.scale**2
                usable = np.isfinite(wds)
                np.testing.assert_allclose(ours[usable], wds[usable], rtol=1e-6, atol=1e-9)
            if strategy == "projection":
                project(budget)
            else:
                merge(budget, choice)
        vectors, coefficients, _ = model.snapshot()
        np.testing.assert_allclose(coefficients, [a for a, _ in slow.M], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(vectors, [z for _, z in slow.M], atol=1e-7)
    assert seen == budget.counts[MAINTAINED] > 50


def test_without_a_budget_it_is_plain_sgd():
    X, y = stream(300, 0)
    kernel = Kernel.fit(X, "rbf", 0.5)
    model = BudgetedModel(kernel, BudgetedSGDSettings(C=2.0, budget=1000), 1 / (300 * 2.0))
    list(model.go_through(kernel.points(X).X, y, np.arange(300)))
    K = kernel_matrix(X, X, "rbf", 0.5)
    w = np.zeros(300)
    for t in range(1, 301):
        violated = y[t - 1] * (K[t - 1] @ w) < 1
        w *= 1 - 1 / t
        w[t - 1] += violated * y[t - 1] * 300 * 2.0 / t
    np.testing.assert_allclose(model.snapshot()[1], w[model.snapshot()[2]], rtol=1e-9)
    assert np.count_nonzero(w) == model.counts()["violations"] == model.counts()["size"]


def test_events_of_a_short_run():
    data = datasets.load("checkerboard", size=300)
    run = run_of(data.X, data.y, C=10, gamma=5.0, budget=20, epochs=3)
    events = list(run)
    assert isinstance(events[0], Started)
    assert isinstance(events[-1], BudgetFinished)
    assert isinstance(events[-1], Finished)
    assert [event.name for event in events if isinstance(event, PhaseBegan)] == ["pass 1", "pass 2", "pass 3"]
    merges = [event for event in events if isinstance(event, BudgetMaintained)]
    assert [event.number for event in merges] == list(range(1, events[-1].maintained + 1))  # every one of them
    taken = [event for event in events if isinstance(event, StepsTaken)]
    assert {300, 600, 900} <= {event.step for event in taken}
    last = taken[-1]
    assert (last.steps, last.epoch, last.size) == (900, 3, 20)
    assert last.violations >= last.maintained + last.size
    # The picture of the model: decision values, objective and accuracy from the event alone.
    y = np.where(data.y == data.y.max(), 1.0, -1.0)
    values = kernel_matrix(data.X, last.vectors, "rbf", 5.0) @ last.coefficients
    assert np.mean((values > 0) == (y > 0)) == pytest.approx(last.accuracy)
    length = last.coefficients @ kernel_matrix(last.vectors, last.vectors, "rbf", 5.0) @ last.coefficients
    assert last.objective == pytest.approx(0.5 * length + 10 * np.maximum(0, 1 - y * values).sum(), rel=1e-6)
    model = run.result().model
    np.testing.assert_allclose(model.task_values(data.X, 1)[:, 0], values, atol=1e-6)
    points = last.sources >= 0
    np.testing.assert_allclose(last.vectors[points], data.X[last.sources[points]], atol=1e-9)


@pytest.mark.parametrize("maintenance", STRATEGIES)
def test_what_is_told_of_a_merge(maintenance):
    X, y = stream(200, 3)
    events = list(run_of(X, y, C=5, gamma=0.5, budget=10, epochs=1, maintenance=maintenance))
    merges = [event for event in events if isinstance(event, BudgetMaintained)]
    assert {event.kind for event in merges} <= {"merge" if maintenance in MERGING else maintenance, "removal"}
    assert merges
    for event in merges:
        assert len(event.vectors) == len(event.coefficients) == 11
        assert abs(event.coefficients[event.first]) == np.abs(event.coefficients).min()
        after = event.after()
        assert len(after[0]) == len(after[1]) == 10
        # |w' - w|^2 from the picture before and after
        both = np.vstack([event.vectors, after[0]])
        change = np.concatenate([event.coefficients, -after[1]])
        lost = change @ kernel_matrix(both, both, "rbf", 0.5) @ change
        assert event.degradation == pytest.approx(lost, rel=1e-5, abs=1e-6 * np.square(event.coefficients).max())
        if event.kind != "merge":
            assert event.partner == -1
            continue
        signs = np.sign(event.coefficients)
        expected = np.setdiff1d(np.flatnonzero(signs == signs[event.first]), event.first)
        assert np.array_equal(event.candidates, expected)
        best = event.candidates[event.degradations.argmin()]
        assert event.partner == best
        K = kernel_matrix(event.vectors, event.vectors, "rbf", 0.5)
        np.testing.assert_allclose(event.kappa, K[event.first, event.candidates], atol=1e-9)
        a = np.abs(event.coefficients)
        np.testing.assert_allclose(event.m, a[event.first] / (a[event.first] + a[event.candidates]))
        pair = event.vectors[event.first], event.vectors[event.partner]
        np.testing.assert_allclose(event.z, event.h * pair[0] + (1 - event.h) * pair[1])
    # What follows a merge is what it left, but for the decay.
    for one, other in pairwise(merges):
        np.testing.assert_allclose(one.after()[0], other.vectors[:10], atol=1e-7)
        decayed = one.after()[1] * one.step / other.step
        np.testing.assert_allclose(decayed, other.coefficients[:10], rtol=1e-6, atol=1e-7)


def test_a_long_run_tells_some_merges_and_counts_all():
    X, y = stream(5000, 0)
    run = run_of(X, y, C=5, gamma=0.5, budget=20, epochs=10)
    events = list(run)
    told = [event for event in events if isinstance(event, BudgetMaintained)]
    assert 50 < len(told) <= 201
    assert told[-1].number <= events[-1].maintained
    assert events[-1].maintained > 1000
    assert len([event for event in events if isinstance(event, StepsTaken)]) <= 220


def test_instruments():
    X, y = stream(3000, 0)
    silent = run_of(X, y, C=5, gamma=0.5, budget=20, epochs=2, instruments="none")
    assert not [event for event in silent if isinstance(event, BudgetMaintained | StrategiesCompared | MergesReplayed)]
    run = run_of(X, y, C=5, gamma=0.5, budget=20, epochs=2, instruments="all")
    events = list(run)
    *_, compared = [event for event in events if isinstance(event, StrategiesCompared)]
    assert compared.compared == compared.maintained - events[-1].removed
    assert compared.frequency == compared.maintained / 6000
    assert compared.strategies == list(MERGING)
    found = dict(zip(compared.strategies, zip(compared.agreement, compared.factor, strict=True), strict=True))
    assert found["gss-precise"] == (1.0, 1.0)
    assert found["gss"][0] + found["lookup-wd"][0] - 1 <= compared.equal <= 1
    assert found["lookup-wd"][0] > 0.9
    assert 1 - 1e-9 <= found["lookup-wd"][1] < found["gss"][1]
    split = time_split([event for event in events if isinstance(event, MergesReplayed)])
    assert set(split) == set(MERGING)
    assert all(np.isfinite(seconds) and seconds >= 0 for both in split.values() for seconds in both)
    # Neither watching nor measuring changes the answer.
    for name in ("vectors", "coefficients"):
        assert np.array_equal(getattr(run.result().model, name), getattr(silent.result().model, name))
    assert silent.evaluations == run.evaluations


def test_a_fit_that_nobody_watches_tells_only_its_passes():
    X, y = stream(300, 0)
    for maintenance in STRATEGIES:
        events = list(run_of(X, y, budget=10, epochs=2, maintenance=maintenance, instruments="none"))
        told = [type(event) for event in events]
        assert told == [Started, PhaseBegan, StepsTaken, PhaseBegan, StepsTaken, BudgetFinished]


@pytest.mark.parametrize("n", [300, SMALL + 100])  # in float64 and in float32
def test_a_seed_gives_the_same_recording_bit_for_bit(n, tmp_path):
    X, y = stream(n, 0)
    one, other, third = (run_of(X, y, budget=15, epochs=3, seed=seed) for seed in (7, 7, 8))
    for run in (one, other, third):
        run.result()
    one.recorded.save(tmp_path / "run.svmrun")
    for recording in (other.recorded, Recording.load(tmp_path / "run.svmrun")):
        assert len(recording) == len(one.recorded)
        for a, b in zip(one.recorded, recording, strict=True):
            assert type(a) is type(b)
            for name, value in vars(a).items():
                if name == "stamp":
                    assert (value.sequence, value.evaluations) == (b.stamp.sequence, b.stamp.evaluations)
                else:
                    np.testing.assert_array_equal(value, getattr(b, name), strict=isinstance(value, np.ndarray))
    assert not np.array_equal(one.latest.coefficients, third.latest.coefficients)


def test_several_classes_are_several_tasks():
    data = datasets.load("iris")
    run = run_of(data.X, data.y, C=10, budget=10, epochs=5)
    events = list(run)
    paths = {event.stamp.path for event in events if isinstance(event, StepsTaken)}
    assert len(paths) == 3
    assert events[-1].inner_steps == 3 * 5 * data.n
    model = run.result().model
    assert model.coefficients.shape == (3, len(model.vectors))
    assert np.mean(model.predict(model.task_values(data.X, 1)) == data.y) > 0.9


@pytest.mark.parametrize(
    "settings", [{}, {"maintenance": "gss-precise", "budget": 500}, {"maintenance": "projection", "budget": 500}]
)
def test_pause_and_cancel_are_answered(settings):
    X, y = stream(SMALL * 20, 0, d=20)
    run_of(X[:2000], y[:2000], epochs=1, **settings).result()
    run = run_of(X, y, epochs=1000, gamma=1.0, C=10, **settings).start()
    time.sleep(0.3)
    for _ in range(3):
        run.pause()
        while run.state != "paused":
            time.sleep(0.001)
        run.resume()
        time.sleep(0.05)
    run.cancel()
    assert run.join(20)
    assert isinstance(run.latest, BudgetFinished)
    assert run.latest.stop_reason == "cancelled"
    assert np.isfinite(run.result().model.task_values(X[:10], 1)).all()


@pytest.mark.parametrize("maintenance", STRATEGIES)
@pytest.mark.parametrize("budget", [1, 2, 400])
@pytest.mark.parametrize("gamma", [1e-12, 1.0, 1e12])
def test_odd_budgets_and_widths(maintenance, budget, gamma):
    X, y = stream(60, 0)
    X[30:] = X[:30]  # duplicates, some with another label
    run = run_of(X, y, maintenance=maintenance, budget=budget, gamma=gamma, epochs=3)
    events = list(run)
    last = events[-1]
    assert last.stop_reason == "passes"
    assert 1 <= last.size <= budget
    assert np.isfinite(last.coefficients).all()
    assert np.isfinite(last.vectors).all()
    assert last.inner_steps == 180
    for event in events:
        if isinstance(event, BudgetMaintained):
            assert event.degradation >= 0
            assert (event.degradations >= 0).all()


def test_float32_takes_the_steps_of_float64():
    X, y = stream(SMALL + 500, 0)
    settings = BudgetedSGDSettings(C=5.0, budget=30)
    ends = []
    for dtype in (np.float32, np.float64):
        kernel = Kernel("rbf", 0.5, 3, 0.0, X.mean(axis=0), dtype, dtype)
        model = BudgetedModel(kernel, settings, 1 / (len(X) * 5.0))
        list(model.prepare())
        list(model.go_through(kernel.points(X).X, y, np.arange(300)))
        ends.append(model)
    assert ends[0].counts() == ends[1].counts()
    assert ends[0].budget.counts[STEP] == 300
    np.testing.assert_allclose(ends[0].snapshot()[1], ends[1].snapshot()[1], rtol=1e-3)
