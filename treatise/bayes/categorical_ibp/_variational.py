"""Variational inference with a truncated number of features (section 4)."""

import warnings
from contextlib import nullcontext, suppress

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from treatise._core.progress import progress
from treatise.bayes.categorical_ibp._table import CodedTable
from treatise.bayes.categorical_ibp._variational_loops import LEAST_CHANCE, all_shares, update_columns, update_rows
from treatise.statistics.indian_buffet import BuffetSticks

_TRIAL_ROWS, _TRIAL_SWEEPS = 5000, 20
_ONCE = 0.0
"""Tolerance with which a row's chances are all updated in every round."""


class VariationalFeatures:
    """A factorised posterior of features, weights and sticks, and the bound that it attains.

    Parameters
    ----------
    table : CodedTable
        Answers.
    alpha, sigma2 : float
        Mean number of features of a row, and prior variance of the weights.
    nu : ndarray of shape (n_rows, n_features)
        Chances of the features at first.
    """

    def __init__(self, table: CodedTable, alpha: float, sigma2: float, nu: np.ndarray) -> None:
        self.table, self.sigma2 = table, float(sigma2)
        self.nu = np.clip(np.asarray(nu, dtype=np.float64), LEAST_CHANCE, 1.0 - LEAST_CHANCE)
        n_features, n_answers = self.nu.shape[1], table.n_answers
        shape = (len(n_answers), n_features + 1, int(n_answers.max()))
        self.phi, self.variance = np.zeros(shape), np.full(shape, min(self.sigma2, 0.1))
        self.e = np.exp(self.phi + 0.5 * self.variance)
        self.sticks = BuffetSticks(n_features, alpha)
        self.update_sticks()

    def update_sticks(self) -> None:
        """The multinomial and Beta distributions of the sticks, a few times by turns."""
        owners, n_rows = self.nu.sum(axis=0), len(self.nu)
        for _ in range(5):
            self.sticks.update(owners, n_rows)

    def update_weights(self) -> None:
        """The normal distributions of all weights."""
        by_feature = np.ascontiguousarray(self.nu.T)
        update_columns(self.table.codes, self.table.n_answers, self.sigma2, by_feature, self.phi, self.variance, self.e)

    def update_features(self) -> float:
        """The chances of all features; returns the bound before."""
        before = self._prior_bound()
        return before + update_rows(
            self.table.codes, self.table.n_answers, self.sticks.log_odds(), self.phi, self.e, self.nu, 1, _ONCE
        )  # fmt: skip

    def bound(self) -> float:
        """Lower bound on the log evidence of the table."""
        return self._prior_bound() + update_rows(
            self.table.codes, self.table.n_answers, self.sticks.log_odds(), self.phi, self.e, self.nu, 0, _ONCE
        )  # fmt: skip

    def _prior_bound(self) -> float:
        """What sticks and weights add to the bound."""
        used = np.arange(self.phi.shape[2]) < self.table.n_answers[:, np.newaxis]
        used = np.broadcast_to(used[:, np.newaxis], self.phi.shape)
        phi, variance = self.phi[used], self.variance[used]
        weights = 0.5 * (1.0 + np.log(variance / self.sigma2) - (phi**2 + variance) / self.sigma2).sum()
        return float(weights) + self.sticks.bound(self.nu.sum(axis=0), len(self.nu))

    def run(
        self, max_iter: int, tol: float, show: bool | None = None, *, keep_interrupted: bool = True
    ) -> tuple[np.ndarray, bool]:
        """Sweeps until the bound rises by less than a share ``tol`` of itself; the bounds, and whether it did.

        An interrupt ends them too, with what was found until then if it is to be kept.
        """
        bounds: list[float] = []
        settled = False
        kept = suppress(KeyboardInterrupt) if keep_interrupted else nullcontext()
        with progress("CategoricalIBP", max_iter, show=show) as advance, kept:
            while not settled and len(bounds) < max_iter:
                self.update_sticks()
                self.update_weights()
                bounds.append(self.update_features())
                settled = len(bounds) > 1 and bounds[-1] - bounds[-2] < tol * abs(bounds[-1])
                advance(1)
        return np.array([*bounds, self.bound()]), settled

    def answers(self, cells: np.ndarray) -> np.ndarray:
        """Chances of the answers of some cells, (n_cells, most answers)."""
        rows, place = np.unique(cells[:, 0], return_inverse=True)
        codes = self.table.codes[rows]
        out = np.zeros((*codes.shape, self.phi.shape[2]))
        all_shares(codes, self.table.n_answers, self.phi, self.e, self.nu[rows], out)
        return out[place, cells[:, 1]]


def best_start(table: CodedTable, alpha: float, sigma2: float, most_features: int, seed: int) -> np.ndarray:
    """Chances of features to start from: as many parts of the answers as give the best bound after a few sweeps.

    The ascent seldom lets go of a feature that explains two, nor joins two that explain one, so the number at the start
    matters. Numbers are tried on some rows, each by a half more than the one before.
    """
    rows = np.random.default_rng(seed).permutation(len(table.codes))[:_TRIAL_ROWS]
    trial = table._replace(codes=np.ascontiguousarray(table.codes[np.sort(rows)]))
    bounds, n_features = {}, 1
    while True:
        model = VariationalFeatures(trial, alpha, sigma2, parts_of_answers(trial, n_features, seed))
        bounds[n_features] = model.run(_TRIAL_SWEEPS, 1e-5, False, keep_interrupted=False)[0][-1]
        if n_features == most_features:
            break
        n_features = min(max(n_features + 1, int(1.5 * n_features)), most_features)
    return parts_of_answers(table, max(bounds, key=bounds.__getitem__), seed)


def parts_of_answers(table: CodedTable, n_features: int, seed: int) -> np.ndarray:
    """Chances of features to start from: non-negative parts of the answers that differ from the usual one.

    A chance is the part's weight in the row over its largest, and never below 0.05 or above 0.95.
    """
    columns = []
    for d, n_answers in enumerate(table.n_answers):
        known = table.codes[:, d] >= 0
        usual = np.bincount(table.codes[known, d], minlength=n_answers).argmax()
        columns += [table.codes[:, d] == r for r in range(n_answers) if r != usual]
    rare = np.column_stack(columns).astype(np.float64)
    rank = max(1, min(n_features, *rare.shape))
    with warnings.catch_warnings():
        # A start need not be a factorisation to the last digit, and the user has no way to make it one.
        warnings.simplefilter("ignore", ConvergenceWarning)
        parts = NMF(rank, init="nndsvda", max_iter=100, tol=1e-3, random_state=seed).fit_transform(rare)
    top = parts.max(axis=0)
    found = np.zeros((len(rare), n_features))
    found[:, :rank] = parts / np.where(top > 0.0, top, 1.0)
    return np.clip(found[:, np.argsort(-found.sum(axis=0), kind="stable")], 0.05, 0.95)
