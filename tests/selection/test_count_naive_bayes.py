"""Naive Bayes from counts against scikit-learn's, and its bias against every threshold there is."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import BernoulliNB, CategoricalNB

from treatise.selection import CountNaiveBayes
from treatise.selection.cmim.count_naive_bayes import threshold_of_least_error
from treatise.statistics import MDLDiscretizer


def bits(n=120, p=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, p)) < 0.6, y[:, np.newaxis], rng.integers(0, 2, (n, p))).astype(float), y


def test_weights_of_yes_no_features_are_those_of_the_paper():
    X, y = bits()
    model = CountNaiveBayes(None).fit(X, y)
    for k in range(X.shape[1]):
        eta = {(u, v): np.sum((X[:, k] == u) & (y == v)) + 0.5 for u in (0, 1) for v in (0, 1)}
        weight = np.log(eta[0, 0] * eta[1, 1] / (eta[1, 0] * eta[0, 1]))
        toggled = X[:1].copy()
        toggled[0, k] = 1 - toggled[0, k]
        difference = model.decision_function(X[:1]) - model.decision_function(toggled)
        assert abs(difference[0]) == pytest.approx(abs(weight))


def test_bias_of_shares_equals_bernoulli_naive_bayes():
    X, y = bits()
    ours, theirs = CountNaiveBayes(None, smoothing=1.0, bias="prior").fit(X, y), BernoulliNB(alpha=1.0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_several_classes_on_intervals_equal_categorical_naive_bayes():
    X, y = load_iris(return_X_y=True)
    codes = MDLDiscretizer().fit_transform(X, y)
    theirs = CategoricalNB(alpha=0.5).fit(codes, y)
    ours = CountNaiveBayes().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(codes), atol=1e-12)
    np.testing.assert_allclose(CountNaiveBayes(None).fit(codes, y).predict_proba(codes), ours.predict_proba(X))


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1.0, 1: 7.0}])
def test_no_other_threshold_errs_less_on_the_training_rows(class_weight):
    rng = np.random.default_rng(1)
    X, y = bits(200, 8, 2)
    rare = (y == 0) | (rng.random(200) < 0.3)
    X, y = X[rare], y[rare]
    model = CountNaiveBayes(None, class_weight=class_weight).fit(X, y)
    weight = {None: {0: 1.0, 1: 1.0}, "balanced": {c: 1 / np.sum(y == c) for c in (0, 1)}}.get(
        class_weight if not isinstance(class_weight, dict) else "", class_weight
    )
    scores = model.decision_function(X)

    def cost(threshold):
        wrong = (scores > threshold) != y
        return sum(weight[c] * np.sum(wrong & (y == c)) for c in (0, 1))

    every = [scores.min() - 1, *scores, scores.max() + 1]
    assert cost(0.0) <= min(cost(threshold) for threshold in every) + 1e-12
    assert cost(0.0) < cost(-1e9) and cost(0.0) < cost(1e9)


def test_threshold_nearest_to_the_natural_one_is_taken():
    scores, codes, ones = np.array([-3.0, -1.0, 2.0, 4.0]), np.array([0, 0, 1, 1]), np.ones(4)
    assert threshold_of_least_error(scores, codes, ones, 0.3) == 0.3
    assert threshold_of_least_error(scores, codes, ones, 9.0) == 0.5
    # Either side of the misplaced pair errs once: the gap nearer to the natural threshold wins.
    mixed = np.array([0, 1, 0, 1])
    assert threshold_of_least_error(scores, mixed, ones, 3.5) == 3.5
    assert threshold_of_least_error(scores, mixed, ones, -2.5) == -2.5


def test_sparse_rows_and_every_rule_of_cutting():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.where(np.median(X, axis=0) < X, np.round(X, 1), 0.0)
    for rule in ("mdl", "median", 0.5):
        dense, thin = CountNaiveBayes(rule).fit(X, y), CountNaiveBayes(rule).fit(sparse.csr_matrix(X), y)
        np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X))
        assert dense.score(X, y) > 0.9
    assert CountNaiveBayes("median").fit(X, y).score(X, y) == CountNaiveBayes(0.0).fit(X, y).score(X, y)
    constant = np.column_stack([X, np.ones(len(y))])
    np.testing.assert_allclose(
        CountNaiveBayes("median").fit(constant, y).decision_function(constant),
        CountNaiveBayes("median").fit(X, y).decision_function(X),
    )


def test_two_values_are_kept_apart_even_where_a_cut_does_not_pay():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    weak = np.where(rng.random(60) < 0.15, y, rng.integers(0, 2, 60)).reshape(-1, 1)
    assert MDLDiscretizer().fit(weak, y).n_bins_.tolist() == [1]
    assert [len(cuts) for cuts in CountNaiveBayes().fit(weak, y).cut_points_] == [1]


def test_bad_input_is_refused():
    X, y = bits()
    with pytest.raises(ValueError, match="column 0 of X is continuous"):
        CountNaiveBayes(None).fit(X + 0.5, y)
    with pytest.raises(ValueError, match="one class only"):
        CountNaiveBayes().fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="smoothing"):
        CountNaiveBayes(smoothing=0.0).fit(X, y)
