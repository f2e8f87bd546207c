import os
import signal
import subprocess
import sys
import time

import numpy as np
import param
import pytest

from apps.command import main
from engine import Recording, System
from engine.learning.common_settings import SolverSettings
from engine.learning.multiclass import train_by_tasks
from engine.runtime.events import Failed, Finished
from engine.systems.kernel_svm import algorithm as kernel_svm
from engine.systems.kernel_svm.settings import DualSettings


def test_run_writes_a_recording_and_a_summary(tmp_path, capsys):
    out = tmp_path / "run.svmrun"
    assert (
        main(["run", "kernel-svm", "--data", "moons", "--size", "300", "--C", "10", "--gamma", "2", "--out", str(out)])
        == 0
    )
    text = capsys.readouterr()
    for line in ("stopped             converged", "test accuracy", "kernel evaluations", "support vectors", str(out)):
        assert line in text.out
    assert "Kernel SVM: 100%" in text.err
    recording = Recording.load(out)
    assert recording.header.settings["C"] == 10
    assert recording.header.source == {"name": "moons", "size": 300, "noise": None, "seed": 0}
    assert recording.header.X.shape == (300, 2)
    assert isinstance(recording[-1], Finished)


def test_run_on_a_file_with_more_classes(tmp_path, capsys):
    file = tmp_path / "data.csv"
    rng = np.random.default_rng(0)
    rows = [f"{x},{y},{'abc'[k]}" for k in range(3) for x, y in rng.normal(3 * k, 1, (20, 2))]
    file.write_text("\n".join(["u,v,kind", *rows]))
    assert main(["run", "kernel-svm", "--data", str(file), "--label-column", "kind", "--quiet"]) == 0
    text = capsys.readouterr()
    assert "train accuracy" in text.out
    assert text.err == ""


def test_a_time_limit_ends_the_run(capsys):
    arguments = ["--data", "checkerboard-filled", "--size", "20000", "--C", "1e6", "--time-limit", "0.2", "--quiet"]
    assert main(["run", "kernel-svm", *arguments]) == 0
    assert "stopped             time" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "message"), [
    (["--data", "nonsense"], "--data must be a file that exists or one of checkerboard"),
    (["--C", "-1"], "C must be a finite number above 0 to 1e100; got -1.0"),
    (["--gamma", "wide"], "gamma must be a positive finite number"),
    (["--size", "0"], "size must be a whole number from"),
    (["--out", "nowhere/at/all.svmrun"], "--out must be a file in a folder that exists"),
    (["--time-limit", "-3"], "time_limit must be a positive number"),
    (["--cache-mb", "0.0001"], "cache_mb must be at least"),
])  # fmt: skip
def test_bad_arguments_get_one_clear_line(arguments, message, capsys):
    assert main(["run", "kernel-svm", "--quiet", *arguments]) in (1, 2)
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


def test_a_failure_is_in_the_recording(tmp_path):
    out = tmp_path / "failed.svmrun"
    main(["run", "kernel-svm", "--quiet", "--cache-mb", "0.0001", "--out", str(out)])
    assert isinstance(Recording.load(out)[-1], Failed)


class FewSettings(SolverSettings):
    """One setting, named as a flag of the data."""

    size = param.Integer(7, bounds=(1, 9), doc="Up to 100 % of nine.")


def test_a_table_of_few_settings_will_do(monkeypatch, capsys):
    sizes = []

    def train(X, y, settings, counter):
        sizes.append(settings.size)
        return train_by_tasks(
            X, y, settings, counter, np.ones(2), True, lambda problem, _: kernel_svm.solve(problem, DualSettings())
        )

    monkeypatch.setattr("apps.command.run.SOLVERS", {"few": System("few", "Few", FewSettings, train)})
    assert main(["run", "few", "--data", "moons", "--size", "200", "--setting-size", "8"]) == 0
    assert sizes == [8]
    assert "train accuracy" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["run", "few", "--help"])
    assert "100 % of nine" in capsys.readouterr().out


def test_data_lists_the_sets(capsys):
    assert main(["data"]) == 0
    out = capsys.readouterr().out
    assert "checkerboard" in out
    assert "ijcnn1" in out


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_keeps_the_recording(tmp_path):
    out = tmp_path / "run.svmrun"
    command = [
        sys.executable, "-c", "import sys; from apps.command import main; sys.exit(main())",
        "run", "kernel-svm", "--data", "checkerboard", "--size", "20000", "--C", "1e7", "--gamma", "50",
        "--tol", "1e-6", "--out", str(out),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    seen = b""
    while b"iteration" not in seen:
        seen += process.stderr.read(200)
        assert process.poll() is None, seen
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert b"stopped             cancelled" in output
    recording = Recording.load(out)
    assert recording[-1].stop_reason == "cancelled"
    assert len(recording) > 3
