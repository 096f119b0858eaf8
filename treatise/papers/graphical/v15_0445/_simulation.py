"""The simulations of section 6 of v15-0445: curves over lam1 at fixed lam2, read off at equal numbers of edges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treatise.datasets import PerturbedGraphs
from treatise.graphical import CoHubGraphs, NodePerturbationGraphs
from treatise.optimize import logdet_prox, minimize_on_subspace, soft_threshold, solve_graphical_lasso

_TOLERANCE = 1e-4
"""Relative residuals: the paper's own stopping rule; curves do not change visibly below it."""


@dataclass(frozen=True)
class Method:
    """A learner of both graphs with the penalty lam2 fixed, in units of the number of rows."""

    name: str
    lam2: float

    def precisions(self, S: np.ndarray, n: float, lam1: float) -> np.ndarray:
        """The two estimates for a penalty lam1, also in units of the rows."""
        if self.name == "GL":
            return np.stack([solve_graphical_lasso(C, np.full(C.shape, lam1), tol=1e-4).precision for C in S])
        if self.name == "GGL":
            return _group_graphical_lasso(S, lam1, self.lam2)
        # FGL charges |difference| on ordered pairs; the norm with q=1 is half of that sum.
        learner = {
            "PNJGL": NodePerturbationGraphs(lam1 * n, self.lam2 * n, tol=_TOLERANCE),
            "FGL": NodePerturbationGraphs(lam1 * n, 2 * self.lam2 * n, q=1, tol=_TOLERANCE),
            "CNJGL": CoHubGraphs(lam1 * n, self.lam2 * n, tol=_TOLERANCE),
        }[self.name]
        return np.asarray(learner.fit_covariances(S, [n, n]).precision_)


@dataclass(frozen=True)
class Curve:
    """Metrics of Table 1 along lam1: positive edges, true positive edges, error off the diagonal."""

    edges: np.ndarray
    true_edges: np.ndarray
    error: np.ndarray

    def at(self, edges: float) -> tuple[float, float]:
        """True edges and error at a number of edges, between neighbours; not a number beyond the curve's ends."""
        order = np.argsort(self.edges)
        ends = {"left": np.nan, "right": np.nan}
        return (
            float(np.interp(edges, self.edges[order], self.true_edges[order], **ends)),
            float(np.interp(edges, self.edges[order], self.error[order], **ends)),
        )


def trace_curve(method: Method, data: PerturbedGraphs, penalties: Sequence[float]) -> Curve:
    """One method on one draw, over penalties lam1 in units of the rows."""
    S = np.stack([np.cov(table.T, bias=True) for table in data.tables])
    upper = np.triu_indices(S.shape[-1], 1)
    truth = data.precisions[:, upper[0], upper[1]]
    points = []
    for lam1 in penalties:
        found = method.precisions(S, float(len(data.tables[0])), lam1)[:, upper[0], upper[1]]
        kept = np.abs(found) > 1e-6
        points.append((kept.sum(), (kept & (truth != 0)).sum(), np.linalg.norm(found - truth, axis=1).sum()))
    return Curve(*np.array(points, dtype=float).T)


def mean_at(curves: Sequence[Curve], edges: float) -> tuple[float, float]:
    """True edges and error at a number of edges, mean over the draws."""
    values = np.array([curve.at(edges) for curve in curves])
    return float(values[:, 0].mean()), float(values[:, 1].mean())


def _group_graphical_lasso(S: np.ndarray, lam1: float, lam2: float) -> np.ndarray:
    """Danaher's group graphical lasso: entries off the diagonal are kept or dropped in both conditions together."""
    K, p, _ = S.shape
    off = ~np.eye(p, dtype=bool)

    def prox(v: np.ndarray, rho: float) -> np.ndarray:
        thin = soft_threshold(v[K:], lam1 / rho)
        length = np.sqrt((thin**2).sum(axis=0))
        shrink = np.where(off, np.maximum(1 - lam2 / rho / np.where(length > 0, length, np.inf), 0.0), 1.0)
        shrink = np.where(off & (length == 0), 0.0, shrink)
        return np.concatenate([logdet_prox(v[:K] - S / rho, np.full(K, 1 / rho)), thin * shrink])

    def project(v: np.ndarray) -> np.ndarray:
        middle = (v[:K] + v[K:]) / 2
        middle = (middle + np.swapaxes(middle, 1, 2)) / 2
        return np.concatenate([middle, middle])

    alone = np.zeros_like(S)
    on = np.arange(p)
    alone[:, on, on] = 1 / (S[:, on, on] + lam1)
    start = np.concatenate([alone, alone])
    rho = 1.0 / float(np.mean(alone[:, on, on] ** 2))
    return np.asarray(minimize_on_subspace(prox, project, start, rho=rho, tol=_TOLERANCE).x[K:])
