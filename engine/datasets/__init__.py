"""The data every solver starts from: toys, bundled and sample sets, the papers' sets by name, and files.

    from engine.datasets import load, read
    data = load("checkerboard", size=1000, seed=1)
    data = read("measurements.csv")

In: a name or a file. Out: a `Dataset`, arrays for training and, where there are some, for testing. Read `dataset`,
`catalogue` (data sets by name; `load`), then one kind: `toy`, `bundled`, `samples`, `from_papers`. Files go through
`files` to `csv_file` or `libsvm_file`, and `labels` says whether numbers are classes or targets.
"""

from engine.datasets import toy, bundled, samples  # noqa: F401, I001  (each fills the catalogue, in this order)
from engine.datasets.from_papers import sets  # noqa: F401
from engine.datasets.dataset import Dataset
from engine.datasets.from_papers.fetch import DataUnavailable
from engine.datasets.files import columns, read, write_csv
from engine.datasets.catalogue import Entry, catalogue, is_available, load

__all__ = ["DataUnavailable", "Dataset", "Entry", "catalogue", "columns", "is_available", "load", "read", "write_csv"]
