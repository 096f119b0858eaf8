"""A privacy budget that cannot be overspent."""

import math
from threading import Lock
from typing import Any

from treatise._core.errors import TreatiseError

_ROUNDING = 1e-12  # 0.1 + 0.2 is a little more than 0.3 in floating point


class BudgetExceededError(TreatiseError):
    """A release would cost more privacy than is left; it was not made."""


class PrivacyAccountant:
    """Budget of one data set: every release spends epsilon, and none is made once the budget is spent.

    Epsilons of releases from the same data add up (sequential composition). Hand the same accountant to every
    estimator that is fitted to the data: it is asked before anything is computed. It is shared, not copied, by
    ``clone``, so that a grid search or cross-validation spends the budget for each of its fits, as it must. A copy that
    was stored or sent to another process is closed: it shows what was spent, and spends nothing.

    Use one accountant for one data set. It knows nothing of releases made without it.

    Parameters
    ----------
    epsilon : float
        The whole budget.

    Attributes
    ----------
    epsilon : float
        The whole budget.
    ledger : list of (str, float)
        What was spent on what, in order.

    Examples
    --------
    >>> from treatise.linear import PrivacyAccountant
    >>> budget = PrivacyAccountant(1.0)
    >>> budget.spend(0.7, "first model")
    >>> budget
    PrivacyAccountant(epsilon=1, spent=0.7)
    >>> budget.spend(0.7, "second model")
    Traceback (most recent call last):
    ...
    treatise.linear.private.accountant.BudgetExceededError: second model costs epsilon=0.7 but of 1 only 0.3 is left
    """

    def __init__(self, epsilon: float) -> None:
        if not (0 < epsilon < math.inf):
            raise ValueError(f"epsilon={epsilon} is no budget; it must be positive and finite")
        self.epsilon = float(epsilon)
        self.ledger: list[tuple[str, float]] = []
        self._closed = False
        self._lock = Lock()

    @property
    def spent(self) -> float:
        """Epsilon spent so far."""
        return math.fsum(amount for _, amount in self.ledger)

    @property
    def remaining(self) -> float:
        """Epsilon left."""
        return max(0.0, self.epsilon - self.spent)

    def spend(self, epsilon: float, purpose: str = "release") -> None:
        """Enter a release in the ledger, or raise :class:`BudgetExceededError` and enter nothing.

        Parameters
        ----------
        epsilon : float
            What it costs.
        purpose : str, default="release"
            What it is, for the ledger.
        """
        if not epsilon > 0:
            raise ValueError(f"epsilon={epsilon} must be positive")
        if self._closed:
            raise BudgetExceededError(
                "this accountant is a stored or transmitted copy, whose spending nobody would see; fit in the process "
                "that holds the original (n_jobs=1, or the threading backend of joblib)"
            )
        with self._lock:
            if epsilon > self.remaining + _ROUNDING * self.epsilon:
                raise BudgetExceededError(
                    f"{purpose} costs epsilon={epsilon:g} but of {self.epsilon:g} only {self.remaining:g} is left"
                )
            self.ledger.append((purpose, float(epsilon)))

    def __repr__(self) -> str:
        return f"PrivacyAccountant(epsilon={self.epsilon:g}, spent={self.spent:g})"

    def __copy__(self) -> "PrivacyAccountant":
        return self

    def __deepcopy__(self, memo: dict) -> "PrivacyAccountant":
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "ledger": [list(entry) for entry in self.ledger]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.epsilon = state["epsilon"]
        self.ledger = [(purpose, amount) for purpose, amount in state["ledger"]]
        self._closed, self._lock = True, Lock()
