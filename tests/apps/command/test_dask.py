import socket
import sys

import distributed
import numpy as np
import pytest

from apps.command import dask, main
from engine import Recording, Solver
from explorer.server.pool import SERVER
from explorer.stage.actions import Stage

RUN = ["run", "dcsvm", "--data", "moons", "--size", "1500", "--C", "5", "--gamma", "2", "--levels", "2", "--quiet"]


@pytest.fixture(scope="module")
def address():
    quiet = {"silence_logs": 50, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as local:
        yield local.scheduler_address


@pytest.mark.parametrize("before", [True, False])
def test_a_run_on_a_cluster_gives_the_same_answer(address, tmp_path, monkeypatch, before):
    handed = []
    submit = distributed.cfexecutor.ClientExecutor.submit
    monkeypatch.setattr(
        distributed.cfexecutor.ClientExecutor, "submit", lambda self, *a, **k: handed.append(a) or submit(self, *a, **k)
    )
    here, there = tmp_path / "here.svmrun", tmp_path / "there.svmrun"
    assert main([*RUN, "--out", str(here)]) == 0
    assert handed == []
    flag = ["--dask", address]
    told = [*flag, *RUN] if before else [*RUN, *flag]
    assert main([*told, "--out", str(there)]) == 0
    assert len(handed) >= 4
    assert np.array_equal(Recording.load(here)[-1].alpha, Recording.load(there)[-1].alpha)


def test_the_server_hands_its_cluster_to_the_stage(address, monkeypatch):
    seen, real = [], Solver.recorded_run

    def recorded_run(self, *args, **how):
        seen.append(how["executor"])
        return real(self, *args, **how)

    def serve(pages, **_):
        stage = Stage()
        stage.begin()
        stage.close()

    monkeypatch.setattr(Solver, "recorded_run", recorded_run)
    monkeypatch.setattr("panel.serve", serve)
    monkeypatch.setattr(SERVER, "executor", None)
    assert main(["--dask", address, "--no-browser"]) == 0
    assert isinstance(seen[0], distributed.cfexecutor.ClientExecutor)


def test_a_cluster_that_does_not_answer_gets_one_clear_line(monkeypatch, capsys):
    monkeypatch.setattr(dask, "PATIENCE", 0.5)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nobody = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    for address in (nobody, "nonsense", "smoke://signal:1"):
        assert main([*RUN, "--dask", address]) == 2
        error = capsys.readouterr().err
        assert "--dask must be the address of a Dask scheduler that answers" in error
        assert address in error
        assert len(error.strip().splitlines()) == 1


def test_without_the_package_there_is_one_clear_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["--dask", "tcp://127.0.0.1:8786"]) == 2
    error = capsys.readouterr().err
    assert error == "svm-explorer: --dask needs the package distributed: pip install distributed\n"


def test_a_solver_without_subproblems_has_no_such_flag(capsys):
    with pytest.raises(SystemExit):
        main(["run", "kernel-svm", "--dask", "tcp://127.0.0.1:8786"])
    assert "unrecognized arguments: --dask" in capsys.readouterr().err
