"""Tree-augmented naive Bayes."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_wine

from treatise.bayesnet import ConstrainedStructureLearner, TreeAugmentedClassifier, tree_augmented_rules
from treatise.bayesnet.structure._parent_sets import ParentSetBuilder
from treatise.bayesnet.structure.rules import parent_limits
from treatise.bayesnet.structure.tree_augmented import tree_augmented_sets
from treatise.statistics.family_scores import FamilyScores


def categories(seed=0, n=150, p=5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = np.where(rng.random((n, p)) < 0.5, rng.integers(0, 3, (n, p)), y[:, None])
    X[:, 1] = np.where(rng.random(n) < 0.7, X[:, 0], X[:, 1])
    X[:, p - 1] = rng.integers(0, 2, n)
    return X, y


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu"])
def test_the_structure_is_the_best_that_obeys_the_rules(criterion):
    X, y = categories()
    model = TreeAugmentedClassifier(criterion, discretizer=None).fit(X, y)
    learner = ConstrainedStructureLearner(criterion, rules=tree_augmented_rules(range(6), 5)).fit(
        np.column_stack([X, y])
    )
    assert model.score_ == pytest.approx(learner.score_, abs=1e-8) and model.optimal_
    assert model.parents_[0] == (1, "class") or model.parents_[1] == (0, "class")
    assert model.parents_[4] == ()  # a coin


def test_parent_sets_are_those_of_the_general_construction():
    X, y = categories()
    codes = np.column_stack([X, y])
    scores = FamilyScores(codes, codes.max(axis=0) + 1, "bic")
    found = tree_augmented_sets(scores)
    general = ParentSetBuilder(scores, parent_limits(tree_augmented_rules(range(6), 5), [5] * 6, range(6))).build()
    assert found.sets == general.sets
    assert [own.tolist() for own in found.scores] == [own.tolist() for own in general.scores]


def test_probabilities_are_those_of_the_network():
    X, y = categories()
    model = TreeAugmentedClassifier(discretizer=None).fit(X, y)
    network = model.to_network("y")
    for row, probabilities in zip(X[:10], model.predict_proba(X[:10])):
        answer = network.query("y", evidence=dict(enumerate(row.tolist())))
        np.testing.assert_allclose(probabilities, answer, rtol=1e-10)
    joint = np.exp(
        [model.predict_joint_log_proba(np.array([cell])) for cell in itertools.product(*map(np.unique, X.T))]
    )
    assert joint.sum() == pytest.approx(1.0, abs=1e-12)


def test_a_value_never_seen_is_left_out():
    X, y = categories()
    model = TreeAugmentedClassifier(discretizer=None).fit(X, y)
    network = model.to_network("y")
    row = X[0].copy()
    parent = next(own[0] for own in model.parents_ if len(own) == 2)
    row[parent] = 9
    children = [child for child, own in enumerate(model.parents_) if parent in own]
    known = {i: int(row[i]) for i in range(5) if i != parent}
    # Exact where the feature has no children; with children they are taken given the class alone.
    if not children:
        np.testing.assert_allclose(model.predict_proba([row])[0], network.query("y", evidence=known), rtol=1e-10)
    assert np.isfinite(model.predict_log_proba([row])).all()


def test_trees_beat_naive_bayes_where_features_repeat_one_another():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    once = np.where(rng.random(600) < 0.75, y, 1 - y)
    other = [np.where(rng.random(600) < 0.7, y, 1 - y) for _ in range(3)]
    X = np.column_stack([once, once, once, once, once, *other])
    model = TreeAugmentedClassifier().fit(X[:300], y[:300])
    # Naive Bayes counts the repeated feature five times over, and follows it alone.
    assert model.score(X[300:], y[300:]) > np.mean(once[300:] == y[300:]) + 0.02


def test_wine_is_told_apart():
    X, y = load_wine(return_X_y=True)
    assert TreeAugmentedClassifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


def test_bad_input():
    X, y = categories()
    with pytest.raises(ValueError, match="one class only, 'a';"):
        TreeAugmentedClassifier().fit(X, np.full(len(X), "a"))
    with pytest.raises(ValueError, match="is also the name of a feature"):
        TreeAugmentedClassifier().fit(X, y).to_network(0)
