"""The thermal perceptron against its rule, row by row."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from treatise.datasets import make_m_of_n
from treatise.selection import ThermalPerceptron


def by_the_rule(X, y, temperature, decay, coldest, rate):
    weights = np.zeros(X.shape[1] + 1)
    X = np.column_stack([X, np.ones(len(X))])
    mistakes = []
    while temperature >= coldest:
        wrong = 0
        for row, sign in zip(X, 2 * y - 1):
            activation = weights @ row
            if sign * activation <= 0:
                wrong += 1
                weights = weights + rate * sign * row * np.exp(-abs(activation) / temperature)
        mistakes.append(wrong)
        temperature *= decay
    return weights, mistakes


def test_weights_and_mistakes_follow_the_rule():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    # Few passes: rounding errors grow from pass to pass where no plane is right.
    model = ThermalPerceptron(1.5, decay=0.5, learning_rate=0.7, average=False, random_state=4).fit(X, y)
    order = np.random.RandomState(4).permutation(40)
    weights, mistakes = by_the_rule(X[order], y[order], 1.5, 0.5, 0.3, 0.7)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), weights, rtol=1e-9)
    assert model.mistakes_[0].tolist() == mistakes


def test_passes_after_one_without_a_mistake_change_nothing_and_count_in_the_mean():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    order = np.random.RandomState(0).permutation(30)
    weights, mistakes = by_the_rule(X[order], y[order], 2.0, 0.9, 0.3, 0.5)
    assert 0 in mistakes[: len(mistakes) // 2]
    for average in (False, True):
        model = ThermalPerceptron(decay=0.9, learning_rate=0.5, average=average, random_state=0).fit(X, y)
        np.testing.assert_allclose(np.append(model.coef_, model.intercept_), weights, rtol=1e-9)
        assert model.mistakes_[0].tolist() == mistakes


def test_the_papers_schedule_has_1897_passes():
    model = ThermalPerceptron(random_state=0).fit([[0.0], [1.0]], [0, 1])
    assert model.mistakes_.shape == (1, 1897)


def test_seven_of_ten_is_separated_and_the_unit_does_not_matter():
    X, y, _ = make_m_of_n(800, 30, random_state=0)
    model = ThermalPerceptron(random_state=0).fit(X[:400], y[:400])
    assert model.score(X[:400], y[:400]) == 1.0 and model.score(X[400:], y[400:]) > 0.93
    larger = ThermalPerceptron(random_state=0).fit(1024 * (X[:400] - 8), y[:400])
    np.testing.assert_allclose(
        larger.decision_function(1024 * (X - 8)), model.decision_function(X), rtol=1e-6, atol=1e-9
    )


def test_several_classes_are_told_apart_and_a_cold_start_is_refused():
    X, y = load_iris(return_X_y=True)
    model = ThermalPerceptron(random_state=0).fit(X - X.mean(axis=0), y)
    assert model.coef_.shape == (3, 4) and model.score(X - X.mean(axis=0), y) > 0.8
    with pytest.raises(ValueError, match=r"temperature=0\.1 is below min_temperature=0\.3"):
        ThermalPerceptron(0.1).fit(X, y)
    zeros = ThermalPerceptron(random_state=0).fit(np.zeros((4, 2)), [0, 0, 0, 1])
    assert np.isfinite(zeros.coef_).all()
