"""The data every solver starts from: toys, bundled and sample sets, the papers' sets by name, and files.

from engine.datasets import load, read
data = load("checkerboard", size=1000, seed=1)
data = read("measurements.csv")
"""

from engine.datasets.from_papers import sets  # noqa: F401, I001  (each fills the catalogue, in this order)
from engine.datasets.dataset import Dataset
from engine.datasets.from_papers.fetch import DataUnavailable
from engine.datasets.files import columns, read, write_csv
from engine.datasets.catalogue import Entry, catalogue, is_available, load

__all__ = ["DataUnavailable", "Dataset", "Entry", "catalogue", "columns", "is_available", "load", "read", "write_csv"]
