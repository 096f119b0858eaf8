"""The aggregators that learn from labels: the CRF over orders and the singular vectors, against their formulas."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from treatise.datasets import make_expert_rankings
from treatise.io import load_model, save_model
from treatise.ranking import CRFRankAggregator, SVDRankAggregator, borda, preference_counts
from treatise.ranking.aggregation._lambda_loops import lambda_pass
from treatise.ranking.aggregation.crf import _Subsets
from treatise.ranking.aggregation.preferences import Preferences
from treatise.ranking.aggregation.svd import singular_features
from treatise.statistics import ndcg
from treatise.statistics.rank_agreement import place_discounts


@pytest.fixture(scope="module")
def instances():
    return make_expert_rankings(120, random_state=0)


def potentials(ranks, kind):
    """Equation 4 with means: left out, preferred, beaten, each for every expert."""
    counts = preference_counts(ranks, kind)
    others = len(ranks) - 1
    return np.hstack([ranks == 0, counts.sum(axis=2).T / others, -counts.sum(axis=1).T / others])


def expected_ndcg(theta, levels):
    """Equation 5 by enumeration, and the most probable order."""
    n_items = len(theta)
    orders = [list(order) for order in permutations(range(n_items))]
    discounts = place_discounts(n_items)
    weight = np.exp([theta[order] @ discounts / n_items**2 for order in orders])
    gain = [ndcg(levels[order], -np.arange(n_items)) for order in orders]
    return np.sum(weight * gain) / weight.sum(), orders[np.argmax(weight)]


@pytest.mark.parametrize("kind", ["log", "binary"])
@pytest.mark.parametrize("shared", [False, True])
def test_crf_raises_the_expected_metric_of_all_orders(kind, shared):
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(5) + 1.0 for _ in range(3)]).T
    ranks[1, 0] = ranks[4, 2] = 0
    levels = np.array([0.0, 2, 1, 0, 1])
    subsets = _Subsets([Preferences.of(ranks, kind)], [levels], 6, "ndcg", np.random.RandomState(0))
    drawn = subsets.draw()
    assert drawn[1].tolist() == [5] and sorted(drawn[0][0, :5]) == [0, 1, 2, 3, 4]
    weights = rng.normal(0, 20, 3 if shared else 9)

    def value(weights):
        every = np.repeat(weights, 3) if shared else weights
        return expected_ndcg(potentials(ranks, kind) @ every, levels)[0]

    slopes = np.zeros(len(weights))
    found = subsets.ascend(drawn, np.ones(9), shared, 0.0, weights.copy(), slopes)
    assert found == pytest.approx(value(weights), rel=1e-12)
    steps = 1e-3 * np.eye(len(weights))
    central = [(value(weights + step) - value(weights - step)) / 2e-3 for step in steps]
    np.testing.assert_allclose(slopes, central, rtol=1e-5, atol=1e-9)
    # A pass with a rate moves the weights along the gradient.
    moved = weights.copy()
    subsets.ascend(drawn, np.ones(9), shared, 3.0, moved, np.zeros(len(weights)))
    np.testing.assert_allclose(moved - weights, 3.0 * slopes, rtol=1e-9)


def test_crf_scores_sort_the_most_probable_order():
    rng = np.random.default_rng(1)
    rankings, labels = make_expert_rankings(6, n_items=6, random_state=3)
    model = CRFRankAggregator(random_state=0).fit(rankings, labels)
    for ranks, levels in zip(rankings, labels):
        theta = potentials(ranks, "log") @ model.coef_.T.ravel()
        np.testing.assert_allclose(model.predict(ranks), theta, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(model.predict(sparse.csc_array(ranks)), theta, rtol=1e-10, atol=1e-10)
        assert expected_ndcg(theta / np.abs(theta).max(), levels)[1] == np.argsort(-theta).tolist()
    items = rng.permutation(6)
    np.testing.assert_allclose(model.predict(rankings[0][items]), model.predict(rankings[0])[items])


def test_subsets_hold_every_label_and_all_items_in_time():
    levels = np.array([2.0] + [1.0] * 2 + [0.0] * 17)
    ranks = np.arange(1.0, 21.0)[:, np.newaxis]
    subsets = _Subsets([Preferences.of(ranks, "log")], [levels], 4, "ndcg", np.random.RandomState(0))
    seen = set()
    for _ in range(60):
        chosen, counts, pattern = subsets.draw()
        assert counts[0] == 4 == len(set(chosen[0])) and set(levels[chosen[0]]) == {0, 1, 2} and pattern[0] >= 0
        assert np.all(np.diff(levels[chosen[0]]) <= 0)
        seen |= set(chosen[0])
    assert seen == set(range(20))


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (CRFRankAggregator(random_state=0), 0.90),
        (CRFRankAggregator(solver="sgd", random_state=0), 0.90),
        (SVDRankAggregator(random_state=0), 0.90),
        (SVDRankAggregator(learning_rate=0.01, random_state=0), 0.90),
    ],
)
def test_good_experts_are_followed_and_contrary_ones_turned_round(instances, model, least):
    rankings, labels = instances
    model.fit(rankings[:80], labels[:80])
    gained = np.mean([ndcg(levels, s, 5) for levels, s in zip(labels[80:], model.predict(rankings[80:]))])
    plain = np.mean([ndcg(levels, borda(ranks), 5) for levels, ranks in zip(labels[80:], rankings[80:])])
    # The card of the method has 0.927 for a hundred instances and 0.304 for Borda.
    assert gained >= least and plain < 0.4 and model.converged_
    preferred = model.coef_[:, 1 if isinstance(model, CRFRankAggregator) else 0]
    assert preferred[:5].min() > np.abs(preferred[5:10]).max() > 0 > preferred[10:].max()


def test_lbfgs_never_lowers_the_expected_metric_less_its_penalty(instances):
    model = CRFRankAggregator(reg=0.0, n_subsets=2, max_iter=15, tol=1e-9, random_state=0)
    with pytest.warns(ConvergenceWarning, match="after 15 steps"):
        model.fit(instances[0][:30], instances[1][:30])
    assert np.all(np.diff(model.expected_metric_) > -1e-12) and not model.converged_
    with pytest.warns(ConvergenceWarning, match="in the last quarter"):
        short = CRFRankAggregator(solver="sgd", learning_rate=1.0, n_epochs=8, random_state=0)
        short.fit(instances[0][:30], instances[1][:30])
    assert not short.converged_


def test_shared_weights_score_any_number_of_experts_and_any_metric_can_be_raised(instances):
    rankings, labels = [ranks[:, :5] for ranks in instances[0][:40]], instances[1][:40]
    model = CRFRankAggregator(shared=True, n_subsets=3, random_state=0).fit(rankings, labels)
    assert model.coef_.shape == (1, 3) and model.predict(rankings[0][:, :2]).shape == (20,)
    gained = np.mean([ndcg(levels, model.predict(ranks), 5) for levels, ranks in zip(labels, rankings)])
    assert gained > 0.85
    top = CRFRankAggregator(metric=lambda ranked: float(ranked[0] == 2), n_subsets=3, random_state=0)
    top.fit(rankings, labels)
    hits = [levels[np.argmax(top.predict(ranks))] == 2 for levels, ranks in zip(labels, rankings)]
    assert np.mean(hits) > 0.8 and top.expected_metric_[-1] > top.expected_metric_[0] + 0.2


def test_features_are_the_leading_singular_vectors_of_each_experts_preferences():
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(9) + 1.0 for _ in range(2)]).T
    ranks[[1, 4], 0] = 0
    features = singular_features(Preferences.of(ranks, "log"), 2)
    assert features.shape == (9, 10)
    for expert, counts in enumerate(preference_counts(ranks, "log")):
        left, _, right = np.linalg.svd(counts)
        block = features[:, 5 * expert : 5 * expert + 5]
        np.testing.assert_allclose(np.abs(block[:, :2]), np.abs(left[:, :2]), atol=1e-10)
        np.testing.assert_allclose(np.abs(block[:, 2:4]), np.abs(right[:2].T), atol=1e-10)
        # Perron: no entry of the leading vectors is negative.
        assert block[:, 0].min() > -1e-12 and block[:, 2].min() > -1e-12
        sizes = np.diag(np.linalg.svd(counts)[1][:2])
        np.testing.assert_allclose(block[:, :2].T @ counts @ block[:, 2:4], sizes, atol=1e-9)
        assert block[:, 4].tolist() == (ranks[:, expert] == 0).astype(float).tolist()
    many = np.array([rng.permutation(130) + 1.0]).T
    whole = np.linalg.svd(preference_counts(many, "log")[0])[0][:, 0]
    np.testing.assert_allclose(singular_features(Preferences.of(many, "log"), 1)[:, 0], np.abs(whole), atol=1e-8)


def test_lambda_gradient_is_that_of_the_pairs_weighted_by_their_swap():
    rng = np.random.default_rng(0)
    features, levels, weights = rng.normal(size=(6, 3)), np.array([2.0, 0, 1, 0, 1, 2]), rng.normal(size=3)
    scores, gains, discounts = features @ weights, 2.0**levels - 1, place_discounts(6)
    ideal = np.sort(gains)[::-1] @ discounts
    place = np.argsort(np.argsort(-scores))
    step = np.zeros(3)
    for i in range(6):
        for j in range(6):
            if levels[i] > levels[j]:
                swapped = place.copy()
                swapped[[i, j]] = swapped[[j, i]]
                change = abs(gains @ discounts[swapped] - gains @ discounts[place]) / ideal
                step += change / (1 + np.exp(scores[i] - scores[j])) * (features[i] - features[j])
    moved = weights.copy()
    lambda_pass(features, np.array([0, 6]), gains, np.array([ideal]), discounts, 0.5, moved)
    np.testing.assert_allclose(moved - weights, 0.5 * step, rtol=1e-10)


@pytest.mark.parametrize("model", [CRFRankAggregator(n_subsets=2, random_state=0), SVDRankAggregator(random_state=0)])
def test_trained_aggregators_come_back_from_a_file_and_refuse_other_experts(instances, model, tmp_path):
    rankings, labels = instances[0][:20], instances[1][:20]
    model.fit(rankings, labels)
    np.testing.assert_array_equal(model.coef_, type(model)(**model.get_params()).fit(rankings, labels).coef_)
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    np.testing.assert_array_equal(again.predict(rankings[3]), model.predict(rankings[3]))
    with pytest.raises(ValueError, match="has 4 experts where 15 are expected"):
        model.predict(rankings[0][:, :4])
    with pytest.raises(ValueError, match="no instance has items of different labels"):
        model.fit(rankings[:2], [np.ones(20), np.zeros(20)])
    with pytest.raises(ValueError, match=r"instance 1 has 20 items and labels of the shape \(3,\)"):
        model.fit(rankings[:2], [labels[0], [1, 2, 3]])
    with pytest.raises(ValueError, match="do not say which items an expert leaves out"):
        model.fit([preference_counts(rankings[0])], [labels[0]])


@pytest.mark.parametrize("model", [CRFRankAggregator(), SVDRankAggregator()])
@pytest.mark.parametrize("ranks", [np.zeros((3, 2)), np.ones((3, 2))], ids=["all left out", "all tied"])
def test_experts_without_a_preference_are_refused(model, ranks):
    with pytest.raises(ValueError, match="no expert prefers any item to another"):
        model.fit([ranks] * 3, [[0, 1, 2]] * 3)


def test_too_few_passes_and_too_few_instances_are_told(instances):
    rankings, labels = instances[0][:30], instances[1][:30]
    with pytest.warns(ConvergenceWarning, match="raise n_iter"):
        assert not SVDRankAggregator(n_iter=3, learning_rate=1e-4, validation=None).fit(rankings, labels).converged_
    with pytest.warns(UserWarning, match="1 instances are too few"):
        SVDRankAggregator(n_iter=50).fit(rankings[:1], labels[:1])
