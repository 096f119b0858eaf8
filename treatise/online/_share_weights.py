"""Weights on experts of whom the best may change: Static-Expert, Fixed-Share and Learn-alpha (Algorithm 7)."""

import numpy as np


class ShareWeights:
    """A weight on each of several switching rates, and under each its weights on the experts.

    One rate is Fixed-Share; the rate zero is Static-Expert; several are Learn-alpha.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        Share of every expert's weight that passes to the others after each round.
    over_experts : ndarray of shape (n_alphas, n_experts)
        Weights on the experts.
    over_alphas : ndarray of shape (n_alphas,)
        Weights on the rates.
    """

    def __init__(self, alphas, over_experts, over_alphas):
        self.alphas, self.over_experts, self.over_alphas = alphas, over_experts, over_alphas

    @classmethod
    def start(cls, alphas, n_experts):
        """All weights alike."""
        n_alphas = len(alphas)
        return cls(alphas, np.full((n_alphas, n_experts), 1.0 / n_experts), np.full(n_alphas, 1.0 / n_alphas))

    def weights(self):
        """Weights on the experts, over all rates."""
        return self.over_alphas @ self.over_experts

    def update(self, losses):
        """Learn the experts' losses; gives the logarithmic loss -log sum_i p(i) exp(-loss_i / 2)."""
        likelihood = np.exp(-0.5 * losses)
        mixed = self.over_experts @ likelihood
        total = self.over_alphas @ mixed
        self.over_alphas = self.over_alphas * mixed / total
        posterior = self.over_experts * likelihood / mixed[:, None]
        if posterior.shape[1] > 1:
            # Each other expert receives alpha / (n - 1) of what one gives away.
            share = self.alphas[:, None]
            posterior = (1.0 - share) * posterior + share * (1.0 - posterior) / (posterior.shape[1] - 1)
        self.over_experts = posterior / posterior.sum(axis=1, keepdims=True)
        return float(-np.log(total))
