"""Naive Bayes averaged over all sets of features (Dash & Cooper, JMLR 5:1177)."""

from scipy.special import expit

from treatise.bayesnet.averaging._naive_base import NaiveStructureClassifier


class AveragedNaiveBayes(NaiveStructureClassifier):
    """Naive Bayes that averages over all 2^p sets of features, exactly, at the price of one fit.

    Every feature either depends on the class or does not. Instead of choosing, the model weighs all combinations
    by their posterior probability; the average is again a naive Bayes model, whose probabilities lie between those
    of the feature within the class and those of the feature alone. Irrelevant features fade out by themselves, and
    :attr:`inclusion_probabilities_` says which matter.

    Use it in place of categorical naive Bayes, above all with irrelevant features or few rows. It keeps the
    naive assumption: dependent copies of one feature count as often as they are there, and features that matter only
    in combination are invisible (see :class:`ModelAveragedClassifier`).

    Costs one pass over the cells, or the stored entries of a sparse X, and the sorting of numeric columns that must
    be cut; memory is one number for each state and class.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of every cell for "k2", equivalent sample size for "bdeu".
    parameter_prior : {"k2", "bdeu"}, default="k2"
        Prior of the probabilities: the same pseudo-count in all cells, as in the paper, or one that shrinks with
        the number of cells, so that an arc may point either way.
    structure_prior : float or array-like of shape (n_features,), default=0.5
        Prior probability that a feature depends on the class; 0.5 makes all sets of features equally probable. At 1
        this is categorical naive Bayes, at 0 the frequencies of the classes.
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values. "mdl" cuts them by class entropy
        (:class:`treatise.statistics.MDLDiscretizer`), a transformer must give one column of integers for each, None
        takes whole numbers for categories. Strings, Booleans and categorical columns are never cut; the categories
        that a column's type declares are states, seen or not.

    Attributes
    ----------
    inclusion_probabilities_ : ndarray of shape (n_features,)
        Posterior probability that each feature depends on the class.
    log_bayes_factors_ : ndarray of shape (n_features,)
        Log marginal likelihood of each feature with the class as its parent less that without.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log probability of each class.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of each class.
    n_states_ : ndarray of int of shape (n_features,)
        Number of states of each feature.
    states_ : list of tuple
        The states of each feature.
    theta_ : list of ndarray of shape (n_classes, n_states)
        Averaged probabilities of each feature's states within each class.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    SelectiveNaiveBayes : The single most probable set of features.
    ModelAveragedClassifier : Averages over networks in which features depend on one another.
    plot_inclusion : The inclusion probabilities as bars.

    Notes
    -----
    Cells may be missing in fitting and in prediction: a feature is a leaf of every structure averaged over, and leaves
    that were not observed drop out exactly, provided that whether a value is missing does not depend on the value.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import AveragedNaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = np.column_stack([np.where(rng.random(200) < 0.3, 1 - y, y), rng.integers(0, 2, 200)])
    >>> model = AveragedNaiveBayes().fit(X, y)
    >>> model.inclusion_probabilities_.round(2)
    array([1.  , 0.15])
    >>> model.predict_proba([[1, 0]]).round(2)
    array([[0.22, 0.78]])

    References
    ----------
    .. [1] Paper v05-1177: Section 3.1, Equation 19.
    """

    def _arc_weights(self, log_odds):
        self.inclusion_probabilities_ = expit(log_odds)
        return self.inclusion_probabilities_
