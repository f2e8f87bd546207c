import json
import zipfile
from dataclasses import dataclass, fields

import numpy as np
import pytest

from engine import ArchiveError, Recording, registry
from engine.runtime import archive
from engine.runtime.events import Finished, PhaseBegan, Stamp
from engine.runtime.recording import KIND, VERSION, Header
from engine.systems.kernel_svm.events import Iteration
from tests.engine.runtime.test_run import dual_run


def iteration(number, n=1000):
    array = np.full(n, float(number))
    return Iteration(
        stamp=Stamp(number, number / 10, number * 100, ("level 1",)), iteration=number, inner_steps=1, objective=-1.0,
        violation=0.1, intercept=0.0, n_free=1, n_bound=1, n_active=n, rows_computed=1, cache_hits=1,
        working_set=np.arange(4), alpha=array, gradient=array.astype(np.float32), active=array > 0,
    )  # fmt: skip


def header():
    return Header("kernel-svm", {"C": 2.0, "class_weight": {1: 2.0, "b": np.inf}}, np.eye(3), np.array([1, -1, 1]))


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return a == b or (a != a and b != b)


def assert_equal_events(left, right):
    assert len(left) == len(right)
    for a, b in zip(left, right, strict=True):
        assert type(a) is type(b)
        for item in fields(a):
            assert same(getattr(a, item.name), getattr(b, item.name)), item.name


@pytest.fixture(scope="module")
def finished():
    run = dual_run(True)
    run.result()
    return run.recording


def test_a_file_holds_every_bit(finished, tmp_path):
    path = tmp_path / "run.svmrun"
    finished.save(path)
    loaded = Recording.load(path)
    assert_equal_events(finished, loaded)
    assert np.array_equal(loaded.header.X, finished.header.X)
    assert loaded.header.versions == finished.header.versions
    second = tmp_path / "again.svmrun"
    loaded.save(second)
    assert second.read_bytes() == path.read_bytes()


def test_headers_and_odd_numbers_survive(tmp_path):
    recording = Recording(header())
    recording.append(iteration(1))
    recording.append(
        Finished(
            stop_reason="time", iterations=1, inner_steps=1, objective=-np.inf, gap=np.nan, violation=5e-324,
            intercept=0.1 + 0.2, n_free=0, n_bound=0, alpha=np.empty(0),
        )
    )  # fmt: skip
    recording.save(tmp_path / "r")
    loaded = Recording.load(tmp_path / "r")
    assert_equal_events(recording, loaded)
    assert loaded.header.settings == header().settings


def test_long_recordings_thin_out_evenly_but_keep_first_last_and_milestones():
    recording = Recording(header(), limit_mb=1)
    size = 0
    for number in range(1, 2001):
        recording.append(iteration(number))
        if number % 500 == 0:
            recording.append(PhaseBegan(name=str(number), size=number))
        assert recording[-1].stamp.sequence == number or isinstance(recording[-1], PhaseBegan)
        size = max(size, recording.bytes)
    assert size <= 2**20
    kept = [event.iteration for event in recording if isinstance(event, Iteration)]
    assert kept[0] == 1
    assert kept[-1] == 2000
    assert [event.name for event in recording if isinstance(event, PhaseBegan)] == ["500", "1000", "1500", "2000"]
    steps = np.diff(kept[:-1])
    assert len(kept) > 20
    assert steps.max() == steps.min()


def test_a_failed_write_leaves_the_old_file(finished, tmp_path, monkeypatch):
    path = tmp_path / "run.svmrun"
    path.write_text("precious")
    monkeypatch.setattr(archive.np, "save", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        finished.save(path)
    assert path.read_text() == "precious"
    assert [item.name for item in tmp_path.iterdir()] == ["run.svmrun"]


def rewrite(path, change):
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    change(parts)
    with zipfile.ZipFile(path, "w") as target:
        for name, content in parts.items():
            target.writestr(name, content)


def edit(change):
    def apply(parts):
        document = json.loads(parts["document.json"])
        change(document)
        parts["document.json"] = json.dumps(document).encode()

    return apply


@pytest.mark.parametrize(("change", "message"), [
    (edit(lambda d: d.update(version=99)), "version 99; this program reads 1"),
    (edit(lambda d: d.update(kind="cake recipe")), "is not a svm-explorer recording file"),
    (edit(lambda d: d["content"].pop("header")), "damaged"),
    (edit(lambda d: d["content"]["events"][0].update(event="Explosion")), "unknown kind, 'Explosion'"),
    (edit(lambda d: d["content"]["events"][0]["values"].update(surprise=1)), "damaged"),
    (edit(lambda d: d["content"]["events"][0].update(stamp=[1, 2])), "damaged"),
    (edit(lambda d: d["content"]["header"].update(X=3)), "X and y are not arrays"),
    (edit(lambda d: d["content"]["header"].update(X={"$array": 10_000})), "damaged"),
    (lambda parts: parts.pop("document.json"), "has no document.json"),
    (lambda parts: parts.update({"document.json": b"{"}), "damaged"),
    (lambda parts: parts.update({"0.npy": b"not an array"}), "damaged"),
    (lambda parts: parts.pop("0.npy"), "damaged"),
])  # fmt: skip
def test_made_up_files_are_refused(finished, tmp_path, change, message):
    path = tmp_path / "run.svmrun"
    finished.save(path)
    rewrite(path, change)
    with pytest.raises(ArchiveError, match=message):
        Recording.load(path)


def test_pickled_arrays_are_refused(finished, tmp_path):
    path, evil = tmp_path / "run.svmrun", tmp_path / "evil.npy"
    finished.save(path)
    np.save(evil, np.array([{"a": 1}], object), allow_pickle=True)
    rewrite(path, lambda parts: parts.update({"0.npy": evil.read_bytes()}))
    with pytest.raises(ArchiveError, match="damaged"):
        Recording.load(path)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_cut_and_altered_files_are_refused(finished, tmp_path, part):
    path = tmp_path / "run.svmrun"
    finished.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ArchiveError):
        Recording.load(path)
    if 0 < part < 0.9:
        altered = bytearray(whole)
        altered[int(len(whole) * part)] ^= 0xFF
        path.write_bytes(altered)
        with pytest.raises(ArchiveError):
            Recording.load(path)


def test_an_array_that_claims_to_be_huge_is_refused(finished, tmp_path):
    path, array = tmp_path / "run.svmrun", tmp_path / "a.npy"
    finished.save(path)
    np.save(array, np.zeros(3))
    huge = (
        array.read_bytes().replace(b"(3,), ", b"(10000000000000,), ").replace(b"                   \n", b"      \n", 1)
    )
    rewrite(path, lambda parts: parts.update({"0.npy": huge}))
    with pytest.raises(ArchiveError, match="not of the size it says"):
        Recording.load(path)


def test_a_file_that_unpacks_too_large_is_not_read(finished, tmp_path):
    path = tmp_path / "run.svmrun"
    finished.save(path)
    with pytest.raises(ArchiveError, match="at most 1,000 are read"):
        archive.read(path, KIND, VERSION, limit=1000)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        Recording.load(tmp_path / "nowhere.svmrun")


def test_a_field_that_is_newer_than_a_file_has_its_default(finished, tmp_path, monkeypatch):
    @dataclass(frozen=True, eq=False, kw_only=True)
    class Later(type(finished[0])):
        remark: str = "none"

    path = tmp_path / "run.svmrun"
    finished.save(path)
    name = type(finished[0]).__name__
    monkeypatch.setattr(
        "engine.registry.vocabulary", lambda solver, of=registry.vocabulary: {**of(solver), name: Later}
    )
    loaded = Recording.load(path)
    assert loaded[0].remark == "none"
    assert loaded[0].stamp == finished[0].stamp
