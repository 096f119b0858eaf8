"""Real tables, each divided into rows to learn from and rows to judge on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.model_selection import train_test_split

from benchmarks._contest import left_out
from treatise.datasets import BUNDLED, data_home, load_table

MOST_ROWS = 50_000
JUDGED = 0.3

TABLES = {
    "keel/pima.dat": None, "keel/german.dat": None, "keel/australian.dat": None, "keel/heart.dat": None,
    "keel/contraceptive.dat": None, "keel/segment.dat": None, "keel/vowel.dat": None, "keel/spambase.dat": None,
    "keel/magic.dat": None, "keel/satimage.dat": None, "keel/splice.dat": None, "keel/mushroom.dat": None,
    "keel/optdigits.dat": None, "breast_cancer": None, "diabetes": None,
    # Amounts: one column of a table of measurements from the others.
    "keel/magic.dat -> 0": 0, "keel/wdbc.dat -> 3": 3, "keel/satimage.dat -> 17": 17, "keel/penbased.dat -> 8": 8,
}  # fmt: skip
"""Names of tables, and the number of the column to predict where it is not the table's own target."""


@dataclass(frozen=True)
class Held:
    """A table in two parts."""

    name: str
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


def held_table(name: str, seed: int = 0) -> Held:
    """A table, divided; classes keep their shares."""
    file, column = name.partition(" -> ")[0], TABLES[name]
    table = load_table(file if file in BUNDLED else data_home() / file)
    target = table.column(column) if column is not None else table.target or table.frame.columns[-1]
    frame = table.frame.drop_nulls(target)
    if frame.height > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, seed=seed)
    labels = frame[target]
    classes = None if column is not None or labels.dtype.is_float() else labels.to_numpy()
    train, test = train_test_split(np.arange(frame.height), test_size=JUDGED, random_state=seed, stratify=classes)
    return Held(name, target, frame[train], frame[test])
