"""Draws from the exact posterior of a Poisson model with random intercepts.

Given the coefficients and the variance, groups are independent and the effect of each can be integrated out, by
Gauss-Hermite points around its mode; what is left are a few parameters, drawn by an independence chain.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import gaussian_kde

from treatise._core.jit import compiled
from treatise.statistics import normal_nodes

PRIOR_SCALE = 1e5
POINTS = 15
DEGREES = 6.0


@compiled
def log_posterior(parameters, X, y, group, n_groups, nodes, weights, scale, out):  # type: ignore[no-untyped-def]
    """Row by row of ``parameters`` (coefficients, log deviation): log likelihood and log prior, less constants."""
    p = X.shape[1]
    total, rate = np.empty(n_groups), np.empty(n_groups)
    for k in range(len(parameters)):
        deviation = np.exp(parameters[k, p])
        value = parameters[k, p] - np.log1p((deviation / scale) ** 2)
        for j in range(p):
            value -= 0.5 * (parameters[k, j] / scale) ** 2
        total[:] = 0.0
        rate[:] = 0.0
        for i in range(len(y)):
            eta = 0.0
            for j in range(p):
                eta += X[i, j] * parameters[k, j]
            total[group[i]] += y[i]
            rate[group[i]] += np.exp(eta)
            value += y[i] * eta
        for g in range(n_groups):
            u, precision = np.log((total[g] + 0.5) / (rate[g] + 0.5)), deviation**-2
            u *= 1.0 / (1.0 + precision / (total[g] + 0.5))
            for _ in range(25):
                slope = total[g] - rate[g] * np.exp(u) - precision * u
                bend = rate[g] * np.exp(u) + precision
                u += slope / bend
                if abs(slope) < 1e-9 * bend:
                    break
            width = 1.0 / np.sqrt(rate[g] * np.exp(u) + precision)
            height = total[g] * u - rate[g] * np.exp(u) - 0.5 * precision * u * u
            mass = 0.0
            for q in range(len(nodes)):
                v = u + width * nodes[q]
                at = total[g] * v - rate[g] * np.exp(v) - 0.5 * precision * v * v
                mass += weights[q] * np.exp(at - height + 0.5 * nodes[q] ** 2)
            value += height + np.log(mass * width) - parameters[k, p]
        out[k] = value


class ExactPosterior:
    """The posterior of coefficients and variance, with the effects of the groups integrated out.

    Parameters
    ----------
    X : ndarray of shape (n_rows, p)
        Columns, a constant among them.
    y : ndarray of shape (n_rows,)
        Counts.
    group : ndarray of int of shape (n_rows,)
        Groups, from 0.
    start : ndarray of shape (p + 1,)
        Where to look for the mode: coefficients and log deviation.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, group: np.ndarray, start: np.ndarray) -> None:
        self.rows = X, y.astype(np.float64), group.astype(np.int64), int(group.max()) + 1
        found = minimize(lambda t: -self.log_density(t[None])[0], start, method="BFGS", options={"gtol": 1e-4})
        self.mode = found.x
        self.covariance = np.linalg.inv(self._bend(found.x))

    def log_density(self, parameters: np.ndarray) -> np.ndarray:
        """Log posterior of every row, but for a constant."""
        out = np.empty(len(parameters))
        log_posterior(np.ascontiguousarray(parameters), *self.rows, *normal_nodes(POINTS), PRIOR_SCALE, out)
        return out

    def _bend(self, at: np.ndarray) -> np.ndarray:
        d, h = len(at), 1e-3
        moves = h * np.eye(d)
        points = [
            at + a * moves[i] + b * moves[j] for i in range(d) for j in range(d) for a in (1, -1) for b in (1, -1)
        ]
        values = self.log_density(np.array(points)).reshape(d, d, 2, 2)
        return -(values[..., 0, 0] - values[..., 0, 1] - values[..., 1, 0] + values[..., 1, 1]) / (4 * h * h)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, float, float]:
        """An independence chain from a wide t proposal: draws, share of accepted ones, log evidence."""
        d, root = len(self.mode), np.linalg.cholesky(1.1 * self.covariance)
        normal, chi = rng.standard_normal((n, d)), rng.chisquare(DEGREES, n) / DEGREES
        proposals = self.mode + (normal @ root.T) / np.sqrt(chi)[:, None]
        form = np.sum(normal**2, axis=1) / chi
        log_proposal = -0.5 * (DEGREES + d) * np.log1p(form / DEGREES)
        log_weight = self.log_density(proposals) - log_proposal
        uniform, at = np.log(rng.random(n)), int(np.argmax(log_weight[: n // 10 + 1]))
        chain, accepted = np.empty(n, dtype=np.int64), 0
        for k in range(n):
            if uniform[k] < log_weight[k] - log_weight[at]:
                at, accepted = k, accepted + 1
            chain[k] = at
        return proposals[chain], accepted / n, self._log_evidence(log_weight, root)

    def _log_evidence(self, log_weight: np.ndarray, root: np.ndarray) -> float:
        """Importance sampling of the normalising constant, with the constants of likelihood, priors and proposal."""
        from scipy.special import gammaln

        X, y, *_ = self.rows
        p = X.shape[1]
        largest = log_weight.max()
        mean = largest + np.log(np.mean(np.exp(log_weight - largest)))
        d = p + 1
        proposal = gammaln((DEGREES + d) / 2) - gammaln(DEGREES / 2) - 0.5 * d * np.log(DEGREES * np.pi)
        proposal -= np.log(np.diag(root)).sum()
        prior = np.log(2 / (np.pi * PRIOR_SCALE)) - p * np.log(PRIOR_SCALE) - 0.5 * p * np.log(2 * np.pi)
        # The effects' normal density and the quadrature's share their constants: sqrt(2 pi) each way.
        return float(mean - proposal + prior - gammaln(y + 1).sum())


def accuracy(density, draws: np.ndarray, points: int = 400) -> float:  # type: ignore[no-untyped-def]
    """Equation 11: 100 (1 - half the integral of |q - p|) percent, p a kernel density of draws."""
    kde = gaussian_kde(draws)
    spread = draws.std()
    grid = np.linspace(draws.min() - 2 * spread, draws.max() + 2 * spread, points)
    return float(100 * (1 - 0.5 * np.sum(np.abs(density(grid) - kde(grid))) * (grid[1] - grid[0])))
