"""Pruning of trees against all prunings of small ones, and bounds against what they promise."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from treatise.datasets import make_led
from treatise.ensemble import (
    PrunedTreeClassifier,
    log_prunings,
    occam_bound,
    plot_pruning,
    rademacher_bound,
    rademacher_penalty,
    reduced_error_pruning,
)
from treatise.ensemble.pruning.weakest_links import NestedPrunings


def every_pruning(tree, node=0):
    """The leaves of every pruning."""
    nodes = tree.tree_
    found = [(node,)]
    if nodes.children_left[node] >= 0:
        for left in every_pruning(tree, nodes.children_left[node]):
            found += [left + right for right in every_pruning(tree, nodes.children_right[node])]
    return found


class Brute:
    """All prunings of a small tree, with mistakes row by row."""

    def __init__(self, tree, X, y):
        path = tree.decision_path(X).toarray().astype(bool)
        labels = tree.classes_[tree.tree_.value[:, 0, :].argmax(axis=1)]
        wrong = path & (labels[np.newaxis, :] != np.asarray(y)[:, np.newaxis])
        self.prunings = every_pruning(tree)
        self.mistakes = np.array([wrong[:, list(leaves)].any(axis=1) for leaves in self.prunings])
        self.errors = self.mistakes.sum(axis=1)
        self.sizes = np.array([2 * len(leaves) - 1 for leaves in self.prunings])


@pytest.fixture(scope="module")
def cancer():
    """The card's case: 300 rows to grow on, 150 to prune on."""
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    grow, prune = order[:300], order[300:450]
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X[grow], y[grow])
    return tree, X[grow], y[grow], X[prune], y[prune]


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(160, 3))
    y = np.array(["a", "b", "c"])[np.clip(np.floor(X[:, 0] + rng.normal(size=160) + 1.5), 0, 2).astype(int)]
    tree = DecisionTreeClassifier(max_leaf_nodes=12, random_state=0).fit(X[:80], y[:80])
    return tree, X[:80], y[:80], X[80:], y[80:]


@pytest.fixture(params=["cancer", "three_classes"])
def case(request):
    return request.getfixturevalue(request.param)


def test_the_pruning_is_the_smallest_with_the_fewest_mistakes(case):
    tree, _, _, X, y = case
    brute = Brute(tree, X, y)
    found = reduced_error_pruning(tree, X, y)
    best = brute.errors.min()
    assert found.pruning_errors == best == np.sum(found.tree.predict(X) != y)
    assert found.n_nodes == brute.sizes[brute.errors == best].min()
    assert tuple(sorted(found.leaves)) in {tuple(sorted(leaves)) for leaves in brute.prunings}


def test_k_rep_is_the_best_with_few_mistakes_on_the_growing_rows_for_every_k(case):
    tree, X_grow, y_grow, X, y = case
    brute, grown = Brute(tree, X, y), Brute(tree, X_grow, y_grow)
    least, most = grown.errors.min(), grown.errors.max()
    for k in range(least, most + 3):
        allowed = grown.errors <= k
        found = reduced_error_pruning(tree, X, y, k=k)
        assert found.growing_errors <= k and found.growing_errors == np.sum(found.tree.predict(X_grow) != y_grow)
        assert found.pruning_errors == brute.errors[allowed].min()
        assert found.n_nodes == brute.sizes[allowed & (brute.errors == found.pruning_errors)].min()
    free = reduced_error_pruning(tree, X, y)
    assert (found.pruning_errors, found.n_nodes) == (free.pruning_errors, free.n_nodes)
    with pytest.raises(ValueError, match=f"give {least} at least"):
        reduced_error_pruning(tree, X, y, k=least - 1)


def test_the_cards_numbers(cancer):
    tree, _, _, X, y = cancer
    assert tree.tree_.node_count == 23 and round(np.exp(log_prunings(tree))) == 113
    found = {k: reduced_error_pruning(tree, X, y, k=k) for k in (None, 4, 6, 20)}
    sizes = {k: (pruning.pruning_errors, pruning.n_nodes) for k, pruning in found.items()}
    assert sizes == {None: (7, 9), 4: (9, 17), 6: (8, 13), 20: (7, 9)}
    assert 5 * np.sqrt(np.log(200) / 300) == pytest.approx(rademacher_bound(0, 0, 150)) == pytest.approx(0.66447456)
    assert occam_bound(0, np.log(2) * 23 / 4, 150) == pytest.approx(0.16922142, abs=1e-8)


def test_the_count_of_prunings_is_their_number(case):
    tree = case[0]
    assert np.exp(log_prunings(tree)) == pytest.approx(len(every_pruning(tree)), rel=1e-12)


def test_the_penalty_is_the_largest_agreement_with_the_signs(case):
    tree, X_grow, y_grow, X, y = case
    brute, grown = Brute(tree, X, y), Brute(tree, X_grow, y_grow)
    rng = np.random.default_rng(0)
    k = int(grown.errors.min()) + 3
    for _ in range(100):
        signs = rng.choice([-1, 1], len(y))
        sums = np.abs(brute.mistakes @ signs) / len(y)
        assert rademacher_penalty(tree, X, y, signs=signs) == pytest.approx(sums.max(), abs=1e-12)
        within = rademacher_penalty(tree, X, y, signs=signs, k=k)
        assert within == pytest.approx(sums[grown.errors <= k].max(), abs=1e-12)


def test_the_penalty_is_that_of_two_risk_minimisers(cancer):
    """The paper's way, for two classes: flip the labels of positive signs, prune, and the other way round."""
    tree, _, _, X, y = cancer
    signs = np.random.default_rng(3).choice([-1, 1], len(y))
    found = []
    for side in (1, -1):
        flipped = np.where(side * signs > 0, 1 - y, y)
        errors = reduced_error_pruning(tree, X, flipped).pruning_errors
        found.append((np.sum(side * signs > 0) - errors) / len(y))
    assert rademacher_penalty(tree, X, y, signs=signs) == pytest.approx(max(found), abs=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weighting", [None, "balanced"])
def test_nested_prunings_are_those_of_scikit_learn_at_every_price(criterion, weighting):
    """Prices, trees and mistakes on other rows, of trees with many classes, ties and weights."""
    X, y = load_digits(return_X_y=True)
    learn = {"criterion": criterion, "class_weight": weighting, "min_samples_leaf": 2, "random_state": 0}
    tree = DecisionTreeClassifier(**learn).fit(X[:500], y[:500])
    found = NestedPrunings.of(tree, X[500:1000], y[500:1000])
    path = np.unique(tree.cost_complexity_pruning_path(X[:500], y[:500]).ccp_alphas.round(12))
    prices, between = found.levels()
    np.testing.assert_allclose(np.unique(prices.round(12)), path, atol=2e-12)
    assert found.prices[0] == 0.0 and (np.diff(found.prices) >= 0).all()
    assert found.mistakes[0] == np.sum(tree.predict(X[500:1000]) != y[500:1000])
    checked = 0
    for low, high, price in zip(prices[:-1], prices[1:], between[:-1], strict=True):
        if high - low > 1e-9:
            peer = DecisionTreeClassifier(**learn, ccp_alpha=price).fit(X[:500], y[:500])
            assert found.mistakes_at(price) == np.sum(peer.predict(X[500:1000]) != y[500:1000])
            cut = found.cut(tree, price)
            assert cut.tree_.node_count == peer.tree_.node_count
            np.testing.assert_array_equal(cut.predict(X), peer.predict(X))
            checked += 1
    assert checked > 20
    assert found.cut(tree, prices[-1]).tree_.node_count == 1


def test_the_price_is_that_of_a_search_over_the_same_divisions():
    """One fit for each division reads off what a search fits a tree for at every price."""
    X, y = load_breast_cancer(return_X_y=True)
    for seed in range(4):
        model = PrunedTreeClassifier(n_divisions=1, random_state=seed).fit(X, y)
        generator = np.random.RandomState(seed)
        tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=generator.randint(2**31 - 1)).fit(X, y)
        prices, between = NestedPrunings.of(tree).levels()
        fold = np.full(len(y), -1)
        fold[generator.permutation(len(y))[: round(len(y) / 3)]] = 0
        grid = {"ccp_alpha": [*between[:-1], 1.0]}
        search = GridSearchCV(tree, grid, cv=PredefinedSplit(fold)).fit(X, y)
        scores = search.cv_results_["mean_test_score"]
        best = np.flatnonzero(scores == scores.max())[-1]
        assert model.price_ == prices[best] and model.pruning_error_ == pytest.approx(1 - scores[best])
        peer = clone(tree).set_params(ccp_alpha=grid["ccp_alpha"][best]).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_a_tree_of_all_rows_loses_nothing_where_rows_are_few_for_the_classes():
    """Rows kept aside are missed there, and leaves that none of them falls in go: two points and more."""
    X, y = load_digits(return_X_y=True)
    scores = np.zeros((10, 3))
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(y))
        learn, judge = order[:500], order[500:]
        trees = [
            DecisionTreeClassifier(min_samples_leaf=2, random_state=seed),
            PrunedTreeClassifier(random_state=seed),
            PrunedTreeClassifier(method="rep", random_state=seed),
        ]
        scores[seed] = [tree.fit(X[learn], y[learn]).score(X[judge], y[judge]) for tree in trees]
    whole, priced, reduced = scores.mean(axis=0)
    assert reduced < whole - 0.02 and priced > whole - 0.005
    assert trees[1].error_bound_ == 1.0 > trees[1].pruning_error_


def test_bounds_are_ordered_as_their_formulas_say(cancer):
    tree, _, _, X, y = cancer
    assert rademacher_bound(0.1, 0.05, 1000) == pytest.approx(0.1 + 0.1 + 5 * np.sqrt(np.log(200) / 2000))
    assert rademacher_bound(0.1, 0.05, 2000) < rademacher_bound(0.1, 0.05, 1000)
    assert occam_bound(0.1, 3.0, 1000, 0.05) < occam_bound(0.1, 3.0, 1000, 0.01)
    penalties = [rademacher_penalty(tree, X, y, k=k, random_state=0) for k in (3, 6, None)]
    assert penalties[0] <= penalties[1] <= penalties[2]


def test_the_bound_holds_on_new_rows_and_is_not_vacuous():
    model = PrunedTreeClassifier(method="rep", prune_fraction=0.25, random_state=0)
    X_new, y_new = make_led(50_000, random_state=99)
    for seed in range(5):
        model.fit(*make_led(9000, random_state=seed))
        error = 1 - model.score(X_new, y_new)
        assert error < model.error_bound_ < 0.9
        assert model.error_bound_ >= model.pruning_error_
        assert model.error_bound_ >= min(model.rademacher_bound_, model.occam_bound_)


def test_the_classifier_prunes_on_a_third_and_k_rep_prunes_less():
    X, y = make_led(3000, random_state=0)
    rep, krep = (PrunedTreeClassifier(method=method).fit(X, y) for method in ("rep", "krep"))
    assert rep.n_nodes_ < krep.n_nodes_ <= krep.n_nodes_grown_ == rep.n_nodes_grown_
    assert krep.rademacher_penalty_ < rep.rademacher_penalty_
    assert rep.pruning_error_ * 1000 == pytest.approx(round(rep.pruning_error_ * 1000))
    assert rep.tree_.tree_.node_count == rep.n_nodes_
    np.testing.assert_array_equal(rep.classes_[rep.tree_.predict(X.astype(np.float32))], rep.predict(X))
    probabilities = rep.predict_proba(X)
    assert probabilities.min() > 0 and (rep.classes_[probabilities.argmax(axis=1)] == rep.predict(X)).all()


def test_labels_come_from_the_growing_rows_even_with_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = (rng.random(600) < 0.15).astype(int)
    base = DecisionTreeClassifier(class_weight="balanced", max_depth=3, random_state=0)
    model = PrunedTreeClassifier(base).fit(X, y)
    np.testing.assert_array_equal(model.tree_.predict(X.astype(np.float32)), model.predict(X))
    with pytest.raises(ValueError, match="grown with weights"):
        PrunedTreeClassifier(base, method="krep").fit(X, y)


def test_classes_that_only_the_pruning_rows_have_are_wrong(cancer):
    tree, _, _, X, y = cancer
    other = np.where(np.arange(len(y)) < 30, 7, y)
    assert reduced_error_pruning(tree, X, other).pruning_errors >= 30
    rare = np.append(np.zeros(29, dtype=int), 1)
    model = PrunedTreeClassifier(random_state=1).fit(np.arange(30.0)[:, None], rare)
    assert model.predict_proba([[3.0]]).shape == (1, 2)


def test_other_trees_sparse_rows_and_missing_values():
    X, y = load_digits(return_X_y=True)
    model = PrunedTreeClassifier(ExtraTreeClassifier(random_state=0)).fit(X, y)
    assert model.score(X, y) > 0.6 and isinstance(model.tree_, ExtraTreeClassifier)
    dense = PrunedTreeClassifier().fit(X, y)
    thin = PrunedTreeClassifier().fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.predict(X), thin.predict(sparse.csr_matrix(X)))
    gaps = X.copy()
    gaps[::7, 20] = np.nan
    assert PrunedTreeClassifier().fit(gaps, y).score(gaps, y) > 0.7


def test_the_rows_of_growing_and_other_bad_input_are_refused(cancer):
    tree, X_grow, y_grow, X, y = cancer
    with pytest.raises(ValueError, match="rows that the tree was grown on"):
        reduced_error_pruning(tree, X_grow, y_grow)
    with pytest.raises(TypeError, match="not DecisionTreeRegressor"):
        reduced_error_pruning(DecisionTreeRegressor().fit(X_grow, y_grow), X, y)
    with pytest.raises(ValueError, match="2 outputs"):
        reduced_error_pruning(DecisionTreeClassifier().fit(X_grow, np.c_[y_grow, y_grow]), X, y)
    with pytest.raises(ValueError, match="signs must be -1 or 1"):
        rademacher_penalty(tree, X, y, signs=np.zeros(len(y)))
    with pytest.raises(ValueError, match="between 0 and 1"):
        rademacher_bound(0.1, 0.1, 10, delta=0.0)
    with pytest.raises(ValueError, match="noise=2"):
        make_led(5, noise=2)


def test_a_chain_as_deep_as_its_nodes_is_pruned():
    """No recursion: a tree whose every left child is a leaf."""
    X = np.arange(3000.0)[:, None]
    y = np.arange(3000) % 2
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    found = reduced_error_pruning(tree, X + 0.4, 1 - y)
    assert found.n_nodes == 1 and found.pruning_errors == 1500


def test_lights_show_their_digit_and_noise_is_as_said():
    X, y = make_led(20_000, noise=0.1, random_state=0)
    clean, digits = make_led(2000, noise=0.0, n_irrelevant=0, random_state=0)
    shown = np.array([clean[digits == d][0] for d in range(10)])
    assert len(np.unique(shown, axis=0)) == 10 and shown[8].all() and shown.sum(axis=1).tolist() == [
        6, 2, 5, 5, 4, 5, 6, 3, 7, 6,
    ]  # fmt: skip
    assert np.mean(X[:, :7] != shown[y]) == pytest.approx(0.1, abs=0.005)
    assert X.shape == (20_000, 24) and np.abs(X[:, 7:].mean(axis=0) - 0.5).max() < 0.02


def test_pruning_is_drawn_from_the_tree_to_the_best_pruning(cancer):
    from matplotlib.figure import Figure

    tree, _, _, X, y = cancer
    ax = Figure().subplots()
    assert plot_pruning(tree, X, y, ax) is ax
    sizes, errors = ax.lines[0].get_xdata(), ax.lines[0].get_ydata()
    assert (sizes[-1], errors[-1]) == (9, 7 / 150) and (np.diff(errors) <= 0).all()


@pytest.mark.parametrize("method", ["price", "rep", "krep"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_columns_in_small_units_are_split_as_in_large_ones(method, make):
    """scikit-learn takes values for equal that differ by 1e-7; the class was guessed, and nothing was said."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    here = PrunedTreeClassifier(method=method).fit(make(X), y)
    for factor in (2.0**-20, 2.0**-60):
        small = X.copy()
        small[:, ::2] *= factor
        there = PrunedTreeClassifier(method=method).fit(make(small), y)
        np.testing.assert_array_equal(there.predict(make(small)), here.predict(make(X)))
        assert there.n_nodes_ == here.n_nodes_ > 1
        nodes, unit = there.tree_.tree_, np.where(np.arange(30) % 2, 1.0, factor)
        inner = nodes.children_left >= 0
        np.testing.assert_array_equal(
            nodes.threshold[inner] / unit[nodes.feature[inner]], here.tree_.tree_.threshold[inner]
        )


def test_gaps_do_not_hide_the_unit_of_a_column():
    rng = np.random.default_rng(0)
    X = 1e-9 * rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    X[::10, 1] = np.nan
    assert PrunedTreeClassifier().fit(X, y).score(X, y) > 0.95
