"""Sparse factor models of series (CSLIM of Henao & Winther, JMLR 12:863)."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, within
from treatise.bayesnet.slim._alignment import align_draws
from treatise.bayesnet.slim._base import POSITIVE_INTEGER, SHARE, GibbsEstimator
from treatise.bayesnet.slim._model import factor_model
from treatise.bayesnet.slim._smooth_rows import SmoothChain
from treatise.bayesnet.slim.sampler import sample


class CorrelatedSLIM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GibbsEstimator):
    """Factor analysis of a series with smooth factors and loadings that may be exactly zero, by Gibbs sampling.

    Rows are moments of time. Each factor is a Gaussian process whose smoothness is learned; factors of different
    smoothness are determined up to sign. Loadings have a spike at zero and a slab.

    Use it to find the common courses behind many short series, such as the activities of regulators behind the
    expression of genes, with gaps or at uneven times. Not for independent rows (:class:`SparseFactorModel`), nor for
    series of more than some hundred moments.

    A sweep costs n^3 for each factor and n d K besides; the default is 8 000 sweeps a chain.

    Parameters
    ----------
    n_factors : int or None, default=None
        Number of factors; None takes as many as variables.
    link_mean : float, default=0.9
        Prior mean of the share of loadings of a factor that are there (beta_m).
    allowed : array-like of bool of shape (n_features, n_factors) or None, default=None
        Loadings that may be there, where prior knowledge rules out others.
    n_burn : int, default=2000
        Sweeps of each chain that are thrown away.
    n_samples : int, default=6000
        Sweeps of each chain after that.
    thin : int, default=10
        Every so many of these sweeps is kept as a draw.
    n_chains : int, default=1
        Chains.
    standardize : bool, default=True
        Give each column zero mean and unit variance first, for which the priors are made. False takes X as it is.
    missing : {"error", "mask"}, default="error"
        "mask" takes nan as missing and fits the likelihood of the observed cells.
    n_jobs : int or None, default=None
        Chains that run at the same time, in threads; -1 for all processors.
    verbose : bool or None, default=None
        Whether to show progress; None does on a terminal.
    random_state : int, RandomState instance or None, default=None
        Source of randomness.

    Attributes
    ----------
    loadings_ : ndarray of shape (n_features, n_factors)
        Posterior medians, for standardised variables; largest factors first, each with a positive sum.
    inclusion_probabilities_ : ndarray of shape (n_features, n_factors)
        Posterior probability that each loading is not zero.
    factors_ : ndarray of shape (n_samples, n_factors)
        Posterior medians of the factors over time.
    factor_bands_ : ndarray of shape (2, n_samples, n_factors)
        Their 2.5 and 97.5 per cent quantiles.
    decays_ : ndarray of shape (n_factors,)
        Posterior medians of the rates at which correlation decays with squared time; small ones are smooth.
    noise_var_ : ndarray of shape (n_features,)
        Posterior medians of the noise variances.
    loadings_draws_, noise_draws_, log_likelihood_draws_ : ndarray of shape (n_chains, n_draws, ...)
        Draws, with factors exchanged and turned to match.
    held_out_log_likelihood_ : float
        Posterior median of the log-likelihood of the cells that ``fit`` was told to hold out; 0 where none.
    held_out_draws_ : ndarray of shape (n_chains, n_draws)
        Its draws.
    diagnostics_ : dict
        Largest R-hat and smallest effective sample size of "log_likelihood", "noise" and "weights".
    converged_ : bool
        Whether R-hat is at most 1.1 for all of these; else a warning says so.
    interrupted_ : bool
        Whether sampling was interrupted (Ctrl-C): the draws so far are kept.
    mean_, scale_ : ndarray of shape (n_features,)
        What standardises the columns.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray
        Their names, where X has names.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import CorrelatedSLIM
    >>> rng = np.random.default_rng(0)
    >>> time = np.arange(40)
    >>> courses = np.column_stack([np.sin(time / 3), np.cos(time / 9)])
    >>> X = courses @ [[1.0, 1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 0.0]] + 0.1 * rng.normal(size=(40, 5))
    >>> model = CorrelatedSLIM(2, link_mean=0.5, n_burn=200, n_samples=200, random_state=0).fit(X)
    >>> np.abs(model.loadings_.T).round().astype(int)
    array([[1, 1, 0, 0, 1],
           [0, 0, 1, 1, 0]])

    References
    ----------
    .. [1] Paper v12-0863: Sections 3.4 and 6.7, and Appendices A.3 and A.5.
    """

    _parameter_constraints: dict = {
        **GibbsEstimator._parameter_constraints,
        "n_factors": [POSITIVE_INTEGER, None],
        "link_mean": [SHARE],
        "allowed": ["array-like", None],
    }

    def __init__(
        self, n_factors=None, *, link_mean=0.9, allowed=None, n_burn=2000, n_samples=6000, thin=10, n_chains=1,
        standardize=True, missing="error", n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            n_burn=n_burn, n_samples=n_samples, thin=thin, n_chains=n_chains, standardize=standardize,
            missing=missing, n_jobs=n_jobs, verbose=verbose, random_state=random_state,
        )  # fmt: skip
        self.n_factors = n_factors
        self.link_mean = link_mean
        self.allowed = allowed

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, times=None, held_out=None):
        """Sample the posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The series, one row a moment; nan cells are allowed with ``missing="mask"``.
        y : Ignored
        times : array-like of shape (n_samples,) or None, default=None
            The moments; None counts the rows.
        held_out : array-like of bool of shape (n_samples, n_features) or None, default=None
            Cells that the fit may not see, by whose likelihood models are compared.

        Returns
        -------
        self : CorrelatedSLIM
        """
        X = self._checked(X, reset=True)
        N, d = X.shape
        n_factors = d if self.n_factors is None else self.n_factors
        times = np.arange(N, dtype=float) if times is None else np.asarray(times, dtype=float)
        if times.shape != (N,) or not np.isfinite(times).all():
            raise ValueError(f"times must be {N} finite numbers, one for each row, got an array of shape {times.shape}")
        allowed = None if self.allowed is None else np.asarray(self.allowed, dtype=bool)
        if allowed is not None and allowed.shape != (d, n_factors):
            raise ValueError(f"allowed has shape {allowed.shape}; it must be {(d, n_factors)}, variables by factors")
        data, cells, truth = self._hide(X, held_out)
        model = factor_model(d, n_factors, "laplace", 1.0, self.link_mean, allowed)
        plan, inputs = self._plan(), dict.fromkeys(range(n_factors), times)
        posterior = sample(
            lambda rng: SmoothChain(model, data, cells, truth, plan, rng, inputs=inputs),
            plan, self._random(), "Smooth factors",
        )  # fmt: skip
        self._summarise(posterior)
        return self

    def _summarise(self, posterior):
        best = int(posterior.log_likelihood.argmax())
        self.loadings_draws_, moves = align_draws(posterior.weights, best, exchange=self.allowed is None)
        rows = posterior.smooth.reshape(-1, *posterior.smooth.shape[2:])
        factors = np.stack([row[columns] * signs[:, np.newaxis] for row, (columns, signs) in zip(rows, moves)])
        decays = posterior.decays.reshape(len(rows), -1)
        self.decays_ = np.median([decay[columns] for decay, (columns, _) in zip(decays, moves)], axis=0)
        low, middle, high = np.quantile(factors, [0.025, 0.5, 0.975], axis=0).transpose(0, 2, 1)
        self.factors_, self.factor_bands_ = middle, np.stack([low, high])
        self.loadings_ = np.median(self.loadings_draws_, axis=(0, 1))
        self.inclusion_probabilities_ = (self.loadings_draws_ != 0).mean(axis=(0, 1))
        self.noise_draws_ = posterior.noise
        self.noise_var_ = np.median(posterior.noise, axis=(0, 1))
        self.log_likelihood_draws_, self.held_out_draws_ = posterior.log_likelihood, posterior.held_out
        self.held_out_log_likelihood_ = float(np.median(posterior.held_out))
        self.diagnostics_ = posterior.diagnostics(self.loadings_draws_)
        self._judge_convergence()
        self.interrupted_ = posterior.interrupted

    def _invariants(self):
        d = self.n_features_in_
        yield "loadings are of the columns", is_array(self.loadings_, np.float64, d, None)
        yield "columns have noise", is_array(self.noise_var_, np.float64, d)
        yield "noise is positive", within(self.noise_var_, np.finfo(float).tiny, np.inf)

    @property
    def _n_features_out(self):
        return self.loadings_.shape[1]

    def transform(self, X):
        """Means of the factors given each row by itself, without its neighbours in time.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data. For the rows of the fit ``factors_`` is better: it knows their neighbours.

        Returns
        -------
        factors : ndarray of shape (n_samples, n_factors)
        """
        check_is_fitted(self)
        scaled = self._scaled(self._checked(X, reset=False))
        weighted = self.loadings_ / self.noise_var_[:, np.newaxis]
        inverse = self.loadings_.T @ weighted + np.eye(self.loadings_.shape[1])
        return np.linalg.solve(inverse, weighted.T @ scaled).T
