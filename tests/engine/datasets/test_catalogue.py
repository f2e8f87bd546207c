import numpy as np
import pytest
from sklearn.svm import SVC

from engine.datasets import catalogue, is_available, load, samples

ENTRIES = catalogue()
HERE = [name for name, entry in ENTRIES.items() if entry.kind in ("bundled", "sample")]


def test_the_kinds_come_in_order():
    kinds = [entry.kind for entry in ENTRIES.values()]
    assert list(dict.fromkeys(kinds)) == ["toy", "bundled", "sample", "paper"]
    assert kinds == sorted(kinds, key=["toy", "bundled", "sample", "paper"].index)


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_tells_what_a_menu_needs(name):
    entry = ENTRIES[name]
    assert entry.name == name
    assert entry.title
    assert entry.description.endswith(".")
    assert 2 <= entry.min_size <= entry.size <= entry.max_size
    assert (entry.noise is None) == (entry.kind != "toy")
    assert entry.kind == "paper" or is_available(name)
    assert entry.kind == "paper" or not entry.home
    assert entry.home or entry.kind != "paper" or "No download" in entry.description


@pytest.mark.parametrize("name", HERE)
def test_a_set_that_is_here_loads_with_the_size_of_its_entry(name):
    data = load(name)
    assert data.n == ENTRIES[name].size
    assert data.name == name
    assert data.title
    assert data.source
    assert data.classes.size >= 2
    assert data.task == "classification"


@pytest.mark.parametrize("name", HERE)
def test_a_smaller_size_picks_rows_of_every_class_and_grows(name):
    whole, some, more = load(name, seed=5), load(name, size=20, seed=5), load(name, size=30, seed=5)
    assert some.n == 20
    assert np.array_equal(some.classes, whole.classes)
    dense = [np.asarray(data.X.todense() if hasattr(data.X, "todense") else data.X) for data in (whole, some, more)]
    assert {row.tobytes() for row in dense[1]} <= {row.tobytes() for row in dense[0]}
    assert np.array_equal(dense[2][:20], dense[1])
    assert load(name, size=10_000).n == whole.n


def test_the_bundled_sets_are_scaled_and_split():
    for name, test_rows in {"iris": 30, "wine": 36, "breast-cancer": 114, "digits": 360}.items():
        data = load(name, seed=1)
        assert len(data.y_test) == len(data.X_test) == test_rows
        assert len(data.feature_names) == data.d
        shares = [np.mean(labels == data.classes[0]) for labels in (data.y, data.y_test)]
        assert shares[0] == pytest.approx(shares[1], abs=0.03)
        if name == "digits":
            assert data.X.min() == 0
            assert data.X.max() == 1
            assert data.y.dtype == np.int64
        else:
            assert data.X.mean(axis=0) == pytest.approx(0, abs=1e-9)
            assert data.X.std(axis=0) == pytest.approx(1)
            assert data.y.dtype.kind == "U"
        assert not np.array_equal(data.X_test, load(name, seed=2).X_test)
        assert np.array_equal(data.X_test, load(name, seed=1).X_test)


def test_the_samples_show_what_they_promise():
    crescents = load("crescents")
    linear, curved = (SVC(kernel=kernel, gamma=1.0).fit(crescents.X, crescents.y) for kernel in ("linear", "rbf"))
    assert linear.score(crescents.X, crescents.y) < 0.9
    assert curved.score(crescents.X, crescents.y) > 0.98
    assert crescents.feature_names == ("east", "north")
    assert load("petals").classes.tolist() == ["iris", "lily", "rose"]
    knots = load("contradictions")
    distinct, point = np.unique(knots.X, axis=0, return_inverse=True)
    assert len(distinct) == 111
    assert sum(len(np.unique(knots.y[point == i])) == 2 for i in range(len(distinct))) == 41
    words = load("words")
    assert words.X.shape == (600, 2_000)
    assert words.X.nnz < 0.02 * 600 * 2_000
    assert SVC(kernel="linear").fit(words.X[:400], words.y[:400]).score(words.X[400:], words.y[400:]) > 0.9


def test_the_sample_folder_is_inside_an_installed_package_and_beside_a_checkout(monkeypatch, tmp_path):
    package = tmp_path / "engine"
    (package / "datasets").mkdir(parents=True)
    monkeypatch.setattr(samples, "__file__", str(package / "datasets" / "samples.py"))
    assert samples.sample_folder() == tmp_path / "sample_data"
    (package / "sample_data").mkdir()
    assert samples.sample_folder() == package / "sample_data"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("chekerboard", {}, "did you mean 'checkerboard'"),
        ("Iris", {}, "did you mean 'iris'"),
        ("no such thing at all", {}, "one of checkerboard"),
        (7, {}, "name must be one of"),
        ("moons", {"size": 1}, "size must be a whole number from 2 to 1,000,000 for moons; got 1"),
        ("moons", {"size": 2_000_000}, "size"),
        ("moons", {"size": 10.5}, "size"),
        ("moons", {"size": True}, "size"),
        ("moons", {"size": "many"}, "size"),
        ("iris", {"size": 0}, "size"),
        ("moons", {"noise": -0.1}, "noise must be a number from 0 to 1 for moons; got -0.1"),
        ("moons", {"noise": float("nan")}, "noise"),
        ("moons", {"noise": "loud"}, "noise"),
        ("iris", {"noise": 0.1}, "noise must be left out for iris"),
        ("moons", {"seed": -1}, "seed"),
        ("moons", {"seed": 1.5}, "seed"),
        ("moons", {"board": 3}, "an option of moons"),
        ("checkerboard", {"boards": 3}, "board, border"),
    ],
)
def test_refused_names_and_values(name, arguments, said):
    with pytest.raises(ValueError, match="must be") as refused:
        load(name, **arguments)
    assert said in str(refused.value)


def test_availability_asks_for_a_known_name():
    with pytest.raises(ValueError, match="did you mean"):
        is_available("mooons")


def test_numpy_numbers_are_numbers():
    data = load("moons", size=np.int64(10), noise=np.float32(0.0), seed=np.uint8(3))
    assert data.n == 10
