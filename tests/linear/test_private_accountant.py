"""The privacy budget."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from treatise._core.errors import TreatiseError
from treatise.datasets import make_logistic_sphere
from treatise.io import load_model, save_model
from treatise.linear import BudgetExceededError, PrivacyAccountant, PrivateLogisticRegression


def test_spending_adds_up_and_stops_at_the_budget():
    budget = PrivacyAccountant(0.3)
    budget.spend(0.1, "a mean")
    budget.spend(0.2, "a model")  # 0.1 + 0.2 is a little more than 0.3 in floating point
    assert budget.ledger == [("a mean", 0.1), ("a model", 0.2)]
    assert budget.remaining == 0
    with pytest.raises(BudgetExceededError, match=r"one more costs epsilon=0\.001 but of 0\.3 only 0 is left"):
        budget.spend(0.001, "one more")
    assert len(budget.ledger) == 2
    assert issubclass(BudgetExceededError, TreatiseError)


@pytest.mark.parametrize("epsilon", [0, -1, float("inf"), float("nan")])
def test_a_budget_must_be_positive_and_finite(epsilon):
    with pytest.raises(ValueError, match="no budget"):
        PrivacyAccountant(epsilon)


def test_spending_nothing_is_refused():
    with pytest.raises(ValueError, match="epsilon=0 must be positive"):
        PrivacyAccountant(1.0).spend(0)


def test_fits_and_clones_draw_on_one_budget():
    X, y = make_logistic_sphere(50, random_state=0)
    budget = PrivacyAccountant(1.0)
    learner = PrivateLogisticRegression(epsilon=0.4, accountant=budget)
    learner.fit(X, y)
    clone(learner).fit(X, y)
    assert budget.ledger == [("PrivateLogisticRegression", 0.4)] * 2
    fresh = clone(learner)
    with pytest.raises(BudgetExceededError):
        fresh.fit(X, y)
    assert not hasattr(fresh, "coef_")


def test_cross_validation_spends_for_every_fold_and_stops():
    X, y = make_logistic_sphere(60, random_state=0)
    budget = PrivacyAccountant(1.0)
    with pytest.raises(BudgetExceededError):
        cross_val_score(PrivateLogisticRegression(0.3, accountant=budget), X, y, cv=5, error_score="raise")
    assert budget.spent == pytest.approx(0.9)


def test_refused_input_costs_nothing():
    X, y = make_logistic_sphere(50, random_state=0)
    budget = PrivacyAccountant(1.0)
    with pytest.raises(ValueError, match="norm above"):
        PrivateLogisticRegression(0.4, accountant=budget).fit(3 * X, y)
    assert budget.spent == 0


def test_threads_cannot_overspend_together():
    budget = PrivacyAccountant(50.0)

    def spend(_):
        try:
            budget.spend(1.0)
        except BudgetExceededError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(spend, range(400))) == 50


def test_copies_share_the_budget_and_pickles_are_closed():
    budget = PrivacyAccountant(1.0)
    assert copy.copy(budget) is budget and copy.deepcopy([budget])[0] is budget
    budget.spend(0.25, "a model")
    sent = pickle.loads(pickle.dumps(budget))
    assert sent.ledger == budget.ledger and sent.epsilon == 1.0
    with pytest.raises(BudgetExceededError, match="copy"):
        sent.spend(0.1)


def test_a_saved_model_keeps_a_closed_ledger(tmp_path):
    X, y = make_logistic_sphere(50, random_state=0)
    fitted = PrivateLogisticRegression(0.4, accountant=PrivacyAccountant(1.0)).fit(X, y)
    save_model(fitted, tmp_path / "private.skops")
    loaded = load_model(tmp_path / "private.skops").model
    np.testing.assert_array_equal(loaded.coef_, fitted.coef_)
    assert loaded.accountant.spent == 0.4
    with pytest.raises(BudgetExceededError, match="copy"):
        loaded.fit(X, y)
