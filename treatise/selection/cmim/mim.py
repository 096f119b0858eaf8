"""Ranking features by mutual information alone (MIM), the plain rival of Fleuret, JMLR 5:1531."""

import numpy as np

from treatise.selection.cmim._base import InformationSelector
from treatise.statistics.entropy import TableInformation


class MIM(InformationSelector):
    """Keep the features that tell most about the class, each looked at alone.

    Use it as the plain ranking that any better selection must beat, or where a later step deals with repetition. Do
    not use it to pick few features among many alike: it picks near copies of the best one; :class:`CMIM` does not.

    Costs one joint count per feature; memory is that of the coded data.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.selection import MIM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> [X.columns[i] for i in MIM(3).fit(X, y).selected_]
    ['worst perimeter', 'worst area', 'worst radius']

    References
    ----------
    .. [1] Paper v05-1531, Section 2.5.2.
    """

    def _select(self, table, target):
        self.scores_ = TableInformation(table).mutual_information(target)
        degrees = (table.n_values - 1) * (target.n_values - 1)
        least = self._least_information(degrees, table.n_samples, table.n_columns)
        ranking = np.argsort(-self.scores_, kind="stable")
        return ranking[self.scores_[ranking] > least[ranking]][: self._most(table)]
