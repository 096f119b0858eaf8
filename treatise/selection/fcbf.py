"""The fast correlation-based filter (Yu & Liu, JMLR 5:1205)."""

import math
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise.selection._base import SLACK, DiscreteSelector
from treatise.statistics.entropy import TableInformation


class FCBF(DiscreteSelector):
    """Keep the features that tell most about the class, less those that a better one already covers.

    Features are ranked by their symmetrical uncertainty with the class. Then each in turn, if still there,
    removes every later feature that depends on it at least as much as on the class: the better one is an
    approximate Markov blanket of the other. No learner is involved, so that the result serves any.

    Use it first on tables of hundreds to hundreds of thousands of features, many of them irrelevant or
    repeated: expression arrays, spectra, words, molecules. Do not use it where features matter only in
    combination: it looks at one or two at a time, and drops both parts of an exclusive or.

    Costs one joint count per feature, and one per pair that is compared: as many pairs as features where
    one feature covers all, p (p - 1) / 2 at worst, about p log p on noise. A joint count takes n / 64 words
    for binary features, the stored rows of sparse ones. Memory is that of the coded data, which is smaller
    than X.

    Parameters
    ----------
    threshold : float or "log", default=0.0
        Relevance that a feature must exceed. The default is the paper's: safe, and slowest. "log" keeps
        the ``floor(p / log2(p))`` most relevant features only: faster, and too strict where many weak
        features matter.
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values. "mdl" cuts them by class entropy, as the
        paper does (:class:`treatise.statistics.MDLDiscretizer`). A transformer must give one column of
        integers for each feature, such as ``KBinsDiscretizer(encode="ordinal")``. None takes integers for
        categories and refuses fractions. Strings, Booleans and categorical columns are never cut.
    measure : {"su", "mi"}, default="su"
        Symmetrical uncertainty, or mutual information in bits, which favours features of many values.
    n_features : int or None, default=None
        Most features to keep; the best are kept. None keeps all that pass.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Dependence of each feature on the class.
    threshold_ : float
        Relevance in force: that of the last feature kept for "log".
    relevant_ : ndarray of bool, of shape (n_features,)
        Features that passed the threshold.
    selected_ : ndarray of int
        Features kept, most relevant first.
    support_ : ndarray of bool, of shape (n_features,)
        The same as a mask.
    blanket_ : ndarray of int, of shape (n_features,)
        For each feature that was removed as redundant, the one that covers it; -1 for all others.
    n_pair_evaluations_ : int
        Pairs of features compared.
    classes_ : ndarray
        The classes seen.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    plot_relevance : The scores as bars, with the reason why each feature went.
    CFSForward : Judges sets of features; slower, and keeps more.

    Notes
    -----
    The paper does not give the base of the logarithm of "log", nor the side on which the feature at the
    threshold falls; base 2, with that feature kept, gives its published selections. Ties in relevance are
    broken by the order of the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.selection import FCBF
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = FCBF().fit(X, y)
    >>> len(selector.selected_), [X.columns[i] for i in selector.selected_[:3]]
    (7, ['worst perimeter', 'worst concave points', 'radius error'])

    References
    ----------
    .. [1] Paper v05-1205: Definitions 5-8, and the algorithm of Figure 4.
    """

    _parameter_constraints: dict = {
        **DiscreteSelector._parameter_constraints,
        "threshold": [Interval(Real, 0, None, closed="left"), StrOptions({"log"})],
        "measure": [StrOptions({"su", "mi"})],
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, threshold=0.0, *, discretizer="mdl", measure="su", n_features=None):
        self.threshold = threshold
        self.discretizer = discretizer
        self.measure = measure
        self.n_features = n_features

    def _select(self, table, target):
        information = TableInformation(table)
        dependence = {"su": information.symmetrical_uncertainty, "mi": information.mutual_information}[self.measure]
        self.scores_ = dependence(target)
        remaining = self._relevant_in_order()
        self.blanket_ = np.full(table.n_columns, -1)
        self.n_pair_evaluations_ = 0
        selected = []
        while len(remaining):
            predominant, rest = remaining[0], remaining[1:]
            selected.append(predominant)
            if len(selected) == self.n_features:
                break
            # Line 13 of Figure 4: SU_ij >= SU_ic, with the relevance of the candidate, not of the reference.
            shared = dependence(table.variable(predominant), rest)
            covered = shared >= self.scores_[rest] - SLACK
            self.blanket_[rest[covered]] = predominant
            self.n_pair_evaluations_ += len(rest)
            remaining = rest[~covered]
        return selected

    def _relevant_in_order(self):
        """The relevant features by decreasing relevance (lines 2-7 of Figure 4)."""
        ranking = np.argsort(-self.scores_, kind="stable")
        if self.threshold == "log":
            p = len(ranking)
            ranking = ranking[: max(1, int(p / math.log2(p))) if p > 1 else 1]
            self.threshold_ = float(self.scores_[ranking[-1]])
            ranking = ranking[self.scores_[ranking] > SLACK]
        else:
            self.threshold_ = float(self.threshold)
            ranking = ranking[self.scores_[ranking] > self.threshold_ + SLACK]
        self.relevant_ = np.zeros(len(self.scores_), dtype=bool)
        self.relevant_[ranking] = True
        return ranking

    def _why_none(self):
        return (
            f"the most relevant has a score of {self.scores_.max():.4g}, which does not exceed "
            f"the threshold {self.threshold_:.4g}; lower it, or see whether y depends on X at all"
        )
