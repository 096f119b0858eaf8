"""Minimise a function by natural evolution strategies: the loop around them, with restarts and a result of SciPy's."""

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import OptimizeResult
from sklearn.utils import check_random_state

from treatise._core.progress import progress
from treatise.optimize import SNES, XNES

EVALUATIONS_A_COORDINATE = 10_000
METHODS = {"xnes": XNES, "snes": SNES}
STILL = 20
FLYING_APART = "the trials fly apart: the function falls without end, or is noise alone"
"""Generations of equal values after which nothing can be learned any more."""


def minimize_nes(
    fun, x0, sigma0=1.0, *, method="auto", adapt=False, popsize=None, bounds=None, max_evals=None, ftarget=None,
    tol=1e-12, restarts=0, batch=False, n_jobs=1, random_state=None, callback=None, verbose=None,
):  # fmt: skip
    """Minimise a function of which nothing is known but its values, by natural evolution strategies.

    A Gaussian cloud of trials moves along the natural gradient of its mean value; only the order of the values counts,
    so that noise, jumps, scales and values that are not finite do little harm. Use it where thousands of evaluations
    are possible; for expensive functions take Bayesian optimisation, for smooth ones with gradients
    :func:`scipy.optimize.minimize`.

    Parameters
    ----------
    fun : callable
        Takes an array of shape (d,) and returns a number, or, with ``batch``, an array of shape (popsize, d) and
        returns as many numbers. NaN and infinite values count as the worst.
    x0 : array-like of shape (d,)
        Where the search starts.
    sigma0 : float or array-like, default=1.0
        How far around, as a standard deviation: about a third of the distance at which the minimum may lie.
    method : {"auto", "xnes", "snes"}, default="auto"
        Full covariance, or a deviation for each coordinate; "auto" is "xnes" up to 200 coordinates.
    adapt : bool, default=False
        Adaptation of the step rate (only with "xnes"): faster on simple functions, less robust on winding ones.
    popsize : int or None, default=None
        Trials of a generation; None is ``4 + floor(3 ln d)``. More for functions with much noise or many minima.
    bounds : None, pair, array-like of shape (d, 2) or scipy.optimize.Bounds, default=None
        Least and largest value of all coordinates, or of each.
    max_evals : int or None, default=None
        Evaluations after which the search ends; None is 10 000 for each coordinate.
    ftarget : float or None, default=None
        A value that is good enough.
    tol : float, default=1e-12
        The search has converged when the deviation of every coordinate is below this share of the first one, or below
        the rounding of the mean.
    restarts : int, default=0
        Searches that may follow one that has converged above ``ftarget``, from random places with twice the trials;
        without a target all of them are made.
    batch : bool, default=False
        Whether ``fun`` takes a whole generation.
    n_jobs : int, default=1
        Processes that evaluate the trials of a generation; of no use with ``batch``.
    random_state : int, RandomState instance or None, default=None
        Seed.
    callback : callable or None, default=None
        Called after each generation with the result so far; ends the search by raising StopIteration.
    verbose : bool or None, default=None
        None shows progress on a terminal.

    Returns
    -------
    scipy.optimize.OptimizeResult
        ``x``, ``fun`` (the best trial), ``mean`` (of the last cloud: better than the best trial under noise),
        ``sigma``, ``deviations``, ``nfev``, ``nit``, ``success``, ``status`` (0 converged, 1 out of evaluations, 2
        stopped by the callback or the keyboard, 3 values that no longer tell a direction), ``message``, ``search``
        (the last :class:`XNES` or :class:`SNES`, which can be saved and asked again) and ``history``, a dictionary of
        arrays with an entry for each generation: ``nfev``, ``fun`` (the best so far), ``sigma`` and ``eta_sigma``.

    Examples
    --------
    >>> from scipy.optimize import rosen
    >>> from treatise.search import minimize_nes
    >>> result = minimize_nes(rosen, [0.0, 0.0], ftarget=1e-8, random_state=0)
    >>> result.success, result.x.round(3)
    (True, array([1., 1.]))

    References
    ----------
    .. [1] Paper v15-0949, Algorithms 4 to 6; restarts as in Section 6.1, with a population that doubles.
    """
    x0 = np.atleast_1d(np.asarray(x0, dtype=float))
    if method == "auto":
        method = "xnes" if len(x0) <= 200 else "snes"
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; choose 'auto', 'xnes' or 'snes'")
    if adapt and method == "snes":
        raise ValueError("adapt=True is for method='xnes'; SNES has no scale of its own to adapt")
    if batch and n_jobs != 1:
        raise ValueError(f"n_jobs={n_jobs} has no work with batch=True: the function gets whole generations")
    limit = EVALUATIONS_A_COORDINATE * max(1, len(x0)) if max_evals is None else max_evals
    if limit < 1:
        raise ValueError(f"max_evals={max_evals} allows no evaluation; give 1 or more")
    random = check_random_state(random_state)
    options = {"popsize": popsize, "bounds": bounds, **({"adapt": adapt} if method == "xnes" else {})}
    run = _Run(lambda start, popsize: METHODS[method](
        start, sigma0, random_state=random, **{**options, "popsize": popsize}
    ), ftarget, tol, limit, callback)  # fmt: skip
    with progress("Evaluations", limit, show=verbose) as advance, Parallel(n_jobs) as parallel:
        evaluate = _evaluator(fun, batch, n_jobs, parallel)
        size = popsize
        for attempt in range(restarts + 1):
            start = x0 if attempt == 0 else _elsewhere(x0, run.search, sigma0, random)
            run.search_from(start, size, evaluate, advance)
            if run.ended:
                break
            size = 2 * run.search.popsize
    return run.result()


class _Run:
    """One or more searches in a row, the best of all of them and why they ended."""

    def __init__(self, make, target, tol, limit, callback):
        self.make, self.target, self.tol, self.limit, self.callback = make, target, tol, limit, callback
        self.x, self.fun, self.nfev, self.nit = None, np.inf, 0, 0
        self.history = {"nfev": [], "fun": [], "sigma": [], "eta_sigma": []}
        self.status, self.message, self.ended = 1, "", False

    def search_from(self, start, popsize, evaluate, advance):
        """Generations until the search converges or the run ends."""
        self.search = search = self.make(start, popsize)
        if self.nit == 0 and search.popsize > self.limit:
            raise ValueError(f"max_evals={self.limit} is less than the {search.popsize} trials of one generation")
        first = search.deviations.copy()
        while not self._stops(search, first):
            X = search.ask()
            try:
                values = evaluate(X)
                search.tell(search.ask(), values)  # asked again, in case the function changed its argument
            except KeyboardInterrupt:
                if self.x is None:
                    raise
                self._end(2, "interrupted from the keyboard")
                return
            advance(len(X))
            self._note(search, values)

    def _note(self, search, values):
        self.nfev, self.nit = self.nfev + len(values), self.nit + 1
        if self.nit == 1 and np.isnan(values).all():
            raise ValueError("the function is NaN at every trial of the first generation; start where it has values")
        if search.best_f < self.fun or self.x is None:
            self.x, self.fun = search.best_x, search.best_f
        entry = {"nfev": self.nfev, "fun": self.fun, "sigma": search.sigma, "eta_sigma": search.eta_sigma}
        for name, value in entry.items():
            self.history[name].append(value)
        if self.callback is not None:
            try:
                self.callback(self.result())
            except StopIteration:
                self._end(2, "stopped by the callback")

    def _stops(self, search, first):
        if self.ended:
            return True
        deviations, rounding = search.deviations, np.spacing(np.abs(search.mean))
        if self.target is not None and self.fun <= self.target:
            self._end(0, f"the target {self.target:g} is reached")
        elif self.nfev + search.popsize > self.limit:
            self._end(1, f"the next generation would exceed {self.limit} evaluations")
        elif np.all(deviations <= np.maximum(self.tol * first, rounding)):
            # Trials wider than at the start are alike only by rounding, so far out has the mean gone.
            apart = np.any(deviations > first)
            self.status, self.message = (3, FLYING_APART) if apart else (0, "the trials have drawn together")
            return True
        elif search.still_generations >= STILL:
            self.status = 3
            self.message = f"all values of {STILL} generations are equal: a plateau, or the end of what can be told"
            return True
        elif not np.isfinite(deviations).all() or np.max(deviations) > 1e100:
            self.status, self.message = 3, FLYING_APART
            return True
        return self.ended

    def _end(self, status, message):
        self.status, self.message, self.ended = status, message, True

    def result(self):
        """What SciPy's optimisers return."""
        reached = self.target is None or self.fun <= self.target
        return OptimizeResult(
            x=self.x, fun=self.fun, mean=self.search.mean, sigma=self.search.sigma, deviations=self.search.deviations,
            nfev=self.nfev, nit=self.nit, success=self.status == 0 and reached, status=self.status,
            message=self.message, search=self.search,
            history={name: np.array(values) for name, values in self.history.items()},
        )  # fmt: skip


def _evaluator(fun, batch, n_jobs, parallel):
    """The values of a generation."""

    def values(X):
        if batch:
            found = fun(X)
        elif n_jobs == 1:
            found = [fun(x) for x in X]
        else:
            found = parallel(delayed(fun)(x) for x in X)
        found = np.asarray(found, dtype=float)
        if found.shape != (len(X),):
            wanted = f"({len(X)},)" if batch else "a number for each trial"
            raise ValueError(f"the function returned values of shape {found.shape}; wanted {wanted}")
        return found

    return values


def _elsewhere(x0, search, sigma0, random):
    """Another start: anywhere in a box that is finite, else around the first."""
    low, high = search.bounds.T
    deviations, draw = np.asarray(sigma0, dtype=float), random.normal(size=len(x0))
    spread = deviations @ draw if deviations.ndim == 2 else deviations * draw
    around = np.clip(x0 + 2.0 * spread, low, high)
    boxed = np.isfinite(low) & np.isfinite(high)
    return np.where(boxed, random.uniform(np.where(boxed, low, 0.0), np.where(boxed, high, 1.0)), around)
