"""Estimators mixed on a stream by expert strategies."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from treatise.online import AdaHedge, ExpertClassifier, ExpertRegressor, FollowTheLeader


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], np.array(["setosa", "versicolor", "virginica"])[y[order]]


@pytest.fixture(scope="module")
def experts(iris):
    X, y = iris
    models = [DummyClassifier(strategy="prior"), GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)]
    return [model.fit(X[:50], y[:50]) for model in models]


@pytest.mark.parametrize("loss", ["brier", "log", "zero_one"])
def test_weights_are_those_of_the_strategy_on_the_experts_losses(iris, experts, loss):
    X, y = iris
    mixture = ExpertClassifier(experts, loss=loss).partial_fit(X[50:], y[50:])
    true = np.array([[label == name for name in experts[0].classes_] for label in y[50:]], dtype=float)
    columns = []
    for expert in experts:
        proba = expert.predict_proba(X[50:])
        if loss == "brier":
            columns.append(np.sum((proba - true) ** 2, axis=1))
        elif loss == "log":
            columns.append(-np.log(np.maximum(np.sum(proba * true, axis=1), 1e-12)))
        else:
            columns.append(expert.predict(X[50:]) != y[50:])
    losses = np.column_stack(columns).astype(float)
    expected = AdaHedge().fit(losses)
    np.testing.assert_allclose(mixture.weights_, expected.weights_, atol=1e-9)
    assert mixture.regret_ == pytest.approx(expected.regret_, abs=1e-9)
    mixed = sum(w * expert.predict_proba(X) for w, expert in zip(expected.weights_, experts))
    np.testing.assert_allclose(mixture.predict_proba(X), mixed, atol=1e-9)
    np.testing.assert_array_equal(mixture.predict(X), mixture.classes_[mixed.argmax(axis=1)])


def test_a_stream_in_pieces_equals_one_piece_and_leaves_the_experts_alone(iris, experts):
    X, y = iris
    before = experts[1].theta_.copy()
    whole = ExpertClassifier(experts).partial_fit(X[50:], y[50:])
    pieces = ExpertClassifier(experts)
    for start in range(50, 150, 20):
        pieces.partial_fit(X[start : start + 20], y[start : start + 20])
    np.testing.assert_array_equal(pieces.weights_, whole.weights_)
    np.testing.assert_array_equal(experts[1].theta_, before)
    assert whole.experts_[1] is experts[1]


def test_mixed_loss_stays_within_the_guarantee_of_the_best_expert():
    X, y = load_breast_cancer(return_X_y=True)
    experts = [
        model.fit(X[:150], y[:150])
        for model in (DummyClassifier(), GaussianNB(), DecisionTreeClassifier(random_state=0))
    ]
    mixture, paid, losses = ExpertClassifier(experts), 0.0, np.zeros(3)
    mixture.partial_fit(X[150:151], y[150:151])
    for t in range(151, len(y)):
        row, label = X[t : t + 1], y[t]
        paid += np.sum((mixture.predict_proba(row)[0] - np.eye(2)[label]) ** 2)
        losses += [np.sum((expert.predict_proba(row)[0] - np.eye(2)[label]) ** 2) for expert in experts]
        mixture.partial_fit(row, y[t : t + 1])
    # Brier loss is convex: the mixture pays no more than the weighted losses, whose regret is bounded.
    assert paid - losses.min() <= mixture.regret_ + 2.0
    assert losses.argmin() == mixture.weights_.argmax()


def test_experts_without_probabilities_or_with_fewer_classes_take_part(iris):
    X, y = iris
    two = y[:60] != "virginica"
    experts = [RidgeClassifier().fit(X[:60], y[:60]), GaussianNB().fit(X[:60][two], y[:60][two])]
    mixture = ExpertClassifier(experts, strategy=FollowTheLeader()).partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(mixture.classes_, ["setosa", "versicolor", "virginica"])
    np.testing.assert_array_equal(mixture.weights_, [1.0, 0.0])
    np.testing.assert_array_equal(mixture.predict(X), experts[0].predict(X))


def test_fit_trains_copies_and_trusts_all_alike_and_frozen_ones_stay(iris):
    X, y = iris
    unfitted, frozen = LogisticRegression(), FrozenEstimator(GaussianNB().fit(X[:30], y[:30]))
    mixture = ExpertClassifier([unfitted, frozen]).fit(X[:100], y[:100])
    np.testing.assert_array_equal(mixture.weights_, [0.5, 0.5])
    assert not hasattr(unfitted, "coef_")
    np.testing.assert_array_equal(mixture.experts_[1].theta_, GaussianNB().fit(X[:30], y[:30]).theta_)
    before = mixture.weights_.copy()
    mixture.partial_fit(X[100:], y[100:])
    assert not np.array_equal(mixture.weights_, before)
    assert clone(mixture).fit(X[:100], y[:100]).weights_.tolist() == [0.5, 0.5]


def test_experts_fitted_on_data_frames_get_data_frames(iris):
    """They may pick columns by name, columns of words among them, and nobody is warned of lost names."""
    pandas = pytest.importorskip("pandas")
    X, y = iris
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame["size"] = np.where(X[:, 3] > 1.0, "broad", "narrow")
    words = make_column_transformer((OneHotEncoder(), ["size"]), remainder="drop")
    numbers = make_column_transformer(("passthrough", ["a", "c"]), remainder="drop")
    experts = [make_pipeline(part, LogisticRegression()).fit(frame[:60], y[:60]) for part in (words, numbers)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mixture = ExpertClassifier(experts).partial_fit(frame[60:], y[60:])
        proba = mixture.predict_proba(frame)
        trained = ExpertClassifier([clone(expert) for expert in experts]).fit(frame[:60], y[:60])
    mixed = sum(w * expert.predict_proba(frame) for w, expert in zip(mixture.weights_, experts))
    np.testing.assert_allclose(proba, mixed)
    assert list(mixture.feature_names_in_) == ["a", "b", "c", "size"]
    np.testing.assert_allclose(trained.experts_[1].predict_proba(frame), experts[1].predict_proba(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        mixture.predict(frame[["a", "b", "c"]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mixture.partial_fit(frame[:5], y[:4])
    with pytest.raises(ValueError, match="y to be passed"):
        mixture.partial_fit(frame[:5], None)


def test_experts_of_which_some_are_fitted_are_not_trained_anew_unasked(iris, experts):
    X, y = iris
    with pytest.raises(ValueError, match=r"estimators\[1\], RidgeClassifier\(\), is not fitted, and others are"):
        ExpertClassifier([experts[0], RidgeClassifier()]).partial_fit(X[50:], y[50:])
    frozen = FrozenEstimator(experts[1])
    mixture = ExpertClassifier([frozen, RidgeClassifier()]).partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(mixture.experts_[0].theta_, experts[1].theta_)
    np.testing.assert_array_equal(mixture.weights_, [0.5, 0.5])


def test_classes_are_those_of_all_experts_and_those_announced(iris, experts):
    X, y = iris
    few = y[:60] != "virginica"
    wide = ExpertClassifier([LogisticRegression(), FrozenEstimator(experts[1])]).fit(X[:60][few], y[:60][few])
    np.testing.assert_array_equal(wide.classes_, ["setosa", "versicolor", "virginica"])
    # One expert knows two classes, the other three, and each probability goes to its own class.
    known = np.column_stack([wide.experts_[0].predict_proba(X), np.zeros(len(X))])
    np.testing.assert_allclose(wide.predict_proba(X), 0.5 * known + 0.5 * experts[1].predict_proba(X))
    more = ExpertClassifier(experts).partial_fit(X[50:], y[50:], classes=["rose"])
    np.testing.assert_array_equal(more.classes_, ["rose", "setosa", "versicolor", "virginica"])
    assert not more.predict_proba(X)[:, 0].any()
    numbers = GaussianNB().fit(X[:50], np.arange(50) % 3)
    with pytest.raises(ValueError, match="Mix of label input types"):
        ExpertClassifier([experts[0], numbers]).partial_fit(X[50:], y[50:])


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_regressors_are_mixed_by_their_errors(loss):
    X, y = load_diabetes(return_X_y=True)
    experts = [model.fit(X[:200], y[:200]) for model in (DummyRegressor(), Ridge(0.1), Ridge(10.0))]
    mixture = ExpertRegressor(experts, loss=loss).partial_fit(X[200:], y[200:])
    errors = np.column_stack([expert.predict(X[200:]) - y[200:] for expert in experts])
    expected = AdaHedge().fit(errors**2 if loss == "squared" else np.abs(errors)).weights_
    np.testing.assert_allclose(mixture.weights_, expected, atol=1e-9)
    mixed = np.column_stack([expert.predict(X) for expert in experts]) @ expected
    np.testing.assert_allclose(mixture.predict(X), mixed, rtol=1e-9)


def test_bad_input_is_refused(iris, experts):
    X, y = iris
    with pytest.raises(ValueError, match="not among the classes"):
        ExpertClassifier(experts).partial_fit(X[:2], ["setosa", "rose"])
    with pytest.raises(ValueError, match="estimators is empty"):
        ExpertClassifier([]).fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter"):
        ExpertRegressor([Ridge()], loss="brier").fit(X, np.arange(len(y)))
    for wrong in (Ridge(), ("ridge", RidgeClassifier()), GaussianNB):
        with pytest.raises(ValueError, match=r"estimators\[1\] is .*, not a classifier"):
            ExpertClassifier([experts[0], wrong]).partial_fit(X, y)
        with pytest.raises(ValueError, match=r"estimators\[1\] is .*, not a classifier"):
            ExpertClassifier([experts[0], wrong]).fit(X, y)
    with pytest.raises(ValueError, match=r"estimators\[0\] is .*, not a regressor"):
        ExpertRegressor(experts).partial_fit(X, np.arange(len(y)))
    double = Ridge().fit(X, np.column_stack([X[:, 0], X[:, 1]]))
    with pytest.raises(ValueError, match=r"array of shape \(150, 2\) for 150 rows"):
        ExpertRegressor([double]).partial_fit(X, X[:, 0])
