"""Recordings, models and links of earlier versions still open, and still say what they said.

The files in `data/old` are never made anew: people have files like these. `expected.json` has what they said when they
were made. A new setting or field of an event gets a default, or these tests fail.
"""

import json
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine
from engine import SOLVERS, Recording
from engine.registry import folder_of
from explorer.registry import presentation
from explorer.replay.lookup import Replay
from explorer.share.link import Link
from explorer.sketch import Sketch

OLD = Path(__file__).parent / "data" / "old"
EXPECTED = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
RECORDINGS, MODELS, LINKS = EXPECTED["recordings"], EXPECTED["models"], EXPECTED["links"]


def checksum(recording, fields):
    """Of all events, by the fields that each kind had then."""
    total = 0
    for event in recording:
        stamp, kind = event.stamp, type(event).__name__
        values = [getattr(event, name) for name in fields[kind]]
        for value in (kind, stamp.sequence, stamp.seconds, stamp.evaluations, stamp.path, *values):
            total = zlib.crc32(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode(), total)
    return total


def test_there_is_a_file_of_every_system_and_estimator():
    assert {item.stem for item in OLD.glob("*.svmrun")} == set(RECORDINGS)
    assert {item.stem for item in OLD.glob("*.svmmodel")} == set(MODELS)
    built_in = [system for system in SOLVERS.values() if folder_of(system.name) is not None]
    assert {system.name for system in built_in} <= set(RECORDINGS)
    estimators = {system.estimator.partition(":")[2] for system in built_in}
    assert estimators <= {item["estimator"] for item in MODELS.values()}


@pytest.mark.parametrize("solver", RECORDINGS)
def test_an_old_recording_opens_with_all_of_its_events(solver):
    expected, recording = RECORDINGS[solver], Recording.load(OLD / f"{solver}.svmrun")
    header = recording.header
    assert (header.solver, list(header.X.shape), header.source) == (solver, expected["points"], expected["source"])
    assert len(recording) == expected["events"]
    assert recording[-1].stop_reason == expected["stop_reason"]
    assert checksum(recording, expected["fields"]) == expected["checksum"]


@pytest.mark.parametrize("solver", RECORDINGS)
def test_an_old_recordings_settings_are_accepted_and_mean_the_same(solver):
    header = Recording.load(OLD / f"{solver}.svmrun").header
    assert {name: header.settings[name] for name in RECORDINGS[solver]["settings"]} == RECORDINGS[solver]["settings"]
    table = SOLVERS[solver].settings.checked(header.settings)
    assert {name: table.values_by_name()[name] for name in header.settings} == header.settings


@pytest.mark.parametrize("solver", RECORDINGS)
def test_an_old_recording_is_shown_as_it_was(solver):
    expected, recording = RECORDINGS[solver], Recording.load(OLD / f"{solver}.svmrun")
    replay = Replay(recording)
    replay.reader.check()
    frames = [replay.frame(cursor) for cursor in range(len(recording))]
    assert [None if frame is None else frame.event.stamp.sequence for frame in frames] == expected["states"]
    shown, frame = expected["frame"], replay.frame(len(recording) - 1)
    assert type(frame.event).__name__ == shown["event"]
    assert np.count_nonzero(frame.alpha) == shown["n_support"]
    assert frame.intercept == shown["intercept"]
    xs, ys = np.array(shown["xs"]), np.array(shown["ys"])
    np.testing.assert_allclose(replay.reader.field(frame, xs, ys), shown["field"], atol=2e-3)
    assert replay.reader.accuracy(frame)[0] == pytest.approx(shown["accuracy"], rel=1e-4)


def test_a_recording_of_other_versions_opens(tmp_path):
    recording = Recording.load(OLD / "kernel-svm.svmrun")
    recording.header = replace(recording.header, versions={"numpy": "1.17.0", "svm-explorer": "99.0"})
    recording.save(tmp_path / "other.svmrun")
    again = Recording.load(tmp_path / "other.svmrun")
    assert again.header.versions["svm-explorer"] == "99.0"
    assert len(again) == RECORDINGS["kernel-svm"]["events"]


@pytest.mark.parametrize("name", MODELS)
def test_an_old_model_predicts_as_it_did(name):
    expected, points = MODELS[name], np.array(EXPECTED["points"])
    estimator = getattr(engine, expected["estimator"]).load(OLD / f"{name}.svmmodel")
    given = estimator.get_params()
    assert {key: given[key] for key in expected["params"]} == expected["params"]
    assert estimator.stop_reason_ == expected["stop_reason"]
    if "decision" in expected:
        np.testing.assert_allclose(estimator.decision_function(points), expected["decision"], rtol=1e-4, atol=1e-4)
        assert estimator.predict(points).tolist() == expected["prediction"]
    else:
        np.testing.assert_allclose(estimator.predict(points), expected["prediction"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("expected", LINKS, ids=lambda item: f"{item['solver']} {item['query'][:24]}")
def test_an_old_link_asks_for_what_it_did(expected):
    solver = expected["solver"]
    link = Link.read(expected["query"], SOLVERS[solver].settings, presentation(solver).layers)
    assert {"data": link.data, "settings": link.settings} == {key: expected[key] for key in ("data", "settings")}
    assert (link.cursor, link.axis, link.layers) == (expected["cursor"], expected["axis"], expected["layers"])
    if "drawn" in expected:
        assert Sketch.read(link.data["points"]).points.tolist() == expected["drawn"]["points"]
