import csv
import json

import numpy as np

from engine.reproduction.paper import Row
from engine.reproduction.report import as_json, as_text, write_csv

ROWS = [
    Row("toy", 1000, 2.0, None, 0, {"k": 8}, {"seconds": np.float32(0.5), "found": np.int64(3)}, {"seconds": 12}),
    Row("other", 20, None, 0.5, 0, {"level": "a"}, {"found": 123456}, {"error": 2.0}),
]


def test_each_row_has_all_columns_and_ours_stand_next_to_the_papers(tmp_path):
    write_csv(tmp_path / "rows.csv", ROWS)
    with (tmp_path / "rows.csv").open() as file:
        first, second = csv.DictReader(file)
    assert list(first) == [
        "data", "n", "C", "gamma", "seed", "k", "level",
        "seconds (ours)", "seconds (paper)", "found (ours)", "error (paper)",
    ]  # fmt: skip
    assert (first["seconds (ours)"], first["seconds (paper)"], first["error (paper)"]) == ("0.5", "12", "")
    assert (second["C"], second["level"], second["found (ours)"]) == ("", "a", "123456")


def test_a_table_is_aligned_and_nothing_is_said_to_be_nothing():
    head, rule, first, second = as_text(ROWS).splitlines()
    assert len(rule) == len(head)
    assert first.split() == ["toy", "1,000", "2", "0", "8", "0.5", "12", "3"]
    column = head.index("found (ours)") + len("found (ours)")
    assert (first[:column].split()[-1], second[:column].split()[-1]) == ("3", "123,456")
    assert as_text([]) == "nothing was measured"


def test_numpys_numbers_become_json():
    table = json.loads(as_json("figure1", ROWS[0]))
    assert (table["figure"], table["gamma"], table["case"]) == ("figure1", None, {"k": 8})
    assert (table["ours"], table["paper"]) == ({"seconds": 0.5, "found": 3}, {"seconds": 12})
