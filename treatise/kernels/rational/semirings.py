"""Semirings: what it means to add up paths of an automaton and to multiply weights along them."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp


@dataclass(frozen=True)
class Semiring:
    """Weights with a sum over alternatives and a product along a path.

    Parameters
    ----------
    name : str
        "probability", "log", "tropical" or "boolean".
    zero : float
        Weight of what is impossible.
    one : float
        Weight of what costs nothing.
    code : int
        Number by which compiled loops know it.
    """

    name: str
    zero: float
    one: float
    code: int

    def plus(self, a, b):
        """Sum of alternatives."""
        if self.name == "log":
            return -np.logaddexp(-np.asarray(a, float), -np.asarray(b, float))
        return (np.add, None, np.minimum, np.maximum)[self.code](a, b)

    def times(self, a, b):
        """Product along a path."""
        return (np.multiply, np.add, np.add, np.minimum)[self.code](a, b)

    def total(self, weights):
        """Sum of all alternatives."""
        if self.name == "log":
            return float(-logsumexp(-np.asarray(weights, float))) if len(weights) else self.zero
        return float((np.add, None, np.minimum, np.maximum)[self.code].reduce(weights, initial=self.zero))

    def probabilities(self, weights):
        """Weights of the probability semiring for those of the probability or log semiring."""
        return np.exp(-np.asarray(weights, float)) if self.name == "log" else np.asarray(weights, float)

    def check(self, weights):
        """The weights as numbers, if they belong to the semiring."""
        weights = np.atleast_1d(np.asarray(weights, np.float64))
        wrong = np.isnan(weights)
        if self.name == "probability":
            wrong |= ~((weights >= 0) & np.isfinite(weights))
        elif self.name == "boolean":
            wrong |= (weights != 0) & (weights != 1)
        else:
            wrong |= weights == -np.inf
        if wrong.any():
            raise ValueError(f"weight {weights[wrong][0]:g} is not in the {self.name} semiring")
        return weights


SEMIRINGS = {
    "probability": Semiring("probability", 0.0, 1.0, 0),
    "log": Semiring("log", np.inf, 0.0, 1),
    "tropical": Semiring("tropical", np.inf, 0.0, 2),
    "boolean": Semiring("boolean", 0.0, 1.0, 3),
}
"""The semirings of Table 1 of paper v05-1035, by name."""


def resolve_semiring(semiring):
    """A semiring by its name, or itself."""
    if isinstance(semiring, Semiring):
        return semiring
    if semiring not in SEMIRINGS:
        raise ValueError(f"semiring={semiring!r} is unknown; the known ones: {', '.join(SEMIRINGS)}")
    return SEMIRINGS[semiring]
