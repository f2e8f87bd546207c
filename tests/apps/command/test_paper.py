import csv
import json

import numpy as np
import pytest

from apps.command import main
from engine.datasets import DataUnavailable
from engine.reproduction.paper import Figure, Paper, Row


def row(k, **more):
    return Row("toy", 10, 2.0, 0.5, 0, {"k": k}, {"seconds": np.float64(0.5), "found": 3}, {"seconds": 12, **more})


def part(effort):
    yield row(8)
    yield row(16, accuracy=98.4)


def interrupted(effort):
    yield row(8)
    raise KeyboardInterrupt


def missing(effort):
    yield row(8)
    raise DataUnavailable("toy is not on this computer")


@pytest.fixture
def paper(monkeypatch):
    parts = {"figure1": (part,), "broken": (missing, part), "long": (interrupted, part)}
    figures = tuple(Figure(name, f"About {name}", "A note.", its) for name, its in parts.items())
    fable = Paper("fable", "A fable", "What is meant.", figures)
    monkeypatch.setattr("apps.command.paper.PAPERS", {"fable": fable})


@pytest.mark.usefixtures("paper")
def test_ours_and_the_papers_numbers_have_columns_of_their_own(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert main(["paper", "fable", "figure1", "--quick", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "A fable\nWhat is meant." in text
    assert "About figure1\nA note." in text
    names = "data  n  C gamma seed k  seconds (ours)  seconds (paper)  found (ours)  accuracy (paper)"
    assert names.split() in [line.split() for line in text.splitlines()]
    with (out / "figure1.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [one["k"] for one in rows] == ["8", "16"]
    assert rows[0]["seconds (ours)"] == "0.5"
    assert rows[0]["accuracy (paper)"] == ""
    first = json.loads((out / "figure1.jsonl").read_text().splitlines()[0])
    assert first == {
        "figure": "figure1", "data": "toy", "n": 10, "C": 2.0, "gamma": 0.5, "seed": 0,
        "case": {"k": 8}, "ours": {"seconds": 0.5, "found": 3}, "paper": {"seconds": 12},
    }  # fmt: skip


@pytest.mark.usefixtures("paper")
def test_ctrl_c_keeps_the_rows_so_far(tmp_path, capsys):
    assert main(["paper", "fable", "long", "figure1", "--out", str(tmp_path)]) == 130
    text = capsys.readouterr().out
    assert "About long" in text
    assert "About figure1" not in text
    assert len((tmp_path / "long.jsonl").read_text().splitlines()) == 1
    assert len((tmp_path / "long.csv").read_text().splitlines()) == 2


@pytest.mark.usefixtures("paper")
def test_a_set_that_cannot_be_had_does_not_end_it(capsys):
    assert main(["paper", "fable", "broken"]) == 1
    text = capsys.readouterr()
    assert "svm-explorer: toy is not on this computer" in text.err
    assert text.out.count("toy") == 3


@pytest.mark.parametrize(("arguments", "message"), [
    (["figure99"], "NAME must be one of figure1, figure2"),
    (["--seed", "-1"], "--seed must be a whole number from 0"),
])  # fmt: skip
def test_bad_arguments_get_one_clear_line(arguments, message, capsys):
    assert main(["paper", "dcsvm", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_help_lists_the_figures(capsys):
    with pytest.raises(SystemExit):
        main(["paper", "dcsvm", "--help"])
    assert "table10   Table 10: other C and gamma on census" in capsys.readouterr().out
