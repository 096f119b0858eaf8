"""Features and answers of rows when the weights are known: exact over all patterns, mean field where there are many."""

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax, logit, softmax

from treatise.bayes.categorical_ibp._table import CodedTable, bits_of
from treatise.bayes.categorical_ibp._variational_loops import LEAST_CHANCE, all_shares, update_rows

MOST_ENUMERATED = 10
"""Features up to which all patterns are gone through."""
_CELLS_AT_ONCE = 2**22
_MOST_ROUNDS = 500


class RowPosterior(NamedTuple):
    """What is known of some rows."""

    features: np.ndarray  # (n_rows, n_features): chances
    answers: list[np.ndarray]  # (n_rows, n_answers) for each column


def posterior_of_rows(table: CodedTable, weights: list[np.ndarray], prevalence: np.ndarray) -> RowPosterior:
    """Chances of features and answers of every row, given its known answers.

    Parameters
    ----------
    table : CodedTable
        Rows.
    weights : list of ndarray of shape (1 + n_features, n_answers)
        Of the constant and the features, for each column.
    prevalence : ndarray of shape (n_features,)
        Chance of each feature before a row is seen.
    """
    if len(prevalence) > MOST_ENUMERATED:
        return _mean_field(table, weights, prevalence)
    Z = bits_of(np.arange(2 ** len(prevalence)), len(prevalence))
    prior = Z @ np.log(prevalence) + (1 - Z) @ np.log1p(-prevalence)
    design = np.column_stack([np.ones(len(Z)), Z])
    logs = [log_softmax(design @ own, axis=1) for own in weights]
    size = max(1, _CELLS_AT_ONCE // len(Z))
    parts = [
        _enumerated(table.codes[first : first + size], Z, prior, logs) for first in range(0, len(table.codes), size)
    ]
    features = np.concatenate([part.features for part in parts])
    return RowPosterior(features, [np.concatenate(own) for own in zip(*(part.answers for part in parts))])


def _enumerated(codes, Z, prior, logs):
    scores = np.tile(prior, (len(codes), 1))
    for column, own in zip(codes.T, logs):
        known = column >= 0
        scores[known] += own.T[column[known]]
    chances = softmax(scores, axis=1)
    return RowPosterior(chances @ Z, [chances @ np.exp(own) for own in logs])


def _mean_field(table, weights, prevalence):
    n_answers = table.n_answers
    phi = np.zeros((len(weights), len(prevalence) + 1, int(n_answers.max())))
    for own, wide in zip(weights, phi):
        wide[:, : own.shape[1]] = own
    nu = np.tile(np.clip(prevalence, LEAST_CHANCE, 1.0 - LEAST_CHANCE), (len(table.codes), 1))
    e = np.exp(phi)
    update_rows(table.codes, n_answers, logit(prevalence), phi, e, nu, _MOST_ROUNDS, 1e-6)
    out = np.zeros((*table.codes.shape, phi.shape[2]))
    all_shares(table.codes, n_answers, phi, e, nu, out)
    return RowPosterior(nu, [out[:, d, :count] for d, count in enumerate(n_answers)])
