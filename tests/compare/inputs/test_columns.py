"""What columns say: their kind, what is left out, what belongs together. Each rule on both of its sides."""

import datetime
import uuid

import numpy as np
import polars as pl
import pytest

from treatise.compare.inputs.columns import groups_of_rows, informative, kind_of, kinds_in_words, useless, width_of

N = 120
rng = np.random.default_rng(0)
SUBJECTS, VERBS, THINGS = ["the dog", "a cat", "my old uncle"], ["likes", "hates", "buys"], ["red wine", "tea", "bread"]
SENTENCES = [f"{SUBJECTS[i % 3]} {VERBS[i // 3 % 3]} {THINGS[i // 9 % 3]} on day {i}" for i in range(N)]
TITLES = [f"{'Return' if i % 2 else 'Revenge'} {'King' if i % 3 else 'Queen'} ({1900 + i})" for i in range(N)]
HASHES = [str(uuid.UUID(int=int(rng.integers(2**62)))) for _ in range(N)]


def column(values, name="x", **options):
    return pl.Series(name, values, **options)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (rng.normal(size=N), "number"),
        ([True, False] * 60, "number"),
        ([datetime.timedelta(days=i) for i in range(N)], "number"),
        ([datetime.date(2020, 1, 1)] * N, "date"),
        ([datetime.datetime(2020, 1, 1, i % 24) for i in range(N)], "date"),
        ([datetime.time(i % 24) for i in range(N)], "date"),
        (["a", "b"] * 60, "category"),
        ([f"word number {i % 50} of mine" for i in range(N)], "category"),
        ([f"c{i % 60}" for i in range(N)], "many"),
        (["Anna Karenina", "Fyodor K", *[f"v{i % 55} w{i % 7}" for i in range(N - 2)]], "many"),
        (SENTENCES, "text"),
        (TITLES, "text"),
        (["one two three four", "two three four five", None, "one five six two"], "text"),
        (HASHES, "many"),
    ],
)
def test_a_column_is_of_one_kind(values, kind):
    assert kind_of(column(values)) == kind


def test_kinds_are_counted_and_wide_as_they_are_encoded():
    frame = pl.DataFrame(
        {"n": np.arange(N), "c": ["a", "b"] * 60, "m": [f"c{i % 60}" for i in range(N)], "t": SENTENCES}
    ).with_columns(d=pl.Series([datetime.date(2020, 1, 1)] * N))
    assert kinds_in_words(frame) == "1 numeric, 2 categorical, 1 date, 1 text"
    assert kinds_in_words(frame.select("n")) == "1 numeric, 0 categorical"
    assert width_of(frame) == 1 + 2 + 51 + 50 + 8


@pytest.mark.parametrize(
    ("values", "name", "reason"),
    [
        (rng.permutation(10_000)[:N], "patient_id", "identifier"),
        (rng.permutation(10_000)[:N], "patientId", "identifier"),
        (rng.permutation(10_000)[:N], "weight", None),
        (rng.permutation(N), "place", "identifier"),
        (np.arange(N) * 10 + 3, "x", "same step"),
        (np.arange(N) * 0.1, "x", "same step"),
        (np.arange(N) * -1.0, "x", None),
        (np.cumsum(rng.random(N)), "x", None),
        (rng.normal(size=N), "id", None),
        (HASHES, "x", "identifier"),
        ([f"p{i}" for i in range(N)], "x", "identifier"),
        ([f"p{i}" for i in range(N - 1)] + ["p0"], "x", "119 different values in 120 rows"),
        ([f"p{i // 2}" for i in range(N)], "x", None),
        (SENTENCES, "x", None),
        (TITLES, "x", None),
        (np.arange(15), "x", None),
        ([datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(N)], "x", None),
        ([[1], [2]] * 60, "x", "no number and no text"),
    ],
)
def test_what_names_or_counts_rows_is_left_out_and_what_merely_differs_stays(values, name, reason):
    found = useless(column(values, name))
    assert (found is None) if reason is None else (reason in found)


def test_a_grid_stays_if_there_is_nothing_else():
    grid = pl.DataFrame({"x": np.linspace(0, 1, N)})
    kept, dropped = informative(grid)
    assert kept.equals(grid) and dropped == []
    kept, dropped = informative(grid.with_columns(noise=pl.Series(rng.normal(size=N))))
    assert kept.columns == ["noise"] and dropped[0][0] == "x"
    assert informative(pl.DataFrame({"x": np.arange(N)}))[0].width == 0


def test_plain_methods_are_spared_dates_and_sentences():
    days = [datetime.date(2020, 1, 1 + i % 9) for i in range(N)]
    frame = pl.DataFrame({"n": rng.normal(size=N), "t": SENTENCES, "d": days})
    kept, dropped = informative(frame, plain=True)
    assert kept.columns == ["n"]
    assert "free text" in dict(dropped)["t"] and "dates" in dict(dropped)["d"]
    assert informative(frame)[0].width == 3


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        (np.arange(N) % 30, "customer_id", True),
        (np.arange(N) % 30, "customerID", True),
        ([f"c{i % 30}" for i in range(N)], "id", True),
        (np.arange(N) % 30, "customer", False),
        (np.arange(N) % 30, "humid", False),
        (np.arange(N) % 3, "status_id", False),
        (np.arange(N), "customer_id", False),
        (rng.normal(size=N), "customer_id", False),
    ],
)
def test_identifiers_that_repeat_suggest_groups(values, name, told):
    words = groups_of_rows(pl.DataFrame([column(values, name)]))
    assert bool(words) is told
    if told:
        assert f"column {name!r} names 30 groups of rows; " in words[0] and words[0].endswith(f"--group {name}")
