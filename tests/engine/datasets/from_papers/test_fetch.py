"""Published sets that are not at hand: a server on this computer stands for their homes."""

import bz2
import gzip
import io
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from engine.datasets import DataUnavailable, catalogue, is_available, load
from engine.datasets.catalogue import _entries
from engine.datasets.from_papers import fetch, formats, sets
from engine.datasets.from_papers.fetch import Home, obtain
from engine.datasets.from_papers.raw import DamagedFile, Raw, checksum, read_npz, write_npz
from engine.runtime.cache_folder import cache_folder

TRAIN = b"+1 1:0.5 3:-1\n-1 2:0.25\n+1 3:2\n"
TEST = b"-1 1:1\n"


class Server:
    def __init__(self):
        self.files = {}
        self.requests = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.requests.append(self.path)
                body = owner.files.get(self.path)
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server():
    running = Server()
    thread = threading.Thread(target=running.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.http.shutdown()
    running.http.server_close()
    thread.join()


@pytest.fixture
def tiny(server, nowhere, monkeypatch):
    """Enter a set called tiny whose home is the server."""
    server.files = {"/tiny.bz2": bz2.compress(TRAIN), "/tiny.t": gzip.compress(TEST)}
    home = Home((f"{server.url}/tiny.bz2", f"{server.url}/tiny.t"), formats.libsvm(3, "binary"))
    paper = sets.PaperSet(
        name="tiny",
        title="Tiny",
        rows=3,
        sha256=checksum(home.parse([TRAIN, TEST])),
        description="",
        source="",
        home=home,
    )
    monkeypatch.setitem(_entries, "tiny", sets.entry_of(paper))
    return paper


def test_a_download_is_parsed_kept_and_not_repeated(tiny, server, nowhere):
    assert not is_available("tiny")
    first = load("tiny")
    assert first.X.tolist() == [[0.5, 0, -1], [0, 0.25, 0], [0, 0, 2]]
    assert first.y.tolist() == [1, -1, 1]
    assert first.y_test.tolist() == [-1]
    assert server.requests == ["/tiny.bz2", "/tiny.t"]
    assert is_available("tiny")
    assert [path.name for path in nowhere.iterdir()] == ["tiny.npz"]
    assert np.array_equal(load("tiny").X, first.X)
    assert len(server.requests) == 2


def test_the_users_folder_comes_before_the_cache(tiny, server, monkeypatch, tmp_path):
    write_npz(tmp_path / "tiny.npz", tiny.home.parse([TRAIN, TEST]))
    monkeypatch.setenv("SVM_EXPLORER_DATA", str(tmp_path))
    assert is_available("tiny")
    assert load("tiny").n == 3
    assert server.requests == []


def test_other_content_is_refused_and_not_kept(tiny, server, nowhere):
    server.files["/tiny.t"] = b"+1 1:1\n"
    with pytest.raises(DataUnavailable, match="checksum differs") as refused:
        load("tiny")
    assert "nothing was kept" in str(refused.value)
    assert not list(nowhere.glob("*"))


def test_content_that_cannot_be_read_is_refused(tiny, server, nowhere):
    server.files["/tiny.t"] = b"<html>moved</html>"
    with pytest.raises(DataUnavailable, match="could not be read"):
        load("tiny")
    assert not list(nowhere.glob("*"))


@pytest.mark.parametrize("damage", [b"rubbish", b"", b"PK\x03\x04 half a zip"])
def test_a_damaged_file_in_the_cache_is_fetched_anew(tiny, server, nowhere, damage):
    nowhere.mkdir()
    (nowhere / "tiny.npz").write_bytes(damage)
    assert load("tiny").n == 3
    assert len(server.requests) == 2


def test_other_content_in_the_users_folder_is_an_error_and_stays(tiny, monkeypatch, tmp_path):
    path = tmp_path / "tiny.npz"
    write_npz(path, Raw(np.eye(2, dtype=np.float32), np.array([1, -1])))
    monkeypatch.setenv("SVM_EXPLORER_DATA", str(tmp_path))
    with pytest.raises(DataUnavailable, match="holds other data than the tiny on record"):
        load("tiny")
    assert path.is_file()


def test_objects_in_a_file_are_not_unpickled(tmp_path):
    path = tmp_path / "evil.npz"
    np.savez(path, X_train=np.array([{}, {}], dtype=object), y_train=np.array([1, -1]))
    with pytest.raises(DamagedFile, match=r"evil\.npz"):
        read_npz(path)


def test_offline_is_one_sentence(tiny, server, nowhere):
    server.http.shutdown()
    server.http.server_close()
    with pytest.raises(DataUnavailable) as refused:
        load("tiny")
    said = str(refused.value)
    assert isinstance(refused.value, OSError)
    assert refused.value.__cause__ is None
    assert said.startswith(f"tiny is not on this computer (no tiny.npz in {nowhere}; SVM_EXPLORER_DATA is not set)")
    assert "127.0.0.1 failed" in said
    assert "put tiny.npz into the folder that SVM_EXPLORER_DATA names" in said
    assert "\n" not in said


def test_a_missing_page_is_the_same_sentence(tiny, server):
    server.files = {}
    with pytest.raises(DataUnavailable, match="failed \\(Not Found\\)"):
        load("tiny")


def test_a_set_without_a_home_says_where_to_put_it(nowhere, monkeypatch, tmp_path):
    monkeypatch.setenv("SVM_EXPLORER_DATA", str(tmp_path))
    assert catalogue()["susy_30k"].home == ()
    with pytest.raises(DataUnavailable, match="has no public home") as refused:
        load("susy_30k")
    assert f"(no susy_30k.npz in {tmp_path} or {nowhere})" in str(refused.value)
    assert "put susy_30k.npz into the folder that SVM_EXPLORER_DATA names" in str(refused.value)


def test_a_download_has_a_limit(tiny, monkeypatch, nowhere):
    monkeypatch.setattr(fetch, "MAX_DOWNLOAD", 10)
    with pytest.raises(DataUnavailable, match="larger than 10 bytes"):
        load("tiny")
    monkeypatch.setattr(fetch, "MAX_DOWNLOAD", 10_000)
    monkeypatch.setattr(fetch, "MAX_UNPACKED", 10)
    with pytest.raises(DataUnavailable, match="unpacks to more than 10 bytes"):
        load("tiny")
    monkeypatch.setattr(fetch, "MAX_UNPACKED", 10_000)
    monkeypatch.setattr(fetch, "PATIENCE", -1.0)
    with pytest.raises(DataUnavailable, match="took longer"):
        load("tiny")
    assert not list(nowhere.glob("*"))


def test_a_cache_that_cannot_be_made_is_one_sentence_too(tiny, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SVM_EXPLORER_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataUnavailable, match=r"cannot be kept in .*: name another folder in SVM_EXPLORER_CACHE"):
        load("tiny")


def test_a_file_put_into_the_cache_by_hand_is_not_removed(nowhere):
    nowhere.mkdir()
    (nowhere / "susy_30k.npz").write_bytes(b"rubbish")
    with pytest.raises(DataUnavailable, match="replace the file by a sound copy"):
        load("susy_30k")
    assert (nowhere / "susy_30k.npz").is_file()


def test_the_cache_folder_follows_the_platform(monkeypatch, tmp_path):
    monkeypatch.delenv("SVM_EXPLORER_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for platform, folder in {"linux": "xdg", "win32": "local", "darwin": "Library/Caches"}.items():
        monkeypatch.setattr("sys.platform", platform)
        assert cache_folder() == tmp_path / folder / "svm-explorer"


@pytest.mark.parametrize("sparse", [False, True])
def test_a_file_has_the_checksum_of_what_was_written(tmp_path, sparse):
    raw = formats.libsvm(3, "binary", sparse=sparse)([TRAIN, TEST])
    raw = replace(raw, categories={1: np.array(["a", "b "])})
    write_npz(tmp_path / "a.npz", raw)
    again = read_npz(tmp_path / "a.npz")
    assert checksum(again) == checksum(raw)
    assert checksum(replace(again, y_test=-again.y_test)) != checksum(raw)


def test_the_checksum_is_of_the_content_not_of_the_layout():
    X = np.array([[1, 0], [-0.0, 3]], dtype=np.float32)
    y = np.array([1, -1], dtype=np.int8)
    plain = checksum(Raw(X, y))
    assert checksum(Raw(np.asfortranarray(X), y.astype(np.int64))) == plain
    assert checksum(Raw(np.abs(X), y)) == plain
    assert checksum(Raw(X[::-1], y)) != plain
    assert checksum(Raw(X, y, X, y)) != plain


def svmlight(X, y):
    text = io.BytesIO()
    dump_svmlight_file(np.asarray(X.todense() if hasattr(X, "todense") else X, float), y, text, zero_based=False)
    return text.getvalue()


@pytest.mark.parametrize(
    "name", ["phishing", "mushrooms", "fourclass_scale", "australian", "heart_scale", "cadata", "abalone_scale"]
)
def test_the_home_format_leads_to_the_checksum_on_record(name, published):
    raw = read_npz(published(name))
    paper = next(paper for paper in sets.PAPER_SETS if paper.name == name)
    assert checksum(paper.home.parse([svmlight(raw.X_train, raw.y_train)])) == paper.sha256


def test_the_formats_of_the_other_homes():
    covtype = formats.covtype([b"2596,51,5\n2590,56,2\n"])
    assert covtype.X_train.tolist() == [[2596, 51], [2590, 56]]
    assert covtype.X_train.dtype == np.int16
    assert covtype.y_train.tolist() == [-1, 1]

    skin = formats.skin([b"74\t85\t123\t1\n73\t84\t122\t2\n"])
    assert skin.X_train.tolist() == [[74, 85, 123], [73, 84, 122]]
    assert skin.y_train.tolist() == [1, -1]

    usps = formats.usps([b"6.0000 -1.0000 0.5000 \n5.0000 1.0000 -0.2500 \n", b"9 -1 1\n0 0.5 1\n"])
    assert usps.X_train.tolist() == [[-1, 0.5], [1, -0.25]]
    assert usps.y_train.tolist() == [6, 5]
    assert usps.y_test.tolist() == [9, 0]

    images = b"\x00\x00\x08\x03" + bytes(12) + bytes(range(256)) * 49
    labels = b"\x00\x00\x08\x01" + bytes(4) + bytes(range(16))
    mnist = formats.mnist([images, labels, images, labels])
    assert mnist.X_train.shape == (16, 784)
    assert mnist.X_test[0, 200] == 200
    assert mnist.y_test.tolist() == list(range(16))
    with pytest.raises(ValueError, match="idx"):
        formats.mnist([labels, images, labels, images])

    kdd = formats.kddcup99([connection("tcp", "http", "normal."), connection("udp", "dns", "smurf.")])
    assert kdd.categories[1].tolist() == ["tcp", "udp"]
    assert kdd.categories[2].tolist() == ["dns", "http"]
    assert kdd.X_train[0, :5].tolist() == [0.5, 0, 1, 0, 4]
    assert kdd.X_test[0, :5].tolist() == [0.5, 1, 0, 0, 4]
    assert kdd.y_train.tolist() == [-1, -1]
    assert kdd.y_test.tolist() == [1, 1]

    census = formats.census([person("Private", "- 50000."), person("Never worked ", "50000+.")])
    assert census.categories[1].tolist() == ["Never worked", "Private"]
    assert len(census.categories) == 28
    assert census.X_train[0, :3].tolist() == [73, 1, 7]
    assert census.y_train.tolist() == [-1, -1]
    assert census.y_test.tolist() == [1, 1]


def connection(protocol, service, label):
    cells = ["0.5", protocol, service, "SF", *("4" for _ in range(37)), label]
    return (",".join(cells) + "\n").encode() * 2


def person(worker, label):
    cells = ["73", worker, *("7" for _ in range(39)), label]
    return (", ".join(cells) + "\n").encode() * 2


def test_all_homes_are_public_addresses():
    for paper in sets.PAPER_SETS:
        assert len(paper.sha256) == 64
        assert all(url.startswith("https://") for url in (paper.home.urls if paper.home else ()))


def test_obtain_names_every_place(nowhere):
    with pytest.raises(DataUnavailable, match="SVM_EXPLORER_DATA is not set"):
        obtain("nothing", "0" * 64, None)
