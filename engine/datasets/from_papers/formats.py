"""Readers for the formats of the files that are downloaded: each returns the arrays as published."""

import io
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.datasets.from_papers.raw import Raw

Labels = Literal["binary", "multiclass", "regression"]


def libsvm(features: int, labels: Labels, *, sparse: bool = False) -> Callable[[list[bytes]], Raw]:
    """Return a parser of LIBSVM's training and perhaps test file. Of two classes, 1 is the positive one."""

    def parse(files: list[bytes]) -> Raw:
        from sklearn.datasets import load_svmlight_file  # not before it is needed: it takes seconds

        parts: list[Any] = []
        for data in files:
            X, values = load_svmlight_file(io.BytesIO(data), n_features=features, dtype=np.float32, zero_based=False)
            parts += [X if sparse else X.toarray(), _labels(values, labels)]
        return Raw(*parts)

    return parse


def covtype(files: list[bytes]) -> Raw:
    """UCI's forest cover types: whole numbers, the class 1 to 7 last. Class 2 is the positive one."""
    table = np.loadtxt(io.BytesIO(files[0]), delimiter=",", dtype=np.int16)
    return Raw(np.asfortranarray(table[:, :-1]), np.where(table[:, -1] == 2, 1, -1).astype(np.int8))


def skin(files: list[bytes]) -> Raw:
    """UCI's skin pixels: blue, green, red, and 1 for skin or 2."""
    table = np.loadtxt(io.BytesIO(files[0]), dtype=np.uint8)
    return Raw(np.asfortranarray(table[:, :-1]), np.where(table[:, -1] == 1, 1, -1).astype(np.int8))


def usps(files: list[bytes]) -> Raw:
    """The zip-code digits of the book's site: the digit, then 256 grey values from -1 to 1."""
    parts: list[Any] = []
    for data in files:
        table = np.loadtxt(io.BytesIO(data), dtype=np.float32)
        parts += [np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(np.uint8)]
    return Raw(*parts)


def mnist(files: list[bytes]) -> Raw:
    """The four idx files: training images and labels, test images and labels."""
    parts: list[Any] = []
    for images, labels in (files[:2], files[2:]):
        if images[:4] != b"\x00\x00\x08\x03" or labels[:4] != b"\x00\x00\x08\x01":
            raise ValueError("not idx files of bytes")
        pixels = np.frombuffer(images, dtype=np.uint8, offset=16)
        parts += [pixels.reshape(-1, 28 * 28), np.frombuffer(labels, dtype=np.uint8, offset=8)]
    return Raw(*parts)


def kddcup99(files: list[bytes]) -> Raw:
    """The connections of the KDD Cup 1999: three columns of words; anything but `normal.` is an attack, positive."""
    return _categorical(files, columns=41, words=(1, 2, 3), positive=lambda label: label != b"normal.")


def census(files: list[bytes]) -> Raw:
    """The census incomes at UCI: 28 columns of words, codes among them; positive is an income of 50000 or more."""
    words = (1, 4, *range(6, 16), *range(19, 24), *range(25, 30), *range(31, 36), 37)
    return _categorical(files, columns=41, words=words, positive=lambda label: label == b"50000+.")


def _categorical(
    files: list[bytes],
    columns: int,
    words: tuple[int, ...],
    positive: Callable[[NDArray[np.bytes_]], NDArray[np.bool_]],
) -> Raw:
    """Numbers as they are, words as codes into the sorted vocabulary of both parts, the label last."""
    numbers = tuple(j for j in range(columns) if j not in words)
    texts = [
        np.char.strip(np.loadtxt(io.BytesIO(data), "S64", comments=None, delimiter=",", usecols=(*words, columns)))
        for data in files
    ]
    categories = {j: np.unique(np.concatenate([text[:, i] for text in texts])) for i, j in enumerate(words)}
    parts: list[Any] = []
    for data, text in zip(files, texts, strict=True):
        X = np.empty((len(text), columns), dtype=np.float32, order="F")
        X[:, numbers] = np.loadtxt(io.BytesIO(data), np.float32, comments=None, delimiter=",", usecols=numbers)
        for i, j in enumerate(words):
            X[:, j] = np.searchsorted(categories[j], text[:, i])
        parts += [X, np.where(positive(text[:, -1]), 1, -1).astype(np.int8)]
    X_train, y_train, X_test, y_test = parts
    vocabularies = {j: vocabulary.astype(np.str_) for j, vocabulary in categories.items()}
    return Raw(X_train, y_train, X_test, y_test, vocabularies)


def _labels(values: NDArray[np.float64], labels: Labels) -> NDArray[Any]:
    if labels == "regression":
        return values.astype(np.float32)
    return np.where(values == 1, 1, -1).astype(np.int8) if labels == "binary" else values.astype(np.uint8)
