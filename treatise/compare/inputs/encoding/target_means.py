"""Many categories: what the target is on average in each, without telling a row its own target."""

from typing import Self

import numpy as np
import polars as pl

from treatise._core.invariants import Invariants, all_alike, is_array
from treatise.compare.inputs.encoding.base import ColumnsEncoder
from treatise.compare.inputs.encoding.frames import Known, as_texts, codes_of

FOLDS = 5
MOST_CLASSES = 50


class TargetMeans(ColumnsEncoder):
    r"""One column: the mean of an amount, or the share of each class, among the rows of the same category.

    A category of :math:`n` rows with mean :math:`\bar y` stands for :math:`(n \bar y + m \mu) / (n + m)`, where
    :math:`\mu` is the mean of all rows and :math:`m` the variance within categories over that between them, so that
    categories which tell nothing all stand for :math:`\mu`. Training rows are cross-fitted: the mean that
    ``fit_transform`` gives a row comes from the other four fifths of the rows. With its own target in it, a rare
    category would repeat the target in training and say nothing of it later.

    Parameters
    ----------
    columns : list of str
        The name, alone.
    random_state : int, default=0
        Seed of the fifths.
    """

    values_ = Known()

    def __init__(self, columns: list[str], random_state: int = 0) -> None:
        super().__init__(columns)
        self.random_state = random_state

    def fit(self, frame: pl.DataFrame, y: np.ndarray | None) -> Self:
        """Learn the means, from all rows."""
        self._learn(frame, np.asarray(y))
        return self

    def transform(self, frame: pl.DataFrame) -> np.ndarray:
        """The means of the rows' categories; that of all rows for a new one."""
        codes = codes_of(as_texts(frame.to_series()), self.values_)
        return np.where((codes >= 0)[:, None], self.means_[codes], self.mean_)

    def fit_transform(self, frame: pl.DataFrame, y: np.ndarray | None) -> np.ndarray:
        """Learn the means from all rows, and give each row that of the others."""
        codes, targets = self._learn(frame, np.asarray(y))
        fold = np.random.default_rng(self.random_state).permutation(len(codes)) % FOLDS
        n_values = len(self.means_)
        cell = fold * n_values + codes
        counts = np.bincount(cell, minlength=FOLDS * n_values).reshape(FOLDS, n_values)
        others = (counts.sum(axis=0) - counts)[fold, codes]
        out = np.empty(targets.shape)
        for j, target in enumerate(targets.T):
            sums = np.bincount(cell, target, FOLDS * n_values).reshape(FOLDS, n_values)
            total = (sums.sum(axis=0) - sums)[fold, codes]
            out[:, j] = _shrunk(total, others, self.mean_[j], self.weight_[j])
        return out

    def _invariants(self) -> Invariants:
        n, targets = len(self.values_), len(self.mean_)
        yield "categories are texts", all_alike(self.values_, str) and len(set(self.values_)) == n > 0
        yield "there are means of all rows", is_array(self.mean_, np.float64, targets)
        yield "categories have means", is_array(self.means_, np.float64, n, targets)
        yield "targets have names", len(self.labels_) in (0, targets) and len(self.columns) == 1

    def names(self) -> list[str]:
        """``NAME: mean of the target``, or ``NAME: share of CLASS``."""
        told = [f"share of {label}" for label in self.labels_] if self.labels_ else ["mean of the target"]
        return [f"{self.columns[0]}: {what}" for what in told]

    def _learn(self, frame: pl.DataFrame, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Learn, and return the rows' categories by number and their targets, one column for each mean."""
        texts = as_texts(frame.to_series())
        values = self.values_ = texts.unique().sort().to_list()
        targets, self.labels_ = target_columns(y)
        codes = codes_of(texts, values)
        counts = np.bincount(codes, minlength=len(values))
        self.mean_ = targets.mean(axis=0)
        self.weight_ = np.empty(targets.shape[1])
        self.means_ = np.empty((len(values), targets.shape[1]))
        for j, target in enumerate(targets.T):
            sums = np.bincount(codes, target, len(counts))
            self.weight_[j] = _prior_weight(target, codes, sums / counts, counts)
            self.means_[:, j] = _shrunk(sums, counts, self.mean_[j], self.weight_[j])
        return codes, targets


def target_columns(y: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """What is averaged: an amount, or for each class (of two the second) whether it is that; and those classes."""
    if y.dtype.kind == "f":
        return y[:, None].astype(float), []
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) == 2:
        return (codes == 1)[:, None].astype(float), [str(labels[1])]
    commonest = np.sort(np.argsort(-np.bincount(codes), kind="stable")[:MOST_CLASSES])
    return (codes[:, None] == commonest).astype(float), [str(labels[j]) for j in commonest]


def _prior_weight(target: np.ndarray, codes: np.ndarray, means: np.ndarray, counts: np.ndarray) -> float:
    """Variance within categories over variance between them, by the moments of a one-way analysis of variance."""
    n, n_values = len(target), len(counts)
    if n_values in (1, n):
        return np.inf
    within = float(((target - means[codes]) ** 2).sum()) / (n - n_values)
    spread = float((counts * (means - target.mean()) ** 2).sum()) / (n_values - 1)
    between = (spread - within) * (n_values - 1) / (n - float((counts**2.0).sum()) / n)
    return within / between if between > 0 else np.inf


def _shrunk(sums: np.ndarray, counts: np.ndarray, mean: float, weight: float) -> np.ndarray:
    if np.isinf(weight):
        return np.full(len(sums), mean)
    rows = counts + weight
    return np.where(rows > 0, (sums + weight * mean) / np.where(rows > 0, rows, 1), mean)
