"""A small table on disk, and a comparison among a few quick methods."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry
from treatise.compare._candidates import Candidate, find_candidate


@pytest.fixture
def csv(tmp_path):
    """A two-class table with a number, a category, gaps, an identifier and awkward names."""
    rng = np.random.default_rng(0)
    n = 240
    size = rng.normal(size=n)
    town = rng.choice(["Bern", "Chur <b>", 'Genf "x"'], n)
    label = np.where(size + (town == "Bern") + 0.3 * rng.normal(size=n) > 0.4, "<script>alert(1)</script>", "no")
    frame = pl.DataFrame({"id": [f"p{i}" for i in range(n)], "size <i>": size, "town": town, "label": label})
    frame = frame.with_columns(
        pl.when(pl.col("size <i>") > 1.8).then(None).otherwise(pl.col("size <i>")).alias("size <i>")
    )
    path = tmp_path / "people.csv"
    frame.write_csv(path)
    return path


@pytest.fixture
def contestants(monkeypatch):
    """Replaces the methods that take part by the named ones; names of ``hostile`` are the misbehaving ones."""

    def choose(*names, task="binary"):
        chosen = [_candidate(name, task) for name in names]
        monkeypatch.setattr("treatise.compare._run.all_candidates", lambda task: chosen)

    return choose


def _candidate(name, task):
    if name.startswith("hostile."):
        compare = ComparisonEntry(tasks=("binary",), seconds=Cost(1e-9), bytes=Cost(1.0))
        return Candidate(EstimatorEntry(name, compare), compare, None, task)
    found = find_candidate(name, task)
    return replace(found, compare=replace(found.compare, search={}))
