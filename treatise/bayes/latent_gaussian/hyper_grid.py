"""Hyper-parameters of a latent Gaussian model, integrated over a grid around their mode (paper v12-0417, Section 5)."""

import warnings
from itertools import product
from numbers import Integral, Real

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from treatise._core.progress import progress
from treatise.bayes.latent_gaussian.marginal import Marginal

_DIFFERENCE = 0.05


class HyperparameterGrid(BaseEstimator):
    """Posterior of a few hyper-parameters, and marginals of the field with these integrated out.

    The mode of the evidence times a prior is found, then a grid along the axes of the curvature there is searched from
    the mode outwards, for as long as the posterior has not dropped by ``drop``: the nodes fill an ellipsoid, where a
    full grid would fill its box. Use it for one to four hyper-parameters, each real (logarithms of variances, and the
    like). Each node is a fit of the model: some five, twenty and sixty of them for one, two and three hyper-parameters,
    and three times as many more for the border and the mode. Do not use it for many hyper-parameters, or where their
    posterior has several modes.

    Parameters
    ----------
    build : callable
        Takes an array of hyper-parameters, gives an unfitted :class:`LatentGaussianModel`.
    start : array-like of shape (n_hyper,)
        Where the search for the mode begins.
    log_prior : callable or None, default=None
        Log density of hyper-parameters, up to a constant; None is flat.
    step : float, default=1.0
        Distance of nodes, in posterior deviations.
    drop : float, default=3.0
        How far the log posterior of a node may lie below the mode.
    max_nodes : int, default=2000
        Nodes at most; more of them mean a posterior without an end.
    verbose : bool or None, default=None
        None shows progress on a terminal.

    Attributes
    ----------
    mode_ : ndarray of shape (n_hyper,)
        Where the posterior is highest.
    covariance_ : ndarray of shape (n_hyper, n_hyper)
        Inverse curvature there.
    nodes_ : ndarray of shape (n_nodes, n_hyper)
        The nodes.
    steps_ : ndarray of int of shape (n_nodes, n_hyper)
        Their places on the grid.
    weights_ : ndarray of shape (n_nodes,)
        Their posterior probabilities.
    log_posterior_ : ndarray of shape (n_nodes,)
        Log evidence and log prior at the nodes.
    models_ : list of LatentGaussianModel
        The fitted models.
    n_evaluations_ : int
        Models fitted in all, those beyond the border among them.
    converged_ : bool
        Whether the mode was found and every model converged.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import HyperparameterGrid, LatentGaussianModel, random_walk
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.poisson(np.exp(1 + np.sin(np.arange(60) / 8)))
    >>> def build(theta):
    ...     return LatentGaussianModel(random_walk(60, precision=np.exp(theta[0])), likelihood="poisson")
    >>> grid = HyperparameterGrid(build, [2.0], lambda theta: -0.5 * ((theta[0] - 3) / 2) ** 2).fit(counts)
    >>> len(grid.weights_) > 3, round(float(grid.weights_.sum()), 12)
    (True, 1.0)
    >>> law = grid.marginal(30)  # wider than with the hyper-parameter at its mode
    >>> bool(law.variance > grid.models_[0].marginal(30).variance)
    True

    References
    ----------
    .. [1] Paper v12-0417, Section 5 and Figure 6. The paper tells no step and no drop.
    """

    _parameter_constraints: dict = {
        "build": [callable],
        "start": ["array-like"],
        "log_prior": [callable, None],
        "step": [Interval(Real, 0, None, closed="neither")],
        "drop": [Interval(Real, 0, None, closed="neither")],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["boolean", None],
    }

    def __init__(self, build, start, log_prior=None, *, step=1.0, drop=3.0, max_nodes=2000, verbose=None):
        self.build = build
        self.start = start
        self.log_prior = log_prior
        self.step = step
        self.drop = drop
        self.max_nodes = max_nodes
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, y):
        """Find the mode and the nodes around it.

        Parameters
        ----------
        y : array-like of shape (n_terms,)
            Observations.

        Returns
        -------
        self
        """
        start = np.atleast_1d(np.asarray(self.start, dtype=np.float64))
        if start.ndim != 1 or not np.isfinite(start).all():
            raise ValueError(f"start must be a row of finite numbers; it is {self.start!r}")
        self.n_evaluations_, self._sites = 0, None
        top = self._fitted(start, y)[1]
        if not np.isfinite(top):
            raise ValueError(f"the log posterior at start={start.tolist()} is {top}; begin where it is finite")
        found = minimize(
            lambda theta: min(-self._fitted(theta, y)[1], 1e12), start, method="Nelder-Mead",
            options={"xatol": 1e-2, "fatol": 1e-3, "maxfev": 200 * len(start), "initial_simplex": _simplex(start)},
        )  # fmt: skip
        self.mode_ = found.x
        self.covariance_ = self._curvature(y)
        self._search(y)
        self.converged_ = bool(found.success and all(model.converged_ for model in self.models_))
        if not found.success:
            warnings.warn(
                f"the mode of {len(start)} hyper-parameters was not found: {found.message}; begin nearer to it, or "
                "give a prior that ends",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _fitted(self, theta, y):
        """The model at hyper-parameters, and the log posterior; sites begin at those of the model before."""
        self.n_evaluations_ += 1
        extra = 0.0 if self.log_prior is None else float(self.log_prior(np.asarray(theta)))
        if not np.isfinite(extra):
            return None, -np.inf
        model = self.build(np.asarray(theta, dtype=np.float64).copy())
        with warnings.catch_warnings():
            # A model that has not converged shows in converged_.
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                model.fit(y, start=self._sites)
            except np.linalg.LinAlgError:
                return None, -np.inf
        model.forget_factors()
        if model.inference == "ep" and model.converged_:
            self._sites = model.site_precision_, model.site_shift_
        return model, model.log_evidence_ + extra

    def _curvature(self, y):
        """Inverse of the negative second differences at the mode; where that is no covariance, a diagonal one."""
        d, h = len(self.mode_), _DIFFERENCE
        for _ in range(6):
            at = {}
            for offset in product((-1, 0, 1), repeat=d):
                if np.count_nonzero(offset) <= 2:
                    at[offset] = self._fitted(self.mode_ + h * np.array(offset), y)[1]
            zero, unit = (0,) * d, np.eye(d, dtype=int)
            hessian = np.empty((d, d))
            for j in range(d):
                hessian[j, j] = (at[tuple(unit[j])] - 2 * at[zero] + at[tuple(-unit[j])]) / h**2
                for k in range(j):
                    corners = [at[tuple(s * unit[j] + t * unit[k])] * s * t for s in (1, -1) for t in (1, -1)]
                    hessian[j, k] = hessian[k, j] = sum(corners) / (4 * h**2)
            if np.isfinite(hessian).all() and np.linalg.eigvalsh(-hessian)[0] > 1e-4:
                return np.linalg.inv(-hessian)
            h *= 2
        return np.eye(d)

    def _search(self, y):
        """Breadth first from the mode; nodes below the border are not expanded."""
        values, vectors = np.linalg.eigh(self.covariance_)
        axes = self.step * vectors * np.sqrt(values)
        self._sites = None
        model, top = self._fitted(self.mode_, y)
        here = (0,) * len(self.mode_)
        kept, waiting, seen = {here: (model, top)}, [here], {here}
        with progress("hyper-parameters", self.max_nodes, show=self.verbose) as advance:
            while waiting:
                origin = waiting.pop(0)
                for d in range(len(self.mode_)):
                    for sign in (1, -1):
                        place = (*origin[:d], origin[d] + sign, *origin[d + 1 :])
                        if place in seen:
                            continue
                        seen.add(place)
                        self._sites = _sites_of(kept[origin][0])
                        model, value = self._fitted(self.mode_ + axes @ np.array(place), y)
                        advance(1)
                        # A node may lie above what was taken for the mode.
                        if model is not None and top - value < self.drop:
                            kept[place] = model, value
                            waiting.append(place)
                            if len(kept) > self.max_nodes:
                                raise ValueError(
                                    f"more than max_nodes={self.max_nodes} nodes lie within drop={self.drop:g} of the "
                                    "mode: the posterior has no end there; give a prior, or a larger step"
                                )
        self.steps_ = np.array(list(kept))
        self.nodes_ = self.mode_ + self.steps_ @ axes.T
        self.models_ = [model for model, _ in kept.values()]
        self.log_posterior_ = np.array([value for _, value in kept.values()])
        weights = np.exp(self.log_posterior_ - self.log_posterior_.max())
        self.weights_ = weights / weights.sum()

    @property
    def mean_(self):
        """Posterior mean of the field."""
        check_is_fitted(self)
        return np.einsum("k,ki->i", self.weights_, np.array([model.mean_ for model in self.models_]))

    @property
    def variance_(self):
        """Posterior variance of the field."""
        check_is_fitted(self)
        means = np.array([model.mean_ for model in self.models_])
        variances = np.array([model.variance_ for model in self.models_])
        return self.weights_ @ (variances + (means - self.mean_) ** 2)

    def marginal(self, i, method=None, *, n_grid=75):
        """The posterior density of one entry of the field, hyper-parameters integrated.

        Parameters
        ----------
        i : int
            The entry.
        method, n_grid :
            As for :meth:`LatentGaussianModel.marginal`.

        Returns
        -------
        marginal : Marginal
        """
        check_is_fitted(self)
        laws = []
        for model in self.models_:
            laws.append(model.marginal(i, method, n_grid=n_grid))
            model.forget_factors()
        x = np.linspace(min(law.x[0] for law in laws), max(law.x[-1] for law in laws), 4 * n_grid)
        return Marginal.of_values(x, sum(weight * law.pdf(x) for weight, law in zip(self.weights_, laws)))

    def hyper_marginal(self, d):
        """Mean and deviation of one hyper-parameter over the nodes.

        Parameters
        ----------
        d : int
            Which one.

        Returns
        -------
        mean, deviation : float
        """
        check_is_fitted(self)
        values = self.nodes_[:, d]
        mean = float(self.weights_ @ values)
        return mean, float(np.sqrt(self.weights_ @ (values - mean) ** 2))


def _sites_of(model):
    return (model.site_precision_, model.site_shift_) if model.inference == "ep" else None


def _simplex(start):
    return np.vstack([start, start + 0.5 * np.eye(len(start))])
