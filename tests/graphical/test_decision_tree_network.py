"""Markov networks from decision trees, against enumeration, finite differences and scikit-learn's trees."""

import itertools
import time
import warnings

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

from treatise.graphical import (
    ConjunctiveMarkovNetwork,
    DecisionTreeMarkovNetwork,
    IsingGraph,
    ProbabilityTree,
    generalize_features,
    grow_probability_trees,
    plot_features,
    plot_graph,
)
from treatise.graphical.decision_tree.bottom_up import _Search, replacement_gain, value_differences, value_gaps
from treatise.graphical.decision_tree.conjunctive import PseudoLikelihood


def figure_1_tree():
    """X1? leaf : (X2? leaf : leaf) for X4, columns counted from zero."""
    return ProbabilityTree(
        3,
        np.array([0, -1, 1, -1, -1]),
        np.array([1, -1, 3, -1, -1]),
        np.array([2, -1, 4, -1, -1]),
        np.array([[40, 60], [10, 30], [30, 30], [25, 5], [5, 25]]),
        np.array([5.0, 0.0, 4.0, 0.0, 0.0]),
    )


def random_network(rng, p=8, n_features=25):
    features = set()
    while len(features) < n_features:
        columns = rng.choice(p, size=rng.integers(1, 5), replace=False)
        features.add(tuple(sorted((int(c), int(rng.integers(2))) for c in columns)))
    return ConjunctiveMarkovNetwork(sorted(features), p, rng.normal(size=n_features))


def states(p):
    return np.array(list(itertools.product((0, 1), repeat=p)), dtype=np.uint8)


def joint(network):
    """Every state and its probability, by summing weights feature by feature."""
    X = states(network.n_features)
    potential = np.zeros(len(X))
    for tests, weight in zip(network.features, network.weights):
        potential += weight * np.all([X[:, c] == v for c, v in tests], axis=0)
    return X, np.exp(potential - logsumexp(potential))


def exclusive_or(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 3))
    X[:, 2] = X[:, 0] ^ X[:, 1] ^ (rng.random(n) < 0.1)
    return X


# ---------------------------------------------------------------- features of trees


def test_default_takes_every_leaf_with_both_values():
    expected = {
        ((0, 1), (3, 1)), ((0, 1), (3, 0)),
        ((0, 0), (1, 1), (3, 1)), ((0, 0), (1, 1), (3, 0)),
        ((0, 0), (1, 0), (3, 1)), ((0, 0), (1, 0), (3, 0)),
    }  # fmt: skip
    found = figure_1_tree().features("default")
    assert len(found) == 6 and set(found) == expected


def test_prune_adds_every_inner_node():
    tree = figure_1_tree()
    extra = {((3, 1),), ((3, 0),), ((0, 0), (3, 1)), ((0, 0), (3, 0))}
    assert set(tree.features("prune")) == set(tree.features("default")) | extra
    assert len(tree.features("prune")) == 10


def test_nonzero_keeps_tests_of_one_only():
    found = figure_1_tree().features("nonzero")
    assert sorted(found) == sorted([((0, 1), (3, 1)), ((0, 1),), ((1, 1), (3, 1)), ((1, 1),), ((3, 1),)])


def test_prune_10_and_prune_5_drop_longer_features():
    X = np.random.default_rng(0).integers(0, 2, (3000, 14))
    tree = grow_probability_trees(X)[0]
    everything = tree.features("prune")
    assert max(map(len, everything)) > 5
    for name, longest in (("prune5", 5), ("prune10", 10)):
        assert set(tree.features(name)) == {feature for feature in everything if len(feature) <= longest}


def test_an_unknown_conversion_is_refused():
    with pytest.raises(ValueError, match="'pruned' is unknown"):
        figure_1_tree().features("pruned")


def test_log_probabilities_as_weights_of_default_features_give_back_the_tree():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (600, 6))
    X[:, 5] = (X[:, 0] & X[:, 1]) ^ (rng.random(600) < 0.2)
    tree = grow_probability_trees(X)[5]
    assert tree.n_leaves > 2
    weights = {}
    for node, path in tree.paths():
        if tree.variable[node] < 0:
            for value in (0, 1):
                smoothed = (tree.counts[node, value] + 1) / (tree.counts[node].sum() + 2)
                weights[tuple(sorted((*path, (5, value))))] = np.log(smoothed)
    assert set(weights) == set(tree.features("default"))
    network = ConjunctiveMarkovNetwork(list(weights), 6, list(weights.values()))
    # Rounding of a difference of two logarithms.
    np.testing.assert_allclose(network.conditional_proba(X)[:, 5], tree.conditional_proba(X), rtol=1e-12)


# ---------------------------------------------------------------- growing


def entropy_gain(X, i, j):
    """Gain in log-likelihood of column i by a split on j, from scratch."""

    def likelihood(y):
        share = y.mean()
        return 0.0 if share in (0, 1) else len(y) * (share * np.log(share) + (1 - share) * np.log(1 - share))

    y, on = X[:, i], X[:, j] > 0
    return likelihood(y[on]) + likelihood(y[~on]) - likelihood(y)


def correlated_table(rng, n, p):
    hidden = rng.normal(size=(n, 3))
    return (hidden @ rng.normal(size=(3, p)) + rng.normal(size=(n, p)) > 0).astype(np.uint8)


def test_every_split_is_the_best_of_its_node_and_no_leaf_could_be_split():
    rng = np.random.default_rng(2)
    X = correlated_table(rng, 700, 9)  # 700 is no multiple of 64
    for kappa in (1.0, 0.01):
        tree = grow_probability_trees(X, kappa=kappa, min_samples_leaf=10)[4]
        for node, path in tree.paths():
            rows = X[np.all([X[:, c] == v for c, v in path], axis=0)] if path else X
            assert tree.counts[node].tolist() == [np.sum(rows[:, 4] == 0), np.sum(rows[:, 4] == 1)]
            gains = {
                j: entropy_gain(rows, 4, j) for j in range(9) if j != 4 and 10 <= rows[:, j].sum() <= len(rows) - 10
            }
            best = max(gains.values(), default=0.0)
            if tree.variable[node] >= 0:
                assert gains[tree.variable[node]] == pytest.approx(best, abs=1e-8)
                assert tree.gain[node] == pytest.approx(best, abs=1e-8) and best > -np.log(kappa)
            else:
                assert best <= -np.log(kappa) + 1e-8


def test_cutting_a_large_tree_equals_growing_with_the_smaller_prior():
    X = correlated_table(np.random.default_rng(3), 1500, 8)
    for large, small in zip(grow_probability_trees(X), grow_probability_trees(X, kappa=0.01)):
        assert set(large.cut(0.01).features("prune")) == set(small.features("prune"))
        assert large.log_likelihood(X, 0.01) == pytest.approx(small.log_likelihood(X), rel=1e-12)
        assert large.n_leaves > small.n_leaves


def test_the_likelihood_has_a_uniform_prior_in_each_leaf():
    X = correlated_table(np.random.default_rng(4), 500, 5)
    tree = grow_probability_trees(X, kappa=0.1)[2]
    total = 0.0
    for node, path in tree.paths():
        if tree.variable[node] < 0:
            rows = X[np.all([X[:, c] == v for c, v in path], axis=0)] if path else X
            n, ones = len(rows), rows[:, 2].sum()
            total += ones * np.log((ones + 1) / (n + 2)) + (n - ones) * np.log((n - ones + 1) / (n + 2))
    assert tree.log_likelihood(X) == pytest.approx(total, rel=1e-12)


def test_roots_and_leaves_equal_those_of_scikit_learn():
    X = correlated_table(np.random.default_rng(5), 1200, 12)
    for i, tree in enumerate(grow_probability_trees(X)):
        others = np.delete(np.arange(12), i)
        peer = DecisionTreeClassifier(criterion="log_loss", min_samples_leaf=10, random_state=0)
        peer.fit(X[:, others], X[:, i])
        assert others[peer.tree_.feature[0]] == tree.variable[0]
        # It also makes splits that gain nothing, and breaks ties at random: the sizes differ by a few leaves.
        assert abs(peer.get_n_leaves() - tree.n_leaves) <= 0.15 * tree.n_leaves


def test_all_trees_of_100_columns_and_15000_rows_take_seconds():
    X = correlated_table(np.random.default_rng(6), 15000, 100)
    grow_probability_trees(X[:100, :3])
    begin = time.process_time()
    trees = grow_probability_trees(X)
    assert len(trees) == 100
    assert time.process_time() - begin < 10


def test_values_outside_their_range_and_priors_above_one_are_refused():
    for strange in (-1, 0.5, 300, np.nan):
        with pytest.raises(ValueError, match="column 1 of X must hold zeros and ones; it holds"):
            grow_probability_trees(np.array([[0, strange], [1, 0]]), n_values=[2, 2])
    with pytest.raises(ValueError, match="whole numbers from 0 to 2; it holds 3"):
        grow_probability_trees(np.array([[0, 3], [1, 0]]), n_values=[2, 3])
    with pytest.raises(ValueError, match="kappa=2"):
        grow_probability_trees(np.zeros((5, 2)), kappa=2)


# ---------------------------------------------------------------- the network


def test_conditionals_and_normaliser_equal_enumeration_of_the_joint():
    rng = np.random.default_rng(7)
    network = random_network(rng)
    X, probability = joint(network)
    np.testing.assert_allclose(network.log_potential(X) - network.log_partition(), np.log(probability), atol=1e-10)
    for i in range(network.n_features):
        flipped = X.copy()
        flipped[:, i] ^= 1
        code = flipped @ (1 << np.arange(network.n_features)[::-1])
        share = probability / (probability + probability[code])
        ones = np.where(X[:, i] > 0, share, 1 - share)
        np.testing.assert_allclose(network.conditional_proba(X)[:, i], ones, atol=1e-12)
    total = sum(np.log(np.where(X[:, i] > 0, q, 1 - q)) for i, q in enumerate(network.conditional_proba(X).T))
    np.testing.assert_allclose(network.pseudo_log_likelihood(X), total, atol=1e-10)


def brute_marginals(network, row, query):
    X, probability = joint(network)
    evidence = np.setdiff1d(np.arange(network.n_features), query)
    matching = (X[:, evidence] == row[evidence]).all(axis=1)
    return X[matching][:, query].T @ probability[matching] / probability[matching].sum()


def test_exact_marginals_given_evidence_equal_enumeration_of_the_joint():
    rng = np.random.default_rng(8)
    network = random_network(rng)
    X, query = rng.integers(0, 2, (5, 8)), np.array([6, 0, 3])
    expected = [brute_marginals(network, row, query) for row in X]
    np.testing.assert_allclose(network.conditional_marginals(X, query), expected, atol=1e-12)


def test_gibbs_marginals_lie_within_three_standard_errors():
    rng = np.random.default_rng(9)
    network = random_network(rng)
    X, query = rng.integers(0, 2, (4, 8)), np.array([1, 2, 5, 7])
    runs = np.array([
        network.conditional_marginals(X, query, method="gibbs", n_chains=1, n_samples=400, random_state=seed)
        for seed in range(40)
    ])  # fmt: skip
    expected = np.array([brute_marginals(network, row, query) for row in X])
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    # 16 numbers: the largest of so many standard normals stays below 3.5 with probability 0.99.
    assert np.all(np.abs(runs.mean(axis=0) - expected) < 3.5 * error + 1e-9)


def test_gibbs_answers_do_not_depend_on_the_rows_beside_them():
    rng = np.random.default_rng(10)
    network = random_network(rng)
    X, query = rng.integers(0, 2, (6, 8)), [0, 1, 2]
    together = network.conditional_marginals(X, query, method="gibbs", n_samples=20, random_state=3)
    alone = network.conditional_marginals(X[4:5], query, method="gibbs", n_samples=20, random_state=3)
    np.testing.assert_array_equal(together[4:5], alone)


def test_samples_have_the_moments_of_the_joint():
    network = random_network(np.random.default_rng(11), p=6, n_features=15)
    X, probability = joint(network)
    rows = network.sample(6000, thin=15, random_state=0).astype(float)
    # Standard error of a share of 6000 nearly independent rows is at most 0.0065.
    np.testing.assert_allclose(rows.mean(axis=0), X.T @ probability, atol=0.03)
    np.testing.assert_allclose(rows.T @ rows / len(rows), (X * probability[:, np.newaxis]).T @ X, atol=0.03)


def test_the_gradient_is_that_of_finite_differences_and_the_objective_is_convex():
    rng = np.random.default_rng(12)
    network, X = random_network(rng), rng.integers(0, 2, (150, 8))
    objective = PseudoLikelihood(network, X, prior_sd=2.0)
    value, gradient = objective(network.weights)
    penalised = -network.pseudo_log_likelihood(X).sum() + network.weights @ network.weights / 8
    assert value * 150 == pytest.approx(penalised, rel=1e-12)
    for j in range(0, 25, 3):
        step = np.zeros(25)
        step[j] = 1e-5
        slope = (objective(network.weights + step)[0] - objective(network.weights - step)[0]) / 2e-5
        assert gradient[j] == pytest.approx(slope, abs=1e-6)
    for _ in range(10):
        a, b = rng.normal(size=(2, 25))
        assert objective((a + b) / 2)[0] <= (objective(a)[0] + objective(b)[0]) / 2 + 1e-12


def test_fitted_weights_are_stationary():
    rng = np.random.default_rng(13)
    network, X = random_network(rng), rng.integers(0, 2, (500, 8))
    network.fit_weights(X, prior_sd=10.0, tol=1e-6)
    assert np.linalg.norm(PseudoLikelihood(network, X, 10.0)(network.weights)[1]) <= 1e-5
    network.fit_weights(X, prior_sd=np.inf, l1=8.0, tol=1e-6)
    slope = PseudoLikelihood(network, X, np.inf)(network.weights)[1] * 500
    zero = network.weights == 0
    assert 0 < zero.sum() < 25
    # Conditions of the optimum under the L1 price of 8; 1e-6 a row is 5e-4 in all.
    np.testing.assert_allclose(slope[~zero], -8.0 * np.sign(network.weights[~zero]), atol=1e-3)
    assert np.all(np.abs(slope[zero]) <= 8.0 + 1e-3)


def test_the_pseudo_likelihood_finds_the_weights_behind_many_rows():
    rng = np.random.default_rng(14)
    features = [((0, 1),), ((0, 1), (1, 1)), ((0, 1), (1, 1), (2, 1)), ((2, 1), (3, 0))]
    truth = ConjunctiveMarkovNetwork(features, 4, [-0.5, 1.0, 1.5, -1.0])
    X, probability = joint(truth)
    rows = X[rng.choice(16, size=40000, p=probability)]
    found = ConjunctiveMarkovNetwork(features, 4).fit_weights(rows, prior_sd=100.0)
    # Deviations of such estimates are about 4 / sqrt(n) = 0.02.
    np.testing.assert_allclose(found.weights, truth.weights, atol=0.1)


def test_unfinished_weights_warn():
    X = correlated_table(np.random.default_rng(15), 300, 5)
    network = ConjunctiveMarkovNetwork([((i, 1), (j, 1)) for i in range(5) for j in range(i)], 5)
    with pytest.warns(ConvergenceWarning, match="after 1 iterations"):
        network.fit_weights(X, max_iter=1)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([[]], "without tests"),
        ([[(5, 1)]], "columns 5 to 5 of 3"),
        ([[(0, 2)]], "compare with"),
        ([[(0, 1), (0, 0)]], "twice"),
    ],
)
def test_impossible_features_are_refused(features, message):
    with pytest.raises(ValueError, match=message):
        ConjunctiveMarkovNetwork(features, 3)


def test_impossible_queries_and_sizes_are_refused():
    network = ConjunctiveMarkovNetwork([[(0, 1)]], 30)
    X = np.zeros((2, 30))
    with pytest.raises(ValueError, match="too many states"):
        network.log_partition()
    with pytest.raises(ValueError, match="too many states"):
        network.conditional_marginals(X, np.arange(25), method="exact")
    with pytest.raises(ValueError, match="different columns"):
        network.conditional_marginals(X, [0, 0])
    with pytest.raises(ValueError, match="'mean field' is unknown"):
        network.conditional_marginals(X, [0], method="mean field")
    with pytest.raises(ValueError, match="with 30 columns"):
        network.conditional_proba(X[:, :4])
    with pytest.raises(ValueError, match="as many weights"):
        ConjunctiveMarkovNetwork([[(0, 1)]], 3, [1.0, 2.0])
    with pytest.raises(ValueError, match="prior_sd=0"):
        network.fit_weights(X, prior_sd=0)


# ---------------------------------------------------------------- bottom-up search


def test_distances_equal_the_value_difference_metric_written_out():
    rng = np.random.default_rng(16)
    X = correlated_table(rng, 400, 6)
    feature = ((0, 1), (2, 0), (5, 1))
    difference = value_differences(X, np.ones(len(X)), 2)
    for row in X[:20]:
        total = 0.0
        for c, _ in feature:
            for h in (0, 1):
                for i, value in feature:
                    if i != c:
                        given = [np.mean(X[X[:, i] == v, c] == h) for v in (value, row[i])]
                        total += abs(given[0] - given[1]) ** 2
        ours = sum(difference[i, c] for i, v in feature if row[i] != v for c, _ in feature)
        assert ours == pytest.approx(total, abs=1e-12)


def test_a_candidate_drops_what_its_nearest_unmatched_examples_violate():
    X, counts = np.unique(correlated_table(np.random.default_rng(17), 300, 6), axis=0, return_counts=True)
    feature = ((0, 1), (2, 0), (5, 1))
    search = _Search(ConjunctiveMarkovNetwork([feature], 6), X, counts, 1.0, 1.0, np.array([1, 5, 40]), 2)
    variables, values = np.array([0, 2, 5]), np.array([1, 0, 1], dtype=np.uint8)
    violated = np.repeat(X[:, variables] != values, counts, axis=0)
    distance = violated @ search.gaps.difference[np.ix_(variables, variables)].sum(axis=1)
    order = [r for r in np.argsort(distance, kind="stable") if violated[r].any()]
    expected = {tuple(~violated[order[:k]].any(axis=0)) for k in (1, 5, 40)} | {(False,) * 3}
    assert {tuple(keep) for keep in search.candidates(feature)} == expected


def penalised_score(network, X, sd, price):
    length = sum(map(len, network.features))
    return network.pseudo_log_likelihood(X).sum() - network.weights @ network.weights / (2 * sd**2) - price * length


def test_refining_never_lowers_the_score_and_shortens_features():
    X = correlated_table(np.random.default_rng(18), 800, 7)
    model = DecisionTreeMarkovNetwork(kappa=0.1, features="prune", prior_sd=1.0, tol=1e-5).fit(X)
    before = penalised_score(model.network_, X, 1.0, 1.0)
    with pytest.warns(ConvergenceWarning, match="max_passes=1"):
        once = generalize_features(model.network_, X, max_passes=1)
    done = generalize_features(model.network_, X)
    assert before < penalised_score(once, X, 1.0, 1.0) <= penalised_score(done, X, 1.0, 1.0) + 1e-2
    assert len(done.features) < len(model.features_)
    refined = DecisionTreeMarkovNetwork(kappa=0.1, features="prune", prior_sd=1.0, refine=True, tol=1e-5).fit(X)
    assert refined.features_ == done.features


@pytest.mark.parametrize("several", [False, True])
def test_the_gain_of_a_replacement_is_the_change_of_the_score_with_the_best_weight(several):
    X = correlated_table(np.random.default_rng(19), 500, 6)
    features = [((0, 1),), ((1, 1), (2, 0), (4, 1)), ((3, 1), (4, 1)), ((0, 0), (5, 1))]
    n_values = [2] * 6
    if several:
        X = several_values(np.random.default_rng(19), 500, [2, 3, 4, 2, 3, 3])
        features = [((0, 1),), ((1, 1), (2, (0, 3)), (4, (1, 2))), ((3, 1), (4, 1)), ((0, 0), (5, 2))]
        n_values = [2, 3, 4, 2, 3, 3]
    network = ConjunctiveMarkovNetwork(features, 6, n_values=n_values).fit_weights(X)
    distinct, counts = np.unique(X, axis=0, return_counts=True)
    odds = np.ascontiguousarray(network.conditional_log_odds(distinct).T)
    search = _Search(network, distinct, counts, 1.0, 1.0, np.array([1]), 2)
    rows = search.columns, odds, counts.astype(float), search.slot_starts, search.slots
    tests = search.arrays(features[1])

    def score(shorter, weight):
        weights = network.weights.copy()
        places = [0, 1, 2, 3] if shorter else [0, 2, 3]
        weights[1] = weight
        changed = [features[0], shorter, *features[2:]]
        other = ConjunctiveMarkovNetwork([changed[j] for j in places], 6, weights[places], n_values=n_values)
        return penalised_score(other, X, 1.0, 0.0)

    for keep in list(itertools.product((True, False), repeat=3))[1:]:
        shorter = tuple(test for test, stays in zip(features[1], keep) if stays)
        kept = np.array(keep)
        weight, gain = replacement_gain(*rows, *tests, kept, network.weights[1], 1.0)
        # A difference of sums of some two thousand logarithms.
        assert gain == pytest.approx(score(shorter, weight) - score(features[1], network.weights[1]), abs=1e-9)
        if shorter:
            assert score(shorter, weight) > max(score(shorter, weight + 0.01), score(shorter, weight - 0.01))


# ---------------------------------------------------------------- the estimator


def test_trees_find_the_exclusive_or_that_pairs_cannot_see():
    found = []
    for seed in range(6):
        train, test = exclusive_or(5000, seed), exclusive_or(5000, seed + 100)
        trees = DecisionTreeMarkovNetwork(kappa=1.0, features="prune", prior_sd=10.0).fit(train)
        pairs = DecisionTreeMarkovNetwork("pairwise", prior_sd=10.0, random_state=0).fit(train)
        assert pairs.score(test) / 3 == pytest.approx(-np.log(2), abs=0.005)
        flipped = np.mean(test[:, 0] ^ test[:, 1] ^ test[:, 2])
        # About -0.325, the entropy of a flip with probability 0.1; what the truth scores on these very rows.
        found.append(trees.score(test) / 3 - (flipped * np.log(0.1) + (1 - flipped) * np.log(0.9)))
    assert np.sum(np.abs(found) < 0.01) >= 4


def test_trees_and_pairs_together_are_as_good_as_the_better_on_digits():
    X = (load_digits().data > 7).astype(int)
    X = X[np.random.default_rng(0).permutation(len(X))]
    train, valid, test = X[:1000], X[1000:1300], X[1300:]
    varying = np.flatnonzero((train.min(axis=0) < 1) & (train.max(axis=0) > 0))[::3]
    train, valid, test = train[:, varying], valid[:, varying], test[:, varying]
    options = {"features": "nonzero", "prior_sd": 1.0, "tol": 1e-3}
    score = {
        structure: DecisionTreeMarkovNetwork(structure, **options).fit(train, X_val=valid).score(test) / len(varying)
        for structure in ("trees", "pairwise", "both")
    }
    assert score["both"] >= max(score["trees"], score["pairwise"]) - 0.003
    share = train.mean(axis=0).clip(1e-3, 1 - 1e-3)
    independent = np.mean(test * np.log(share) + (1 - test) * np.log(1 - share))
    assert min(score.values()) > independent + 0.1


def test_the_pairwise_network_scores_like_the_ising_graph():
    X = correlated_table(np.random.default_rng(20), 1000, 6)
    pairs = DecisionTreeMarkovNetwork("pairwise", prior_sd=100.0, random_state=0).fit(X)
    peer = IsingGraph(penalty=1e-4, rule="or").fit(X)
    assert pairs.score(X) == pytest.approx(peer.score(X), abs=2e-2)


def test_choices_are_those_of_the_validation_rows():
    X = correlated_table(np.random.default_rng(21), 900, 6)
    model = DecisionTreeMarkovNetwork().fit(X[:600], X_val=X[600:])
    tried = model.validation_scores_
    assert len(tried["score"]) == 20
    best = int(np.argmax(tried["score"]))
    assert (model.conversion_, model.prior_sd_) == (tried["features"][best], tried["prior_sd"][best])
    assert model.score(X[600:]) == pytest.approx(tried["score"][best])
    trees = grow_probability_trees(X[:600])
    likelihood = {k: sum(tree.log_likelihood(X[600:], k) for tree in trees) for k in (1.0, 0.1, 0.01, 1e-3, 1e-4)}
    assert model.kappa_ == max(likelihood, key=likelihood.get)


def test_without_validation_rows_of_their_own_all_rows_are_fitted_in_the_end():
    X = correlated_table(np.random.default_rng(27), 400, 8)
    model = DecisionTreeMarkovNetwork("both", features="prune", kappa=1e-4, prior_sd=1.0, tol=1e-6, random_state=0)
    model.fit(X)
    assert all(tree.counts[0].sum() == 400 for tree in model.trees_)
    own = {feature for tree in model.trees_ for feature in tree.features("prune")}
    assert own < set(model.features_)
    assert all(len(f) == 2 and f[0][1] == f[1][1] == 1 for f in set(model.features_) - own)
    assert np.abs(PseudoLikelihood(model.network_, X, 1.0)(model.weights_)[1]).max() <= 1e-6


def test_edges_are_the_pairs_that_share_a_feature():
    X = correlated_table(np.random.default_rng(22), 500, 6)
    model = DecisionTreeMarkovNetwork(kappa=1e-3, features="prune5", prior_sd=1.0).fit(X)
    shared = {}
    for feature, weight in zip(model.features_, model.weights_):
        for pair in itertools.combinations(sorted(c for c, _ in feature), 2):
            shared[pair] = shared.get(pair, 0.0) + abs(weight)
    assert [tuple(edge) for edge in model.edges_.tolist()] == sorted(shared)
    np.testing.assert_allclose(model.edge_weights_, [shared[pair] for pair in sorted(shared)])
    assert model.to_networkx().number_of_edges() == len(shared)
    assert plot_graph(model) is not None


def test_conditional_likelihood_with_groups_of_one_is_the_pseudo_likelihood():
    X = correlated_table(np.random.default_rng(23), 300, 5)
    model = DecisionTreeMarkovNetwork(kappa=0.1, features="prune", prior_sd=1.0, random_state=0).fit(X)
    assert model.conditional_log_likelihood(X, groups=5) == pytest.approx(model.score(X), rel=1e-9)
    exact = model.conditional_log_likelihood(X, groups=[[0, 1, 2], [3, 4]])
    by_hand = 0.0
    for query in ([0, 1, 2], [3, 4]):
        ones = np.array([brute_marginals(model.network_, row, np.array(query)) for row in X])
        by_hand += np.log(np.where(X[:, query] > 0, ones, 1 - ones)).sum() / len(X)
    assert exact == pytest.approx(by_hand, rel=1e-9)
    sampled = model.conditional_log_likelihood(X, groups=[[0, 1, 2], [3, 4]], method="gibbs", n_samples=200)
    # 2000 smooth draws for each row: errors of about 0.005 that average out over 300 rows.
    assert sampled == pytest.approx(exact, abs=0.01)


def test_other_pairs_of_values_and_names_are_kept():
    pandas = pytest.importorskip("pandas")
    X = correlated_table(np.random.default_rng(24), 300, 4)
    options = {"kappa": 0.1, "features": "prune", "prior_sd": 1.0}
    signs = DecisionTreeMarkovNetwork(**options).fit(2 * X.astype(int) - 1)
    plain = DecisionTreeMarkovNetwork(**options).fit(pandas.DataFrame(X, columns=list("abcd")))
    np.testing.assert_array_equal(signs.weights_, plain.weights_)
    rows = signs.sample(50, random_state=0)
    assert set(np.unique(rows)) == {-1.0, 1.0} and rows.shape == (50, 4)
    assert sorted(plain.to_networkx().nodes) == list("abcd")
    ax = plot_features(plain, n_features=5)
    assert len(ax.patches) == 5
    assert all(set(label.get_text()) <= set("abcd¬∧ ") for label in ax.get_yticklabels())


def test_constant_columns_and_duplicates_keep_finite_weights():
    X = correlated_table(np.random.default_rng(25), 200, 4)
    X = np.column_stack([X, X[:, 0], np.zeros(200, dtype=int), np.ones(200, dtype=int)])
    for structure in ("trees", "pairwise", "both"):
        model = DecisionTreeMarkovNetwork(structure, features="prune", prior_sd=1.0, random_state=0).fit(X)
        assert np.isfinite(model.weights_).all()
        proba = model.predict_proba(X)
        assert (proba[:, 5] < 0.1).all() and (proba[:, 6] > 0.9).all()


def test_l1_leaves_fewer_features_alive():
    X = correlated_table(np.random.default_rng(26), 500, 6)
    options = {"kappa": 1.0, "features": "prune", "prior_sd": 10.0}
    dense = DecisionTreeMarkovNetwork(**options).fit(X)
    sparse = DecisionTreeMarkovNetwork(l1=5.0, **options).fit(X)
    assert np.count_nonzero(sparse.weights_) < np.count_nonzero(dense.weights_) / 2


def test_bad_input_is_refused_with_what_would_be_right():
    with pytest.raises(ValueError, match=r"60 different values.*cut numbers with binarize"):
        DecisionTreeMarkovNetwork().fit(np.arange(120.0).reshape(60, 2))
    with pytest.raises(ValueError, match="set l1=0"):
        DecisionTreeMarkovNetwork(l1=1.0, refine=True).fit(np.eye(4))
    model = DecisionTreeMarkovNetwork(kappa=1.0, features="prune", prior_sd=1.0).fit(np.eye(4))
    with pytest.raises(ValueError, match=r"values \[0.0, 1.0\] of the fit"):
        model.score(np.full((2, 4), 3.0))
    with pytest.raises(ValueError, match="different columns below 4"):
        model.predict_proba(np.eye(4), query=[4])
    with pytest.raises(ValueError, match="groups=0"):
        model.conditional_log_likelihood(np.eye(4), groups=0)
    for ask in ("score", "predict_proba", "conditional_log_likelihood"):
        with pytest.raises(NotFittedError):
            getattr(DecisionTreeMarkovNetwork(), ask)(np.eye(4))


def test_a_confident_network_does_not_overflow():
    network = ConjunctiveMarkovNetwork([((0, 1), (1, 1)), ((0, 0),)], 2, [2000.0, -2000.0])
    X = np.array([[1, 1], [0, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(network.conditional_proba(X), [[1.0, 1.0], [1.0, 0.5]])
        assert np.isfinite(network.pseudo_log_likelihood(X)).all()
        np.testing.assert_allclose(
            network.conditional_marginals(X, [0, 1], method="gibbs", n_samples=50, random_state=0)[:, 0], expit(2000.0)
        )


# ---------------------------------------------------------------- several values

KINDS = [2, 3, 4, 3, 1]


def several_values(rng, n, n_values):
    """Columns of so many values that follow one hidden cause."""
    hidden = rng.normal(size=n)
    noisy = [hidden + rng.normal(size=n) for _ in n_values]
    return np.column_stack([
        np.searchsorted(np.quantile(column, np.arange(1, k) / k), column) for column, k in zip(noisy, n_values)
    ])  # fmt: skip


def network_of_several(rng):
    features = [
        ((0, 1),), ((1, 0),), ((1, 2), (2, 3)), ((0, 0), (2, (1, 2))), ((1, (0, 2)), (2, 0), (3, 1)),
        ((2, (0, 1, 3)), (3, (1, 2))), ((3, 2),), ((0, 1), (1, 1), (3, 0)),
    ]  # fmt: skip
    return ConjunctiveMarkovNetwork(features, 5, rng.normal(size=len(features)), n_values=KINDS)


def joint_of_several(network):
    X = np.array(list(itertools.product(*map(range, network.n_values))))
    potential = np.zeros(len(X))
    for tests, weight in zip(network.features, network.weights):
        potential += weight * np.all([np.isin(X[:, c], v) for c, v in tests], axis=0)
    return X, np.exp(potential - logsumexp(potential))


def brute_values(network, row, query):
    X, probability = joint_of_several(network)
    evidence = np.setdiff1d(np.arange(network.n_features), query)
    matching = (X[:, evidence] == row[evidence]).all(axis=1)
    share = probability[matching] / probability[matching].sum()
    return [np.bincount(X[matching][:, i], share, minlength=network.n_values[i]) for i in query]


def test_conditionals_of_several_values_equal_enumeration_of_the_joint():
    network = network_of_several(np.random.default_rng(30))
    X, probability = joint_of_several(network)
    np.testing.assert_allclose(network.log_potential(X) - network.log_partition(), np.log(probability), atol=1e-10)
    found, total = network.conditional_proba(X), np.zeros(len(X))
    for i in range(5):
        expected = np.array([brute_values(network, row, [i])[0] for row in X])
        np.testing.assert_allclose(found[i], expected, atol=1e-12)
        total += np.log(expected[np.arange(len(X)), X[:, i]])
    np.testing.assert_allclose(network.pseudo_log_likelihood(X), total, atol=1e-10)


def test_queries_of_several_values_equal_enumeration_and_gibbs_comes_near():
    rng = np.random.default_rng(31)
    network, query = network_of_several(rng), [3, 0, 2, 4]
    X = several_values(rng, 3, KINDS)
    exact = network.conditional_marginals(X, query)
    drawn = network.conditional_marginals(X, query, method="gibbs", n_samples=4000, random_state=0)
    for r, row in enumerate(X):
        for k, expected in enumerate(brute_values(network, row, query)):
            np.testing.assert_allclose(exact[k][r], expected, atol=1e-12)
            # 40 000 dependent draws: standard errors below 0.005.
            np.testing.assert_allclose(drawn[k][r], expected, atol=0.02)
    states, probability = joint_of_several(network)
    rows = network.sample(6000, thin=15, random_state=0)
    for i in range(5):
        share = np.bincount(rows[:, i], minlength=KINDS[i]) / len(rows)
        np.testing.assert_allclose(share, np.bincount(states[:, i], probability, minlength=KINDS[i]), atol=0.03)


def test_the_gradient_for_several_values_is_that_of_finite_differences():
    rng = np.random.default_rng(32)
    network, X = network_of_several(rng), several_values(rng, 150, KINDS)
    objective = PseudoLikelihood(network, X, prior_sd=2.0)
    value, gradient = objective(network.weights)
    penalised = -network.pseudo_log_likelihood(X).sum() + network.weights @ network.weights / 8
    assert value * 150 == pytest.approx(penalised, rel=1e-12)
    curvature = objective.curvature()
    for j, step in enumerate(1e-5 * np.eye(len(gradient))):
        slope = (objective(network.weights + step)[0] - objective(network.weights - step)[0]) / 2e-5
        assert gradient[j] == pytest.approx(slope, abs=1e-6)
        bend = (objective(100 * step)[0] - 2 * objective(0 * step)[0] + objective(-100 * step)[0]) / 1e-6
        assert curvature[j] == pytest.approx(bend, rel=1e-3)


def test_splits_on_several_values_are_the_best_of_their_nodes():
    X = several_values(np.random.default_rng(33), 700, [3, 2, 4, 3])

    def likelihood(y):
        share = np.bincount(y, minlength=3) / max(len(y), 1)
        return len(y) * np.sum(share[share > 0] * np.log(share[share > 0]))

    for kappa in (1.0, 0.1):
        tree = grow_probability_trees(X, kappa=kappa)[0]
        price = -2 * np.log(kappa)  # a leaf more has two parameters
        assert tree.n_leaves > 2
        for node, path in tree.paths():
            rows = X[np.all([np.isin(X[:, c], v) for c, v in path], axis=0)] if path else X
            assert tree.counts[node].tolist() == np.bincount(rows[:, 0], minlength=3).tolist()
            gains = {0: 0.0}
            for j, v in [(1, 1), *((2, v) for v in range(4)), *((3, v) for v in range(3))]:
                on = rows[:, j] == v
                if 10 <= on.sum() <= len(rows) - 10:
                    parts = likelihood(rows[on, 0]) + likelihood(rows[~on, 0])
                    gains[j, v] = parts - likelihood(rows[:, 0])
            best = max(gains.values())
            if tree.variable[node] >= 0:
                assert gains[int(tree.variable[node]), int(tree.value[node])] == pytest.approx(best, abs=1e-8)
                assert best > price
            else:
                assert best <= price + 1e-8
    weights = {
        tuple(sorted((*path, (0, v)))): np.log((tree.counts[node, v] + 1) / (tree.counts[node].sum() + 3))
        for node, path in tree.paths() if tree.variable[node] < 0 for v in range(3)
    }  # fmt: skip
    assert set(weights) == set(tree.features("default"))
    network = ConjunctiveMarkovNetwork(list(weights), 4, list(weights.values()), n_values=[3, 2, 4, 3])
    np.testing.assert_allclose(network.conditional_proba(X)[0], tree.conditional_proba(X), rtol=1e-11)
    with pytest.raises(ValueError, match="two values"):
        tree.features("nonzero")


def test_distances_of_several_values_equal_the_metric_written_out():
    X = several_values(np.random.default_rng(34), 400, [3, 2, 4])
    distinct, counts = np.unique(X, axis=0, return_counts=True)
    feature = ((0, (0, 2)), (1, 1), (2, 3))
    gaps = value_gaps(distinct, counts, 2, np.array([3, 2, 4]))
    found = gaps.distance(distinct, feature, None)
    for row, ours in zip(distinct, found):
        total = 0.0
        for (i, values), (c, _) in itertools.permutations(feature, 2):
            for h in range(4):
                given = [np.mean(X[np.isin(X[:, i], v), c] == h) for v in (values, row[i])]
                total += abs(given[0] - given[1]) ** 2
        assert ours == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("structure", ["trees", "pairwise", "both"])
def test_categories_are_learned_with_their_interactions(structure):
    rng = np.random.default_rng(35)
    X = rng.integers(0, 3, (1500, 4))
    X[:, 2] = np.where(rng.random(1500) < 0.85, (X[:, 0] + X[:, 1]) % 3, X[:, 2])
    X[:, 3] = np.where(rng.random(1500) < 0.6, X[:, 0], X[:, 3])
    words = np.array(["low", "middle", "zenith"])
    model = DecisionTreeMarkovNetwork(structure, features="prune", kappa=0.1, prior_sd=1.0, random_state=0)
    model.fit(words[X])
    coded = clone(model).fit(X)
    np.testing.assert_array_equal(model.weights_, coded.weights_)
    assert [0, 3] in model.edges_.tolist()
    asked = model.predict_proba(words[X[:5]], query=[3, 2])
    assert [proba.shape for proba in asked] == [(5, 3), (5, 3)]
    if structure != "pairwise":
        # 0.85 and a third of the rest.
        right = asked[1][np.arange(5), (X[:5, 0] + X[:5, 1]) % 3]
        np.testing.assert_allclose(right, 0.9, atol=0.06)
        assert model.score(words[X]) > DecisionTreeMarkovNetwork("pairwise", random_state=0).fit(X).score(X) + 0.5
    assert model.conditional_log_likelihood(words[X], groups=4) == pytest.approx(model.score(words[X]), rel=1e-9)
    assert set(np.unique(model.sample(50, random_state=0))) == set(words)
    assert set(np.unique(coded.sample(50, random_state=0))) == {0, 1, 2}
    assert "=" in plot_features(model).get_yticklabels()[0].get_text()
    with pytest.raises(ValueError, match="column 0 holds high, which the fit did not see"):
        model.score([["high", "low", "low", "low"]])


def test_refining_several_values_never_lowers_the_score():
    X = several_values(np.random.default_rng(36), 500, [3, 2, 3, 4])
    model = DecisionTreeMarkovNetwork(kappa=0.1, features="prune", prior_sd=1.0, tol=1e-5).fit(X)
    done = generalize_features(model.network_, X)
    assert penalised_score(done, X, 1.0, 1.0) > penalised_score(model.network_, X, 1.0, 1.0)
    assert len(done.features) < len(model.features_)


def test_two_values_declared_or_taken_as_categories_are_the_same_network():
    X = correlated_table(np.random.default_rng(37), 300, 4)
    options = {"kappa": 0.1, "features": "prune", "prior_sd": 1.0}
    plain = DecisionTreeMarkovNetwork(**options).fit(X)
    words = DecisionTreeMarkovNetwork(**options).fit(np.array(["no", "yes"])[X])
    np.testing.assert_array_equal(plain.weights_, words.weights_)
    np.testing.assert_array_equal(plain.predict_proba(X), words.predict_proba(np.array(["no", "yes"])[X]))
    with pytest.raises(ValueError, match="column 0 holds 3: choose another"):
        DecisionTreeMarkovNetwork(features="nonzero").fit(several_values(np.random.default_rng(0), 50, [3, 3]))
