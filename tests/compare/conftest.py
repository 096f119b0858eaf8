"""A small table on disk, and comparisons among a few quick methods."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from slow_clock import slow_clock

from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry
from treatise.compare.candidates import Candidate, all_candidates, find_candidate, streaming_candidates


@pytest.fixture(scope="session")
def csv(tmp_path_factory):
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
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.write_csv(path)
    return path


class Few:
    """Lets only some methods take part, in so many passes over the folds."""

    def __init__(self, patch):
        self._patch = patch
        self.repeats(1)
        self.slow_clock()

    def __call__(self, *names, task="binary"):
        """The named methods, without search; names of ``hostile`` are the misbehaving ones."""
        chosen = [_candidate(name, task) for name in names]
        self._patch.setattr("treatise.compare.inputs.rows.all_candidates", lambda task: chosen)

    def streaming(self, *names):
        """The named ones among those that learn from a table in blocks."""
        self._patch.setattr(
            "treatise.compare.inputs.blocks.streaming_candidates",
            lambda task: [c for c in streaming_candidates(task) if c.label in names],
        )

    def slow_clock(self, times=10):
        """A run's clock that others who keep the machine busy cannot outrun."""
        slow_clock(self._patch, times)

    def repeats(self, most):
        """Passes over the folds: one unless a test asks for more, so that no test hangs on the clock."""
        self._patch.setattr("treatise.compare.inputs.base.MOST_REPEATS", most)


@pytest.fixture
def contestants(monkeypatch):
    """Replaces the methods that take part, for one test."""
    return Few(monkeypatch)


@pytest.fixture(scope="module")
def shared_contestants():
    """The same while a run is made that several tests look at."""

    def during(make, *names, task="binary"):
        with pytest.MonkeyPatch.context() as patch:
            Few(patch)(*names, task=task)
            return make()

    return during


def _candidate(name, task):
    if name.startswith("hostile."):
        compare = ComparisonEntry(tasks=("binary",), seconds=Cost(1e-9), bytes=Cost(1.0))
        return Candidate(EstimatorEntry(name, compare), compare, None, task)
    found = find_candidate(name, all_candidates(task), task)
    return replace(found, compare=replace(found.compare, search={}))
