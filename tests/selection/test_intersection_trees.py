"""Random intersection trees against counts by hand, the card's games, and the theorem's promise."""

import numpy as np
import pytest
from scipy import sparse

from treatise.datasets import WINNING_LINES, make_tic_tac_toe
from treatise.selection import InteractionRuleClassifier, RandomIntersectionTrees, intersection_tree_parameters
from treatise.selection.intersection_trees import _growing
from treatise.selection.intersection_trees.rule_classifier import threshold_of_equal_error


@pytest.fixture(scope="module")
def games():
    """Won games, half of them to learn from."""
    X, y = make_tic_tac_toe()
    X, y = X[y > 0], y[y > 0]
    return X, y, np.random.default_rng(0).random(len(y)) < 0.5


def planted(n=400, p=40, density=0.3, seed=0, share=0.5):
    """Sparse bits; in half of the rows of class 1 columns 3, 7 and 11 are all active."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((n, p)) < density, rng.integers(0, 2, n)
    X[np.ix_((y == 1) & (rng.random(n) < share), [3, 7, 11])] = True
    return X.astype(float), y


def prevalences(X, y, pattern, label):
    holds = X[:, list(pattern)].all(axis=1)
    return holds[y == label].mean(), holds[y != label].mean()


def test_winning_lines_are_the_patterns_of_won_games(games):
    X, y, half = games
    trees = RandomIntersectionTrees(1000, branching=5, theta0=0.0, random_state=0).fit(X[half], y[half])
    first, second = ([p for p, c in zip(trees.patterns_, trees.pattern_classes_) if c == k] for k in (1, 2))
    assert set(WINNING_LINES) <= set(first[:20])
    assert sum(tuple(9 + i for i in line) in second[:40] for line in WINNING_LINES) >= 7
    model = InteractionRuleClassifier(1000, branching=5, theta0=0.0, random_state=0).fit(X[half], y[half])
    assert model.score(X[~half], y[~half]) >= 0.98


@pytest.mark.parametrize("shared", [4096, 0])
@pytest.mark.parametrize("theta0", [0.0, 0.06])
def test_prevalences_are_counts_and_no_pattern_is_too_prevalent_outside(shared, theta0, monkeypatch):
    monkeypatch.setattr(_growing, "SHARED_LITERALS", shared)
    X, y = planted()
    trees = RandomIntersectionTrees(100, theta0=theta0, theta1=0.02, random_state=1, min_trees=1).fit(X, y)
    assert len(trees.patterns_) > 20
    for i, pattern in enumerate(trees.patterns_):
        expected = prevalences(X, y, pattern, trees.pattern_classes_[i])
        assert (trees.prevalence1_[i], trees.prevalence0_[i]) == expected
        assert expected[0] >= 0.02 and expected[1] <= theta0
        assert list(pattern) == sorted(set(pattern))
    np.testing.assert_array_equal(
        trees.transform(X), np.column_stack([X[:, list(pattern)].all(axis=1) for pattern in trees.patterns_])
    )
    counts = trees.counts_[trees.pattern_classes_ == 1]
    assert (np.diff(counts) <= 0).all() and counts.max() <= 100


def test_every_final_pattern_is_an_intersection_of_rows_of_its_class():
    X, y = planted(60, 12)
    trees = RandomIntersectionTrees(30, theta0=0.05, min_trees=1, max_patterns=None, positive_class=1, random_state=0)
    for pattern in trees.fit(X, y).patterns_:
        having = X[(y == 1) & X[:, list(pattern)].all(axis=1)]
        # Rows that have the pattern share nothing beyond it only if it is closed: an intersection of rows is.
        assert np.flatnonzero(having.all(axis=0)).tolist() == list(pattern)


def test_sparse_universes_of_roots_find_what_the_shared_one_finds(monkeypatch):
    X, y = planted(400, 60, 0.1)
    monkeypatch.setattr(_growing, "SHARED_LITERALS", 0)
    for layout in (np.asarray, sparse.csr_array):
        trees = RandomIntersectionTrees(200, theta0=0.02, positive_class=1, random_state=0).fit(layout(X), y)
        assert trees.patterns_[0] == (3, 7, 11)


def test_min_hashes_find_the_pattern_too():
    X, y = planted(600, 60, 0.15)
    trees = RandomIntersectionTrees(100, theta0=0.03, prevalence="minhash", positive_class=1, random_state=0).fit(X, y)
    assert trees.patterns_[0] == (3, 7, 11)
    assert trees.prevalence0_[0] == prevalences(X, y, (3, 7, 11), 1)[1]


def test_an_interaction_without_marginal_effects_is_found():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 300))
    y = (X[:, 0] == X[:, 1]).astype(int)
    trees = RandomIntersectionTrees(150, branching=2, theta0=0.01, positive_class=1, random_state=0).fit(X, y)
    assert trees.patterns_[0] == (0, 1)


def test_trees_of_the_theorem_find_the_pattern_as_often_as_promised():
    parameters = intersection_tree_parameters(0.5, 0.3, 40, eta=0.1)
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.random((600, 40)) < 0.3
        X[:, :3] = (rng.random(600) < 0.5)[:, np.newaxis]
        trees = RandomIntersectionTrees(theta0=1.0, min_trees=1, positive_class=1, max_patterns=None,
                                        random_state=seed, **parameters._asdict())  # fmt: skip
        found += (0, 1, 2) in trees.fit(np.vstack([X, X[:5] * 0]), np.repeat([1, 0], [600, 5])).patterns_
    # At least 90 % of 60, less three standard errors; with a third of the trees it is about half of them.
    assert found >= 60 * (0.9 - 3 * np.sqrt(0.09 / 60))


def test_parameters_are_the_fixed_point_and_the_bounds_of_the_proof():
    for theta1, q in ((0.5, 0.5), (0.2, 0.3), (0.05, 0.8)):
        found = intersection_tree_parameters(theta1, 0.4, 500, eta=0.05, q=q)
        whole = int(found.branching)
        u, part = 1 - theta1 * (1 - q), found.branching - whole
        assert (1 - part) * u**whole + part * u ** (whole + 1) == pytest.approx(q, rel=1e-12)
        assert found.branching <= (1 + (1 - q) / (2 * q)) / theta1
        assert 500 * 0.4 ** (found.max_depth + 1) <= q < 500 * 0.4**found.max_depth
        assert (1 - (1 - q) * theta1) ** found.n_trees <= 0.05
    for wrong in ({"theta1": 0.0}, {"nu": 1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            intersection_tree_parameters(**{"theta1": 0.5, "nu": 0.5, "n_features": 10, **wrong})


def test_a_tree_without_end_is_cut_short_and_keeps_what_it_has():
    X, y = planted(300, 30, 0.1, share=1.0)
    trees = RandomIntersectionTrees(20, branching=4, theta0=0.05, max_nodes=500, positive_class=1, random_state=0)
    trees.fit(X, y)
    assert trees.n_full_trees_ == 20 and trees.patterns_[0] == (3, 7, 11) and trees.counts_[0] == 20
    assert trees.n_intersections_ <= 20 * 4 * 500


def test_sizes_names_and_cuts():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 2, 300), rng.choice([2.0, 5.0], 300)])
    y = ((X[:, 0] > np.quantile(X[:, 0], 0.5, method="lower")) & (X[:, 1] == 1)).astype(int)
    trees = RandomIntersectionTrees(50, theta0=0.0, n_cuts=1, max_size=2, positive_class=1, random_state=0).fit(X, y)
    middle = f"x0 > {np.quantile(X[:, 0], 0.5, method='lower'):.6g}"
    assert list(trees.literal_names_) == [middle, middle.replace(">", "<="), "x1", "x2 > 2"]
    assert trees.get_feature_names_out()[0] == f"{middle} & x1" and max(map(len, trees.patterns_)) <= 2
    np.testing.assert_array_equal(trees.transform(X)[:, 0], y)


def test_a_pattern_is_told_by_its_tightest_cuts_which_hold_where_it_does():
    X = np.random.default_rng(0).normal(size=(200, 3)).round(2)  # so that cuts are printed in full
    model = RandomIntersectionTrees(40, n_cuts=5, min_trees=1, random_state=0).fit(X, (X[:, 0] > 0) & (X[:, 1] < 0.5))
    names, found = model.get_feature_names_out(["a", "b", "c"]), model.transform(X)
    assert max(map(len, model.patterns_)) > 6 >= max(name.count("&") + 1 for name in names)
    columns = dict(zip("abc", X.T))
    for name, holds in zip(names, found.T):
        parts = [part.split() for part in name.split(" & ")]
        told = [columns[a] > float(cut) if sign == ">" else columns[a] <= float(cut) for a, sign, cut in parts]
        assert len({(a, sign) for a, sign, _ in parts}) == len(parts)
        np.testing.assert_array_equal(np.all(told, axis=0), holds > 0)


def test_the_default_prevalence_fits_rules_without_exception_and_classes_that_overlap(games):
    X, y, half = games
    model = InteractionRuleClassifier(random_state=0).fit(X[half], y[half])
    fixed = InteractionRuleClassifier(theta0=0.05, random_state=0).fit(X[half], y[half])
    assert model.theta0_ <= 0.01
    assert 1.0 - model.score(X[~half], y[~half]) < 0.5 * (1.0 - fixed.score(X[~half], y[~half]))

    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 8))
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(600) < 0.2)  # a fifth of the rows break the rule
    assert InteractionRuleClassifier(60, random_state=0).fit(X, y).theta0_ >= 0.05
    lonely = np.arange(600) == 0
    assert InteractionRuleClassifier(5, random_state=0).fit(X, lonely).theta0_ == 0.05


def test_weighted_votes_outlast_noise_that_outvotes_equal_ones(games):
    X, y, half = games
    noisy = np.hstack([X, np.random.default_rng(1).random((len(y), 60)) < 0.3])
    rules = {"branching": 5, "theta0": 0.0, "max_patterns": None, "random_state": 0}
    scores = {}
    for vote in ("weighted", "paper"):
        model = InteractionRuleClassifier(1000, vote=vote, **rules).fit(noisy[half], y[half])
        scores[vote] = model.score(noisy[~half], y[~half])
    assert scores["weighted"] >= 0.98 and scores["weighted"] > scores["paper"] + 0.02


def test_paper_votes_are_the_mean_of_smoothed_log_odds():
    X, y = planted(200, 15)
    model = InteractionRuleClassifier(60, vote="paper", random_state=0).fit(X, y)
    present = np.column_stack([X[:, list(p)].all(axis=1) for p in model.trees_.patterns_])
    odds = np.zeros(len(y))
    for holds in present.T:
        for rows in (holds, ~holds):
            odds[rows] += np.log((np.sum(rows & (y == 1)) + 0.5) / (np.sum(rows & (y == 0)) + 0.5))
    np.testing.assert_allclose(model.decision_function(X), odds / present.shape[1] + model.bias_[1], atol=1e-12)

    def unequal(threshold):
        above = model.decision_function(X) > threshold
        return abs(np.mean(above[y == 0]) - np.mean(~above[y == 1]))

    assert unequal(0.0) <= min(unequal(score) for score in model.decision_function(X)) + 1e-12


def test_of_several_classes_what_a_pattern_tells_beyond_their_shares_counts():
    rng = np.random.default_rng(0)
    y = np.repeat(["often", "left", "right"], [800, 100, 100])
    side = np.where(y == "often", rng.integers(0, 2, 1000), y == "right")
    X = np.column_stack([side, 1 - side])
    model = InteractionRuleClassifier(30, vote="paper", theta0=0.6, random_state=0).fit(X, y)
    assert set(model.predict(X[y == "left"])) == {"left"} and set(model.predict(X[y == "right"])) == {"right"}
    present = np.column_stack([X[:, list(p)].all(axis=1) for p in model.trees_.patterns_])
    expected, shares = np.zeros((1000, 3)), np.array([np.mean(y == label) for label in model.classes_])
    for holds in present.T:
        for rows in (holds, ~holds):
            counts = np.array([np.sum(rows & (y == label)) for label in model.classes_]) + 1.5 * shares
            expected[rows] += np.log(counts / counts.sum() / shares)
    np.testing.assert_allclose(model.decision_function(X), expected / present.shape[1], atol=1e-12)


def test_a_class_that_was_seen_once_does_not_take_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    y[0] = 3
    model = InteractionRuleClassifier(random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.8


def test_threshold_of_equal_error_splits_a_gap_in_the_middle():
    assert threshold_of_equal_error(np.array([0.0, 1.0, 3.0, 4.0]), np.array([0, 0, 1, 1])) == 2.0
    assert threshold_of_equal_error(np.array([0.0, 2.0, 1.0, 4.0]), np.array([0, 0, 1, 1])) == 1.5


def test_bad_input_says_what_to_do():
    X, y = planted(50, 12)
    with pytest.raises(ValueError, match="set max_depth"):
        RandomIntersectionTrees(theta0=1.0).fit(X, y)
    with pytest.raises(ValueError, match="column 2 of X is not binary"):
        RandomIntersectionTrees(n_cuts=None).fit(X + np.arange(50)[:, np.newaxis] * (np.arange(12) == 2), y)
    with pytest.raises(ValueError, match="positive_class='x' is none"):
        RandomIntersectionTrees(positive_class="x").fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        RandomIntersectionTrees().fit(X, np.ones(50))
    with pytest.warns(UserWarning, match="found no pattern"):
        RandomIntersectionTrees(5, theta0=0.0).fit(X[:, :1] * 0, y)
    with pytest.warns(UserWarning, match="every row is given the most frequent class"):
        model = InteractionRuleClassifier(5, theta0=0.0).fit(X[:, :1] * 0, y)
    assert set(model.predict(X[:, :1])) == {np.bincount(y).argmax()}
