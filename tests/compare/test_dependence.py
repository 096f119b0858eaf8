"""Which columns depend on which: what is found, what is not, and how often chance is taken for it."""

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.compare import find_dependence
from treatise.io import Table


def _table(**columns):
    return Table("made", pl.DataFrame(columns), True, ())


def _mixed(rng, n, gaps=0.0):
    """Independent columns of all kinds, the gaps of the first two in the same rows."""
    holes = rng.uniform(size=n) < gaps
    return {
        "number": np.where(holes, np.nan, rng.normal(size=n)), "heavy": np.where(holes, np.nan, rng.standard_cauchy(n)),
        "step": rng.integers(0, 4, n), "skewed": rng.exponential(size=n),
        "group": rng.choice(["a", "b", "c", "d"], n, p=[0.6, 0.2, 0.1, 0.1]), "flag": rng.uniform(size=n) < 0.2,
    }  # fmt: skip


@pytest.mark.parametrize("gaps", [0.0, 0.5])
def test_a_table_of_independent_columns_has_a_false_pair_in_at_most_one_of_twenty(gaps):
    rng = np.random.default_rng(0)
    runs = 80
    false = sum(
        find_dependence(_table(**_mixed(rng, 60, gaps)), permutations=59, seed=run).found.height > 0
        for run in range(runs)
    )
    assert false <= 10  # of 80, at a level of 0.05: exceeded once in 400 by chance


def test_pairs_that_depend_are_found_and_bring_no_false_ones():
    rng = np.random.default_rng(1)
    runs, missed, false = 30, 0, 0
    for run in range(runs):
        columns = _mixed(rng, 200)
        columns["curve"] = columns["number"] ** 2 + 0.3 * rng.normal(size=200)  # uncorrelated with the number
        columns["wide"] = rng.normal(size=200) * np.where(columns["group"] == "a", 0.3, 2.0)  # the same mean in all
        pairs = find_dependence(_table(**columns), permutations=99, seed=run).found
        found = {frozenset(pair) for pair in pairs.select("first", "second").iter_rows()}
        true = {frozenset(("number", "curve")), frozenset(("group", "wide"))}
        missed += len(true - found)
        false += bool(found - true)
    assert missed == 0
    assert false <= 5  # of 30, at a level of 0.05: exceeded once in 300 by chance


def test_the_strength_is_the_distance_correlation_of_ranks():
    rng = np.random.default_rng(2)
    x = rng.normal(size=800)
    y = np.cos(2 * x) + 0.2 * rng.normal(size=800)
    pair = find_dependence(_table(x=x, y=y), permutations=99).table.row(0, named=True)
    ranks = np.stack([np.argsort(np.argsort(x)), np.argsort(np.argsort(y))], axis=1) / 801.0
    # Ours drops what chance gives and the finest features, which hold 7 % of the spread.
    assert pair["strength"] == pytest.approx(_distance_correlation(ranks[:, 0], ranks[:, 1]), abs=0.03)
    assert abs(pair["rank_correlation"]) < 0.1 and pair["adjusted"] == 0.01


def _distance_correlation(x, y):
    def centred(values):
        gaps = np.abs(values[:, None] - values)
        return gaps - gaps.mean(axis=0) - gaps.mean(axis=1)[:, None] + gaps.mean()

    a, b = centred(x), centred(y)
    return np.sqrt((a * b).mean() / np.sqrt((a * a).mean() * (b * b).mean()))


def test_a_target_has_its_own_pairs_and_units_do_not_matter():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    columns = {"x": x, "copy": x + 0.01 * rng.normal(size=300), "noise": rng.normal(size=300), "y": x**2}
    found = find_dependence(_table(**columns), "y", permutations=199)
    assert found.table.height == 3 and set(found.found["first"]) | set(found.found["second"]) == {"x", "copy", "y"}
    again = find_dependence(
        _table(**{**columns, "x": np.exp(3 * x), "noise": -columns["noise"]}), "y", permutations=199
    )
    np.testing.assert_allclose(
        again.table.sort("first", "second")["strength"], found.table.sort("first", "second")["strength"], atol=0.02
    )


def test_kinds_gaps_constants_and_samples_are_told():
    rng = np.random.default_rng(4)
    n = 300
    columns = _mixed(rng, n)
    columns |= {"same": np.ones(n), "empty": [None] * n, "name": [f"row {i}" for i in range(n)]}
    columns["few"] = [float(i) if i < 4 else None for i in range(n)]
    columns["day"] = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 1) + pl.duration(days=n - 1), eager=True)
    found = find_dependence(_table(**columns), permutations=19, rows=100)
    assert found.n_rows == 100 and any("100 of 300 rows" in note for note in found.notes)
    assert {"same", "empty", "name", "few"}.isdisjoint(found.columns)
    assert (
        found.kinds["step"] == "ordered" and found.kinds["flag"] == "categorical" and found.kinds["number"] == "numeric"
    )
    assert find_dependence(_table(**columns), permutations=19, rows=100).table.equals(found.table)


def test_columns_that_share_no_row_are_told():
    rng = np.random.default_rng(0)
    early = np.arange(60) < 30
    a, b = (np.where(there, rng.normal(size=60), np.nan) for there in (early, ~early))
    found = find_dependence(_table(a=a, b=b, c=rng.normal(size=60)), permutations=19)
    assert any("columns 'a' and 'b' have 0 rows in common: too few" in note for note in found.notes)
    (pair,) = found.table.filter(pl.col("rows") == 0).iter_rows(named=True)
    assert pair["strength"] == 0.0 and pair["p_value"] == 1.0


def test_what_cannot_be_looked_at_is_refused_with_a_sentence():
    x = np.arange(30.0) ** 2
    good = _table(x=x, y=x[::-1], same=np.ones(30))
    refused = [
        (lambda: find_dependence(good, "same"), "nothing can depend on the target 'same'"),
        (lambda: find_dependence(_table(x=x, same=np.ones(30))), "two columns that vary"),
        (lambda: find_dependence(good, level=1.5), "between 0 and 1"),
        (lambda: find_dependence(good, permutations=5), "5 permutations"),
        (lambda: find_dependence(good, permutations=49, level=0.001), "no p-value below"),
        (lambda: find_dependence(good, rows=3), "3 rows are too few"),
        (lambda: find_dependence(_table(x=x, y=np.where(x > 800, np.inf, x))), "infinite"),
    ]  # fmt: skip
    for call, words in refused:
        with pytest.raises(TreatiseError, match=words):
            call()
