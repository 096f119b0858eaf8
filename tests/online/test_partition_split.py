"""Balance, purity and objective of a split (Choromanska, 2014, Sections 4.1 to 4.3)."""

import numpy as np
import pytest

from treatise.online import SplitQuality, split_quality, splits_to_entropy


def random_splits(n_splits):
    rng = np.random.default_rng(0)
    for _ in range(n_splits):
        k = rng.integers(2, 8)
        y = rng.integers(0, k, 200)
        chances = rng.beta(0.3, 0.3, size=k)
        yield rng.random(200) < chances[y], y


def test_objective_equals_its_definition_over_examples():
    """The form of Section 4.1.1: a sum over examples, of counts, divided by their number."""
    for right, y in random_splits(50):
        n, n_right = len(y), right.sum()
        total = 0.0
        for label in y:
            k_all, k_right = np.sum(y == label), np.sum(right & (y == label))
            if n_right:
                total += n_right / k_all * abs(k_all / n - k_right / n_right)
        quality = split_quality(right, y)
        assert quality.objective == pytest.approx(2 * total / n, abs=1e-12)
        assert quality.balance == pytest.approx(n_right / n)


def test_balance_and_impurity_stay_within_what_the_objective_allows():
    for right, y in random_splits(2000):
        quality = split_quality(right, y)
        low, high = quality.balance_bounds
        assert low - 1e-12 <= quality.balance <= high + 1e-12
        assert quality.impurity <= quality.impurity_bound + 1e-12
        assert 0.0 <= quality.objective <= 1.0 + 1e-12


def test_balanced_and_pure_is_one_and_alone_so():
    assert split_quality([True, False], ["a", "b"]) == SplitQuality(1.0, 0.5, 0.0)
    assert split_quality([True, False, True, False], ["a", "a", "b", "b"]).objective == 0.0
    assert split_quality([True, True], ["a", "b"]).objective == 0.0


def test_theorem_on_the_number_of_splits():
    # gamma = 1/2 makes the exponent 4 ln k.
    assert splits_to_entropy(0.5, 0.5, 10) == pytest.approx(2 ** (4 * np.log(10)))
    assert splits_to_entropy(1e-9, 0.01, 1000) == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: split_quality([0.3, -0.2], [0, 1]), "booleans are needed"),
        (lambda: split_quality(np.array([], dtype=bool), []), "no examples"),
        (lambda: splits_to_entropy(0.0, 0.5, 4), "epsilon=0.0"),
        (lambda: splits_to_entropy(0.5, 0.6, 4), "gamma=0.6"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
