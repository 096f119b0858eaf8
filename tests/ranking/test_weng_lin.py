"""OnlineRater against the paper's formulas, against numerical derivatives, and against other packages."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import erfcx, log_ndtr, ndtr

from treatise.datasets import Games, make_ranking_games
from treatise.ranking import OnlineRater
from treatise.ranking._truncated_normal_loops import draw_moments, win_moments

MODELS = ["bt_full", "bt_partial", "tm_full", "tm_partial", "pl"]
BETA = 25 / 6


def random_games(n_games, seed, n_players=40, most_teams=6, most_members=4):
    """Games with random numbers of teams and players, and ties."""
    rng = np.random.default_rng(seed)
    games = []
    for _ in range(n_games):
        sizes = rng.integers(1, most_members + 1, rng.integers(2, most_teams + 1))
        members = rng.choice(n_players, sizes.sum(), replace=False).tolist()
        ranks = rng.integers(1, len(sizes) + 1, len(sizes)).tolist()
        games.append(([[members.pop() for _ in range(size)] for size in sizes], ranks))
    return games


def started(rater, mu, sigma):
    """A rater that already knows players 0, 1, 2... with these ratings."""
    n = len(mu)
    pairs = [([[i], [(i + 1) % n]], [1, 2]) for i in range(n)]
    rater.fit(pairs)
    order = np.array(rater.players_)
    rater.mu_[:], rater.variance_[:] = np.asarray(mu)[order], np.asarray(sigma)[order] ** 2
    return rater


def random_ratings(seed, n_players=40):
    """Means around zero, so that sums over teams of different sizes stay comparable."""
    rng = np.random.default_rng(seed)
    return rng.normal(0, 4, n_players), rng.uniform(2, 8, n_players)


# --- small games, by hand -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bt_full", "bt_partial", "pl"])
def test_a_first_win_moves_two_newcomers_as_published_formulas_say(model):
    mu, sigma = OnlineRater(model).rate([["a"], ["b"]], [1, 2])
    np.testing.assert_allclose(np.concatenate(mu), [27.635231, 22.364769], atol=1e-6)
    np.testing.assert_allclose(np.concatenate(sigma), 8.065506, atol=1e-6)
    mu, sigma = OnlineRater(model).rate([["a"], ["b"]], [1, 1])
    np.testing.assert_allclose(np.concatenate(mu), 25.0, atol=1e-12)
    np.testing.assert_allclose(np.concatenate(sigma), 8.065506, atol=1e-6)


@pytest.mark.parametrize("model", ["tm_full", "tm_partial"])
def test_a_first_win_and_a_first_draw_under_thurstone_mosteller(model):
    mu, sigma = OnlineRater(model).rate([["a"], ["b"]], [1, 2])
    np.testing.assert_allclose(np.concatenate(mu), [29.230719, 20.769281], atol=1e-6)
    np.testing.assert_allclose(np.concatenate(sigma), 7.630935, atol=1e-6)
    mu, sigma = OnlineRater(model).rate([["a"], ["b"]], [2, 2])
    np.testing.assert_allclose(np.concatenate(mu), 25.0, atol=1e-12)
    np.testing.assert_allclose(np.concatenate(sigma), 7.202539, atol=1e-6)


def test_three_newcomers_free_for_all():
    teams = [["a"], ["b"], ["c"]]
    mu, sigma = OnlineRater("bt_full").rate(teams, [1, 2, 3])
    np.testing.assert_allclose(np.concatenate(mu), [30.270463, 25, 19.729537], atol=1e-6)
    np.testing.assert_allclose(np.concatenate(sigma), 7.788475, atol=1e-6)
    mu, sigma = OnlineRater("pl").rate(teams, [1, 2, 3])
    np.testing.assert_allclose(np.concatenate(mu), [27.868877, 25.717219, 21.413904], atol=1e-6)
    np.testing.assert_allclose(np.concatenate(sigma), [8.204837, 8.057830, 8.057830], atol=1e-6)
    mu, _ = OnlineRater("pl").rate(teams, [1, 1, 3])
    np.testing.assert_allclose(np.concatenate(mu), [25.717219, 25.717219, 23.565562], atol=1e-6)


def test_two_against_two_newcomers():
    mu, sigma = OnlineRater("bt_full").rate([["a", "b"], ["c", "d"]], [1, 2])
    np.testing.assert_allclose(np.concatenate(mu), [26.964186] * 2 + [23.035814] * 2, atol=1e-6)
    np.testing.assert_allclose(np.concatenate(sigma), 8.177556, atol=1e-6)


# --- the formulas, written down plainly -----------------------------------------------------------------


def plain_update(model, gamma, teams, ranks, mu, variance, kappa=1e-4, eps=0.1):
    """Algorithms 1 to 4 as printed (with gamma in Algorithm 3), on dictionaries; O(k²) throughout."""
    k = len(teams)
    m = [sum(mu[p] for p in team) for team in teams]
    v = [sum(variance[p] for p in team) for team in teams]
    order = sorted(range(k), key=lambda i: ranks[i])

    def damp(i, c):
        return {"sigma/c": math.sqrt(v[i]) / c, "1/k": 1 / k, "one": 1.0}[gamma]

    def pair(i, q):
        c = math.sqrt(v[i] + v[q] + 2 * BETA**2)
        x, t = (m[i] - m[q]) / c, eps / c
        if model.startswith("bt"):
            p = math.exp(m[i] / c) / (math.exp(m[i] / c) + math.exp(m[q] / c))
            s = 1 if ranks[q] > ranks[i] else 0.5 if ranks[q] == ranks[i] else 0
            return v[i] / c * (s - p), damp(i, c) * v[i] / c**2 * p * (1 - p)
        phi, Phi = (lambda u: math.exp(-u * u / 2) / math.sqrt(2 * math.pi)), ndtr
        if ranks[q] == ranks[i]:
            # Ṽ is odd in x and W̃ even; with x > 0 both values of Φ are small and keep their digits.
            side, x = (1, x) if x > 0 else (-1, -x)
            mass = Phi(t - x) - Phi(-t - x)
            pull = -side * (phi(t - x) - phi(-t - x)) / mass
            loss = ((t - x) * phi(t - x) + (t + x) * phi(t + x)) / mass + pull**2
        else:
            sign = 1 if ranks[q] > ranks[i] else -1
            V = phi(sign * x - t) / Phi(sign * x - t)
            pull, loss = sign * V, V * (V + sign * x - t)
        return v[i] / c * pull, damp(i, c) * v[i] / c**2 * loss

    new_mu, new_variance = dict(mu), dict(variance)
    for i in range(k):
        if model == "pl":
            c = math.sqrt(sum(v) + k * BETA**2)
            parts = []
            for q in range(k):
                if ranks[q] <= ranks[i]:
                    ties = sum(ranks[s] == ranks[q] for s in range(k))
                    p = math.exp(m[i] / c) / sum(math.exp(m[s] / c) for s in range(k) if ranks[s] >= ranks[q])
                    parts.append((v[i] / (c * ties) * ((q == i) - p), damp(i, c) * v[i] / (c**2 * ties) * p * (1 - p)))
        elif model.endswith("partial"):
            at = order.index(i)
            parts = [pair(i, order[b]) for b in (at - 1, at + 1) if 0 <= b < k]
        else:
            parts = [pair(i, q) for q in range(k) if q != i]
        omega, delta = (sum(part[which] for part in parts) for which in (0, 1))
        for p in teams[i]:
            new_mu[p] = mu[p] + variance[p] / v[i] * omega
            new_variance[p] = variance[p] * max(1 - variance[p] / v[i] * delta, kappa)
    return new_mu, new_variance


@pytest.mark.parametrize("gamma", ["sigma/c", "1/k", "one"])
@pytest.mark.parametrize("model", MODELS)
def test_a_log_of_random_games_follows_the_printed_algorithms(model, gamma):
    games = random_games(200, seed=3)
    mu, sigma = random_ratings(4)
    rater = started(OnlineRater(model, gamma=gamma), mu, sigma)
    expected_mu, expected_variance = dict(enumerate(mu)), dict(enumerate(sigma**2))
    for teams, ranks in games:
        expected_mu, expected_variance = plain_update(model, gamma, teams, ranks, expected_mu, expected_variance)
    rater.partial_fit(games)
    # Rounding alone separates the two; 200 games let it grow a few hundredfold.
    np.testing.assert_allclose(rater.mu_, [expected_mu[p] for p in rater.players_], atol=1e-9)
    np.testing.assert_allclose(rater.variance_, [expected_variance[p] for p in rater.players_], rtol=1e-9)


def log_likelihood(model, teams, ranks, theta, variance):
    """log f of Equations 39, 40, 65 and 72 at team skills theta, with the spreads c held fixed."""
    k = len(teams)
    v = [sum(variance[p] for p in team) for team in teams]
    if model == "pl":
        c = math.sqrt(sum(v) + k * BETA**2)
        total = 0.0
        for q in range(k):
            rest = np.logaddexp.reduce([theta[s] / c for s in range(k) if ranks[s] >= ranks[q]])
            total += (theta[q] / c - rest) / sum(ranks[s] == ranks[q] for s in range(k))
        return total
    order = sorted(range(k), key=lambda i: ranks[i])
    neighbours = list(pairwise(order))
    everyone = [(i, q) for i in range(k) for q in range(i + 1, k)]
    total = 0.0
    for i, q in neighbours if model.endswith("partial") else everyone:
        if ranks[i] > ranks[q]:
            i, q = q, i
        c = math.sqrt(v[i] + v[q] + 2 * BETA**2)
        x, t = (theta[i] - theta[q]) / c, 0.1 / c
        if model.startswith("bt"):
            win, lose = -math.log1p(math.exp(-x)), -math.log1p(math.exp(x))
            total += win if ranks[i] < ranks[q] else (win + lose) / 2
        else:
            total += log_ndtr(x - t) if ranks[i] < ranks[q] else math.log(ndtr(t - x) - ndtr(-t - x))
    return total


@pytest.mark.parametrize("model", MODELS)
def test_steps_are_derivatives_of_the_log_likelihood(model):
    mu, sigma = random_ratings(8)
    rater = started(OnlineRater(model, gamma="one", kappa=1e-12), mu, sigma)
    for teams, ranks in random_games(12, seed=9, most_teams=5, most_members=1):
        theta = np.array([mu[team[0]] for team in teams])
        variance = dict(enumerate(sigma**2))
        new_mu, new_sigma = rater.rate(teams, ranks)
        for i, (player,) in enumerate(teams):
            step = 1e-3 * sigma[player]
            low, here, high = (
                log_likelihood(model, teams, ranks, theta + shift * step * np.eye(len(teams))[i], variance)
                for shift in (-1, 0, 1)
            )
            # Central differences with step 1e-3 in z: errors of order 1e-6, and rounding 1e-10.
            omega = sigma[player] * (high - low) / 2e-3
            delta = -(high - 2 * here + low) / 1e-6
            assert new_mu[i][0] - mu[player] == pytest.approx(omega, rel=1e-4, abs=1e-4)
            assert 1 - (new_sigma[i][0] / sigma[player]) ** 2 == pytest.approx(min(delta, 1 - 1e-12), abs=2e-4)


# --- other packages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "peer"), [("bt_full", "BradleyTerryFull"), ("tm_full", "ThurstoneMostellerFull"), ("pl", "PlackettLuce")]
)
def test_a_thousand_games_agree_with_openskill(model, peer):
    openskill = pytest.importorskip("openskill.models")
    theirs = getattr(openskill, peer)(tau=0.0)
    ours = started(OnlineRater(model), *random_ratings(0))
    compared = 0
    for number, (teams, ranks) in enumerate(random_games(1020, seed=5)):
        mu, sigma = random_ratings(1000 + number)
        if model == "tm_full" and drawn_against_the_odds(teams, ranks, mu, sigma):
            continue
        ours.mu_[:], ours.variance_[:] = mu[ours.players_], sigma[ours.players_] ** 2
        new_mu, new_sigma = ours.rate(teams, ranks)
        ratings = [[theirs.create_rating([mu[p], sigma[p]]) for p in team] for team in teams]
        rated = theirs.rate(ratings, ranks=[float(rank) for rank in ranks])
        for team, team_mu, team_sigma in zip(rated, new_mu, new_sigma):
            np.testing.assert_allclose(team_mu, [player.mu for player in team], rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(team_sigma, [player.sigma for player in team], rtol=1e-9)
        compared += 1
    assert compared >= 1000


def drawn_against_the_odds(teams, ranks, mu, sigma):
    """Whether a draw was so unlikely (below 1e-5) that openskill takes the limit in place of the formula."""
    m = [sum(mu[p] for p in team) for team in teams]
    v = [sum(sigma[p] ** 2 for p in team) for team in teams]
    for i in range(len(teams)):
        for q in range(i):
            c = math.sqrt(v[i] + v[q] + 2 * BETA**2)
            x, t = abs(m[i] - m[q]) / c, 0.1 / c
            if ranks[i] == ranks[q] and ndtr(t - x) - ndtr(-t - x) < 1.1e-5:
                return True
    return False


@pytest.mark.parametrize("ranks", [[1, 2], [2, 1], [1, 1]])
def test_two_teams_of_thurstone_mosteller_undamped_are_trueskill(ranks):
    trueskill = pytest.importorskip("trueskill")
    # TrueSkill's draw margin for n players is Φ⁻¹((p + 1) / 2) √n β; n = 2 here.
    draw = 2 * ndtr(0.1 / (math.sqrt(2) * BETA)) - 1
    env = trueskill.TrueSkill(tau=0.0, draw_probability=draw)
    mu, sigma = np.array([27.0, 22.5]), np.array([3.0, 6.0])
    theirs = env.rate([(env.create_rating(m, s),) for m, s in zip(mu, sigma)], ranks=ranks)
    new_mu, new_sigma = started(OnlineRater("tm_full", gamma="one"), mu, sigma).rate([[0], [1]], ranks)
    np.testing.assert_allclose(np.concatenate(new_mu), [team[0].mu for team in theirs], atol=1e-6)
    np.testing.assert_allclose(np.concatenate(new_sigma), [team[0].sigma for team in theirs], atol=1e-6)


# --- invariants -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bt_full", "tm_full", "pl"])
def test_the_order_of_teams_and_players_does_not_matter(model):
    rng = np.random.default_rng(0)
    rater = started(OnlineRater(model), *random_ratings(1))
    for teams, ranks in random_games(30, seed=2):
        one = rater.rate(teams, ranks)
        shuffle = rng.permutation(len(teams))
        inner = [rng.permutation(len(team)) for team in teams]
        two = rater.rate([[teams[i][j] for j in inner[i]] for i in shuffle], [ranks[i] for i in shuffle])
        for at, i in enumerate(shuffle):
            for before, after in zip(one, two):
                np.testing.assert_allclose(after[at], before[i][inner[i]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", ["bt_full", "bt_partial", "pl"])
def test_variances_never_grow(model):
    rater = started(OnlineRater(model), *random_ratings(1))
    for game in random_games(100, seed=6):
        before = rater.variance_.copy()
        rater.partial_fit([game])
        assert np.all(rater.variance_ <= before)


def test_two_team_games_are_alike_under_bradley_terry_and_plackett_luce():
    games = random_games(300, seed=7, most_teams=2)
    full, partial, pl = (OnlineRater(model).fit(games) for model in ("bt_full", "bt_partial", "pl"))
    assert len({len(teams) for teams, _ in games}) == 1
    for other in (partial, pl):  # which team comes first in the formula changes the last bit
        np.testing.assert_allclose(other.mu_, full.mu_, rtol=1e-12)
        np.testing.assert_allclose(other.variance_, full.variance_, rtol=1e-12)


def test_a_duel_after_a_larger_game_is_rated_as_if_alone():
    larger = ([["a"], ["b"], ["c"], ["d"]], [4, 2, 3, 1])
    for model in MODELS:
        rater = OnlineRater(model).fit([larger, ([["e"], ["f"]], [2, 1])])
        expected = np.concatenate(OnlineRater(model).rate([["e"], ["f"]], [2, 1])[0])
        np.testing.assert_array_equal(rater.mu_[4:], expected)


def test_tau_adds_variance_before_each_game():
    mu, sigma = np.array([25.0, 20.0]), np.array([3.0, 4.0])
    wide = started(OnlineRater(), mu, np.sqrt(sigma**2 + 0.25)).rate([[0], [1]], [1, 2])
    drifting = started(OnlineRater(tau=0.5), mu, sigma).rate([[0], [1]], [1, 2])
    np.testing.assert_allclose(np.ravel(drifting), np.ravel(wide), rtol=1e-14)


def test_a_number_for_gamma_scales_the_loss_of_variance():
    one, half, none = (OnlineRater(gamma=g).rate([["a"], ["b"]], [1, 2])[1][0][0] ** 2 for g in ("one", 0.5, 0))
    start = (25 / 3) ** 2
    assert none == pytest.approx(start)
    assert start - half == pytest.approx((start - one) / 2)


# --- the tails ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [-40.0, -8.0, -1.0, 0.0, 1.0, 8.0, 19.99, 20.01, 37.0, 40.0, 300.0, 1e6])
def test_win_moments_hold_in_both_tails(cut):
    v, w = win_moments(0.0, cut)  # V(x, t) depends on t - x alone
    exact = math.sqrt(2 / math.pi) / erfcx(cut / math.sqrt(2))
    assert v == pytest.approx(exact, rel=1e-13, abs=1e-300)
    assert 0.0 <= w <= 1.0
    assert w == pytest.approx(v * (v - cut), rel=1e-7 + 1e-15 * cut**2, abs=1e-12)


def test_win_moment_forty_deviations_out():
    assert win_moments(-40.0, 0.0)[0] == pytest.approx(40.024968847, abs=1e-9)


@pytest.mark.parametrize("t", [1e-4, 0.01, 0.5, 3.0, 50.0])
@pytest.mark.parametrize("x", [0.0, 0.3, -2.0, 6.0, -25.0, 60.0, 1200.0])
def test_draw_moments_are_those_of_a_normal_cut_to_an_interval(x, t):
    peak = min(max(0.0, x - t), x + t)  # where the density inside the interval is greatest
    reach = 80.0 / max(1.0, abs(peak))  # beyond it the density is below 1e-30 of its peak
    node, weight = np.polynomial.legendre.leggauss(400)

    def moment(power, centre):
        total = 0.0
        for low, high in ((max(x - t, peak - reach), peak), (peak, min(x + t, peak + reach))):
            u = low + (node + 1) / 2 * (high - low)
            total += (high - low) / 2 * np.sum(weight * (u - centre) ** power * np.exp((peak - u) * (peak + u) / 2))
        return total

    mass = moment(0, 0.0)
    mean = peak + moment(1, peak) / mass
    v, w = draw_moments(x, t)
    assert v == pytest.approx(-mean, rel=1e-9, abs=1e-9)
    assert w == pytest.approx(1 - moment(2, mean) / mass, abs=1e-8)


def test_a_draw_without_a_margin_has_its_limit():
    assert draw_moments(2.5, 0.0) == (-2.5, 1.0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ranks", [[1, 2, 3], [3, 2, 1], [1, 1, 1], [2, 1, 2]])
def test_huge_differences_of_skill_stay_finite(model, ranks):
    rater = started(OnlineRater(model), np.array([0.0, 1e4, -1e4]), np.full(3, 0.5))
    mu, sigma = rater.rate([[0], [1], [2]], ranks)
    assert np.all(np.isfinite(mu)) and np.all(np.isfinite(sigma)) and np.all(np.array(sigma) > 0)


# --- prediction error -----------------------------------------------------------------------------------


def test_progressive_error_counts_as_the_paper_does():
    games = random_games(60, seed=11, most_teams=4, most_members=2)
    rater, wrong, pairs = OnlineRater("pl"), 0, 0
    for number, (teams, ranks) in enumerate(games):
        mean = dict(zip(rater.players_, rater.mu_)) if number else {}
        strength = [sum(mean.get(p, 25.0) for p in team) for team in teams]
        for i in range(len(teams)):
            for q in range(len(teams)):
                if number and ranks[i] < ranks[q]:
                    pairs += 1
                    wrong += strength[i] <= strength[q]
        rater.partial_fit([(teams, ranks)])
    assert OnlineRater("pl").progressive_error(games) == wrong / pairs
    assert (rater.n_errors_, rater.n_pairs_) == (wrong, pairs)


def test_the_first_game_is_left_out_and_equal_means_are_wrong():
    strangers = [([["a"], ["b"]], [1, 2]), ([["c"], ["d"]], [1, 2]), ([["a"], ["b"]], [1, 2])]
    wrong, pairs = OnlineRater().progressive_counts(strangers)
    assert (wrong.tolist(), pairs.tolist()) == ([0, 1, 0], [0, 1, 1])
    assert math.isnan(OnlineRater().progressive_error(strangers[:1]))


@pytest.mark.parametrize(
    ("model", "gamma", "error"),
    [
        ("bt_full", "sigma/c", 0.1538),
        ("bt_partial", "sigma/c", 0.1573),
        ("pl", "sigma/c", 0.1554),
        ("tm_full", "sigma/c", 0.2241),
        ("tm_full", "1/k", 0.1646),
    ],
)
def test_error_on_generated_free_for_all_games(model, gamma, error):
    # Measured with a plain implementation in dictionaries, to four digits.
    games, _ = make_ranking_games(2000, n_players=100, n_teams=8, random_state=0)
    assert OnlineRater(model, gamma=gamma).progressive_error(games) == pytest.approx(error, abs=0.002)


def test_error_on_generated_duels():
    games, skill = make_ranking_games(5000, n_players=100, n_teams=2, random_state=0)
    assert OnlineRater().progressive_error(games) == pytest.approx(0.1766, abs=0.002)
    assert OnlineRater("tm_full").progressive_error(games) == pytest.approx(0.1780, abs=0.002)
    lead = np.diff(skill[games.players].reshape(-1, 2))[:, 0]
    assert np.mean((lead > 0) != (games.ranks[1::2] == 1)) == pytest.approx(0.1484, abs=0.002)


def test_progressive_error_leaves_the_rater_alone():
    games, _ = make_ranking_games(50, n_players=10, n_teams=3, random_state=0)
    rater = OnlineRater().fit(games)
    before = rater.mu_.copy()
    rater.progressive_error(games)
    np.testing.assert_array_equal(rater.mu_, before)


def test_win_probabilities_match_the_likelihood():
    mu, sigma = np.array([30.0, 24.0, 3.0]), np.array([2.0, 5.0, 1.0])
    c = math.sqrt(4 + 25 + 1 + 2 * BETA**2)
    lead = (30.0 - 27.0) / c
    logistic = started(OnlineRater(), mu, sigma).predict_win_proba([0], [1, 2])
    normal = started(OnlineRater("tm_full"), mu, sigma).predict_win_proba([0], [1, 2])
    assert logistic == pytest.approx(1 / (1 + math.exp(-lead)), rel=1e-14)
    assert normal == pytest.approx(ndtr(lead), rel=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "elo"}, "model"),
        ({"sigma": 0}, "sigma"),
        ({"beta": -1}, "beta"),
        ({"kappa": 0}, "kappa"),
        ({"gamma": "half"}, "gamma"),
        ({"gamma": 1.5}, "gamma"),
        ({"draw_margin": -0.1}, "draw_margin"),
        ({"tau": -1}, "tau"),
    ],
)
def test_parameters_out_of_range_are_refused(change, message):
    games = Games.from_lists([([["a"], ["b"]], [1, 2])])
    with pytest.raises(ValueError, match=f"The '{message}' parameter of OnlineRater"):
        OnlineRater(**change).fit(games)
    with pytest.raises(ValueError, match=message):
        OnlineRater(**change).progressive_error(games)
