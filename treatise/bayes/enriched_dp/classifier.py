"""Two classes by enriched Dirichlet processes of probit models (section 6 of v15-1041)."""

import numpy as np
from scipy.special import ndtr
from sklearn.base import _fit_context
from sklearn.utils.validation import validate_data

from treatise._core.classifier import ProbabilityClassifier, signs_of
from treatise.bayes.enriched_dp._base import NestedMixture
from treatise.bayes.enriched_dp._predictive import probability_of


class EnrichedDPClassifier(ProbabilityClassifier, NestedMixture):
    """Mixture of probit models with nested clusters: probabilities of two classes, with their credible intervals.

    Rows fall into clusters with a probit model each, and inside each into clusters of x, as many of both as the data
    ask for; see :class:`~treatise.bayes.EnrichedDPRegressor`. The posterior is sampled, the latent scores along.

    Use it for tables of some dozen to a few thousand rows with up to some fifty columns, where probabilities are to
    say how sure they are, or where different kinds of rows follow different rules. Do not use it for more than two
    classes, for large tables, or for hundreds of columns.

    A sweep costs ``n (K p + p^2) + k p^3`` for K clusters of x and k of y. Predictions cost about as much as a sweep
    for every draw kept.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import EnrichedDPClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((150, 2))
    >>> y = np.where(X[:, 0] + 0.5 * rng.standard_normal(150) > 0, "yes", "no")
    >>> model = EnrichedDPClassifier(burn_in=300, n_samples=700, random_state=0).fit(X, y)
    >>> model.predict([[-1.0, 0.0], [1.0, 0.0]])
    array(['no', 'yes'], dtype='<U3')
    >>> low, high = model.predict_interval([[1.0, 0.0]])[0]
    >>> bool(low < model.predict_proba([[1.0, 0.0]])[0, 1] < high)
    True

    References
    ----------
    .. [1] Paper v15-1041, section 6.
    """

    _parameter_constraints: dict = {
        key: value for key, value in NestedMixture._parameter_constraints.items() if key != "noise_share"
    }

    def __init__(
        self, alpha_theta=(1.0, 1.0), alpha_psi=(1.0, 1.0), *, prior="auto", column_spread=0.5, n_chains=2,
        burn_in=3000, n_samples=3000, thin=15, n_moves=5, n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        self.alpha_theta = alpha_theta
        self.alpha_psi = alpha_psi
        self.prior = prior
        self.column_spread = column_spread
        self.n_chains = n_chains
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.thin = thin
        self.n_moves = n_moves
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Run the chains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        (signs,) = signs_of(self._code_labels(y), n_classes=2)
        return self._fit_chains(X, signs, probit=True)

    def _joint_log_proba(self, X):
        # Both by themselves: one less the other would lose the digits of small ones.
        Z = self._rows(X)
        found = self._drawn.average(Z, _both)
        return np.log(np.maximum(found, np.finfo(float).tiny))

    def predict_interval(self, X, *, level=0.95):
        """Credible intervals of the probability of the second class, as in Figure 7 of the paper.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        level : float, default=0.95
            Probability.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
        """
        return self._credible_interval(self._rows(X), level, link=ndtr)

    def _invariants(self):
        yield "targets are latent, one for each draw", self._y.ndim == 2

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _both(laws):
    return np.column_stack([probability_of(laws._replace(location=-laws.location)), probability_of(laws)])
