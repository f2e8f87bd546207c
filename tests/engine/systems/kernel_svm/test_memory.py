"""Memory stays within cache_mb plus a stated constant."""

import subprocess
import sys
from pathlib import Path

import pytest

N, D, CACHE_MB = 200_000, 10, 300
# For each point: the data twice (as given, and as the kernel wants them), a dozen vectors of the solver and of its
# latest event; and a fixed part for tiles, working-set blocks and the row slices of one thread each.
STATED_MB = N * (12 * D + 30 * 8) / 2**20 + 150

CODE = f"""
import re, numpy as np
from engine.systems.kernel_svm.settings import DualSettings
from engine.systems.kernel_svm.algorithm import solve
from engine.numerics.kernels import Kernel
from engine.optimisation.dual_problem import Problem
from engine.runtime.run import Run

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read()).group(1)) / 1024

def fit(n, **settings):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, {D}))
    y = np.where(np.sin(3 * X[:, 0]) > 0, 1.0, -1.0)
    before = peak()
    problem = Problem.build(X, y, C=10.0, kernel=Kernel.fit(X, "rbf", 1.0), bias=True)
    run = Run(solve(problem, DualSettings(**settings)), problem.kernel.counter)
    for _ in run:
        pass
    return peak() - before

fit(2000)
print(fit({N}, cache_mb={CACHE_MB}, max_iter=12))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from Linux's /proc")
def test_memory_at_200000_points():
    result = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    grown = float(result.stdout)
    assert CACHE_MB * 0.8 < grown < CACHE_MB + STATED_MB
