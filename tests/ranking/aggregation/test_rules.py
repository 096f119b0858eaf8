"""Rules that count, and scores of greatest likelihood, against their definitions and choix."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from treatise.ranking import borda, bradley_terry, copeland, kemeny, plackett_luce, reciprocal_rank_fusion
from treatise.ranking.bradley_terry import _choices as module
from treatise.ranking.bradley_terry._choices import Bend, Duels, Orders
from treatise.statistics import kendall_distance

RANKS = np.array([[1, 2, 0, 1], [2, 1, 1, 2], [3, 0, 2, 2], [0, 3, 3, 4.0]])


def test_borda_counts_items_below_and_shares_the_places_of_those_left_out():
    # By hand: each column's points, a tie half, the item left out last.
    points = np.array([[3, 2, 0, 3], [2, 3, 3, 1.5], [1, 0, 2, 1.5], [0, 1, 1, 0]])
    np.testing.assert_allclose(borda(RANKS), points.mean(axis=1))
    np.testing.assert_allclose(borda(sparse.csc_array(RANKS)), points.mean(axis=1))
    two_left_out = np.array([[1], [0], [0], [2]])
    assert borda(two_left_out).tolist() == [3.0, 0.5, 0.5, 2.0]


def test_fusion_adds_reciprocals_of_ranks():
    expected = [sum(1 / (10 + r) for r in row if r) for row in RANKS]
    np.testing.assert_allclose(reciprocal_rank_fusion(RANKS, alpha=10), expected)
    with pytest.raises(ValueError, match="alpha=-1"):
        reciprocal_rank_fusion(RANKS, alpha=-1)


def test_copeland_puts_the_condorcet_winner_first_where_borda_does_not():
    ranks = np.array([[1, 1, 1, 2, 2], [2, 2, 2, 1, 1], [3, 3, 3, 3, 3]])  # 0 beats all, 3 to 2
    ranks[:, 3:] = [[3, 3], [1, 1], [2, 2]]
    assert copeland(ranks).tolist() == [2.0, 1.0, 0.0] and borda(ranks).argmax() == 1
    assert copeland([[1, 2, 0], [2, 1, 0], [0, 0, 1]]).tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("seed", range(4))
def test_kemeny_has_the_least_sum_of_distances(seed):
    rng = np.random.default_rng(seed)
    ranks = np.array([rng.permutation(6) + 1.0 for _ in range(5)]).T
    ranks[rng.random(ranks.shape) < 0.2] = np.nan

    def distance(scores):
        return sum(kendall_distance(scores, -column, normalized=False) for column in ranks.T)

    assert distance(kemeny(ranks)) == min(distance(np.array(order, float)) for order in permutations(range(6)))


def test_bradley_terry_equals_choix():
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(0)
    wins = rng.integers(0, 4, (8, 8)).astype(float)
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j for _ in range(int(wins[i, j]))]
    theirs = choix.opt_pairwise(8, pairs, tol=1e-12)
    found = bradley_terry(wins)
    assert found.converged
    np.testing.assert_allclose(found.scores, theirs - theirs.mean(), atol=1e-4)
    np.testing.assert_allclose(bradley_terry(sparse.csr_array(wins)).scores, found.scores, atol=1e-10)


def test_plackett_luce_equals_choix_and_for_two_items_bradley_terry():
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(1)
    ranks = np.array([rng.permutation(7) + 1 for _ in range(25)]).T
    ranks[rng.random(ranks.shape) < 0.3] = 0
    orders = [[i for i in np.argsort(column) if column[i]] for column in ranks.T]
    theirs = choix.ilsr_rankings(7, orders)
    np.testing.assert_allclose(plackett_luce(ranks).scores, theirs - theirs.mean(), atol=1e-4)
    duels = np.array([[1, 1, 2], [2, 2, 1]])
    np.testing.assert_allclose(plackett_luce(duels).scores, bradley_terry([[0, 2], [1, 0]]).scores, atol=1e-8)


def test_standard_errors_are_those_of_the_second_derivatives():
    wins = np.array([[0, 3, 2], [1, 0, 4], [2, 2, 0.0]])
    found = bradley_terry(wins)

    def cost(s):
        return sum(wins[i, j] * np.log1p(np.exp(s[j] - s[i])) for i in range(3) for j in range(3))

    steps = 1e-4 * np.eye(3)
    bend = np.array(
        [[(cost(found.scores + a + b) - cost(found.scores + a - b) - cost(found.scores - a + b)
           + cost(found.scores - a - b)) / 4e-8 for b in steps] for a in steps]
    )  # fmt: skip
    np.testing.assert_allclose(found.standard_errors, np.sqrt(np.diag(np.linalg.pinv(bend, rcond=1e-5))), rtol=1e-4)


def test_ties_count_the_orders_that_break_them():
    # A tie of two is half a win each way.
    tied = plackett_luce(np.array([[1, 1], [1, 2], [2, 3]]), reg=0.1)

    def cost(s):
        left = np.log(np.exp(s).sum())
        first = s[0] - left + s[1] - np.log(np.exp(s[1]) + np.exp(s[2]))
        second = s[1] - left + s[0] - np.log(np.exp(s[0]) + np.exp(s[2]))
        return -(0.5 * (first + second) + first) + 0.05 * s @ s

    best = minimize(cost, np.zeros(3), tol=1e-12).x
    np.testing.assert_allclose(tied.scores, best - best.mean(), atol=1e-5)
    # Where all tie, all have one score, in whatever order they stand.
    np.testing.assert_allclose(plackett_luce(np.ones((6, 3)), reg=0.1).scores, 0.0, atol=1e-6)


def random_orders(n_items, rng):
    """Games of two to four teams of one or two players, with ties."""
    players, sizes, lengths = [], [], []
    for _ in range(12):
        teams = rng.integers(1, 3, rng.integers(2, 5))
        players.append(rng.choice(n_items, teams.sum(), replace=False))
        sizes.extend(teams)
        lengths.append(len(teams))
    team_ptr, game_ptr = np.append(0, np.cumsum(sizes)), np.append(0, np.cumsum(lengths))
    return Orders.of_games(n_items, np.concatenate(players), team_ptr, game_ptr, rng.integers(1, 4, len(sizes)))


@pytest.mark.parametrize("kind", ["duels", "orders"])
def test_slopes_bend_and_noise_are_derivatives_of_the_likelihood(kind):
    rng = np.random.default_rng(0)
    if kind == "duels":
        choices = Duels.of_wins(rng.integers(0, 3, (9, 9)).astype(float))
    else:
        choices = random_orders(9, rng)
    scores = rng.normal(size=9)
    steps = 1e-5 * np.eye(9)
    slopes = [(choices.value_and_slopes(scores + s)[0] - choices.value_and_slopes(scores - s)[0]) / 2e-5 for s in steps]
    np.testing.assert_allclose(choices.value_and_slopes(scores)[1], slopes, atol=1e-6)
    bend = -np.array(
        [(choices.value_and_slopes(scores + s)[1] - choices.value_and_slopes(scores - s)[1]) / 2e-5 for s in steps]
    )
    np.testing.assert_allclose(choices.dense_bend(scores), bend, atol=1e-6)
    times, diagonal = choices.bend(scores)
    np.testing.assert_allclose(diagonal, np.diag(bend), atol=1e-6)
    np.testing.assert_allclose(np.column_stack([times(column) for column in np.eye(9)]), bend, atol=1e-6)
    noise = np.array([choices.noise(scores, rng) for _ in range(20_000)])
    # Entries of a covariance from so many draws err by a hundredth of the largest.
    np.testing.assert_allclose(np.cov(noise.T), bend, atol=0.05 * np.abs(bend).max())


def test_steps_without_a_matrix_end_where_those_with_one_do(monkeypatch):
    rng = np.random.default_rng(3)
    wins = rng.poisson(0.3, (40, 40)).astype(float)
    ranks = np.array([rng.permutation(40) + 1 for _ in range(8)]).T
    direct = [bradley_terry(wins, reg=0.01), plackett_luce(ranks, reg=0.01)]
    bend = Bend(Duels.of_wins(wins), direct[0].scores, 0.5)
    spread = np.sqrt(np.diag(bend.covariance()))
    monkeypatch.setattr(module, "DIRECT", 0)
    monkeypatch.setattr(module, "DENSE", 0)
    np.testing.assert_allclose(bradley_terry(wins, reg=0.01).scores, direct[0].scores, atol=1e-6)
    np.testing.assert_allclose(plackett_luce(ranks, reg=0.01).scores, direct[1].scores, atol=1e-6)
    draws = Bend(Duels.of_wins(wins), direct[0].scores, 0.5).draws(1500, rng)
    np.testing.assert_allclose(draws.std(axis=0), spread, rtol=0.1)


def test_scores_of_many_items_come_to_rest_in_a_few_steps():
    # A common shift of all scores is nobody's merit: rounding along it must not keep Newton's method going.
    rng = np.random.default_rng(0)
    n = module.DIRECT + 50
    first, second = rng.integers(0, n, (2, 30_000))
    merit = rng.normal(scale=2.0, size=n)
    wins = 0.1 * np.roll(np.eye(n), 1, axis=1)
    won = rng.random(len(first)) < 1.0 / (1.0 + np.exp(merit[second] - merit[first]))
    np.add.at(wins, (np.where(won, first, second), np.where(won, second, first)), first != second)
    found = bradley_terry(wins)
    assert found.converged and found.n_iter <= 15
    pull = wins - (wins + wins.T) / (1.0 + np.exp(np.subtract.outer(-found.scores, -found.scores)))
    assert np.abs(pull.sum(axis=1)).max() < 1e-9 * wins.sum()


def test_scores_that_would_run_away_are_held_and_told():
    with pytest.warns(UserWarning, match="no finite maximum"):
        held = bradley_terry([[0, 5], [0, 0]])
    assert np.isfinite(held.scores).all() and held.scores[0] > 3
    with pytest.warns(UserWarning, match="no finite maximum"):
        plackett_luce([[1, 1], [2, 2], [3, 3]])
    with pytest.raises(ValueError, match="no item is preferred"):
        bradley_terry(np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"square matrix with a row for each item, got the shape \(2, 3\)"):
        bradley_terry(np.ones((2, 3)))
    with pytest.raises(ValueError, match="reg=-1 must be zero or more"):
        bradley_terry([[0, 1], [1, 0]], reg=-1)
