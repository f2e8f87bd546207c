"""Landmarks, their tuning, and pseudo-landmarks: against definitions, and on random problems."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from engine.runtime.counter import Counter
from engine.systems.dcpred.landmark_tuning import tuned
from engine.systems.dcpred.landmarks import choose, objective
from engine.systems.dcpred.nystrom import approximate, nothing, products, triangle
from tests.engine.systems.dcpred.problems import drained, projection_error, recorded
from tests.engine.systems.dcpred.test_algorithm import DCPRED


@pytest.mark.parametrize("seed", range(5))
def test_pseudo_landmarks_never_raise_the_error(seed):
    """Lemma 1: a larger range can only be nearer."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, int(rng.integers(2, 12))))
    gamma = float(rng.choice([0.01, 0.1, 1.0]))
    found, G = X[rng.permutation(200)[: rng.integers(1, 12)]], rbf_kernel(X, X, gamma=gamma)
    C = rbf_kernel(X, found, gamma=gamma)
    alone = approximate(nothing(len(found), gamma).expand(C), G).error
    for expansion in (products(24, len(found), gamma), triangle(X[:24], found, gamma)):
        assert approximate(expansion.expand(C), G).error < alone + 1e-9


def test_the_projection_is_that_of_the_formula():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    G, C = rbf_kernel(X, X, gamma=0.5), rbf_kernel(X, X[:7], gamma=0.5)
    expanded = products(9, 7, 0.5).expand(C)
    inverse = np.linalg.pinv(expanded)
    expected = expanded @ (inverse @ G @ inverse.T) @ expanded.T
    found = approximate(expanded, G)
    np.testing.assert_allclose(expanded @ found.map @ found.map.T @ expanded.T, expected, atol=1e-4)
    assert found.error == pytest.approx(np.linalg.norm(G - expected) / np.linalg.norm(G), abs=1e-5)


def test_weights_draw_landmarks():
    """Theorem 3's objective is least where it is what k-means minimises."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2)).astype(np.float32)
    weights = np.exp(3 * X[:, 0].astype(float))

    sides = X[:, 1] > 0

    def found(strategy):
        return drained(choose(strategy, X, X, weights, sides, 10, rng, Counter()))

    values = [objective(found(strategy), X, weights)[0] for strategy in ("weighted-kmeans", "kmeans", "random")]
    assert values == sorted(values)
    assert len(found("sided-kmeans")) == 10
    same, ones = np.repeat(X[:3], 4, axis=0), np.ones(12)
    assert len(drained(choose("weighted-kmeans", X, same, ones, ones, 10, rng, Counter()))) == 3  # duplicates are one


def test_tuned_landmarks_need_fewer(clouds):
    X, y = clouds
    right = {}
    for rounds in (0, 100):
        trained, _ = recorded(DCPRED, X[:1000], y[:1000], C=5.0, gamma=0.3, n_leaves=4, max_landmarks=4, tuning=rounds)
        assert np.diff(trained.model.fast.first).max() <= 4
        right[rounds] = np.mean(trained.model.predict(trained.model.task_values(X[1000:], 1)) == y[1000:])
    assert right[100] > right[0] + 0.05


def test_tuning_goes_down_the_gradient():
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(60, 2)), np.sign(rng.normal(size=(60, 1)))

    def loss(values):
        lacking = np.maximum(0.0, 1 - signs * values)
        return 2 * float(np.square(lacking).sum()), -4 * signs * lacking

    def value(x):
        u, beta, b = x[:6].reshape(3, 2), x[6:9].reshape(3, 1), x[9:]
        smooth = np.vdot(beta, rbf_kernel(u, u, gamma=0.4) @ beta)
        return 0.5 * (smooth + b @ b) + loss(rbf_kernel(X, u, gamma=0.4) @ beta + b)[0]

    start = rng.normal(size=10)
    arguments = X, start[:6].reshape(3, 2), start[6:9].reshape(3, 1), start[9:], 0.4, loss
    moved = drained(tuned(*arguments, rounds=300)).ravel()
    best = minimize(value, start, tol=1e-8)
    ours = minimize(lambda rest: value(np.concatenate([moved, rest])), start[6:], tol=1e-8)
    assert ours.fun < value(start)
    assert ours.fun <= best.fun * 1.05  # there are many minima


def test_landmarks_far_apart_are_not_blurred():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) + rng.choice([0.0, 3e4], size=(300, 1))
    trained, events = recorded(DCPRED, X, X[:, 1] % 1 > 0.5, n_leaves=1, gamma=2.0, landmark_ratio=1.0, pseudo="none")
    last = events[-1]
    values = rbf_kernel(X, trained.model.fast.places(0), gamma=2.0) @ last.weights + last.intercepts
    np.testing.assert_allclose(trained.model.fast.values(X), values, atol=0.05 * np.abs(values).max())


@pytest.mark.parametrize("seed", range(5))
def test_lemma_1(seed):
    """All products of degree two are at least as good as pseudo-landmarks by any polynomials of that degree."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, int(rng.integers(2, 12))))
    gamma, m = float(rng.choice([0.01, 0.1, 1.0])), int(rng.integers(1, 6))
    G, C = rbf_kernel(X, X, gamma=gamma), rbf_kernel(X, X[:m], gamma=gamma)
    whole = products(m * m, m, gamma).expand(C)
    assert whole.shape[1] == m + m * (m + 1) // 2
    polynomials = whole @ rng.normal(size=(whole.shape[1], 4))
    kept = projection_error(np.hstack([C, polynomials]), G)
    assert projection_error(whole, G) <= kept + 1e-6
    assert approximate(whole, G).error == pytest.approx(projection_error(whole, G), abs=0.02)  # with tiny ones left out
