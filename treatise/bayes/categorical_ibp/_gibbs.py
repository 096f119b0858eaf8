"""Chains of the collapsed Gibbs sampler."""

import numpy as np

from treatise.bayes.categorical_ibp._gibbs_loops import (
    MOST_FEATURES,
    N_FEATURES,
    N_GROUPS,
    VERSION,
    Buffet,
    answer_probabilities,
    sweep_rows,
)
from treatise.bayes.categorical_ibp._laplace_loops import fit_columns
from treatise.bayes.categorical_ibp._table import CodedTable, bits_of, grouped_rows, new_groups
from treatise.statistics.indian_buffet import log_buffet_probability

_KEPT_RATIOS = 2**16


class BuffetChain:
    """One chain: the features of every row.

    Parameters
    ----------
    table : CodedTable
        Answers.
    alpha, sigma2 : float
        Mean number of features of a row, and prior variance of the weights.
    most_new : int
        Features that a row may have for itself.
    Z : ndarray of shape (n_rows, n_features)
        Features at first.
    rng : Generator
        Random numbers.
    """

    def __init__(self, table: CodedTable, alpha: float, sigma2: float, most_new: int, Z: np.ndarray, rng) -> None:
        self.table, self.alpha, self.sigma2, self.rng = table, float(alpha), float(sigma2), rng
        Z = Z[:, Z.any(axis=0)]
        patterns, group_of = grouped_rows(Z)
        n_features = Z.shape[1]
        self.buffet = Buffet(
            table.codes, group_of.astype(np.int64), np.bincount(group_of, minlength=len(patterns)).astype(np.int64),
            np.concatenate([Z.sum(axis=0), np.zeros(MOST_FEATURES - n_features)]).astype(np.int64),
            np.array([len(patterns), n_features, 0]), np.zeros(len(table.n_answers)),
            np.full(_KEPT_RATIOS, -1), np.empty(_KEPT_RATIOS), np.empty(most_new + 1),
        )  # fmt: skip
        counts = table.counts(group_of, len(patterns))
        self.groups = new_groups(table, patterns, counts, n_features)
        self._make_room()
        fit_columns(self.groups, len(patterns), n_features, self.sigma2, self.buffet.evidence)
        self.cells = table.missing
        self.answers = np.zeros((len(self.cells), int(table.n_answers.max())))
        self.n_draws = 0
        self.best, self.best_Z = -np.inf, Z

    @property
    def n_features(self) -> int:
        """Features that some row has."""
        return int(self.buffet.tally[N_FEATURES])

    @property
    def full(self) -> bool:
        """Whether no further feature has room."""
        return self.n_features >= MOST_FEATURES

    def features(self) -> np.ndarray:
        """Features of every row, (n_rows, n_features)."""
        return bits_of(self.groups.patterns[self.buffet.group_of], self.n_features)

    def log_joint(self) -> float:
        """Log prior of the features and log evidence of the answers."""
        used = self.buffet.tally[N_GROUPS]
        Z = bits_of(self.groups.patterns[:used], self.n_features)
        prior = log_buffet_probability(Z, self.alpha, self.buffet.sizes[:used])
        return prior + float(self.buffet.evidence.sum())

    def sweep(self, n_sweeps: int) -> None:
        """Draw the features of all rows so many times."""
        for _ in range(n_sweeps):
            row = 0
            while True:
                row = sweep_rows(self.rng, self.buffet, self.groups, self.sigma2, self.alpha, row)
                if row == len(self.table.codes):
                    break
                self._make_room()

    def draw(self) -> dict[str, float]:
        """What is kept of a draw; the best features so far and the chances of missing cells are kept by the chain."""
        log_joint = self.log_joint()
        if log_joint > self.best:
            self.best, self.best_Z = log_joint, self.features()
        self.n_draws += 1
        if len(self.cells):
            answer_probabilities(self.buffet, self.groups, self.sigma2, self.cells, self.answers)
        n_rows = len(self.table.codes)
        return {
            "log_joint": log_joint,
            "log_evidence": float(self.buffet.evidence.sum()),
            "n_features": float(self.n_features),
            "features_a_row": float(self.buffet.owners.sum()) / n_rows,
        }

    def _make_room(self) -> None:
        """Twice the groups and some more features than there are now."""
        buffet, groups = self.buffet, self.groups
        used, n_features = int(buffet.tally[N_GROUPS]), self.n_features
        capacity = min(2 * used + 64, len(self.table.codes) + 2)
        most = min(n_features + len(buffet.chances) + 3, MOST_FEATURES)
        patterns, counts, sizes = (
            _longer(array, used, capacity) for array in (groups.patterns, groups.counts, buffet.sizes)
        )
        wider = new_groups(self.table, patterns, counts, most)
        wider.weights[:, : n_features + 1] = groups.weights[:, : n_features + 1]
        self.groups = wider
        self.buffet = buffet._replace(sizes=sizes)
        # Numbers of the kept ratios depend on the capacity.
        buffet.keys[:] = -1
        buffet.tally[VERSION] += 1


def _longer(array: np.ndarray, used: int, capacity: int) -> np.ndarray:
    """The entries in use, with zeros behind them."""
    longer = np.zeros((max(capacity, used), *array.shape[1:]), array.dtype)
    longer[:used] = array[:used]
    return longer
