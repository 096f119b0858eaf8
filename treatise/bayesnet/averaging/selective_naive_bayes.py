"""Naive Bayes on the most probable set of features (Dash & Cooper, JMLR 5:1177)."""

import numpy as np

from treatise.bayesnet.averaging._naive_base import NaiveStructureClassifier


class SelectiveNaiveBayes(NaiveStructureClassifier):
    """Naive Bayes on the single most probable set of features.

    A feature is kept if it is more probable to depend on the class than not. As the features of a naive model are
    judged independently of one another, the set is the most probable of all 2^p. It is the baseline that averaging
    is measured against.

    Use it where the model itself must be small or legible; where only predictions count,
    :class:`AveragedNaiveBayes` costs the same and loses nothing to the choice.

    Costs one pass over the cells, as averaging does.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of every cell for "k2", equivalent sample size for "bdeu".
    parameter_prior : {"k2", "bdeu"}, default="k2"
        Prior of the probabilities: the same pseudo-count in all cells, or one that shrinks with their number.
    structure_prior : float or array-like of shape (n_features,), default=0.5
        Prior probability that a feature depends on the class. At 1 all features are kept.
    discretizer : "mdl", transformer or None, default="mdl"
        What to do with numeric features of more than two values: cut them by class entropy, ask the transformer for
        integers, or take whole numbers for categories.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Features that were kept.
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
        Probabilities of each feature's states within each class; the same in all for one that was not kept.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    AveragedNaiveBayes : All sets of features, each with its probability.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import SelectiveNaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = np.column_stack([np.where(rng.random(200) < 0.3, 1 - y, y), rng.integers(0, 2, 200)])
    >>> SelectiveNaiveBayes().fit(X, y).support_
    array([ True, False])

    References
    ----------
    .. [1] Paper v05-1177: Section 4.2.1.
    """

    def _arc_weights(self, log_odds):
        self.support_ = log_odds > 0
        return self.support_.astype(np.float64)
