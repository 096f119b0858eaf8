"""Real tables, each divided into rows to learn from and rows to judge on."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.model_selection import train_test_split

from benchmarks._contest import left_out
from treatise.datasets import BUNDLED, data_home, load_table

MOST_ROWS = 50_000
JUDGED = 0.3
FEWEST_JUDGED = 200
"""Rows judged in all: a smaller table is divided again and again, for chance alone moves a score of eighty rows."""

TABLES = {
    "keel/pima.dat": None, "keel/german.dat": None, "keel/australian.dat": None, "keel/heart.dat": None,
    "keel/contraceptive.dat": None, "keel/segment.dat": None, "keel/vowel.dat": None, "keel/spambase.dat": None,
    "keel/magic.dat": None, "keel/satimage.dat": None, "keel/splice.dat": None, "keel/mushroom.dat": None,
    "keel/optdigits.dat": None, "breast_cancer": None, "diabetes": None, "keel/chess.dat": None,
    "keel/penbased.dat": None, "keel/letter.dat": None, "libsvm/covtype_sample.csv.gz": None,
    # Amounts: one column of a table of measurements from the others.
    "keel/magic.dat -> 0": 0, "keel/wdbc.dat -> 3": 3, "keel/satimage.dat -> 17": 17, "keel/penbased.dat -> 8": 8,
    "libsvm/covtype_sample.csv.gz -> 0": 0,
}  # fmt: skip
"""Names of tables, and the number of the column to predict where it is not the table's own target."""


@dataclass(frozen=True)
class Held:
    """A table in two parts, by one of its divisions."""

    name: str
    division: int
    target: str
    train: pl.DataFrame
    test: pl.DataFrame


def names_at_hand(words: list[str]) -> Iterator[str]:
    """The tables that are at hand, of those whose name holds one of some words; all where there is none."""
    for name in TABLES:
        file = name.partition(" -> ")[0]
        if words and not any(word in name for word in words):
            continue
        if file in BUNDLED or (data_home() / file).exists():
            yield name
        else:
            left_out(f"{data_home() / file} is absent")


def held_table(name: str, division: int = 0) -> Held:
    """A table, divided; classes keep their shares."""
    frame, target = _read(name)
    labels = frame[target]
    classes = None if TABLES[name] is not None or labels.dtype.is_float() else labels.to_numpy()
    rows = np.arange(frame.height)
    train, test = train_test_split(rows, test_size=JUDGED, random_state=division, stratify=classes)
    return Held(name, division, target, frame[train], frame[test])


def divisions(name: str) -> range:
    """As many divisions of a table as judge enough rows."""
    return range(math.ceil(FEWEST_JUDGED / (JUDGED * _read(name)[0].height)))


def _read(name: str) -> tuple[pl.DataFrame, str]:
    """A table's rows, no more than are asked about, and the name of what is to be predicted."""
    file, column = name.partition(" -> ")[0], TABLES[name]
    table = load_table(file if file in BUNDLED else data_home() / file)
    target = table.column(column) if column is not None else table.target or table.frame.columns[-1]
    frame = table.frame.drop_nulls(target)
    return (frame.sample(MOST_ROWS, seed=0) if frame.height > MOST_ROWS else frame), target
