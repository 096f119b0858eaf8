"""Comparisons with the best: bounds that hold together, found by simulation, and what must not change them."""

import numpy as np
import pytest
from scipy import stats

from treatise.theory import comparisons_with_best


def draw(rng, n, means, shared=0.7):
    """Rows on which all methods are good or bad together, as they are on real ones."""
    common = rng.standard_normal((n, 1))
    own = rng.standard_normal((n, len(means)))
    return np.asarray(means) + np.sqrt(shared) * common + np.sqrt(1.0 - shared) * own


def test_two_methods_are_told_apart_as_by_a_paired_test():
    merits = draw(np.random.default_rng(0), 50, [0.0, 0.25])
    found = comparisons_with_best(merits, enlargement=1.0, n_draws=200_000)
    difference = merits[:, 1] - merits[:, 0]
    error = difference.std(ddof=1) / np.sqrt(50)
    # Either of the two might have been found worse: the bound is that of a two-sided test, to the error of the draws.
    two_sided = difference.mean() - stats.t.ppf(0.975, 49) * error
    assert two_sided > 0.1
    np.testing.assert_allclose(found.low, [two_sided, 0.0], atol=0.02 * error)
    np.testing.assert_allclose(found.behind, [difference.mean(), 0.0], rtol=1e-12)


@pytest.mark.parametrize("means", [np.zeros(12), np.r_[np.zeros(6), -np.full(6, 0.3)], -np.linspace(0, 0.5, 12)])
def test_all_bounds_hold_together_as_often_as_promised(means):
    rng, runs, held = np.random.default_rng(1), 400, 0
    truth = means.max() - means
    for _ in range(runs):
        found = comparisons_with_best(draw(rng, 150, means), enlargement=1.0, n_draws=1000, random_state=0)
        held += bool(np.all(found.low <= truth + 1e-12) and np.all(truth <= found.high + 1e-12))
    # Each run may fail for one of two reasons, a method wrongly held worse or a best one wrongly excluded; both
    # happen within 5 % each and mostly together. Three standard errors of 400 runs: 0.033.
    assert held / runs >= 0.90 - 0.033


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_methods_within_the_margin_are_rarely_called_worse(margin):
    rng, runs, wrong = np.random.default_rng(2), 400, 0
    means = np.r_[0.0, np.full(11, -margin), np.full(8, -0.5)]  # eleven at the margin itself: the hardest case
    for _ in range(runs):
        standing = comparisons_with_best(
            draw(rng, 200, means), margin=margin, enlargement=1.0, n_draws=1000, random_state=0
        ).standing
        wrong += bool(np.any(standing[:12] == "worse"))
        assert np.all(standing[12:] == "worse")
    assert wrong / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_the_best_in_truth_is_rarely_excluded_though_another_was_seen_to_win():
    rng, runs, excluded = np.random.default_rng(3), 400, 0
    means = np.r_[0.05, np.zeros(19)]
    for _ in range(runs):
        found = comparisons_with_best(draw(rng, 100, means), enlargement=1.0, n_draws=1000, random_state=0)
        excluded += not found.may_be_best[0]
    assert excluded / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_equal_methods_are_equivalent_and_never_worse():
    right = (np.random.default_rng(4).random((300, 1)) < 0.8).astype(float)
    found = comparisons_with_best(np.hstack([right, right, np.zeros((300, 1))]), margin=0.01)
    assert found.standing.tolist() == ["equivalent", "equivalent", "worse"]
    np.testing.assert_array_equal(found.high[:2], [0.0, 0.0])


def test_a_constant_a_scale_and_an_order_change_what_they_must_and_nothing_else():
    merits = draw(np.random.default_rng(5), 80, [0.0, -0.1, -1.0])
    plain = comparisons_with_best(merits, margin=0.2)
    # Draws are the same only up to rounding of the covariance's eigenvectors: bounds agree to the digits that matter.
    shifted = comparisons_with_best(merits + 1000.0, margin=0.2)
    scaled = comparisons_with_best(merits * 3.0, margin=0.6)
    np.testing.assert_allclose(shifted.low, plain.low, atol=0.02)
    np.testing.assert_allclose(scaled.high, 3.0 * plain.high, atol=0.06)
    rows = np.random.default_rng(6).permutation(80)
    np.testing.assert_allclose(comparisons_with_best(merits[rows], margin=0.2).high, plain.high, atol=0.02)
    assert shifted.standing.tolist() == scaled.standing.tolist() == plain.standing.tolist()


def test_a_larger_variance_decides_less():
    merits = draw(np.random.default_rng(7), 200, [0.0, -0.12, -0.12])
    narrow, wide = (comparisons_with_best(merits, enlargement=factor) for factor in (1.0, 2.0))
    assert np.all(wide.low <= narrow.low) and np.all(wide.high >= narrow.high)
    seen = narrow.behind
    # Twice the variance widens every bound by the root of two, as long as the same methods may be the best.
    assert narrow.may_be_best.tolist() == wide.may_be_best.tolist()
    np.testing.assert_allclose(wide.high[1:] - seen[1:], np.sqrt(2.0) * (narrow.high[1:] - seen[1:]), rtol=0.02)


def test_copies_of_rows_in_groups_count_once():
    merits = draw(np.random.default_rng(8), 60, [0.0, -0.3, -0.3])
    once = comparisons_with_best(merits)
    repeated = comparisons_with_best(np.repeat(merits, 5, axis=0), groups=np.repeat(np.arange(60), 5))
    np.testing.assert_allclose(repeated.low, once.low, rtol=1e-10)
    np.testing.assert_allclose(repeated.high, once.high, rtol=1e-10)


def test_about_as_many_rows_as_are_asked_for_decide():
    rng = np.random.default_rng(9)
    # What is needed follows from the difference seen; here both rows and difference are those of the truth.
    merits = draw(rng, 100, [0.0, 0.0])
    merits -= merits.mean(axis=0) - np.array([0.0, -0.1])
    found = comparisons_with_best(merits, enlargement=1.0)
    assert found.standing[1] == "undecided"
    needed = int(found.rows_needed[1])
    assert 100 < needed < 1000
    more = np.tile(merits, (int(np.ceil(1.1 * needed / 100)), 1))
    assert comparisons_with_best(more, enlargement=1.0).standing[1] == "worse"
    fewer = np.tile(merits, (max(int(0.8 * needed / 100), 1), 1))
    assert comparisons_with_best(fewer, enlargement=1.0).standing[1] == "undecided"


@pytest.mark.parametrize(
    ("merits", "words"),
    [([1.0, 2.0], "two rows, and a column"), ([[1.0, np.nan], [1.0, 2.0]], "finite merit"), ([[1.0, 2.0]], "two rows")],
)
def test_bad_merits_are_refused(merits, words):
    with pytest.raises(ValueError, match=words):
        comparisons_with_best(merits)


def test_groups_must_match_and_be_several():
    with pytest.raises(ValueError, match="for 4 rows"):
        comparisons_with_best(np.ones((4, 2)), groups=[1, 2])
    with pytest.raises(ValueError, match="one group only"):
        comparisons_with_best(np.ones((4, 2)), groups=[1, 1, 1, 1])


def test_one_method_alone_is_the_best():
    found = comparisons_with_best(np.random.default_rng(0).random((10, 1)))
    assert found.standing.tolist() == ["equivalent"] and found.high.tolist() == [0.0]


def test_the_fewer_are_asked_about_the_sharper_and_the_promise_holds_for_them():
    rng = np.random.default_rng(3)
    asked = np.zeros(20, bool)
    asked[[4, 5]] = True
    wrong = 0
    for _ in range(300):
        merits = draw(rng, 100, np.zeros(20))
        some = comparisons_with_best(merits, enlargement=1.0, asked=asked, n_draws=400)
        every = comparisons_with_best(merits, enlargement=1.0, n_draws=400)
        assert np.all(some.low[asked] >= every.low[asked])
        assert np.isnan(some.low[~asked]).all() and np.isnan(some.high[~asked]).all()
        assert set(some.standing[~asked]) == {"unjudged"}
        wrong += np.any(some.standing[asked] == "worse")
    # Two of twenty equal methods: wrong in 5 % of the tables, up to three standard errors of that share.
    assert wrong / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_who_is_asked_about_must_be_told_by_bools():
    with pytest.raises(ValueError, match="one bool for each of 3 methods"):
        comparisons_with_best(np.eye(3), asked=[0, 2])


def test_methods_far_from_the_best_cost_the_others_next_to_nothing():
    rng, shares = np.random.default_rng(12), []
    near = np.r_[np.zeros(3), np.full(12, -0.17)]
    for _ in range(40):
        many = draw(rng, 300, np.r_[near, np.full(45, -2.0)])
        found = [comparisons_with_best(m, enlargement=1.0, n_draws=2000).standing for m in (many[:, :15], many)]
        shares.append([np.mean(standing[3:15] == "worse") for standing in found])
    alone, among = np.mean(shares, axis=0)
    # Where the forty-five counted like the others, a tenth of what fifteen alone tell would be lost.
    assert alone > 0.9
    assert among > alone - 0.03


def test_bounds_stay_sound_where_methods_never_err_or_always_guess():
    rng = np.random.default_rng(13)
    merits = np.ones((400, 5))
    merits[:, 1] = 0.5 + 1e-16 * rng.integers(0, 3, 400)  # guessing: what it varies by is rounding
    merits[7, 2] -= 2e-6  # one row a little off
    merits[:, 3] -= rng.random(400) < 0.02
    merits[:, 4] -= rng.random(400) < 0.3
    found = comparisons_with_best(merits, margin=0.005)
    assert found.standing.tolist() == ["equivalent", "worse", "equivalent", "undecided", "worse"]
    # Nobody can be behind by more than everything.
    assert np.all(found.high <= 1.0)
    assert found.high[2] < 1e-6


@pytest.mark.parametrize("size", [1e-10, 1e-8, 1e-6, 1e-4])
def test_near_twins_do_not_blur_what_is_said_of_others(size):
    rng = np.random.default_rng(14)
    right = rng.random((500, 3)) < [0.9, 0.85, 0.5]
    twin = right[:, [0]] + size * rng.standard_normal((500, 1))
    alone, beside = (comparisons_with_best(m, margin=0.004) for m in (right, np.hstack([right, twin])))
    # A fourth method widens the bounds by a little whatever it is; twins by no more than that.
    np.testing.assert_allclose(beside.high[:3], alone.high, rtol=0.12, atol=0.004)
