"""Standings from merits of shared rows: right under the null, sharp where methods differ, fair to near copies."""

import numpy as np
import pytest

from treatise.compare.contest.evidence import Evidence

LOOK, FOLD = ("look", 0, 0, 0), ("fold", 0, 0, 0)


def evidence(columns, place=FOLD, units=None):
    found = Evidence(units)
    for key, merits in columns.items():
        found.add(key, place, np.arange(len(merits)), np.asarray(merits, float))
    return found


def test_a_row_judged_in_two_repeats_counts_once():
    rng = np.random.default_rng(0)
    a = (rng.random(200) < 0.8).astype(float)
    b = (rng.random(200) < 0.7).astype(float)
    once, twice = Evidence(), Evidence()
    for repeat in (0, 1):
        for key, merits in (("a", a), ("b", b)):
            twice.add(key, ("fold", 0, repeat, 0), np.arange(200), merits)
            if repeat == 0:
                once.add(key, ("fold", 0, 0, 0), np.arange(200), merits)
    single = once.compared(["a", "b"], once.common(["a", "b"], "fold"), 0.0, 0.05)
    double = twice.compared(["a", "b"], twice.common(["a", "b"], "fold"), 0.0, 0.05)
    # The same rows again are no new evidence: taking them for new would narrow the bounds by the root of two.
    assert double.high[1] == pytest.approx(single.high[1])


def test_rows_that_depend_on_each_other_count_as_one():
    rng = np.random.default_rng(1)
    a, b = (np.repeat((rng.random(50) < share).astype(float), 10) for share in (0.8, 0.6))
    units = np.repeat(np.arange(50), 10)
    apart = evidence({"a": a, "b": b}).compared(["a", "b"], [FOLD], 0.0, 0.05)
    together = evidence({"a": a, "b": b}, units=units).compared(["a", "b"], [FOLD], 0.0, 0.05)
    assert together.high[1] - together.low[1] > 2 * (apart.high[1] - apart.low[1])


def test_one_unit_alone_decides_nothing():
    assert (
        evidence({"a": [1.0, 0.0], "b": [0.0, 1.0]}, units=np.zeros(2, int)).compared(["a", "b"], [FOLD], 0, 0.05)
        is None
    )


def test_near_copies_are_found_and_the_merely_equal_in_score_are_not():
    rng = np.random.default_rng(2)
    first = rng.normal(0.8, 0.2, 1000)
    columns = {"first": first, "copy": first + rng.normal(0, 0.02, 1000), "equal": rng.permutation(first)}
    assert evidence(columns, LOOK).copies(list(columns), [LOOK]) == {"copy": "first"}


def test_methods_that_err_nowhere_are_copies_and_one_that_errs_everywhere_is_none():
    columns = {"right": np.ones(200), "too": np.ones(200), "wrong": np.zeros(200)}
    assert evidence(columns, LOOK).copies(list(columns), [LOOK]) == {"too": "right"}


def test_a_copy_of_a_copy_stands_behind_the_first():
    rng = np.random.default_rng(3)
    first = rng.normal(0.8, 0.2, 1000)
    columns = {name: first + rng.normal(0, 0.01, 1000) for name in "abc"}
    assert set(evidence(columns, LOOK).copies(list("abc"), [LOOK]).values()) == {"a"}


def test_means_are_over_rows_not_over_folds():
    found = Evidence()
    found.add("a", ("fold", 0, 0, 0), np.arange(3), np.array([1.0, 1.0, 1.0]))
    found.add("a", ("fold", 0, 0, 1), np.arange(3, 4), np.array([0.0]))
    assert found.mean("a", found.places("a", "fold")) == pytest.approx(0.75)
