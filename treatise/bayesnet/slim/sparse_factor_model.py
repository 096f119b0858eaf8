"""Sparse identifiable factor models (Henao & Winther, JMLR 12:863)."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array
from treatise.bayesnet.slim._alignment import align_draws
from treatise.bayesnet.slim._base import (
    POSITIVE,
    POSITIVE_INTEGER,
    SHARE,
    DensityScoreMixin,
    GibbsEstimator,
)
from treatise.bayesnet.slim._density import log_densities, log_mean, spread
from treatise.bayesnet.slim._loops import LAPLACE
from treatise.bayesnet.slim._model import factor_model
from treatise.bayesnet.slim.sampler import Chain, sample

MOST_ORDERS = 100
"""Orders that are kept of a search, the most frequent ones."""


class SparseFactorModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DensityScoreMixin, GibbsEstimator):
    """Factor analysis with heavy-tailed factors and loadings that may be exactly zero, by Gibbs sampling.

    Each variable is a weighted sum of independent factors and Gaussian noise. Factors have Laplace or Student tails, so
    that their axes are determined by the data up to exchange and sign, and loadings have a spike at zero and a slab, so
    that each comes with the probability of being there.

    Use it to ask which hidden sources act on which of up to some tens of variables, and how sure that is; as density
    model; or with ``search_orders`` for orders under which the loadings are triangular, which a DAG needs
    (:class:`SLIM` does that and the rest). Do not use it on Gaussian data, whose factors have no axes to find; where a
    point estimate will do, FastICA takes a thousandth of the time.

    A sweep costs n d K for d variables and K factors (about 0.1 ms for 500 rows, 5 variables and 5 factors); the
    default is 15 000 sweeps a chain. Memory is that of the kept draws, d K numbers each.

    Parameters
    ----------
    n_factors : int or None, default=None
        Number of factors; None takes as many as variables.
    latent : {"laplace", "student"}, default="laplace"
        Distribution of the factors.
    dof : float, default=1.0
        Degrees of freedom of "student"; 1 is Cauchy, and very many make the factors Gaussian.
    link_mean : float, default=0.9
        Prior mean of the share of loadings of a factor that are there (beta_m); the paper's value for factor models.
    search_orders : bool, default=False
        Search for orders of the variables under which the loadings are triangular. Needs at least as many factors as
        variables; columns beyond that stay free.
    n_order_moves : int, default=10
        Metropolis moves of the order after each sweep.
    n_burn : int, default=5000
        Sweeps of each chain that are thrown away.
    n_samples : int, default=10000
        Sweeps of each chain after that.
    thin : int, default=10
        Every so many of these sweeps is kept as a draw.
    n_chains : int, default=2
        Chains, each from a random rotation of the whitened data; more of them tell whether they agree.
    standardize : bool, default=True
        Give each column zero mean and unit variance first, for which the priors are made. False takes X as it is.
    missing : {"error", "mask"}, default="error"
        "mask" takes nan as missing and fits the likelihood of the observed cells.
    n_jobs : int or None, default=None
        Chains that run at the same time, in threads; -1 for all processors. Draws do not depend on it.
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
    noise_var_ : ndarray of shape (n_features,)
        Posterior medians of the noise variances.
    loadings_draws_ : ndarray of shape (n_chains, n_draws, n_features, n_factors)
        Draws, with factors exchanged and turned to match.
    noise_draws_ : ndarray of shape (n_chains, n_draws, n_features)
        Draws of the noise variances.
    log_likelihood_draws_ : ndarray of shape (n_chains, n_draws)
        Log-likelihood of the standardised training data, given the factors of each draw.
    held_out_log_likelihood_ : float
        Posterior median of the log-likelihood of the cells that ``fit`` was told to hold out; 0 where none.
    held_out_draws_ : ndarray of shape (n_chains, n_draws)
        Its draws.
    order_candidates_ : ndarray of shape (n_orders, n_features)
        With ``search_orders``: orders visited, causes first, the most frequent first; at most 100.
    order_counts_ : ndarray of int of shape (n_orders,)
        Sweeps that ended with each.
    n_orders_visited_ : int
        Number of all distinct ones.
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

    See Also
    --------
    SLIM : Orders, DAGs and their comparison with the factor model.
    CorrelatedSLIM : Factors that are smooth in time.

    Notes
    -----
    The printed conditionals are repaired: the mean of a factor (Equation 14) carries its variance, the odds of a
    loading (Equation 17) have its slab's deviation where the paper prints that of the noise, and the shape of the noise
    (Equation 13) counts loadings in the slab only. The probability eta of each link is integrated over, so that its
    precision alpha_p has no part.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayesnet import SparseFactorModel
    >>> rng = np.random.default_rng(0)
    >>> factors = rng.laplace(size=(400, 2))
    >>> X = factors @ [[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]] + 0.3 * rng.normal(size=(400, 4))
    >>> model = SparseFactorModel(2, link_mean=0.5, n_burn=200, n_samples=400, random_state=0).fit(X)
    >>> np.abs(model.loadings_.T).round(1)
    array([[0. , 0.5, 0.7, 0.7],
           [0.7, 0.5, 0. , 0. ]])

    References
    ----------
    .. [1] Paper v12-0863: Sections 3.1 to 3.3, and Appendix A.
    """

    _parameter_constraints: dict = {
        **GibbsEstimator._parameter_constraints,
        "n_factors": [POSITIVE_INTEGER, None],
        "latent": [StrOptions({"laplace", "student"})],
        "dof": [POSITIVE],
        "link_mean": [SHARE],
        "search_orders": ["boolean"],
        "n_order_moves": [POSITIVE_INTEGER],
    }

    def __init__(
        self, n_factors=None, *, latent="laplace", dof=1.0, link_mean=0.9, search_orders=False,
        n_order_moves=10, n_burn=5000, n_samples=10000, thin=10, n_chains=2, standardize=True, missing="error",
        n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            n_burn=n_burn, n_samples=n_samples, thin=thin, n_chains=n_chains, standardize=standardize,
            missing=missing, n_jobs=n_jobs, verbose=verbose, random_state=random_state,
        )  # fmt: skip
        self.n_factors = n_factors
        self.latent = latent
        self.dof = dof
        self.link_mean = link_mean
        self.search_orders = search_orders
        self.n_order_moves = n_order_moves

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, held_out=None):
        """Sample the posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data; nan cells are allowed with ``missing="mask"``.
        y : Ignored
        held_out : array-like of bool of shape (n_samples, n_features) or None, default=None
            Cells that the fit may not see, by whose likelihood models are compared.

        Returns
        -------
        self : SparseFactorModel
        """
        X = self._checked(X, reset=True)
        d = X.shape[1]
        n_factors = d if self.n_factors is None else self.n_factors
        if self.search_orders and n_factors < d:
            raise ValueError(f"n_factors={n_factors} is too few to search orders of {d} variables; choose {d} or more")
        data, cells, truth = self._hide(X, held_out)
        model = self._linear_model(d, n_factors)
        moves = self.n_order_moves if self.search_orders and d > 1 else 0
        plan = self._plan(n_order_moves=moves)
        random = self._random()
        posterior = sample(lambda rng: Chain(model, data, cells, truth, plan, rng), plan, random, "Sparse factor model")
        self._summarise(posterior)
        self._density_seed = int(random.randint(2**31))
        if self.search_orders:
            self._rank_orders(posterior.orders if d > 1 else np.zeros((1, 1), np.int64))
        return self

    def _linear_model(self, n_variables, n_factors):
        return factor_model(n_variables, n_factors, self.latent, self.dof, self.link_mean)

    def _summarise(self, posterior):
        self.loadings_draws_, _ = align_draws(posterior.weights, int(posterior.log_likelihood.argmax()))
        self.noise_draws_ = posterior.noise
        self.loadings_ = np.median(self.loadings_draws_, axis=(0, 1))
        self.inclusion_probabilities_ = (self.loadings_draws_ != 0).mean(axis=(0, 1))
        self.noise_var_ = np.median(posterior.noise, axis=(0, 1))
        self.log_likelihood_draws_ = posterior.log_likelihood
        self.held_out_draws_ = posterior.held_out
        self.held_out_log_likelihood_ = float(np.median(posterior.held_out))
        self.diagnostics_ = posterior.diagnostics(self.loadings_draws_)
        self._judge_convergence()
        self.interrupted_ = posterior.interrupted

    def _rank_orders(self, ranks):
        """The orders visited, by the number of sweeps that ended with each."""
        distinct, counts = np.unique(ranks, axis=0, return_counts=True)
        by_count = np.argsort(-counts, kind="stable")[:MOST_ORDERS]
        self.order_candidates_ = np.argsort(distinct[by_count], axis=1)
        self.order_counts_ = counts[by_count]
        self.n_orders_visited_ = len(counts)

    def transform(self, X):
        """Means of the factors given each row.

        They are those of a variational approximation at the posterior medians of loadings and noise: Gaussian factors
        whose variances adapt to the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        factors : ndarray of shape (n_samples, n_factors)
        """
        check_is_fitted(self)
        scaled = self._scaled(self._checked(X, reset=False))
        return source_means(scaled.T, self.loadings_, self.noise_var_, self._linear_model(*self.loadings_.shape))

    def log_likelihood_of(self, X):
        """Log-likelihood of new rows under each of some posterior draws, in the units of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that were not used in the fit.

        Returns
        -------
        draws : ndarray of shape (n_draws,)
            At most 100 draws, evenly spaced over the chains. Their median is what models are compared by.
        """
        return self._log_densities(X).sum(axis=1)

    def score_samples(self, X):
        """Log of the predictive density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        density : ndarray of shape (n_samples,)
        """
        return log_mean(self._log_densities(X))

    def _invariants(self):
        d, draws = self.n_features_in_, self.loadings_draws_
        factors = self.loadings_.shape[1]
        yield "loadings are of the columns", is_array(self.loadings_, np.float64, d, None)
        yield "draws have a loading for each factor", is_array(draws, np.float64, None, None, d, factors)
        yield "draws have noise", is_array(self.noise_draws_, np.float64, *draws.shape[:2], d)
        yield "there are draws", draws.shape[0] * draws.shape[1] > 0

    @property
    def _n_features_out(self):
        return self.loadings_.shape[1]

    def _log_densities(self, X):
        check_is_fitted(self)
        scaled = self._scaled(self._checked(X, reset=False))
        model = self._linear_model(*self.loadings_.shape)
        weights, noise = spread(self.loadings_draws_), spread(self.noise_draws_)
        return log_densities(model, weights, noise, scaled, self._density_seed) - np.log(self.scale_).sum()


_MOST_NUMBERS = 2**22


def source_means(X, loadings, noise, model, *, tol=1e-8, max_iter=200):
    """Means of the sources of each row of ``X`` (n, d), (n, m).

    Variational: Gaussian sources, with the precisions that the scale mixtures give to their second moments. Each step
    raises the bound on the likelihood; rows are independent of one another.
    """
    m = loadings.shape[1]
    gram = loadings.T @ (loadings / noise[:, np.newaxis])
    target = (X / noise) @ loadings
    means = np.zeros_like(target)
    precision = np.ones_like(target)
    step = max(1, _MOST_NUMBERS // (m * m))
    for first in range(0, len(X), step):
        moving = np.arange(first, min(first + step, len(X)))
        for _ in range(max_iter):
            covariance = np.linalg.inv(gram + precision[moving, :, np.newaxis] * np.eye(m))
            mean = np.einsum("njk,nk->nj", covariance, target[moving])
            second = mean**2 + np.diagonal(covariance, axis1=1, axis2=2)
            laplace = model.tail / np.sqrt(second)
            student = (model.tail + 1.0) / (model.tail + second)
            precision[moving] = np.where(model.kind == LAPLACE, laplace, student)
            change = np.abs(mean - means[moving]).max(axis=1)
            means[moving] = mean
            moving = moving[change > tol]
            if len(moving) == 0:
                break
    return means
