"""Rankings and groups from answers about pairs: estimates without bias, budgets, contradictions, exact cases."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from treatise.semisupervised import (
    ActivePairClustering,
    ActivePreferenceRanker,
    OneByOne,
    RelativeRegret,
    disagreement_layers,
    ranking_shells,
)
from treatise.semisupervised.active._sampling import (
    drawn_group_pairs,
    drawn_order_pairs,
    group_chances,
    group_sample,
    order_chances,
    shell_pairs,
)

# Learners have other seeds than the data: a first order drawn as the true one was would be the true one.


def noisy_order(n, seed, *, noise=0.5):
    """A true order, and whether one item is said to be before another, wrong with chance noise / distance."""
    rng = np.random.default_rng(seed)
    true = rng.permutation(n)
    place = np.argsort(true)
    distance = np.abs(place[:, np.newaxis] - place)
    wrong = np.triu(rng.random((n, n)) < noise / np.maximum(distance, 1), 1)
    return true, (place[:, np.newaxis] < place) ^ (wrong | wrong.T)


def noisy_groups(sizes, flips, seed):
    rng = np.random.default_rng(seed)
    true = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    wrong = np.triu(rng.random((len(true), len(true))) < flips, 1)
    return true, (true[:, np.newaxis] == true) ^ (wrong | wrong.T)


def oracle_of(said):
    return lambda pairs: said[pairs[:, 0], pairs[:, 1]]


def error_of(order, said):
    place = np.argsort(order)
    off = ~np.eye(len(order), dtype=bool)
    return np.mean(((place[:, np.newaxis] < place) != said)[off])


def group_error(groups, said):
    off = ~np.eye(len(groups), dtype=bool)
    return np.mean(((groups[:, np.newaxis] == groups) != said)[off])


def all_pairs(n):
    return np.column_stack(np.triu_indices(n, 1))


def test_shells_part_all_other_places():
    for n, samples in itertools.product((2, 7, 40), (1, 3, 100)):
        for at in range(n):
            shells = ranking_shells(n, at, samples)
            assert sorted(np.concatenate(shells).tolist()) == [v for v in range(n) if v != at]
            for shell in shells:
                low, high = np.abs(shell - at).min(), np.abs(shell - at).max()
                assert high < 2 * samples or high < 4 * low + 4 * samples


@pytest.mark.parametrize("sampling", ["bernoulli", "paper"])
@pytest.mark.parametrize("ordered", [True, False])
def test_estimated_regret_has_no_bias(sampling, ordered):
    n, rng = 25, np.random.default_rng(0)
    said = np.triu(rng.random((n, n)) < 0.5, 1)
    said = said | (~said.T & np.tril(np.ones((n, n), bool), -1)) if ordered else said | said.T
    if ordered:
        pivot, other = rng.permutation(n), rng.permutation(n)
        exact = error_of(other, said) - error_of(pivot, said)
    else:
        pivot, other = rng.choice(3, n, p=[0.6, 0.3, 0.1]), rng.integers(0, 3, n)
        exact = group_error(other, said) - group_error(pivot, said)
    found = []
    for _ in range(2000 if sampling == "bernoulli" and ordered else 500):
        if sampling == "bernoulli":
            pairs = (drawn_order_pairs if ordered else drawn_group_pairs)(pivot, 3, rng)
            chance = (
                order_chances(np.argsort(pivot), pairs, 3) if ordered else group_chances(pivot, pairs, 3)
            )  # fmt: skip
            weights = 1.0 / chance
        else:
            pairs, weights = (shell_pairs if ordered else group_sample)(pivot, 3, rng)
        answers = np.where(said[pairs[:, 0], pairs[:, 1]], 1.0, -1.0)
        regret = RelativeRegret(pairs, weights, answers, pivot, ordered)
        assert regret.evaluate(pivot) == 0.0
        found.append(regret.evaluate(other))
    assert np.mean(found) == pytest.approx(exact, abs=4 * np.std(found) / len(found) ** 0.5)


@pytest.mark.parametrize("sampling", ["bernoulli", "paper"])
def test_samples_beyond_all_items_give_the_exact_regret(sampling):
    n = 40
    _, said = noisy_order(n, 0)
    ranker = ActivePreferenceRanker(n, n_rounds=1, sampling=sampling, random_state=9).fit(oracle_of(said), n)
    # All pairs, and the few that are asked the other way round.
    assert len(ranker.regret_.pairs) == n * (n - 1) // 2
    other = np.random.default_rng(1).permutation(n)
    exact = error_of(other, said) - error_of(ranker.regret_.pivot, said)
    assert ranker.regret_.evaluate(other) == pytest.approx(exact, abs=1e-12)
    assert ranker.history_[0]["error"] == pytest.approx(error_of(ranker.ranking_, said), abs=1e-12)
    _, together = noisy_groups([20, 12, 8], 0.2, 0)
    learner = ActivePairClustering(3, samples=n, n_rounds=1, sampling=sampling, random_state=0)
    learner.fit(oracle_of(together), n)
    groups = np.random.default_rng(1).integers(0, 3, n)
    exact = group_error(groups, together) - group_error(learner.regret_.pivot, together)
    assert learner.regret_.evaluate(groups) == pytest.approx(exact, abs=1e-12)


def test_pairs_on_which_both_agree_count_for_nothing():
    pairs, weights = all_pairs(5), np.arange(1.0, 11.0)
    order = np.array([2, 0, 1, 4, 3])
    swapped = np.array([2, 0, 4, 1, 3])
    regret = RelativeRegret(pairs, weights, np.ones(10), order, ordered=True)
    only = np.flatnonzero((pairs == [1, 4]).all(axis=1))[0]
    assert regret.evaluate(swapped) == pytest.approx(weights[only] / 10)


def test_few_items_are_ranked_exactly():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        said = np.triu(rng.random((7, 7)) < 0.5, 1)
        said = said | (~said.T & np.tril(np.ones((7, 7), bool), -1))
        ranker = ActivePreferenceRanker(7, n_rounds=1, random_state=0).fit(oracle_of(said), 7)
        least = min(error_of(np.array(order), said) for order in itertools.permutations(range(7)))
        assert error_of(ranker.ranking_, said) == pytest.approx(least)


def test_local_search_is_never_worse_than_the_pivot():
    _, said = noisy_order(60, 3)
    ranker = ActivePreferenceRanker(random_state=13).fit(oracle_of(said), 60)
    assert all(entry["change"] <= 1e-12 for entry in ranker.history_)
    _, together = noisy_groups([30, 20, 10], 0.1, 3)
    learner = ActivePairClustering(3, random_state=13).fit(oracle_of(together), 60)
    assert all(entry["change"] <= 1e-12 for entry in learner.history_)


def test_noisy_ranking_beats_the_true_order_and_uniform_questions():
    ours, truth, uniform = [], [], []
    for seed in range(5):
        true, said = noisy_order(200, seed)
        ranker = ActivePreferenceRanker(6, n_rounds=4, random_state=100 + seed).fit(oracle_of(said), 200)
        ours.append(error_of(ranker.ranking_, said))
        truth.append(error_of(true, said))
        pairs = all_pairs(200)
        pairs = pairs[np.random.default_rng(seed).permutation(len(pairs))[: ranker.n_queries_]]
        passive = ActivePreferenceRanker(200, n_rounds=1, random_state=100 + seed).begin(200)
        passive.tell(pairs, said[pairs[:, 0], pairs[:, 1]]).update()
        uniform.append(error_of(passive.ranking_, said))
        assert ranker.n_queries_ < 0.6 * 19_900
    assert np.mean(ours) <= 0.022
    assert np.mean(ours) < np.mean(truth)
    assert np.mean(ours) < np.mean(uniform)


def test_without_noise_the_order_is_found():
    exact = 0
    for seed in range(10):
        true, said = noisy_order(200, seed, noise=0.0)
        ranker = ActivePreferenceRanker(6, n_rounds=8, random_state=100 + seed).fit(oracle_of(said), 200)
        exact += np.array_equal(ranker.ranking_, true)
    assert exact >= 9


def test_planted_groups_are_found_with_a_third_of_the_pairs():
    for seed in range(3):
        true, together = noisy_groups([100, 100, 100], 0.1, seed)
        learner = ActivePairClustering(3, random_state=100 + seed, max_queries=44_850 // 5)
        learner.fit(oracle_of(together), 300)
        assert adjusted_rand_score(true, learner.labels_) >= 0.95
        assert learner.n_queries_ <= 44_850 // 5


def test_groups_are_numbered_by_size():
    true, together = noisy_groups([30, 20, 10], 0.0, 0)
    learner = ActivePairClustering(4, random_state=0).fit(oracle_of(together), 60)
    assert adjusted_rand_score(true, learner.labels_) == 1.0
    assert np.bincount(learner.labels_).tolist() == [30, 20, 10]


@pytest.mark.parametrize("budget", [1, 50, 777])
def test_the_budget_is_never_exceeded(budget):
    asked = []
    _, said = noisy_order(100, 0)

    def oracle(pairs):
        asked.extend(map(tuple, pairs))
        return said[pairs[:, 0], pairs[:, 1]]

    ranker = ActivePreferenceRanker(max_queries=budget, random_state=9).fit(oracle, 100)
    assert len(asked) == ranker.n_queries_ <= budget
    assert len(asked) > 0.7 * budget
    assert sorted(ranker.ranking_.tolist()) == list(range(100))
    learner = ActivePairClustering(2, max_queries=budget, random_state=9)
    assert learner.fit(oracle_of(said | said.T), 100).n_queries_ <= budget


def test_no_pair_is_asked_twice_but_for_the_check():
    asked = []
    _, said = noisy_order(80, 0)

    def oracle(pairs):
        asked.extend(map(tuple, np.sort(pairs, axis=1)))
        return said[pairs[:, 0], pairs[:, 1]]

    ActivePreferenceRanker(random_state=9).fit(oracle, 80)
    assert len(asked) - len(set(asked)) == 5


def test_asking_and_telling_piece_by_piece_equals_fit():
    _, said = noisy_order(50, 0)
    whole = ActivePreferenceRanker(random_state=7)
    whole.begin(50)
    while len(pairs := whole.ask()):
        whole.tell(pairs, said[pairs[:, 0], pairs[:, 1]])
    parts = ActivePreferenceRanker(random_state=7).begin(50)
    while len(pairs := parts.ask(size=17)):
        np.testing.assert_array_equal(pairs, parts.ask(size=17))
        # A break of any length between two questions, and answers in the other direction.
        parts = pickle.loads(pickle.dumps(parts))
        parts.tell(pairs[:, ::-1], ~said[pairs[:, 0], pairs[:, 1]])
    np.testing.assert_array_equal(parts.ranking_, whole.ranking_)
    assert parts.n_queries_ == whole.n_queries_
    assert len(parts.ask()) == 0


def test_answers_may_be_missing():
    _, said = noisy_order(60, 0, noise=0.0)

    def oracle(pairs):
        return [None if (u + v) % 5 == 0 else bool(said[u, v]) for u, v in pairs]

    ranker = ActivePreferenceRanker(8, n_rounds=6, random_state=9).fit(oracle, 60)
    assert error_of(ranker.ranking_, said) < 0.02
    assert len(ranker.regret_.pairs) < ranker.n_queries_


def test_contradictions_are_refused_or_put_to_the_vote():
    ranker = ActivePreferenceRanker(random_state=0).begin(5)
    ranker.tell([[0, 1]], [1])
    with pytest.raises(ValueError, match=r"items 0 and 1 were compared twice.*contradictions=\"majority\""):
        ranker.tell([[1, 0]], [1])
    voted = ActivePreferenceRanker(contradictions="majority", random_state=0).begin(3)
    voted.tell([[0, 1], [1, 0], [0, 1], [1, 2], [2, 0]], [1, 1, 1, 1, 0]).update()
    assert voted.ranking_.tolist() == [0, 1, 2]
    assert voted.contradictions_.tolist() == [[0, 1]]
    even = ActivePairClustering(2, contradictions="majority", random_state=0).begin(3)
    even.tell([[0, 1], [1, 0]], [1, 0]).update()
    assert even.regret_.losses(np.array([0, 0, 1])).sum() == even.regret_.losses(np.array([0, 1, 1])).sum() == 0


def test_an_oracle_that_does_not_mind_the_order_is_refused():
    with pytest.raises(ValueError, match="the oracle contradicts itself: of 5 pairs asked again"):
        ActivePreferenceRanker(random_state=0).fit(lambda pairs: np.ones(len(pairs)), 50)
    with pytest.raises(ValueError, match="it must give the same for both orders"):
        ActivePairClustering(random_state=0).fit(lambda pairs: pairs[:, 0] < pairs[:, 1], 50)


@pytest.mark.parametrize("learner", [ActivePreferenceRanker(random_state=0), ActivePairClustering(random_state=0)])
def test_an_oracle_that_knows_nothing_is_refused(learner):
    with pytest.raises(ValueError, match=r"answered none of \d+ questions"):
        learner.fit(lambda pairs: [None] * len(pairs), 30)
    learner.fit(lambda pairs: [int(a < b) if a % 2 == b % 2 else None for a, b in np.sort(pairs)], 6)


def test_bad_input_is_refused():
    ranker = ActivePreferenceRanker(random_state=0)
    with pytest.raises(ValueError, match=r"max_queries=0 leaves no question to ask; allow at least .* 10"):
        clone(ranker).set_params(max_queries=0).fit(lambda pairs: pairs[:, 0] > 0, 10)
    with pytest.raises(ValueError, match="at least two items"):
        ranker.fit(lambda pairs: [], 1)
    with pytest.raises(ValueError, match="say how many items"):
        ranker.fit(lambda pairs: [])
    with pytest.raises(TypeError, match="oracle must be callable"):
        ranker.fit([[0, 1]], 5)
    with pytest.raises(ValueError, match="init must hold each of the items"):
        ranker.begin(3, init=[0, 0, 1])
    with pytest.raises(ValueError, match="init must hold a group from 0 to 1"):
        ActivePairClustering(2).begin(3, init=[0, 1, 2])
    ranker.begin(5)
    for pairs, answers, words in (
        ([[0, 5]], [1], "items from 0 to 5"),
        ([[2, 2]], [1], "item 2 is paired with itself"),
        ([[0, 1]], [1, 0], "2 answers to 1 pairs"),
        ([[0, 1]], [0.5], "an answer is 0.5"),
        ([[0, 1]], ["yes"], "an answer is 'yes'; answers are 1"),
        ([0, 1], [1], "two item numbers in each row"),
        ([["a", "b"]], [1], "two item numbers in each row"),
    ):
        with pytest.raises(ValueError, match=words):
            ranker.tell(pairs, answers)
    with pytest.raises(ValueError, match="5 rows; leave one out"):
        ranker.begin(4, features=np.eye(5))


def test_one_by_one_asks_a_function_of_two_items():
    ranker = ActivePreferenceRanker(random_state=0).fit(OneByOne(lambda u, v: u < v), 12)
    assert ranker.ranking_.tolist() == list(range(12))


def test_linear_rankings_follow_the_features():
    rng = np.random.default_rng(0)
    features, w = rng.normal(size=(150, 4)) * [1.0, 10.0, 0.1, 1.0], np.array([1.0, 0.2, -5.0, 0.0])
    score = features @ w
    ranker = ActivePreferenceRanker(max_queries=600, random_state=0)
    ranker.fit(lambda p: score[p[:, 0]] > score[p[:, 1]], features=features)
    free = ActivePreferenceRanker(max_queries=600, random_state=0)
    free.fit(lambda p: score[p[:, 0]] > score[p[:, 1]], 150)
    said = score[:, np.newaxis] > score
    assert error_of(ranker.ranking_, said) < 0.01
    assert error_of(ranker.ranking_, said) < error_of(free.ranking_, said)
    new = rng.normal(size=(50, 4)) * [1.0, 10.0, 0.1, 1.0]
    assert np.corrcoef(ranker.decision_function(new), new @ w)[0, 1] > 0.99
    assert ranker.coef_.shape == (4,)


def test_disagreement_layers_against_directions_tried_out():
    rng = np.random.default_rng(0)
    features, w = rng.normal(size=(6, 2)), np.array([1.0, 0.3])
    (layer,) = disagreement_layers(features, w)
    start = np.arctan2(w[1], w[0])
    home = features[:, np.newaxis] @ w > (features @ w)[np.newaxis, :, np.newaxis][..., 0]
    expected = set()
    for side in (1.0, -1.0):
        for angle in np.linspace(0, np.pi, 20_001)[1:]:
            turned = np.array([np.cos(start + side * angle), np.sin(start + side * angle)])
            scores = features @ turned
            changed = [(u, v) for u, v in np.argwhere(home) if scores[u] < scores[v]]
            if changed:
                expected.update(changed)
                break
    assert {tuple(pair) for pair in layer} == expected
    layers = disagreement_layers(features, w, n_layers=20)
    assert sum(map(len, layers)) == 15
    with pytest.raises(ValueError, match="one number for each column"):
        disagreement_layers(features, [1.0, 2.0, 3.0])


def test_answers_that_were_not_asked_for_count_as_drawn_at_random():
    pairs = np.array([[0, 1], [2, 3], [1, 4]])
    ranker = ActivePreferenceRanker(random_state=0).begin(5).tell(pairs, [1, 0, 1]).update()
    np.testing.assert_allclose(ranker.regret_.weights, 10 / 3)
    assert ranker.history_[0]["error"] == 0.0


def test_same_seed_same_questions():
    _, said = noisy_order(40, 0)
    first, second = (ActivePreferenceRanker(random_state=5).fit(oracle_of(said), 40) for _ in range(2))
    np.testing.assert_array_equal(first.ranking_, second.ranking_)
    assert first.history_ == second.history_


@pytest.mark.parametrize("learner", [ActivePreferenceRanker(random_state=0), ActivePairClustering(2, random_state=0)])
def test_rounds_that_end_before_the_solution_settles_are_told(learner):
    group = np.arange(40) % 2

    def oracle(pairs):
        u, v = pairs.T
        return u < v if isinstance(learner, ActivePreferenceRanker) else group[u] == group[v]

    short = clone(learner).set_params(n_rounds=1)
    with pytest.warns(ConvergenceWarning, match="n_rounds=1 rounds; raise it"):
        assert short.fit(oracle, 40).converged_ is False
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert clone(learner).fit(oracle, 40).converged_ is True
        # A limit on questions is one that was asked for.
        assert clone(short).set_params(max_queries=30).fit(oracle, 40).converged_ is False
