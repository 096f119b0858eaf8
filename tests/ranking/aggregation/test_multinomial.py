"""The multinomial preference model against its definition: pairs counted one by one, and general optimisers."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime, minimize

from treatise.io import load_model, save_model
from treatise.ranking import MultinomialPreferenceModel, preference_counts
from treatise.ranking.aggregation import _multinomial_likelihood as module
from treatise.ranking.aggregation.preferences import Preferences

COUNTS = np.array([[0, 3, 1, 2], [1, 0, 2, 2], [0, 1, 0, 3], [1, 0, 1, 0]], float)


def log_likelihood(counts, scores, theta, gammas=None):
    """Definition 1 with Sections 2.4 and 2.5, pair by pair."""
    n_items = len(scores)
    gammas = np.full(n_items, 0.5) if gammas is None else gammas
    total = 0.0
    for y, adherence in zip(counts, theta):
        weight = {
            (i, j): np.exp(adherence * (scores[i] - scores[j]) / (gammas[i] + gammas[j]))
            for i in range(n_items)
            for j in range(n_items)
            if i != j
        }
        z = sum(weight.values())
        total += sum(y[pair] * np.log(value / z) for pair, value in weight.items())
    return total


def rankings(seed, n_items=7, n_experts=5, missing=0.3):
    rng = np.random.default_rng(seed)
    ranks = np.array([rng.permutation(n_items) + 1.0 for _ in range(n_experts)]).T
    ranks[rng.random(ranks.shape) < missing] = 0.0
    return ranks


def by_definition(ranks, kind):
    n_items, n_experts = ranks.shape
    counts = np.zeros((n_experts, n_items, n_items))
    for k, r in enumerate(ranks.T):
        top = r.max()
        for i in range(n_items):
            for j in range(n_items):
                if r[i] and r[j] and r[i] < r[j]:
                    counts[k, i, j] = {
                        "binary": 1.0,
                        "rank_difference": r[j] - r[i],
                        "normalized": (r[j] - r[i]) / top,
                        "log": (np.log(r[j]) - np.log(r[i])) / np.log(top),
                    }[kind]
    return counts


@pytest.mark.parametrize("kind", ["binary", "rank_difference", "normalized", "log"])
def test_counts_are_those_of_the_paper_and_their_sums_need_no_matrix(kind):
    ranks = rankings(0)
    ranks[2] = ranks[3]  # with ties
    ranks[:, 4] = [0, 0, 1, 0, 0, 0, 0]  # one item alone prefers nothing
    counts = by_definition(ranks, kind)
    np.testing.assert_allclose(preference_counts(ranks, kind), counts, rtol=1e-12)
    np.testing.assert_allclose(preference_counts(sparse.csr_array(ranks), kind), counts, rtol=1e-12)
    found = Preferences.of(ranks, kind)
    np.testing.assert_allclose(found.net.toarray(), (counts.sum(axis=2) - counts.sum(axis=1)).T, atol=1e-12)
    np.testing.assert_allclose(found.totals, counts.sum(axis=(1, 2)), atol=1e-12)


def test_ratings_prefer_the_larger_and_zero_is_a_rating():
    ratings = np.array([[5.0, np.nan], [0.0, 2.0], [3.0, 4.0]])
    counts = preference_counts(ratings, "ratings")
    assert counts[0].tolist() == [[0, 5, 2], [0, 0, 0], [0, 3, 0]] and counts[1].tolist()[2] == [0, 2, 0]
    stored = sparse.coo_array(([5.0, 0.0, 3.0, 2.0, 4.0], ([0, 1, 2, 1, 2], [0, 0, 0, 1, 1])), shape=(3, 2))
    np.testing.assert_array_equal(preference_counts(stored, "ratings"), counts)


@pytest.mark.parametrize(
    ("given", "scores", "cost"),
    [
        (np.array([[1], [2], [3]]), (1.161458, 0.0, -1.161458), 4.438379),
        (COUNTS[np.newaxis], (0.368863, 0.092809, -0.001870, -0.459802), 40.350978),
    ],
)
def test_scores_of_one_ranking_and_of_one_table_of_counts(given, scores, cost):
    model = MultinomialPreferenceModel().fit(given)
    np.testing.assert_allclose(model.scores_[0], scores, atol=1e-6)
    assert -model.log_likelihood_ == pytest.approx(cost, abs=1e-6) and model.converged_ and model.n_iter_ == 0


@pytest.mark.parametrize("seed", range(4))
def test_exact_scores_maximise_the_likelihood_counted_pair_by_pair(seed):
    ranks = rankings(seed, n_items=5)
    model = MultinomialPreferenceModel().fit(ranks)
    counts = preference_counts(ranks)
    assert model.log_likelihood_ == pytest.approx(log_likelihood(counts, model.scores_[0], np.ones(5)), rel=1e-12)
    best = minimize(lambda s: -log_likelihood(counts, s, np.ones(5)), np.zeros(5), tol=1e-12)
    np.testing.assert_allclose(model.scores_[0], best.x - best.x.mean(), atol=1e-5)


def test_partition_is_a_product_of_two_sums_less_the_items():
    scores = np.random.default_rng(0).normal(0, 3, 40)
    values, slopes, gradient = np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(40)
    module.partition(scores, np.array([0, 40]), np.ones(1), np.ones((1, 1)), values, slopes, gradient)
    leads = np.exp(scores[:, None] - scores)
    np.fill_diagonal(leads, 0.0)
    assert np.exp(values[0, 0]) == pytest.approx(leads.sum(), rel=1e-12)


def test_equal_adherence_orders_items_by_their_net_preferences():
    for seed in range(100):
        ranks = rankings(seed, n_items=8, n_experts=3)
        found = Preferences.of(ranks, "rank_difference")
        theta = np.random.default_rng(seed).random(3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = MultinomialPreferenceModel().fit(ranks)
        for scores, weight in ((model.scores_[0], np.ones(3)), (None, theta)):
            net = found.net @ weight
            if scores is None:
                likelihood = module.PreferenceLikelihood([found])
                scores = module.maximize_scores(likelihood, weight, np.array([1e-3]), 1e-9, 500).scores
            order = np.argsort(net)
            assert np.all(np.diff(scores[order])[np.diff(net[order]) > 1e-9] > 0)


def test_scores_are_finite_just_where_the_rule_says_so():
    # All preferences lead from {0, 1} to {2, 3}: sum |d| = 2 T.
    counts = np.zeros((1, 4, 4))
    counts[0, :2, 2:] = [[3, 1], [2, 4]]
    with pytest.warns(UserWarning, match="1 of 1 instances have no finite scores"):
        held = MultinomialPreferenceModel().fit(counts)
    assert np.isfinite(held.scores_[0]).all() and np.ptp(held.scores_[0]) > 3
    counts[0, 2, 3] = 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        free = MultinomialPreferenceModel().fit(counts)
    net = counts[0].sum(axis=1) - counts[0].sum(axis=0)
    assert np.abs(net).sum() < 2 * counts.sum() and np.isfinite(free.scores_[0]).all()
    # An exact score has a zero gradient; a score that runs away has none.
    slope = approx_fprime(free.scores_[0], lambda s: log_likelihood(counts, s, [1.0]), 1e-6)
    assert np.abs(slope).max() < 1e-4


@pytest.mark.parametrize("points", [48, 3])
def test_derivatives_of_all_parameters_are_right(monkeypatch, points):
    """With three points four experts are interpolated: the value is another, its slopes must still be right."""
    if points == 3:
        places = 0.5 + 0.5 * np.cos(np.pi * (np.arange(3) + 0.5) / 3)
        monkeypatch.setattr(module, "POINTS", 3)
        monkeypatch.setattr(module, "_PLACES", places)
        basis = np.polynomial.chebyshev.chebvander(2 * places - 1, 2)
        monkeypatch.setattr(module, "_COEFFICIENTS", np.linalg.inv(basis))
    rng = np.random.default_rng(1)
    given = [rankings(3, 5, 4), np.array(rng.integers(0, 4, (4, 6, 6)), float)]
    likelihood = module.PreferenceLikelihood([Preferences.of(part, "log") for part in given])
    scores, theta, logs = rng.normal(size=11), rng.uniform(0.1, 0.9, 4), rng.normal(0, 0.3, 11)
    for variance in (False, True):

        def value(point, variance=variance):
            gammas = np.exp(point[15:]) if variance else None
            return likelihood.value_and_slopes(point[:11], point[11:15], gammas)[0]

        at = np.concatenate([scores, theta, logs])
        gammas = np.exp(logs) if variance else None
        found, *slopes = likelihood.value_and_slopes(scores, theta, gammas)
        slopes[2] = slopes[2] * np.exp(logs)
        steps = 1e-6 * np.eye(len(at))
        central = [(value(at + step) - value(at - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(np.concatenate(slopes), central, rtol=1e-6, atol=1e-6)
        if points == 48:
            exact = sum(
                log_likelihood(counts, scores[part], theta, None if gammas is None else gammas[part])
                for counts, part in ((preference_counts(given[0], "log"), slice(5)), (given[1], slice(5, 11)))
            )
            assert found == pytest.approx(exact, rel=1e-12)


def test_interpolation_over_many_experts_equals_the_sum_over_each():
    rng = np.random.default_rng(0)
    ranks = rankings(0, 12, 60)
    likelihood = module.PreferenceLikelihood([Preferences.of(ranks, "rank_difference")])
    scores, theta = rng.normal(0, 2, 12), rng.random(60)
    value, in_scores, in_theta, _ = likelihood.value_and_slopes(scores, theta)
    halves = [
        module.PreferenceLikelihood([Preferences.of(part, "rank_difference")]).value_and_slopes(scores, weight)
        for part, weight in ((ranks[:, :30], theta[:30]), (ranks[:, 30:], theta[30:]))
    ]
    assert value == pytest.approx(halves[0][0] + halves[1][0], rel=1e-10)
    np.testing.assert_allclose(in_scores, halves[0][1] + halves[1][1], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(in_theta, np.append(halves[0][2], halves[1][2]), rtol=1e-7, atol=1e-7)


def drawn_counts(theta, scores, n_draws, seed):
    rng = np.random.default_rng(seed)
    counts = []
    for adherence in theta:
        chance = np.exp(adherence * (scores[:, None] - scores))
        np.fill_diagonal(chance, 0.0)
        counts.append(rng.multinomial(n_draws, (chance / chance.sum()).ravel()).reshape(chance.shape))
    return np.array(counts, float)


def test_adherence_is_recovered():
    rng = np.random.default_rng(0)
    scores, theta = rng.normal(0, 0.8, 10), np.array([1, 1, 1, 1, 0, 0, 0.5, 0.5])
    counts = drawn_counts(theta, scores, 500, 1)
    model = MultinomialPreferenceModel(adherence="learn").fit(counts)
    assert model.theta_.max() == 1.0 and model.converged_
    assert np.all(model.theta_[:4] > 0.8) and np.all(model.theta_[4:6] < 0.15)
    assert np.all((model.theta_[6:] > 0.3) & (model.theta_[6:] < 0.6))
    assert np.corrcoef(model.scores_[0], scores)[0, 1] > 0.99
    # It is at least as likely as the truth, which it was free to choose.
    assert model.log_likelihood_ > log_likelihood(counts, scores, theta)
    # New instances by the same experts: their scores maximise the likelihood at the adherence found.
    other = drawn_counts(theta, scores[::-1], 500, 2)
    found = model.predict([other])[0]
    best = minimize(lambda s: -log_likelihood(other, s, model.theta_), np.zeros(10), tol=1e-10)
    np.testing.assert_allclose(found, best.x - best.x.mean(), atol=1e-3)


def test_item_variances_flatten_what_items_say():
    rng = np.random.default_rng(0)
    scores, gammas = np.linspace(1.5, -1.5, 8), np.array([0.5] * 6 + [3.0, 3.0])
    order = rng.permutation(8)
    scores, gammas = scores[order], gammas[order]
    chance = np.exp((scores[:, None] - scores) / (gammas[:, None] + gammas))
    np.fill_diagonal(chance, 0.0)
    counts = rng.multinomial(20_000, (chance / chance.sum()).ravel()).reshape(1, 8, 8).astype(float)
    model = MultinomialPreferenceModel(item_variance=True).fit(counts)
    assert model.converged_ and np.exp(np.mean(np.log(model.gamma_[0]))) == pytest.approx(0.5)
    assert set(np.argsort(model.gamma_[0])[-2:]) == set(np.argsort(gammas)[-2:])
    plain = MultinomialPreferenceModel().fit(counts)
    assert model.log_likelihood_ > plain.log_likelihood_ + 10
    assert model.log_likelihood_ == pytest.approx(log_likelihood(counts, model.scores_[0], [1.0], model.gamma_[0]))


def test_supervised_adherence_is_the_share_of_rightly_ordered_pairs():
    ranks = [np.array([[1, 3, 0], [2, 2, 1], [3, 1, 2]]), np.array([[2, 1, 1], [1, 2, 0], [3, 3, 2]])]
    labels = [[2, 1, 0], [1, 0, 0]]
    model = MultinomialPreferenceModel(adherence="supervised").fit(ranks, labels)
    # Expert 0: 3 of 3, then 1 of 2; expert 1: 0 of 3, then 2 of 2; expert 2: 1 of 1, then 1 of 1.
    np.testing.assert_allclose(model.theta_, [(1 + 0.5) / 2, (0 + 1) / 2, 1.0])
    counts = [preference_counts(part) for part in ranks]
    assert np.allclose(model.theta_, MultinomialPreferenceModel(adherence="supervised").fit(counts, labels).theta_)
    for scores, y in zip(model.scores_, counts):
        best = minimize(lambda s, y=y: -log_likelihood(y, s, model.theta_), np.zeros(3), tol=1e-10)
        np.testing.assert_allclose(scores, best.x - best.x.mean(), atol=2e-3)


def test_items_and_experts_may_stand_in_any_order_and_instances_do_not_touch_each_other():
    ranks = rankings(5, 6, 4, missing=0.1)
    rng = np.random.default_rng(0)
    items, experts = rng.permutation(6), rng.permutation(4)
    for adherence in ("none", "learn"):
        whole = MultinomialPreferenceModel(adherence=adherence).fit(ranks)
        turned = MultinomialPreferenceModel(adherence=adherence).fit(ranks[items][:, experts])
        np.testing.assert_allclose(turned.scores_[0], whole.scores_[0][items], atol=1e-3)
        np.testing.assert_allclose(turned.theta_, whole.theta_[experts], atol=1e-3)
    both = MultinomialPreferenceModel().fit([ranks, rankings(6, 9, 4)])
    np.testing.assert_allclose(both.scores_[0], MultinomialPreferenceModel().fit(ranks).scores_[0], rtol=1e-12)
    np.testing.assert_array_equal(both.predict(ranks), both.predict([ranks])[0])


def test_too_few_steps_are_told_and_models_come_back_from_a_file(tmp_path):
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="after 1 steps"):
        assert not MultinomialPreferenceModel(adherence="learn", max_iter=1).fit(rankings(0)).converged_
    model = MultinomialPreferenceModel(adherence="learn").fit([rankings(0), rankings(1)])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    np.testing.assert_array_equal(again.predict(rankings(2)), model.predict(rankings(2)))


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([[1, -2], [2, 1]], {}, "ranks must be positive, 0 for a missing one; one is -2"),
        ([[1, np.inf], [2, 1]], {}, "must be finite"),
        ([1, 2, 3], {}, r"a matrix of items and experts, got the shape \(3,\)"),
        (np.ones((2, 3, 4)), {}, r"shape \(n_experts, n_items, n_items\), got \(2, 3, 4\)"),
        ([[1, 0], [0, 1]], {}, "no expert prefers any item to another"),
        ([], {}, "there is no instance"),
        ([np.eye(2), np.eye(3)], {}, "instance 1 has 3 experts where 2 are expected"),
        ([[0.5, 1], [2, 2]], {"counts": "log"}, "ranks from 1 on; one is 0.5"),
        ([[1, 2], [2, 1]], {"adherence": "supervised"}, "labels are missing"),
    ],
)
def test_what_cannot_be_aggregated_is_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        MultinomialPreferenceModel(**options).fit(given)
