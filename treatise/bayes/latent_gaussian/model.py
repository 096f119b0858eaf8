"""Latent Gaussian models: Laplace's method and parallel EP, and corrected marginals (Cseke & Heskes; JMLR 12:417)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treatise._core.invariants import finite, is_array
from treatise._core.magnitudes import check_magnitudes
from treatise._core.threads import one_blas_thread
from treatise.bayes.latent_gaussian._checks import checked_constraints, checked_linear, checked_prior
from treatise.bayes.latent_gaussian._corrections import METHODS
from treatise.bayes.latent_gaussian._dense_field import DenseField
from treatise.bayes.latent_gaussian._draws import FieldDraws
from treatise.bayes.latent_gaussian._fields import with_sites, without_sites
from treatise.bayes.latent_gaussian._laplace import laplace
from treatise.bayes.latent_gaussian._marginal_grid import corrected_marginal
from treatise.bayes.latent_gaussian._propagation import propagate
from treatise.bayes.latent_gaussian._sparse_field import SparseField, layout_of
from treatise.bayes.latent_gaussian._terms import Terms
from treatise.bayes.latent_gaussian.likelihoods import NAMED, Likelihood, resolve_likelihood
from treatise.bayes.latent_gaussian.marginal import Marginal


class LatentGaussianModel(FieldDraws, BaseEstimator):
    """Posterior of a Gaussian field seen through non-Gaussian observations, in seconds where MCMC takes hours.

    A hidden field x has a normal prior, given by a sparse precision (random walks, spatial grids and maps, mixed
    models) or a dense covariance (Gaussian processes); each observation tells something about one number of it, or
    about a linear map of it: a count, a yes or no, a return. The posterior is approximated by a normal law, by
    Laplace's method or by expectation propagation (EP), which is more accurate at a few times the price; then each
    marginal of interest is corrected to be skewed or heavy-tailed as it should be. Use it for spatial and
    time-series models, Gaussian processes and latent scores with up to some hundred thousand numbers and few
    hyper-parameters, which :class:`HyperparameterGrid` integrates. Do not use it where the posterior has several
    modes or the prior is not normal, and use MCMC where the far tails decide.

    A sweep of EP costs a sparse Cholesky factor and about twice that for the variances: a third of a second for a
    grid of 40 000 cells; with a dense covariance ``n^3``. A corrected marginal costs n times the points of its grid
    by "ep-fact", and a factor for every point by the methods that are not factorised.

    Parameters
    ----------
    precision : sparse matrix or array of shape (n, n) or None, default=None
        Precision Q of the prior, symmetric positive definite.
    covariance : array of shape (n, n) or None, default=None
        Covariance of the prior; give this or ``precision``.
    likelihood : {"probit", "logit", "poisson", "gaussian", "stochvol", "laplace", "step"}, Likelihood or callable, \
            default="probit"
        Density of an observation given its number u of the field. A callable is ``log_density(y, u)``. Likelihoods
        with parameters are objects, such as ``Poisson(exposure)``. "step" and "laplace" have no derivatives: for EP.
    inference : {"ep", "laplace"}, default="ep"
        The Gaussian approximation.
    linear : sparse matrix or array of shape (n_terms, n), array of int of shape (n_terms,), or None, default=None
        What the observations look at: rows of a matrix U with ``u = U x``, or entries of x by number; None is all
        entries in turn.
    mean : array of shape (n,) or None, default=None
        Mean of the prior; None is zero.
    constraints : tuple (A, e) or None, default=None
        Linear constraints ``A x = e`` that the field satisfies, with A of shape (k, n) of full rank, k small.
    power : float, default=1.0
        Share of a term that EP exchanges at once, above 0 and at most 1; near 0 EP is variational inference.
    damping : float or "auto", default="auto"
        Share of each sweep that EP takes; "auto" halves it where the sites swing.
    n_quad : int, default=40
        Nodes of quadratures.
    tol : float, default=1e-8
        Largest change of a site at the end, in units of its marginal; for Laplace's method, of a number of the field.
    max_iter : int, default=200
        Sweeps of EP, and Newton steps, at most.

    Attributes
    ----------
    mean_, variance_ : ndarray of shape (n,)
        Posterior mean and variance of the field under the Gaussian approximation.
    term_mean_, term_variance_ : ndarray of shape (n_terms,)
        The same of what the observations look at.
    site_precision_, site_shift_ : ndarray of shape (n_terms,)
        a and b of the Gaussian ``exp(b u - a u^2 / 2)`` that stands for each observation.
    log_evidence_ : float
        Log of the probability of the observations (under the constraints); it compares models and hyper-parameters.
    change_ : float
        Change in the last sweep or step.
    n_iter_ : int
        Sweeps or steps.
    converged_ : bool
        Whether ``change_`` is within ``tol``.

    Examples
    --------
    A hidden random walk behind counts:

    >>> import numpy as np
    >>> from treatise.bayes import LatentGaussianModel, random_walk
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.poisson(np.exp(1 + np.sin(np.arange(100) / 10)))
    >>> model = LatentGaussianModel(random_walk(100, precision=50.0), likelihood="poisson").fit(counts)
    >>> model.mean_[[15, 45]].round(2), model.converged_
    (array([2. , 0.6]), True)
    >>> law = model.marginal(45)
    >>> law.quantile([0.025, 0.975]).round(2)
    array([0.15, 1.03])

    References
    ----------
    .. [1] Paper v12-0417: Sections 2 to 4 and Appendix C.
    """

    _parameter_constraints: dict = {
        "precision": ["array-like", "sparse matrix", None],
        "covariance": ["array-like", None],
        "likelihood": [StrOptions(set(NAMED)), Likelihood, callable],
        "inference": [StrOptions({"ep", "laplace"})],
        "linear": ["array-like", "sparse matrix", None],
        "mean": ["array-like", None],
        "constraints": [tuple, None],
        "power": [Interval(Real, 0, 1, closed="right")],
        "damping": [Interval(Real, 0, 1, closed="right"), StrOptions({"auto"})],
        "n_quad": [Interval(Integral, 5, 100, closed="both")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        precision=None,
        *,
        covariance=None,
        likelihood="probit",
        inference="ep",
        linear=None,
        mean=None,
        constraints=None,
        power=1.0,
        damping="auto",
        n_quad=40,
        tol=1e-8,
        max_iter=200,
    ):
        self.precision = precision
        self.covariance = covariance
        self.likelihood = likelihood
        self.inference = inference
        self.linear = linear
        self.mean = mean
        self.constraints = constraints
        self.power = power
        self.damping = damping
        self.n_quad = n_quad
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, y, *, start=None):
        """Approximate the posterior.

        Parameters
        ----------
        y : array-like of shape (n_terms,)
            Observations; one for each row of ``linear``, else one for each entry of the field.
        start : tuple (a, b) or None, default=None
            Sites to begin EP with, such as those of a model with similar hyper-parameters; None begins with
            Laplace's method.

        Returns
        -------
        self
        """
        y = column_or_1d(np.asarray(y, dtype=np.float64))
        if not np.isfinite(y).all():
            raise ValueError("y holds NaN or infinite values; leave unobserved entries out by means of linear")
        check_magnitudes(y, "y")
        likelihood = resolve_likelihood(self.likelihood)
        if self.inference == "laplace" and not likelihood.smooth:
            raise ValueError(
                f"the likelihood {self.likelihood!r} has no second derivative, which inference='laplace' needs; "
                "choose inference='ep'"
            )
        with one_blas_thread(len(y)):
            field = self._field(len(y))
            terms = Terms(likelihood, likelihood.check(y), self.n_quad)
            found = self._approximate(field, terms, start)
        self._y, self._prepared = terms.y, (found.update, terms)
        self._set_result(found)
        return self

    def _field(self, n_terms):
        prior, n = checked_prior(self.precision, self.covariance)
        linear = checked_linear(self.linear, n)
        count = n if linear is None else linear.shape[0]
        if n_terms != count:
            raise ValueError(f"y has {n_terms} entries, and there are {count} terms; the field has {n} entries")
        mean = np.zeros(n) if self.mean is None else column_or_1d(np.asarray(self.mean, dtype=np.float64))
        if mean.shape != (n,) or not np.isfinite(mean).all():
            raise ValueError(f"mean must hold {n} finite numbers, one for each entry of the field")
        constraints = checked_constraints(self.constraints, n)
        if self.covariance is not None:
            return DenseField(prior, mean, linear, constraints)
        layout = layout_of(prior, linear)
        try:
            return SparseField(layout, layout.plan.values_of(prior), prior @ mean, constraints)
        except np.linalg.LinAlgError as error:
            raise ValueError(f"precision is not positive definite ({error}); add a little to its diagonal") from None

    def _approximate(self, field, terms, start):
        if self.inference == "laplace":
            return laplace(field, terms, tol=self.tol, max_iter=self.max_iter)
        if start is not None:
            a, b = (np.asarray(part, dtype=np.float64) for part in start)
            if a.shape != (len(terms.y),) or b.shape != a.shape:
                raise ValueError(f"start must be a pair of arrays of {len(terms.y)} numbers, one for each term")
            begun = with_sites(field, a, b)
        elif terms.likelihood.smooth:
            begun = laplace(field, terms, tol=1e-3, max_iter=50).update
        else:
            begun = without_sites(field)
        settings = {"power": self.power, "damping": self.damping, "tol": self.tol, "max_iter": self.max_iter}
        return propagate(field, terms, begun, **settings)

    def _set_result(self, found):
        update = found.update
        self.mean_, self.variance_ = update.mean.copy(), update.variance.copy()
        self.term_mean_, self.term_variance_ = update.term_mean.copy(), update.term_variance.copy()
        self.site_precision_, self.site_shift_ = update.a.copy(), update.b.copy()
        self.log_evidence_, self.n_iter_ = float(found.log_evidence), found.n_iter
        self.change_, self.converged_ = found.change, found.converged
        if not self.converged_:
            what = "a site" if self.inference == "ep" else "the mode"
            warnings.warn(
                f"after {self.n_iter_} rounds {what} still moves by {self.change_:.2g}, not tol={self.tol:g}; raise "
                "max_iter, or set damping=0.3 where EP swings",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _posterior(self):
        """The approximation and its terms; made anew for a model that comes from a file."""
        check_is_fitted(self)
        if self.__dict__.get("_prepared") is None:
            field = self._field(len(self._y))
            terms = Terms(resolve_likelihood(self.likelihood), self._y, self.n_quad)
            self._prepared = field.update(self.site_precision_, self.site_shift_), terms
        return self._prepared

    def _invariants(self):
        n = len(self._y)
        yield (
            "every observation has a site",
            all(
                is_array(values, np.float64, n) and finite(values)
                for values in (self._y, self.site_precision_, self.site_shift_)
            ),
        )
        yield "the factors are made anew", self.__dict__.get("_prepared") is None

    def forget_factors(self):
        """Free the memory of factors; they are made anew when a marginal asks for them."""
        self._prepared = None

    def __getstate__(self):
        # Factors and plans are made anew: a file holds nothing but numbers.
        state = super().__getstate__()
        return {**state, "_prepared": None} if "_prepared" in state else state

    def marginal(self, i, method=None, *, n_grid=75, power=1.0):
        """The posterior density of one entry of the field.

        Parameters
        ----------
        i : int
            The entry.
        method : str or None, default=None
            For EP one of "ep-g" (the normal marginal), "ep-l" (its own observation as it is), "ep-fact" (all
            observations, one by one; the default), "ep-1step" and "ep-full" (jointly, once or to the end), "ep-opw"
            and "ep-opw-local" (first order, may be negative). For Laplace's method one of "lm-g", "lm-l", "la-fact",
            "la-cm" (as in INLA), "la-cm2" (the default) and "la-tk".
        n_grid : int, default=75
            Points; more are added where the density has not ended.
        power : float, default=1.0
            For "ep-fact" the power of its integrals: 0 gives a lower bound on the correction, n - 1 an upper one.

        Returns
        -------
        marginal : Marginal
        """
        update, terms = self._posterior()
        method = self._method(method)
        if not isinstance(i, Integral) or not -update.field.n <= i < update.field.n:
            raise ValueError(f"entry {i!r} does not exist: the field has {update.field.n}, numbered from 0")
        if n_grid < 9:
            raise ValueError(f"n_grid={n_grid} is too coarse; choose at least 9")
        if not power >= 0:
            raise ValueError(f"power={power} is out of range; choose 0 or more")
        with one_blas_thread(update.field.n):
            return corrected_marginal(update, terms, int(i) % update.field.n, method, n_grid, power)

    def marginals(self, entries=None, method=None, *, n_grid=75):
        """The posterior densities of several entries of the field; parameters as for :meth:`marginal`.

        Parameters
        ----------
        entries : array-like of int or None, default=None
            The entries; None is all of them.
        method, n_grid :
            As for :meth:`marginal`.

        Returns
        -------
        marginals : list of Marginal
        """
        entries = np.arange(len(self._posterior()[0].mean)) if entries is None else np.atleast_1d(entries)
        return [self.marginal(int(i), method, n_grid=n_grid) for i in entries]

    def _method(self, method):
        prefixes = ("ep-",) if self.inference == "ep" else ("lm-", "la-")
        known = [name for name in METHODS if name.startswith(prefixes)]
        if method is None:
            return "ep-fact" if self.inference == "ep" else "la-cm2"
        if method not in known:
            raise ValueError(
                f"method={method!r} does not correct a fit by inference={self.inference!r}; choose one of "
                f"{', '.join(known)}"
            )
        return method

    def predict_latent(self, cross_covariance, prior_variance, *, prior_mean=0.0, method="gaussian", n_grid=75):
        """Numbers of the process at new places, for a prior given by its covariance.

        Parameters
        ----------
        cross_covariance : array of shape (n, n_new)
            Prior covariances of the field and the new numbers.
        prior_variance : array of shape (n_new,)
            Prior variances of the new numbers.
        prior_mean : float or array of shape (n_new,), default=0.0
            Their prior mean.
        method : str, default="gaussian"
            "gaussian" gives means and variances; a method of :meth:`marginal` gives corrected densities, as in
            Section 4.4 of the paper.
        n_grid : int, default=75
            Points of the densities.

        Returns
        -------
        mean, variance : ndarray of shape (n_new,), or a list of Marginal
        """
        update, terms = self._posterior()
        if self.covariance is None or self.constraints is not None:
            raise ValueError(
                "predict_latent needs a prior given by its covariance, without constraints; with a precision, make "
                "the new numbers part of the field, and leave them unobserved by means of linear"
            )
        cross = np.asarray(cross_covariance, dtype=np.float64)
        variance = np.atleast_1d(np.asarray(prior_variance, dtype=np.float64))
        if cross.shape != (update.field.n, len(variance)):
            raise ValueError(f"cross_covariance has shape {cross.shape}, not {(update.field.n, len(variance))}")
        linear = checked_linear(self.linear, update.field.n)
        across = cross if linear is None else linear @ cross
        if method == "gaussian":
            return prior_mean + across.T @ update.pull, variance - update.explained(across)
        means = np.broadcast_to(np.asarray(prior_mean, dtype=np.float64), variance.shape)
        with one_blas_thread(len(terms.y)):
            return [
                self._new_marginal(terms, across[:, k], variance[k], means[k], self._method(method), n_grid)
                for k in range(len(variance))
            ]

    def _new_marginal(self, terms, across, variance, mean, method, n_grid) -> Marginal:
        """The marginal of a number of its own behind the terms, which no observation looks at."""
        update, _ = self._posterior()
        m = len(across)
        joint = np.empty((m + 1, m + 1))
        joint[:m, :m], joint[m, m] = update.field.among, variance
        joint[:m, m] = joint[m, :m] = across
        field = DenseField(joint, np.append(update.field.term_mean, mean), sparse.eye_array(m, m + 1, format="csr"))
        return corrected_marginal(field.update(update.a, update.b), terms, m, method, n_grid)
