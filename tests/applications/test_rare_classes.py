"""Elimination of features, blends and forests that sample by class, against their definitions."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from treatise.applications import BackwardElimination, ClassSampledForest, GreedyElimination, LinearBlender
from treatise.statistics import chao_shen_entropy


@pytest.fixture(scope="module")
def halves():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X[:, :12], y, test_size=0.5, random_state=0, stratify=y)


def _precision(model, X, y):
    return average_precision_score(y, model.predict_proba(X)[:, 1])


def test_backward_elimination_is_algorithm_1_line_by_line(halves):
    X, X_val, y, y_val = halves
    model = RandomForestClassifier(15, max_features=3, random_state=0)
    order = np.argsort(clone(model).fit(X, y).feature_importances_, kind="stable")
    removed, best_set = [], list(range(12))
    best = _precision(clone(model).fit(X, y), X_val, y_val)
    for feature in order[: 12 - 3]:  # m is the number of features that a split looks at
        removed.append(feature)
        left = np.setdiff1d(np.arange(12), removed)
        found = _precision(clone(model).fit(X[:, left], y), X_val[:, left], y_val)
        if best <= found:
            best, best_set = found, left
    few = BackwardElimination(model).fit(X, y, X_val, y_val)
    np.testing.assert_array_equal(few.get_support(indices=True), best_set)
    assert few.score_ == best >= few.full_score_ and few.n_fits_ == 10
    assert few.history_["n_features"].tolist() == list(range(12, 2, -1))
    assert few.history_["removed"].tolist() == [-1, *order[:9]]
    assert few.estimator_.n_features_in_ == few.n_features_ == few.transform(X).shape[1]


def test_of_equal_scores_the_smaller_set_is_kept():
    X = np.c_[np.arange(40.0), np.zeros((40, 3))]
    few = BackwardElimination(LogisticRegression(), random_state=0).fit(X, X[:, 0] > 25)
    assert few.get_support(indices=True).tolist() == [0]
    greedy = GreedyElimination(LogisticRegression(), random_state=0).fit(X, X[:, 0] > 25)
    assert greedy.get_support(indices=True).tolist() == [0]


def test_rankings_by_coefficients_by_variance_and_by_a_function(halves):
    X, X_val, y, y_val = halves
    Z, Z_val = (A / X.std(axis=0) for A in (X, X_val))
    linear = BackwardElimination(LogisticRegression(max_iter=2000)).fit(Z, y, Z_val, y_val)
    coefficients = LogisticRegression(max_iter=2000).fit(Z, y).coef_[0]
    np.testing.assert_array_equal(linear.ranking_, np.argsort(np.abs(coefficients)))
    from sklearn.feature_selection import f_classif

    plain = BackwardElimination(GaussianNB()).fit(Z, y, Z_val, y_val)  # has neither importances nor coefficients
    np.testing.assert_array_equal(plain.ranking_, np.argsort(f_classif(Z, y)[0]))
    own = BackwardElimination(GaussianNB(), importance=lambda model: np.arange(12)).fit(Z, y, Z_val, y_val)
    assert own.ranking_.tolist() == list(range(12))


def test_greedy_elimination_tries_every_feature_at_every_step(halves):
    X, X_val, y, y_val = (A[:, :5] if A.ndim == 2 else A for A in halves)
    few = GreedyElimination(GaussianNB(), tolerance=0.002).fit(X, y, X_val, y_val)
    left, path = list(range(5)), []
    while len(left) > 1:
        scores = [
            _precision(GaussianNB().fit(X[:, s], y), X_val[:, s], y_val)
            for s in ([*left[:i], *left[i + 1 :]] for i in range(len(left)))
        ]
        gone = int(np.argmax(scores))
        left = [*left[:gone], *left[gone + 1 :]]
        path.append((scores[gone], list(left)))
    np.testing.assert_allclose(few.history_["score"][1:], [score for score, _ in path])
    best = max(few.history_["score"])
    kept = [s for score, s in path if score >= best - 0.002][-1]
    assert few.get_support(indices=True).tolist() == kept
    assert few.n_fits_ == 5 * 6 / 2


def test_folds_judge_by_their_mean(halves):
    X, _, y, _ = halves
    few = BackwardElimination(LogisticRegression(max_iter=5000), importance="anova", validation=3, random_state=0)
    few.fit(X, y)
    assert few.n_fits_ == 3 * 12 and few.score_ >= few.full_score_


def test_wrong_uses_of_elimination_are_told(halves):
    X, X_val, y, _ = halves
    with pytest.raises(ValueError, match="both X_val and y_val"):
        BackwardElimination().fit(X, y, X_val)
    with pytest.raises(ValueError, match="min_features=50 exceeds the 12 features"):
        BackwardElimination(min_features=50).fit(X, y)
    with pytest.raises(ValueError, match="a class has 1 row"):
        BackwardElimination().fit(X[:20], [1] + [0] * 19)
    with pytest.raises(ValueError, match="one class"):
        GreedyElimination().fit(X[:20], [0] * 20)


def test_identical_models_are_averaged(halves):
    X, X_val, y, _ = halves
    twins = LinearBlender([("a", GaussianNB()), ("b", GaussianNB())], random_state=0).fit(X, y)
    np.testing.assert_allclose(twins.weights_, [0.5, 0.5], atol=1e-9)
    alone = LinearBlender([("a", GaussianNB())], random_state=0).fit(X, y)
    np.testing.assert_allclose(twins.decision_function(X_val), alone.decision_function(X_val), atol=1e-9)


def test_without_shrinkage_the_weights_are_those_of_a_linear_regression(halves):
    X, _, y, _ = halves
    models = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    blend = LinearBlender(models, shrinkage=0.0, nonnegative=False, cv=5, random_state=0).fit(X, y)
    from sklearn.model_selection import StratifiedKFold

    seed = np.random.RandomState(0).randint(2**31 - 1)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    Z = np.column_stack([cross_val_predict(m, X, y, cv=folds, method="predict_proba")[:, 1] for _, m in models])
    Z = (Z - Z.min(axis=0)) / (Z.max(axis=0) - Z.min(axis=0))
    expected = LinearRegression().fit(Z, y).coef_
    np.testing.assert_allclose(blend.weights_, expected / np.abs(expected).sum(), atol=1e-6)
    heavy = LinearBlender(models, shrinkage=1e9, random_state=0).fit(X, y)
    np.testing.assert_allclose(heavy.weights_, [0.5, 0.5], atol=1e-6)


def test_a_model_that_knows_nothing_gets_little_weight(halves):
    X, _, y, _ = halves

    class Noise(GaussianNB):
        def predict_proba(self, X):
            p = np.abs(np.sin(1e4 * np.asarray(X)[:, 0]))
            return np.c_[1 - p, p]

    blend = LinearBlender([("good", GaussianNB()), ("noise", Noise())], random_state=0).fit(X, y)
    assert blend.weights_[0] > 0.9 and blend.scores_["blend"] >= blend.scores_["mean"]


def test_wrong_blends_are_told(halves):
    X, _, y, _ = halves
    with pytest.raises(ValueError, match="a blend needs a model"):
        LinearBlender([]).fit(X, y)
    with pytest.raises(ValueError, match="pairs of a name and a model"):
        LinearBlender([GaussianNB()]).fit(X, y)
    with pytest.raises(ValueError, match="one row"):
        LinearBlender([("a", GaussianNB())]).fit(X[:10], [1] + [0] * 9)


def test_trees_draw_the_shares_of_the_classes():
    X, y = make_classification(1000, weights=[0.9], random_state=0)
    y = np.where(y == 1, "fraud", "ok")
    forest = ClassSampledForest({"fraud": 0.9, "ok": 0.25}, n_estimators=20, random_state=0).fit(X, y)
    counts = dict(zip(*np.unique(y, return_counts=True)))
    for tree in forest.estimators_:
        assert tree.tree_.n_node_samples[0] == round(0.9 * counts["fraud"]) + round(0.25 * counts["ok"])
    balanced = ClassSampledForest("balanced", n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_allclose(balanced.shares_ * [counts["fraud"], counts["ok"]], counts["fraud"])
    auto = ClassSampledForest(n_estimators=5, random_state=0).fit(X, y)
    assert auto.shares_[0] == 0.9 and auto.shares_[1] == 0.9 * (counts["fraud"] / counts["ok"]) ** 0.2


def test_out_of_bag_scores_come_from_trees_that_did_not_draw_the_row():
    X = np.random.default_rng(0).normal(size=(300, 5))
    y = np.random.default_rng(1).integers(0, 2, 300)  # nothing to learn: a tree knows what it drew and no more
    forest = ClassSampledForest(n_estimators=60, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.95 and 0.4 < forest.oob_score_ < 0.6
    assert ClassSampledForest({0: 50.0, 1: 50.0}, n_estimators=1, random_state=0).fit(X, y).oob_score_ != 1.0


def test_contributions_sum_to_the_probability():
    X, y = make_classification(200, 6, random_state=0)
    forest = ClassSampledForest(n_estimators=10, random_state=0).fit(X, y)
    parts, base = forest.contributions(X, 1)
    np.testing.assert_allclose(parts.sum(axis=1) + base, forest.predict_proba(X)[:, 1], atol=1e-12)
    with pytest.raises(ValueError, match="7 is no class"):
        forest.contributions(X, 7)


def test_wrong_shares_are_told():
    X, y = make_classification(60, random_state=0)
    for shares, words in (
        ({0: 0.5}, "lacks the class 1"),
        ({0: 1, 1: 1, 2: 1}, "names 2"),
        ({0: 1, 1: 0}, "above zero"),
    ):
        with pytest.raises(ValueError, match=words):
            ClassSampledForest(shares).fit(X, y)


def test_chao_shen_entropy_has_known_values_and_the_plain_limit():
    assert chao_shen_entropy([4, 2, 1, 1]) == pytest.approx(1.578373, abs=5e-7)
    assert chao_shen_entropy([10, 5, 3, 2, 1, 1, 1]) == pytest.approx(1.814044, abs=5e-7)
    many = np.array([5, 3, 2]) * 100_000
    plain = -np.sum(many / many.sum() * np.log2(many / many.sum()))
    assert chao_shen_entropy(many, base=2) == pytest.approx(plain, rel=1e-12)
    assert chao_shen_entropy([7, 0]) == 0.0 and np.isfinite(chao_shen_entropy([1, 1, 1]))
    with pytest.raises(ValueError, match="whole numbers"):
        chao_shen_entropy([0.5, 1])
