"""Topics that predict a number (Algorithm 2 of v15-1073)."""

from numbers import Real

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from treatise._core.invariants import is_number
from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.gibbs_medlda._base import GibbsMedLDA
from treatise.bayes.gibbs_medlda._losses import InsensitiveLoss


class GibbsMedLDARegressor(RegressorMixin, GibbsMedLDA):
    """Topic model of rated documents whose topics are learned to predict the rating.

    Latent Dirichlet allocation explains the words of each document by topics, and support vector regression predicts
    its number from its mean topic; both are learned at once, by Gibbs sampling. Targets are taken in units of their
    standard deviation from their mean, so that their unit and zero do not matter.

    Use it for rated texts, or other counts with a number each, where readable topics are wanted along with the
    prediction. Do not use it for prediction alone: ridge regression on weighted words is better and far quicker.

    A sweep costs n_tokens n_topics + n_topics^3: six million tokens a second at 50 topics on one core.

    Parameters
    ----------
    C : float, default=8.0
        Weight of the loss against the words, the paper's c, which chooses it by cross-validation: with little the words
        alone make the topics, with much the topics fit the training documents alone. 1 to 16 are worth a look.
    epsilon : float, default=0.001
        Errors up to this cost nothing, in standard deviations of the target.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_topics)
        Weight of each topic, in standard deviations of the target.
    intercept_ : float
        Mean of the target.
    target_scale_ : float
        Standard deviation of the target, or one where it is constant.
    losses_ : ndarray of shape (n_burn + n_samples,)
        Mean loss in training after each sweep, in standard deviations of the target.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import GibbsMedLDARegressor
    >>> rng = np.random.default_rng(0)
    >>> share = rng.random(200)
    >>> subject = np.array([[4, 4, 1, 1, 2, 2], [1, 1, 4, 4, 2, 2]]) / 14
    >>> X = np.array([rng.multinomial(60, s * subject[0] + (1 - s) * subject[1]) for s in share])
    >>> model = GibbsMedLDARegressor(4, random_state=0).fit(X, 10 * share)
    >>> model.score(X, 10 * share) > 0.5
    True

    References
    ----------
    .. [1] Paper v15-1073, Algorithm 2, equations 17 to 20.
    """

    _parameter_constraints: dict = {
        **GibbsMedLDA._parameter_constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, n_topics=None, *, C=8.0, epsilon=1e-3, alpha=1.0, beta=0.01, prior_var=1.0, n_burn=30, n_samples=20,
        n_infer_burn=20, n_infer_samples=20, tokens_per_row=None, verbose=None, random_state=None,
    ):  # fmt: skip
        self.n_topics = n_topics
        self.C = C
        self.epsilon = epsilon
        self.alpha = alpha
        self.beta = beta
        self.prior_var = prior_var
        self.n_burn = n_burn
        self.n_samples = n_samples
        self.n_infer_burn = n_infer_burn
        self.n_infer_samples = n_infer_samples
        self.tokens_per_row = tokens_per_row
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn topics and regression together.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of words; documents without one teach nothing.
        y : array-like of shape (n_documents,)
            Targets.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        y = y.astype(np.float64)
        check_magnitudes(y, "y")
        self.intercept_ = float(y.mean())
        self.target_scale_ = float(y.std()) or 1.0
        numbers = ((y - self.intercept_) / self.target_scale_)[:, np.newaxis]
        return self._fit_topics(X, 1, lambda told: InsensitiveLoss(numbers[told], self.C, self.epsilon))

    def predict(self, X):
        """Predicted targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_words)
            Counts of the same words.

        Returns
        -------
        y : ndarray of shape (n_documents,)
        """
        shares = self.transform(X)
        return self.intercept_ + self.target_scale_ * (shares @ self.coef_[0])

    def _invariants(self):
        yield "there is one score", len(self.coef_) == 1
        yield "the target has a mean and a unit", is_number(self.intercept_) and is_number(self.target_scale_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
