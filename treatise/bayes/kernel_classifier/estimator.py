"""Bayesian kernel classification with few active rows (Zhang, Dai & Jordan; JMLR 12:111)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import Classifier
from treatise._core.invariants import finite, is_array
from treatise._core.magnitudes import check_magnitudes
from treatise.bayes.kernel_classifier._chain import Chain, Prior
from treatise.bayes.kernel_classifier._kernels import (
    CACHE_BYTES,
    FixedKernel,
    WeightedKernels,
    WidthKernel,
    mean_distance,
)
from treatise.bayes.kernel_classifier.draws import KernelDraws, NewRows, NewRowsOfWidths
from treatise.kernels import Gaussian, Kernel, Laplacian, resolve_kernel
from treatise.statistics.sampling import ChainPlan, run_chains

_WIDE = {"rbf", "laplacian"}
_NAMES = {*_WIDE, "linear", "poly"}
_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")
_LARGEST_R_HAT, _FEWEST_EFFECTIVE = 1.1, 20.0
_JUDGED = ("log_likelihood", "log_g")


class BayesianKernelClassifier(Classifier, BaseEstimator):
    """Kernel classifier that samples which few training rows carry it, and averages its probabilities over them.

    The score of a row is an intercept plus a weighted sum of kernels with some active training rows, seen through a
    probit. Which rows are active, their weights, the scale of the scores and, if wanted, the widths of the kernel or
    the weights of several kernels are drawn from their posterior by reversible-jump Markov chains; a probability is
    the mean over all draws, so that it allows for all that is uncertain. There is nothing to tune by cross-validation.

    Use it for tables of some hundred to some ten thousand rows where probabilities matter. Do not use it where a second
    is too long for a fit, or for a class boundary that a linear model finds: it is no better there. With more than some
    hundred columns, most of them noise, no kernel of all columns is good; ``ard=True`` helps with some dozens.

    A sweep costs ``n k`` for k active rows, k being found by the chain and often below 50; every ``thin`` sweeps come
    ``n k^2 + k^3``. Memory is ``n k`` numbers and at most 128 MiB of kernel values a chain. ``model="full"`` costs
    ``n^2`` a sweep and ``n^3`` every ``thin`` sweeps.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "linear", "poly"}, Kernel, callable, or a list of these, default="rbf"
        Similarity of two rows: "rbf" is ``exp(-|x - z|^2 / width^2)``, "laplacian" ``exp(-|x - z|_1 / width)``. Of a
        list the sum with weights that are learned, some of them zero (Section 6.1).
    width : "mean", "learn" or float, default="mean"
        Width of "rbf" and "laplacian": the mean distance of two training rows, drawn from its posterior, or given. In
        units of the columns after ``standardize``.
    ard : bool, default=False
        With ``width="learn"``, a width for each column (Section 5.3): irrelevant columns get a large one. A block of
        sweeps then costs some ``n k (k + p)`` more for each of up to eight widths that it moves.
    width_bounds : (float, float), default=(0.1, 10.0)
        Learned widths are uniform between these multiples of the mean distance; the paper does not say its bounds.
    model : {"fbgkm", "sgpc", "full"}, default="fbgkm"
        "fbgkm" averages over draws of the weights. "sgpc", the sparse Gaussian process, averages over the weights in
        closed form: the same posterior and the same probabilities with less noise of sampling, for some ``k^2``
        numbers of memory a draw. "full" has every training row active (the paper's BGKM), for up to a thousand rows.
    max_active : int, default=200
        Active rows at most, the paper's k_max.
    standardize : bool, default=True
        Whether to bring columns to mean zero and variance one first, as the paper does.
    burn_in, n_samples, thin : int, default=5000, 5000 and 5
        Sweeps before the first draw, sweeps after it, and sweeps from one draw to the next; precisions and kernel
        parameters are drawn once in ``thin`` sweeps.
    n_chains : int, default=1
        Chains with random numbers of their own; two or more judge themselves better.
    n_moves : int or "auto", default="auto"
        Births, deaths and swaps of active rows tried in each sweep. The paper's is 1, with which few active rows take
        long to change; "auto" settles, during the burn-in, for 2 with a hundred active rows and up to 20 with a few.
    g_step : {"slice", "gibbs"}, default="slice"
        How the precision g of the process is drawn: with the weights integrated out, or given them as in the paper,
        which moves slowly where there are many active rows.
    a_eta, b_eta, a_g, b_g : float, default=1.0, 0.1, 4.0 and 0.1
        Gamma priors, of shape a / 2 and rate b / 2, of the precisions eta of the intercept and g of the process; the
        second is that of the amplitudes where there are several kernels.
    a_alpha, b_alpha : float, default=1.0 and 1.0
        Beta prior of the share of active rows.
    rho : float, default=0.5
        Prior probability that a kernel of a list is left out.
    n_jobs : int or None, default=None
        Chains that run at once.
    verbose : bool or None, default=None
        None shows progress on a terminal.
    random_state : int, RandomState or None, default=None
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_active_trace_ : ndarray of int of shape (n_chains, n_sweeps)
        Active rows after every sweep, the burn-in among them.
    inclusion_prob_ : ndarray of shape (n_samples,)
        Share of the draws in which each training row is active.
    acceptance_rate_ : dict
        Share of the tried births, deaths, swaps and moves of kernel parameters that were accepted.
    width_ : float or None
        The width where it is not learned; None for a kernel without one.
    width_samples_ : ndarray of shape (n_draws, 1 or n_features)
        Draws of learned widths; without columns where none is learned.
    kernel_weight_samples_ : ndarray of shape (n_draws, n_kernels)
        Draws of the weights of several kernels; without columns for one.
    draws_ : KernelDraws
        Active rows and weights of every draw.
    traces_ : dict of str to ndarray of shape (n_chains, n_draws, ...)
        Draws of the log likelihood of the labels, of log g and others.
    diagnostics_ : dict
        R-hat and effective sample size of the log likelihood, log g and the number of active rows.
    converged_ : bool
        Whether the first two of these say that the chains are long enough; a warning says if not.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treatise.bayes import BayesianKernelClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BayesianKernelClassifier(burn_in=500, n_samples=1000, random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.95
    True
    >>> bool(model.n_active_trace_[:, 500:].mean() < 100)  # of 300 rows
    True

    References
    ----------
    .. [1] Paper v12-0111: Sections 3 (FBGKM), 4 (SGPC), 6.1 (several kernels), 6.2 (several classes), Algorithm 1.
    """

    _parameter_constraints: dict = {
        "kernel": [StrOptions(_NAMES), Kernel, callable, list, tuple],
        "width": [StrOptions({"mean", "learn"}), _POSITIVE],
        "ard": ["boolean"],
        "width_bounds": [tuple, list],
        "model": [StrOptions({"fbgkm", "sgpc", "full"})],
        "max_active": [_COUNT],
        "standardize": ["boolean"],
        "burn_in": [Interval(Integral, 0, None, closed="left")],
        "n_samples": [_COUNT],
        "thin": [_COUNT],
        "n_chains": [_COUNT],
        "n_moves": [_COUNT, StrOptions({"auto"})],
        "g_step": [StrOptions({"slice", "gibbs"})],
        **{name: [_POSITIVE] for name in ("a_eta", "b_eta", "a_g", "b_g", "a_alpha", "b_alpha")},
        "rho": [Interval(Real, 0, 1, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, kernel="rbf", *, width="mean", ard=False, width_bounds=(0.1, 10.0), model="fbgkm", max_active=200,
        standardize=True, burn_in=5000, n_samples=5000, thin=5, n_chains=1, n_moves="auto", g_step="slice", a_eta=1.0,
        b_eta=0.1, a_g=4.0, b_g=0.1, a_alpha=1.0, b_alpha=1.0, rho=0.5, n_jobs=None, verbose=None, random_state=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.width = width
        self.ard = ard
        self.width_bounds = width_bounds
        self.model = model
        self.max_active = max_active
        self.standardize = standardize
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.thin = thin
        self.n_chains = n_chains
        self.n_moves = n_moves
        self.g_step = g_step
        self.a_eta = a_eta
        self.b_eta = b_eta
        self.a_g = a_g
        self.b_g = b_g
        self.a_alpha = a_alpha
        self.b_alpha = b_alpha
        self.rho = rho
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Draw active rows, weights and parameters from their posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes or more.

        Returns
        -------
        self
        """
        self._refuse_contradictions()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_magnitudes(X, "X")
        codes = self._code_labels(y)
        self._center, self._scale = self._scaling(X)
        X = self._scaled(X)
        make_kernel = self._kernel_maker(X)
        chains = []

        def make_chain(rng):
            chains.append(self._chain(make_kernel(), codes, rng))
            return chains[-1]

        plan = ChainPlan(self.n_chains, self.burn_in, self.n_samples, self.thin, self.n_jobs, self.verbose)
        draws = run_chains(make_chain, plan, check_random_state(self.random_state), "BayesianKernelClassifier")
        self._judge(draws)
        self._keep(X, chains, draws["log_g"].shape[1])
        return self

    def _refuse_contradictions(self):
        several = isinstance(self.kernel, (list, tuple))
        if several and not self.kernel:
            raise ValueError("kernel is an empty list; give one kernel at least")
        for kernel in self.kernel if several else [self.kernel]:
            if isinstance(kernel, str) and kernel not in _NAMES:
                raise ValueError(f"kernel={kernel!r} is unknown; it may be {', '.join(sorted(_NAMES))} or a Kernel")
            if not (isinstance(kernel, (str, Kernel)) or callable(kernel)):
                raise ValueError(f"a kernel is a name, a Kernel or a function, not {type(kernel).__name__}")
            if isinstance(kernel, Kernel) and kernel.structured:
                raise ValueError(f"{type(kernel).__name__} is no kernel of rows of numbers; this classifier takes such")
        learned = isinstance(self.width, str) and self.width == "learn"
        if learned and not (isinstance(self.kernel, str) and self.kernel in _WIDE):
            raise ValueError(f'width="learn" is for the kernels "rbf" and "laplacian"; kernel is {self.kernel!r}')
        if self.ard and not learned:
            raise ValueError('ard=True gives every column a width to be learned; set width="learn" too')
        bounds = self.width_bounds
        if len(bounds) != 2 or not all(isinstance(b, Real) for b in bounds) or not 0 < bounds[0] < bounds[1]:
            raise ValueError(f"width_bounds={bounds!r}; give two numbers above zero, the lower one first")
        if learned and not bounds[0] <= 1 <= bounds[1]:
            raise ValueError(f"width_bounds={bounds!r} leave out 1, the mean distance, where widths begin")
        if self.thin > self.n_samples:
            raise ValueError(f"thin={self.thin} leaves nothing of {self.n_samples} samples; choose at most that")

    def _scaling(self, X):
        if not self.standardize:
            return np.zeros(X.shape[1]), np.ones(X.shape[1])
        center, scale = X.mean(axis=0), X.std(axis=0)
        # A constant column may show a spread of rounding errors.
        still = scale <= 1e-12 * np.maximum(np.abs(center), np.finfo(float).tiny)
        return center, np.where(still, 1.0, scale)

    def _scaled(self, X):
        return (X - self._center) / self._scale

    def _kernel_maker(self, X):
        """What makes a chain's own kernel of the training rows; sets the kernels that predictions use."""
        several = isinstance(self.kernel, (list, tuple))
        names = list(self.kernel) if several else [self.kernel]
        self.kernel_ = [self._resolved(kernel, X) for kernel in names]
        named = not several and isinstance(self.kernel, str) and self.kernel in _WIDE
        self.width_ = self._given_width(self.kernel, X) if named and self.width != "learn" else None
        if named and self.width == "learn":
            mean = mean_distance(self.kernel, X)
            low, high = (float(bound) * mean for bound in self.width_bounds)
            widths = np.full(X.shape[1] if self.ard else 1, mean)
            return lambda: WidthKernel(self.kernel, X, widths, low, high)
        if not several:
            (kernel,) = self.kernel_
            return lambda: FixedKernel(kernel, kernel.prepare(X))
        share = CACHE_BYTES // len(self.kernel_)

        def weighted():
            parts = [FixedKernel(kernel, kernel.prepare(X), cache_bytes=share) for kernel in self.kernel_]
            amplitudes = np.full(len(parts), 1.0 / np.sqrt(len(parts)))
            return WeightedKernels(parts, amplitudes, self.rho, 0.5 * self.a_g, 0.5 * self.b_g)

        return weighted

    def _resolved(self, kernel, X):
        if isinstance(kernel, str) and kernel in _WIDE:
            if self.width == "learn":
                return Gaussian(1.0) if kernel == "rbf" else Laplacian(1.0)
            width = self._given_width(kernel, X)
            return Gaussian(1.0 / width**2) if kernel == "rbf" else Laplacian(1.0 / width)
        return resolve_kernel(kernel, X)

    def _given_width(self, kernel, X):
        return mean_distance(kernel, X) if isinstance(self.width, str) else float(self.width)

    def _chain(self, kernel, codes, rng):
        prior = Prior(self.a_eta, self.b_eta, self.a_g, self.b_g, self.a_alpha, self.b_alpha)
        most = None if self.model == "full" else min(self.max_active, len(codes))
        g_step = "fixed" if isinstance(kernel, WeightedKernels) else self.g_step
        return Chain(
            kernel, codes, len(self.classes_), prior, most=most, n_moves=self.n_moves, g_step=g_step,
            spread=self.model == "sgpc", burn_in=self.burn_in, rng=rng,
        )  # fmt: skip

    def _judge(self, draws):
        self.traces_ = draws.values
        enough = draws["log_g"].shape[1] >= 8
        self.diagnostics_ = draws.diagnostics(*_JUDGED, "n_active") if enough else {}
        if enough:
            self.converged_ = draws.judge(
                "BayesianKernelClassifier", *_JUDGED, r_hat=_LARGEST_R_HAT, ess=_FEWEST_EFFECTIVE
            )
            return
        self.converged_ = False
        warnings.warn(
            f"BayesianKernelClassifier: {draws['log_g'].shape[1]} draws are too few to judge the chains; raise "
            "n_samples or lower thin",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _keep(self, X, chains, n_kept):
        self.n_active_trace_ = np.array([chain.trace[: min(len(c.trace) for c in chains)] for chain in chains])
        self.draws_ = KernelDraws([kept for chain in chains for kept in chain.kept[:n_kept]], len(self.classes_))
        self._rows = X[self.draws_.rows]
        self.inclusion_prob_ = self.draws_.inclusion(len(X))
        tried = {kind: sum(chain.tried[kind] for chain in chains) for kind in chains[0].tried}
        self.acceptance_rate_ = {
            kind: sum(chain.accepted[kind] for chain in chains) / count for kind, count in tried.items() if count
        }

    @property
    def width_samples_(self):
        """Draws of learned widths."""
        return self.draws_.parameters if self.width == "learn" else self.draws_.parameters[:, :0]

    @property
    def kernel_weight_samples_(self):
        """Draws of the weights of several kernels."""
        return self.draws_.parameters[:, :0] if self.width == "learn" else self.draws_.parameters**2

    def predict_proba(self, X):
        """Probability of each class, the mean over all draws.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        return self._probabilities(X, each=False)

    def predict_proba_samples(self, X):
        """Probability of each class under every draw: how sure the model is of its probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_draws, n_samples, n_classes)
        """
        return self._probabilities(X, each=True)

    def _probabilities(self, X, each):
        check_is_fitted(self)
        X = self._scaled(validate_data(self, X, dtype=np.float64, reset=False))
        if self.width == "learn":
            values = NewRowsOfWidths(self.kernel_[0], self._rows, X)
        else:
            values = NewRows(self.kernel_, self._rows, X)
        return self.draws_.probabilities(values, len(X), each)

    def predict(self, X):
        """The most probable class; of equals, the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def _invariants(self):
        p, kept = self.n_features_in_, self.draws_
        yield "columns have a centre and a scale", all(is_array(v, np.float64, p) for v in (self._center, self._scale))
        yield "scales are above zero", finite(self._scale) and bool((self._scale > 0).all())
        yield "draws are draws", isinstance(kept, KernelDraws) and kept.n_classes == len(self.classes_)
        yield "active rows are rows of the table", is_array(self._rows, np.float64, len(kept.rows), p)
        yield "kernels are kernels", bool(self.kernel_) and all(isinstance(k, Kernel) for k in self.kernel_)
        wanted = {0, len(self.kernel_)} if self.width != "learn" else {1, p}
        yield "draws have the kernel's parameters", kept.parameters.shape[1] in wanted
