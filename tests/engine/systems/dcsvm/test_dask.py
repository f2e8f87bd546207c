import os
import signal

import distributed
import numpy as np
import pytest

from engine import DCSVC, SOLVERS
from engine.systems.dcsvm.events import SubproblemSolved
from engine.systems.dcsvm.settings import DCSVMSettings
from tests.engine.systems.dcsvm.problems import blobs


@pytest.fixture(scope="module")
def cluster():
    quiet = {"silence_logs": 50, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def data():
    return blobs(6000, seed=1)


@pytest.fixture(scope="module")
def reference(data):
    return DCSVC(C=5.0, gamma=0.5, levels=3).fit(*data)


def test_a_cluster_gives_the_same_answer_and_gets_the_data_once(cluster, data, reference, monkeypatch):
    with distributed.Client(cluster) as client:
        sent = []
        scatter = client.scatter
        monkeypatch.setattr(client, "scatter", lambda *a, **k: sent.append(a) or scatter(*a, **k))
        model = DCSVC(C=5.0, gamma=0.5, levels=3, executor=client.get_executor()).fit(*data)
    assert len(sent) == 1
    assert np.array_equal(model.support_, reference.support_)
    assert np.array_equal(model.dual_coef_, reference.dual_coef_)
    assert np.array_equal(model.history_["evaluations"], reference.history_["evaluations"])


def test_a_worker_that_is_killed_is_not_missed(cluster, data, reference):
    with distributed.Client(cluster) as client:
        model = DCSVC(C=5.0, gamma=0.5, levels=3, executor=client.get_executor())
        killed = False
        for event in model.iter_fit(*data):
            if isinstance(event, SubproblemSolved) and not killed:
                pids = client.run(os.getpid)
                os.kill(min(pids.values()), signal.SIGKILL)
                killed = True
    assert killed
    assert np.array_equal(model.dual_coef_, reference.dual_coef_)


def test_a_cancelled_run_takes_its_tasks_back(cluster, data):
    with distributed.Client(cluster) as client:
        run = SOLVERS["dcsvm"].recorded_run(
            *data, DCSVMSettings(C=5.0, gamma=0.5, levels=3), executor=client.get_executor()
        )
        for event in run:
            if isinstance(event, SubproblemSolved):
                run.cancel()
    assert run.result().stop_reason == "cancelled"
    assert run.result().model.coefficients.any()
