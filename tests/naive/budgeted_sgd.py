"""Budgeted SGD once more, line for line from its description, with a list for a model and no trick for speed."""

import numpy as np

GOLDEN = (np.sqrt(5) - 1) / 2


def s(m, kappa, h):
    return m * kappa ** ((1 - h) ** 2) + (1 - m) * kappa ** (h**2)


def golden_section(m, kappa, eps):
    if kappa == 1:
        return m
    low, high = 0.0, 0.5  # m <= 1/2
    while high - low > eps:
        a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if s(m, kappa, a) >= s(m, kappa, b):
            high = b
        else:
            low = a
    return (low + high) / 2


def bilinear(table, m, kappa):
    """m in [0, 1/2] over the rows, kappa in [0, 1] over the columns."""
    last = len(table) - 1
    u, v = m * 2 * last, kappa * last
    i, j = min(int(u), last - 1), min(int(v), last - 1)
    u, v = u - i, v - j
    return (
        (1 - u) * (1 - v) * table[i, j] + (1 - u) * v * table[i, j + 1]
        + u * (1 - v) * table[i + 1, j] + u * v * table[i + 1, j + 1]
    )  # fmt: skip


class BudgetedSGD:
    """The model is a list of [coefficient, vector]."""

    def __init__(self, gamma, C, n, budget, strategy, h_table=None, wd_root_table=None):
        self.gamma, self.decay, self.budget, self.strategy = gamma, 1 / (n * C), budget, strategy
        self.h_table, self.wd_root_table = h_table, wd_root_table
        self.M, self.t = [], 0

    def k(self, a, b):
        return np.exp(-self.gamma * ((a - b) ** 2).sum())

    def f(self, x):
        return sum(a * self.k(z, x) for a, z in self.M)

    def step(self, x, y):
        """Returns how far the margin was from 1, and what maintenance chose, if there was any."""
        self.t += 1
        eta = 1 / (self.decay * self.t)
        margin = y * self.f(x)
        for item in self.M:
            item[0] *= 1 - self.decay * eta
        if margin < 1:
            self.M.append([eta * y, x])
        return margin - 1, self.maintain() if len(self.M) > self.budget else None

    def maintain(self):
        """Algorithm 1."""
        M = self.M
        sizes = np.array([abs(a) for a, _ in M])
        i = int(np.flatnonzero(sizes <= (1 + 1e-9) * sizes.min())[0])  # of equal ones, up to rounding, the first
        a_min, x_min = M[i]
        if self.strategy == "removal":
            self.drop(i)
            return i, None, None
        if self.strategy == "projection":
            self.drop(i)
            K = np.array([[self.k(a, b) for _, a in M] for _, b in M])
            shares = np.linalg.solve(K + 1e-8 * np.eye(len(M)), [a_min * self.k(z, x_min) for _, z in M])
            for item, share in zip(M, shares, strict=True):
                item[0] += share
            return i, None, None
        best, wds = None, np.full(len(M), np.inf)
        for j, (a, x) in enumerate(M):
            if j == i or a * a_min < 0:
                continue
            kappa, m = self.k(x, x_min), min(a_min / (a + a_min), 0.5)
            h = self.h(m, kappa)
            a_z = a_min * kappa ** ((1 - h) ** 2) + a * kappa ** (h**2)
            wds[j] = max(a_min**2 + a**2 - a_z**2 + 2 * a_min * a * kappa, 0.0)
            if self.strategy == "lookup-wd":
                wds[j] = ((a + a_min) * bilinear(self.wd_root_table, m, kappa)) ** 2
            if best is None or wds[j] < wds[best[0]]:
                best = j, h, a_z
        if best is None:
            self.drop(i)
            return i, None, wds
        j, h, a_z = best
        M[j] = [a_z, h * x_min + (1 - h) * M[j][1]]
        self.drop(i)
        return i, j, wds

    def h(self, m, kappa):
        if self.strategy.startswith("lookup"):
            return bilinear(self.h_table, m, kappa)
        return golden_section(m, kappa, 0.01 if self.strategy == "gss" else 1e-10)

    def drop(self, i):
        """The last one takes its place."""
        last = self.M.pop()
        if i < len(self.M):
            self.M[i] = last
