"""The small real sets that come inside scikit-learn: no download, no file of our own.

Features are standardised (mean 0, variance 1 over the training part), except those of the digits, which are grey
values and are divided by 16. A seeded fifth of every class is the test part.
"""

import numpy as np

from engine.datasets.catalogue import Entry, register
from engine.datasets.dataset import Dataset, limit_rows

TEST_SHARE = 0.2


def _enter(name: str, title: str, fetch: str, *, rows: int, description: str, source: str, grey: float = 0.0) -> None:
    def make(size: int, noise: None, seed: int) -> Dataset:
        # Not before they are needed: scikit-learn takes seconds.
        from sklearn import datasets
        from sklearn.model_selection import train_test_split
        from sklearn.preprocessing import StandardScaler

        bunch = getattr(datasets, fetch)()
        labels = bunch.target if grey else np.asarray(bunch.target_names)[bunch.target]
        split_rng, pick_rng = np.random.default_rng(seed).spawn(2)
        X, X_test, y, y_test = train_test_split(
            bunch.data,
            labels,
            test_size=TEST_SHARE,
            stratify=labels,
            random_state=int(split_rng.integers(2**32)),
        )
        if grey:
            X, X_test = X / grey, X_test / grey
        else:
            scaler = StandardScaler().fit(X)
            X, X_test = scaler.transform(X), scaler.transform(X_test)
        names = tuple(str(feature) for feature in bunch.feature_names)
        return limit_rows(Dataset(name, title, X, y, X_test, y_test, feature_names=names), size, pick_rng)

    register(
        Entry(
            name=name,
            title=title,
            kind="bundled",
            description=description,
            size=rows,
            min_size=2,
            max_size=rows,
            make=make,
            source=source,
        )
    )


_enter(
    "iris",
    "Iris",
    "load_iris",
    rows=120,
    description="Three species of iris by the length and width of sepals and petals; one species stands apart.",
    source="Fisher 1936, from scikit-learn; standardised, stratified 80/20 split",
)
_enter(
    "wine",
    "Wine",
    "load_wine",
    rows=142,
    description="Three growers of one region told apart by 13 chemical measurements of their wines.",
    source="Forina et al. 1991, from scikit-learn; standardised, stratified 80/20 split",
)
_enter(
    "breast-cancer",
    "Breast cancer",
    "load_breast_cancer",
    rows=455,
    description="Malignant or benign, by 30 measurements of cell nuclei in an image; almost linearly separable.",
    source="Wolberg et al. 1995 (Wisconsin, diagnostic), from scikit-learn; standardised, stratified 80/20 split",
)
_enter(
    "digits",
    "Digits, 8 x 8",
    "load_digits",
    rows=1437,
    description="Handwritten digits as images of 8 by 8 pixels: ten classes, one machine for each.",
    source="Alpaydin and Kaynak 1998 (test part), from scikit-learn; grey values / 16, stratified 80/20 split",
    grey=16.0,
)
