"""The small files that ship with the project, by name. Their README says what each shows."""

from pathlib import Path

import numpy as np

from engine.datasets.catalogue import Entry, register
from engine.datasets.dataset import Dataset, limit_rows
from engine.datasets.files import read


def sample_folder() -> Path:
    """Return the folder of the files: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "sample_data"
    return inside if inside.is_dir() else package.parent / "sample_data"


def _enter(file: str, title: str, *, rows: int, description: str) -> None:
    name = Path(file).stem

    def make(size: int, noise: None, seed: int) -> Dataset:
        data = read(sample_folder() / file)
        return limit_rows(data, size, np.random.default_rng(seed))

    register(
        Entry(
            name=name,
            title=title,
            kind="sample",
            description=description,
            size=rows,
            min_size=2,
            max_size=rows,
            make=make,
            source=f"sample_data/{file}, generated for this project",
        )
    )


_enter(
    "crescents.csv",
    "Crescents",
    rows=400,
    description="Two named classes curled around each other: a straight border gets six in seven right, a Gaussian "
    "kernel nearly all.",
)
_enter(
    "petals.csv",
    "Petals",
    rows=450,
    description="Three classes that meet in the middle: three machines, one against the rest each.",
)
_enter(
    "contradictions.csv",
    "Contradictions",
    rows=500,
    description="Coordinates rounded so that rows repeat, and one label in ten wrong: equal points with unlike labels "
    "end at the bound C.",
)
_enter(
    "units.tsv",
    "Units",
    rows=300,
    description="The telling feature is in thousandths, the idle one in thousands: without scaling, the kernel sees "
    "only the wrong one.",
)
_enter(
    "words.libsvm",
    "Words",
    rows=600,
    description="Short texts as counts of 2,000 words, nearly all zero: sparse rows, and a linear kernel is enough.",
)
