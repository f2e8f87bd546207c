import io

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from engine.datasets import libsvm_file, read


def read_text(text, **options):
    return read(text if isinstance(text, bytes) else text.encode(), name="data.libsvm", **options)


@pytest.mark.parametrize(
    "text",
    [
        "+1 1:0.5 4:2\n-1 2:1\n-1\n",
        "+1 1:0.5 4:2\r\n-1 2:1\r\n-1\r\n",
        "\ufeff1 1:.5 4:2e0 # the first\n\n# a comment\n-1 2:1\n  -1  ",
        "1 qid:3 1:0.5 4:2\n-1 qid:4 2:1\n-1 qid:5\n",
        "1\t1:0.5\t4:2\n-1\t2:1\n-1\n",
    ],
)
def test_one_matrix_in_many_spellings(text):
    data = read_text(text)
    assert sp.issparse(data.X)
    assert data.X.toarray().tolist() == [[0.5, 0, 0, 2], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert data.y.tolist() == [1, -1, -1]
    assert data.y.dtype == np.int64
    assert data.X.dtype == np.float64


def test_a_full_matrix_is_dense_unless_too_large(monkeypatch):
    text = "1 1:1 2:2\n2 1:3\n"
    assert isinstance(read_text(text).X, np.ndarray)
    monkeypatch.setattr(libsvm_file, "MAX_CELLS", 3)
    assert sp.issparse(read_text(text).X)


def test_targets():
    assert read_text("0.5 1:1\n2 1:2\n").task == "regression"
    assert read_text("5 1:1\n2 1:2\n", task="regression").y.tolist() == [5.0, 2.0]


@pytest.mark.parametrize("name", ["data.libsvm", "data.svm", "heart_scale", "data.txt", "upload.t"])
@pytest.mark.parametrize("text", [b"+1 1:2 3:4\n-1 2:1\n", b"# note\n1\n-1\n+1 1:2 3:4\n", b"1 qid:7 1:2\n"])
def test_the_format_is_recognised(name, text):
    assert read(text, name=name).d >= 1


@pytest.mark.parametrize("text", [b"1,x\n2,y\n", b"a;b\n1;2\n", b"time,class\n0.5,12:30\n", b"1, 12:30\n2, 1:2\n"])
def test_csv_is_not_taken_for_it(text):
    assert read(text, name="data.txt").d == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1:1\n\n# x\nx 1:1\n", 'data.libsvm, line 4: the label "x" is not a number'),
        ("1 1:1\n1,2 1:1\n", 'line 2: the label "1,2"'),
        ("1 1:1\n1:1 2:1\n", 'line 2: the label "1:1"'),
        ("1 1:1\nnan 1:1\n", 'line 2: the label "nan"'),
        ("1 1:1\n2 0:1\n", 'line 2: the index in "0:1" is below 1'),
        ("1 1:1\n2 -3:1\n", 'line 2: the index in "-3:1" is below 1'),
        ("1 1:1\n2 3:1 3:2\n", "line 2: the index 3 is there twice"),
        ("1 1:1\n2 3:1 2:2\n", "line 2: the index 2 comes after 3; indices must ascend"),
        ("1 1:1\n2 1\n", 'line 2: "1" is not index:value'),
        ("1 1:1\n2 a:1\n", 'line 2: "a:1" is not index:value'),
        ("1 1:1\n2 1.5:1\n", "line 2"),
        ("1 1:1\n2 1:x\n", 'line 2: the value in "1:x" is not a finite number'),
        ("1 1:1\n2 1:\n", "line 2: the value"),
        ("1 1:1\n2 1:nan\n", "line 2: the value"),
        ("1 1:1\n2 1:inf\n", "line 2: the value"),
        ("1 1:1\n2 1:1e999\n", "line 2: the value"),
        ("1 1:1\n2 1:2:3\n", "line 2: the value"),
        ("1 1:1\n2 1:1_0\n", "line 2: the value"),
        ("1 1:1\n2 1_0:1\n", "line 2"),
        ("1 1:1\n2 16777217:1\n", "line 2: the index 16777217 is above 16,777,216"),
        ("1 1:1\n2 99999999999999999999999:1\n", "line 2: the index"),
        ("1 1:1\n2 " + "9" * 10_000 + ":1\n", "line 2: the index"),
        (b"1 1:1\n\xff\xfe 1:1\n", "line 2: the label"),
        ("", "data.libsvm: there are no rows"),
        ("# only a comment\n\n", "data.libsvm: there are no rows"),
        ("1\n-1\n", "data.libsvm: no row has a feature"),
    ],
)
def test_a_nasty_file_is_refused_with_its_line(text, said):
    with pytest.raises(ValueError, match=r"data\.libsvm") as refused:
        read_text(text)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 200


def test_limits():
    text = "1 1:1\n\n\n\n\n2 1:2\n# end\n"
    assert read_text(text, max_rows=2).n == 2
    with pytest.raises(ValueError, match=r"data\.libsvm, line 6: the file has more than 1 rows"):
        read_text(text, max_rows=1)
    with pytest.raises(ValueError, match="line 2: the file has more than 1 rows"):
        read_text("1 1:1\n2 1:2", max_rows=1)
    with pytest.raises(ValueError, match="more than 8 bytes"):
        read_text(text, max_bytes=8)


def test_underscores_in_a_comment_do_not_matter():
    assert read_text("1 1:1 # my_name\n2 1:2\n").n == 2


def test_csv_options_are_refused():
    with pytest.raises(ValueError, match="label_column must be left out"):
        read_text("1 1:1\n", label_column=0)


def test_what_scikit_learn_writes_is_read():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 30)) < 0.1, rng.integers(1, 100, (50, 30)) / 8, 0.0)
    X[49, 29] = 1.0
    y = rng.integers(0, 4, 50)
    text = io.BytesIO()
    dump_svmlight_file(X, y, text, zero_based=False)
    data = read_text(text.getvalue())
    assert np.array_equal(data.X.toarray(), X)
    assert np.array_equal(data.y, y)
