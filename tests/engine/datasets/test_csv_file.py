import io

import numpy as np
import pytest
import scipy.sparse as sp

from engine.datasets import Dataset, csv_file, load, read, write_csv


def read_text(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return read(data, name="data.csv", **options)


PLAIN = [[1.0, 2.0], [3.0, 4.5]]


@pytest.mark.parametrize(
    "text",
    [
        "a,b,label\n1,2,x\n3,4.5,y\n",
        "1,2,x\n3,4.5,y",
        "a;b;label\r\n1;2;x\r\n3;4.5;y\r\n",
        "1\t2\tx\n3\t4.5\ty\n",
        "\ufeffa,b,label\n1,2,x\n3,4.5,y\n",
        "\ufeff1,2,x\n3,4.5,y\n",
        '"a","b","label"\n"1","2","x"\n"3","4.5","y"\n',
        "\n\na, b, label\n\n1, 2, x\n  \n3, 4.5, y\n\n",
        "a,b,label\r1,2,x\r3,4.5,y\r",
        "label,a,b\nx,1,2\ny,3,4.5\n",
        "a,Class,b\n1,x,2\n3,y,4.5\n",
        "0,1,label\n1,2,x\n3,4.5,y\n",
        "target,1,2\nx,1,2\ny,3,4.5\n",
        "a,b,Y\n1,2,x\n3,4.5,y\n",
    ],
)
def test_one_table_in_many_spellings(text):
    data = read_text(text)
    assert data.X.tolist() == PLAIN
    assert data.y.tolist() == ["x", "y"]
    assert data.X.dtype == np.float64
    assert data.name == "data"
    assert data.source == "data.csv"


@pytest.mark.parametrize(
    ("text", "labels", "task"),
    [
        ("a,label\n1,1\n2,-1\n", [1, -1], "classification"),
        ("a,label\n1,+1\n2,-1.0\n", [1, -1], "classification"),
        ("a,label\n1,1\n2,one\n", ["1", "one"], "classification"),
        ("a,label\n1,0.5\n2,3\n", [0.5, 3.0], "regression"),
        ("a,label\n1,1e300\n2,3\n", [1e300, 3.0], "regression"),
        ("a,label\n1,1_0\n2,3\n", ["1_0", "3"], "classification"),
        ('a,label\n1,"x, y"\n2,"say ""z"""\n', ["x, y", 'say "z"'], "classification"),
        ("a,label\n1,été\n2,é\n", ["été", "é"], "classification"),
        ("a,label\n1,only\n2,only\n", ["only", "only"], "classification"),
    ],
)
def test_what_labels_mean(text, labels, task):
    data = read_text(text)
    assert data.y.tolist() == labels
    assert data.task == task


def test_the_task_can_be_told():
    assert read_text("a,label\n1,1\n2,2\n", task="regression").y.dtype == np.float64
    assert read_text("a,label\n1,0.5\n2,2\n", task="classification").y.tolist() == ["0.5", "2.0"]


def test_the_label_column_can_be_told():
    text = "a,b,c\n1,2,3\n4,5,6\n"
    assert read_text(text, label_column="b").y.tolist() == [2, 5]
    assert read_text(text, label_column="b").feature_names == ("a", "c")
    assert read_text(text, label_column=0).X.tolist() == [[2, 3], [5, 6]]
    assert read_text(text, label_column=-2).y.tolist() == [2, 5]
    assert read_text("x,1,2\ny,3,4\n", label_column=0).y.tolist() == ["x", "y"]
    for wrong in ("d", 3, -4, True):
        with pytest.raises(ValueError, match="label_column must be an index from 0 to 2 or one of a, b, c"):
            read_text(text, label_column=wrong)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,age,label\n1,2,x\n\n3,abc,y\n", 'data.csv, line 4, column 2 ("age"): "abc" is not a number'),
        ("1,2,x\n3,abc,y\n", 'data.csv, line 2, column 2: "abc" is not a number'),
        ("a,label,b\n1,x,2\n3,y,zz\n", 'line 3, column 3 ("b"): "zz" is not a number'),
        ("1,abc,x\n3,4,y\n", "line 1, column 2"),
        ("a,b,label\n1,,x\n", 'line 2, column 2 ("b"): the value is missing'),
        ("a,b,label\n1,2,x\n1,NA,x\n", "line 3, column 2"),
        ("a,b,label\n1,2,x\n1,?,x\n", "the value is missing"),
        ("a,b,label\n1,2,x\n1,nan,x\n", "line 3, column 2"),
        ("a,b,label\n1,2,x\n\n1,inf,x\n", 'line 4, column 2 ("b"): "inf" is not a finite number'),
        ("a,b,label\n1,1e999,x\n", "line 2, column 2"),
        ("a,b,label\n1,2,\n", 'line 2, column 3 ("label"): the value is missing'),
        ("a,b,label\n1,2,1\n1,2,inf\n", "line 3, column 3"),
        ("a,b,label\n1,2,x\n1,2\n", "line 3: 2 values where the first row has 3"),
        ("a,b,label\n1,2,x\n1,2,3,x\n", "line 3: 4 values where the first row has 3"),
        ("a,b,label\n1,1_000,x\n", '"1_000" is not a number'),
        ("a_1,b,label\n1,2,x\n1,2_0,x\n", "line 3, column 2"),
        ('a,b,label\n1,2,x\n1,"2,x\n3,4,x\n', "line 3"),
        ('a,b,label\n1,"2\n2",x\n', "line 2, column 2"),
        ('a,b,label\n1,"2" 3,x\n', "line 2"),
        ("a,b,label\n1,2;5,x\n", "line 2, column 2"),
        ("x\ny\n", "line 1: one column only"),
        ("1 2 3\n4 5 6\n", "line 1: one column only"),
        ("", "data.csv: there are no rows of data"),
        ("\n \n", "data.csv: there are no rows of data"),
        ("a,b,label\n", "data.csv: there are no rows of data"),
        (b"a,b,label\n1,2,x\n1,2,\xe9t\xe9\n", "data.csv, line 3: not UTF-8"),
        ("a,b,label\n1,2,x\n".encode("utf-16"), "data.csv, line 1: not UTF-8"),
        ("a,b,label\n1,2,x\n3,\x00,y\n", "line 3, column 2"),
        ("a,b,label\n1,2," + "x" * 200 + "\n", "line 2, column 3"),
        ("a,b,label\n1,2,x\n3," + "9" * 200_000 + "x,y\n", "line 3"),
    ],
)
def test_a_nasty_file_is_refused_with_its_line(text, said):
    with pytest.raises(ValueError, match=r"data\.csv") as refused:
        read_text(text)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 200


def test_text_is_no_target():
    with pytest.raises(ValueError, match='line 3, column 2 \\("label"\\): "x" is not a number'):
        read_text("a,label\n1,2\n3,x\n", task="regression")


def test_limits(monkeypatch, tmp_path):
    text = "a,label\n1,x\n2,y\n3,x\n"
    assert read_text(text, max_rows=3).n == 3
    with pytest.raises(ValueError, match=r"data\.csv, line 4: the file has more than 2 rows"):
        read_text(text, max_rows=2)
    assert read_text(text, max_bytes=len(text)).n == 3
    with pytest.raises(ValueError, match="more than 19 bytes"):
        read_text(text, max_bytes=19)
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"data\.csv: the file has more than 5 bytes"):
        read(path, max_bytes=5)
    monkeypatch.setattr(csv_file, "MAX_CELLS", 2)
    with pytest.raises(ValueError, match="line 4: the file has more than 2 values"):
        read_text(text)


def test_wrong_keywords():
    with pytest.raises(ValueError, match="format must be csv or libsvm; got 'xlsx'"):
        read_text("1,2\n", format="xlsx")
    with pytest.raises(ValueError, match="task must be"):
        read_text("1,2\n", task="guess")


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.csv")


@pytest.mark.parametrize("name", ["moons", "gaussians", "iris", "digits", "words", "crescents"])
def test_written_data_is_read_back_exactly(name, tmp_path):
    data = load(name, size=100)
    write_csv(data, tmp_path / "copy.csv")
    again = read(tmp_path / "copy.csv")
    dense = data.X.toarray() if sp.issparse(data.X) else data.X
    assert np.array_equal(again.X, dense)
    assert np.array_equal(again.y, data.y)
    assert again.y.dtype.kind == data.y.dtype.kind
    assert again.feature_names == (data.feature_names or tuple(f"x{j + 1}" for j in range(data.d)))


def test_arrays_and_streams_and_odd_names_survive():
    X = np.array([[0.1, -0.0], [1e-300, 1 / 3]])
    stream = io.StringIO()
    write_csv((X.astype(np.float32), np.array([0.5, 0.25])), stream)
    again = read(stream.getvalue().encode())
    assert again.X.astype(np.float32).tobytes() == X.astype(np.float32).tobytes()
    assert again.y.tolist() == [0.5, 0.25]
    odd = Dataset("odd", "Odd", X, np.array(["a, b", 'c "d"']), feature_names=("label", "é; x"))
    stream = io.StringIO()
    write_csv(odd, stream)
    again = read(stream.getvalue().encode())
    assert again.X.tobytes() == X.tobytes()
    assert again.y.tolist() == odd.y.tolist()
    assert again.feature_names == odd.feature_names


def test_a_long_file_is_read():
    row = ",".join(["0.123456"] * 20) + ",x\n"
    assert read(row.encode() * 25_000, name="long.csv").X.shape == (25_000, 20)
