"""Sticks of the Indian buffet process in variational inference (Doshi-Velez et al., 2009; JMLR 15:1215, section 4)."""

import numpy as np
from scipy.special import digamma, gammaln, softmax


class BuffetSticks:
    """Posterior Beta distributions of the sticks of a truncated Indian buffet process.

    Feature k is present with probability ``v_1 v_2 ... v_k``, each ``v`` of them Beta(alpha, 1) a priori and
    Beta(tau[k, 0], tau[k, 1]) a posteriori. The expectation of ``log(1 - v_1 ... v_k)`` has no closed form; a
    multinomial distribution over its k terms bounds it from below.

    Parameters
    ----------
    n_features : int
        Features of the truncation.
    alpha : float
        Mean number of features of a row.

    Attributes
    ----------
    tau : ndarray of shape (n_features, 2)
        Parameters of the Beta distributions; the prior's at first.
    terms : ndarray of shape (n_features, n_features)
        Row k has the multinomial distribution over the terms 0 to k (lambda in the paper).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.indian_buffet import BuffetSticks
    >>> sticks = BuffetSticks(3, alpha=1.0)
    >>> before = sticks.bound(np.array([40.0, 20.0, 1.0]), 50)
    >>> sticks.update(np.array([40.0, 20.0, 1.0]), 50)
    >>> sticks.bound(np.array([40.0, 20.0, 1.0]), 50) > before
    True
    """

    def __init__(self, n_features: int, alpha: float) -> None:
        self.alpha = float(alpha)
        self.tau = np.column_stack([np.full(n_features, self.alpha), np.ones(n_features)])
        self.terms = np.zeros((n_features, n_features))
        self.update_terms()

    def update(self, owners: np.ndarray, n_rows: float) -> None:
        """Two steps that never lower the bound: the multinomial distributions, then the Beta distributions.

        Parameters
        ----------
        owners : ndarray of shape (n_features,)
            Expected number of rows that have each feature.
        n_rows : float
            Rows.
        """
        self.update_terms()
        self.update_tau(owners, n_rows)

    def update_terms(self) -> None:
        """The multinomial distributions given the Beta distributions (step 2 of section 4)."""
        first, second, both = digamma(self.tau[:, 0]), digamma(self.tau[:, 1]), digamma(self.tau.sum(axis=1))
        scores = second + np.concatenate([[0.0], np.cumsum(first)[:-1]]) - np.cumsum(both)
        inside = np.tri(len(scores), dtype=bool)
        self.terms = softmax(np.where(inside, scores, -np.inf), axis=1)

    def update_tau(self, owners: np.ndarray, n_rows: float) -> None:
        """The Beta distributions given the multinomial ones (step 1 of section 4)."""
        without = n_rows - owners
        # later[m, k]: mass of the terms k+1 to m.
        later = np.cumsum(self.terms[:, ::-1], axis=1)[:, ::-1] - self.terms
        self.tau[:, 0] = self.alpha + np.cumsum(owners[::-1])[::-1] + without @ later
        self.tau[:, 1] = 1.0 + without @ self.terms

    def log_presence(self) -> np.ndarray:
        """Expectation of the log probability that a row has each feature."""
        return np.cumsum(digamma(self.tau[:, 0]) - digamma(self.tau.sum(axis=1)))

    def log_absence(self) -> np.ndarray:
        """Lower bound on the expectation of the log probability that a row has it not."""
        first, second, both = digamma(self.tau[:, 0]), digamma(self.tau[:, 1]), digamma(self.tau.sum(axis=1))
        from_here = np.cumsum(self.terms[:, ::-1], axis=1)[:, ::-1]
        logs = np.log(self.terms, out=np.zeros_like(self.terms), where=self.terms > 0.0)
        return (
            self.terms @ second + (from_here - self.terms) @ first - from_here @ both - (self.terms * logs).sum(axis=1)
        )

    def log_odds(self) -> np.ndarray:
        """What the prior adds to the log odds that a row has each feature."""
        return self.log_presence() - self.log_absence()

    def bound(self, owners: np.ndarray, n_rows: float) -> float:
        """Share of sticks and memberships in the lower bound, without the entropy of the memberships."""
        a, b = self.tau.T
        both = digamma(a + b)
        prior = np.log(self.alpha) + (self.alpha - 1.0) * (digamma(a) - both)
        entropy = (
            gammaln(a) + gammaln(b) - gammaln(a + b)
            - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b) + (a + b - 2.0) * both
        )  # fmt: skip
        members = owners @ self.log_presence() + (n_rows - owners) @ self.log_absence()
        return float((prior + entropy).sum() + members)
