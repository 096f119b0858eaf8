"""Tuning within the budget."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from treatise.datasets import make_logistic_sphere
from treatise.linear import (
    BudgetExceededError,
    PrivacyAccountant,
    PrivateLogisticRegression,
    PrivateTuner,
    exponential_probabilities,
)


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it saw, and errs on a stated number of rows."""

    def __init__(self, epsilon=None, errors=0):
        self.epsilon = epsilon
        self.errors = errors

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.seen_ = X[:, 0].astype(int).tolist()
        return self

    def predict(self, X):
        truth = X[:, 0].astype(int) % 2
        truth[: self.errors] = 1 - truth[: self.errors]
        self.judged_ = X[:, 0].astype(int).tolist()
        return truth


def numbered(n):
    rows = np.arange(n, dtype=float)
    return rows[:, None], rows.astype(int) % 2


def test_candidates_train_on_parts_of_their_own_and_never_on_the_judging_part():
    X, y = numbered(103)
    tuner = PrivateTuner(Witness(), {"errors": [0, 1, 2]}, epsilon=0.3, random_state=0).fit(X, y)
    parts = [learner.seen_ for _, learner in tuner.candidates_]
    judged = {tuple(learner.judged_) for _, learner in tuner.candidates_}
    assert len(judged) == 1
    everything = [*parts, list(judged.pop())]
    assert sorted(row for part in everything for row in part) == list(range(103))
    assert [len(part) for part in everything] == [26, 26, 26, 25]
    assert all(learner.epsilon == 0.3 for _, learner in tuner.candidates_)


def test_the_split_is_random():
    X, y = numbered(40)
    splits = [
        PrivateTuner(Witness(), {"errors": [0]}, random_state=s).fit(X, y).candidates_[0][1].seen_ for s in (0, 1)
    ]
    assert splits[0] != splits[1] and splits[0] != list(range(20))


def test_the_choice_has_the_probabilities_of_the_exponential_mechanism():
    X, y = numbered(80)
    errors, epsilon = [0, 3, 6], 0.5
    rng = np.random.RandomState(0)
    chosen = [
        PrivateTuner(Witness(), {"errors": errors}, epsilon=epsilon, random_state=rng).fit(X, y).best_index_
        for _ in range(600)
    ]
    expected = exponential_probabilities(-np.array(errors), epsilon)
    # Three standard errors of a share in 600 draws.
    np.testing.assert_allclose(np.bincount(chosen, minlength=3) / 600, expected, atol=3 * 0.5 / np.sqrt(600))


def test_a_hopeless_penalty_is_not_chosen():
    X, y = make_logistic_sphere(6000, (6.0, -6.0), random_state=0)
    grid = {"alpha": [1e-2], "data_norm": [1.0, 1e6]}
    tuner = PrivateTuner(PrivateLogisticRegression(), grid, epsilon=1.0, random_state=0).fit(X, y)
    assert tuner.best_params_ == {"alpha": 1e-2, "data_norm": 1.0}
    np.testing.assert_array_equal(tuner.predict(X), tuner.best_estimator_.predict(X))
    np.testing.assert_array_equal(tuner.decision_function(X), tuner.best_estimator_.decision_function(X))
    assert not hasattr(PrivateTuner(Witness(), {}), "decision_function")


def test_mistakes_are_not_kept():
    X, y = make_logistic_sphere(600, random_state=0)
    tuner = PrivateTuner(PrivateLogisticRegression(), {"alpha": [0.01, 0.1]}, random_state=0).fit(X, y)
    kept = set(vars(tuner)) - set(tuner.get_params(deep=False))
    assert kept == {"best_estimator_", "best_params_", "best_index_", "candidates_", "classes_", "n_features_in_"}


def test_the_whole_costs_epsilon_once():
    X, y = make_logistic_sphere(600, random_state=0)
    budget = PrivacyAccountant(1.0)
    tuner = PrivateTuner(PrivateLogisticRegression(), {"alpha": [0.01, 0.1]}, epsilon=0.6, accountant=budget)
    tuner.fit(X, y)
    assert budget.ledger == [("PrivateTuner", 0.6)]
    with pytest.raises(BudgetExceededError):
        tuner.fit(X, y)


def test_a_part_with_one_label_is_no_trouble():
    X, y = make_logistic_sphere(30, random_state=0)
    y[:] = 1
    y[0] = -1
    tuner = PrivateTuner(PrivateLogisticRegression(), {"alpha": [0.1] * 4}, random_state=0).fit(X, y)
    assert all(np.array_equal(learner.classes_, [-1, 1]) for _, learner in tuner.candidates_)


@pytest.mark.parametrize(
    ("learner", "grid", "message"),
    [
        (LogisticRegression(), {"C": [1.0]}, "LogisticRegression has no parameter epsilon"),
        (PrivateLogisticRegression(accountant=PrivacyAccountant(1.0)), {"alpha": [1.0]}, "belongs to the tuner"),
        (PrivateLogisticRegression(), {"epsilon": [1.0, 2.0]}, "varies epsilon"),
        (PrivateLogisticRegression(), {"alpha": list(range(1, 41))}, "too few to split into 41 parts"),
        (PrivateLogisticRegression(), [], "holds no candidate"),
    ],
)
def test_bad_input_is_refused(learner, grid, message):
    X, y = make_logistic_sphere(40, random_state=0)
    with pytest.raises(ValueError, match=message):
        PrivateTuner(learner, grid).fit(X, y)
