"""What the estimators of spike-and-slab linear models share: parameters, scaling of data, missing cells."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from treatise._core.invariants import is_array, is_count
from treatise.bayesnet.slim.sampler import Plan

POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")
INTEGER_FROM_ZERO = Interval(Integral, 0, None, closed="left")
POSITIVE = Interval(Real, 0, None, closed="neither")
SHARE = Interval(Real, 0, 1, closed="neither")
LARGEST_R_HAT = 1.1


class DensityScoreMixin:
    """The score of estimators with ``score_samples``."""

    def score(self, X, y=None):
        """Mean log predictive density of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : Ignored

        Returns
        -------
        score : float
        """
        return float(self.score_samples(X).mean())


class GibbsEstimator(BaseEstimator):
    """Base of estimators that sample a linear model of standardised variables."""

    _parameter_constraints: dict = {
        "n_burn": [INTEGER_FROM_ZERO],
        "n_samples": [POSITIVE_INTEGER],
        "thin": [POSITIVE_INTEGER],
        "n_chains": [POSITIVE_INTEGER],
        "standardize": ["boolean"],
        "missing": [StrOptions({"error", "mask"})],
        "n_jobs": [Integral, None],
        "verbose": ["boolean", None],
        "random_state": ["random_state"],
    }

    _least_variables = 1

    def __init__(
        self, *, n_burn, n_samples, thin, n_chains, standardize, n_jobs, verbose, random_state, missing="error"
    ):  # fmt: skip
        self.n_burn = n_burn
        self.n_samples = n_samples
        self.thin = thin
        self.n_chains = n_chains
        self.standardize = standardize
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "mask"
        return tags

    def _checked(self, X, reset):
        """X as floats; missing cells are let through where the estimator masks them."""
        X = validate_data(
            self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1, ensure_min_features=self._least_variables if reset else 1,
        )  # fmt: skip
        empty = np.isnan(X).any(axis=0)
        if empty.any() and not (reset and self.missing == "mask"):
            masks = reset and "missing" in self.get_params()
            cure = 'choose missing="mask", or impute' if masks else "impute"
            raise ValueError(f"Input X contains NaN in column {self._columns(empty)}; {cure} the missing cells")
        return X

    def _columns(self, which):
        """Names of the columns, or else their numbers, as an error shows them."""
        names = getattr(self, "feature_names_in_", np.arange(len(which))).tolist()
        return ", ".join(repr(name) for name, shown in zip(names, which) if shown)

    def _learn_scaling(self, X):
        """Mean and deviation of each column, ``mean_`` and ``scale_``."""
        empty = np.isnan(X).all(axis=0)
        if empty.any():
            raise ValueError(f"column {self._columns(empty)} has no value at all; leave it out")
        deviation = np.nanstd(X, axis=0)
        flat = deviation <= 1e-12 * np.maximum(1.0, np.abs(np.nanmean(X, axis=0)))
        if flat.any():
            raise ValueError(
                f"constant columns carry no dependence and cannot be scaled: {self._columns(flat)}; leave them out"
            )
        self.mean_ = np.nanmean(X, axis=0) if self.standardize else np.zeros(X.shape[1])
        self.scale_ = deviation if self.standardize else np.ones(X.shape[1])

    def _invariants(self):
        seed = getattr(self, "_density_seed", 0)
        yield "densities are drawn from a seed", is_count(seed)
        yield "missing cells are an error or masked", self.missing in ("error", "mask")
        for name in ("mean_", "scale_"):
            yield f"{name} has a number for each column", is_array(getattr(self, name), np.float64, self.n_features_in_)

    def _scaled(self, X):
        """Rows as the model sees them, (d, n)."""
        return np.ascontiguousarray(((X - self.mean_) / self.scale_).T)

    def _hide(self, X, held_out):
        """Scaling without the cells held out; data (d, N) with zeros in hidden cells, these, and their true values."""
        if held_out is None:
            held_out = np.zeros(X.shape, dtype=bool)
        held_out = np.asarray(held_out, dtype=bool)
        if held_out.shape != X.shape:
            raise ValueError(f"held_out has shape {held_out.shape}; it must be that of X, {X.shape}")
        visible = np.where(held_out, np.nan, X)
        self._learn_scaling(visible)
        data, cells, _ = hidden_cells(self._scaled(visible))
        return data, cells, self._scaled(X)[tuple(cells.T)]

    def _plan(self, **changed):
        plan = {
            "n_chains": self.n_chains, "burn_in": self.n_burn, "n_samples": self.n_samples, "thin": self.thin,
            "n_jobs": self.n_jobs, "verbose": self.verbose, **changed,
        }  # fmt: skip
        if plan["n_samples"] < plan["thin"]:
            raise ValueError(f"thin={plan['thin']} leaves nothing of {plan['n_samples']} samples; choose at most that")
        return Plan(**plan)

    def _random(self):
        return check_random_state(self.random_state)

    def _parts(self, X, random):
        """Training rows, and the complete rows that are kept back: a share ``test_size`` of all."""
        n_test = round(self.test_size * len(X))
        if n_test == 0:
            return X, X[:0]
        if len(X) - n_test < 2:
            raise ValueError(f"test_size={self.test_size} leaves fewer than 2 of {len(X)} rows to learn from")
        whole = random.permutation(np.flatnonzero(~np.isnan(X).any(axis=1)))[:n_test]
        if len(whole) < n_test:
            raise ValueError(f"only {len(whole)} rows are complete; test_size={self.test_size} needs {n_test}")
        return np.delete(X, whole, axis=0), X[whole]

    def _judge_convergence(self, candidate_draws=None):
        """Set ``converged_``, and warn unless the chains agree: on all quantities, and on the best candidate."""
        worst = float(np.max([found["r_hat"] for found in self.diagnostics_.values()]))
        self.converged_ = worst <= LARGEST_R_HAT
        if not self.converged_:
            said = "are too short to be compared" if np.isnan(worst) else f"do not agree: R-hat is {worst:.4g}"
            warnings.warn(
                f"the chains of {type(self).__name__} {said}, and {LARGEST_R_HAT} is the largest R-hat that can be "
                "trusted; raise the numbers of sweeps",
                ConvergenceWarning,
                stacklevel=4,
            )
        if candidate_draws is None:
            return
        # Draws stand chain after chain, evenly thinned.
        by_chain = [np.median(own, axis=1) for own in np.array_split(candidate_draws, self.n_chains, axis=1)]
        if len({int(medians.argmax()) for medians in by_chain}) > 1:
            self.converged_ = False
            warnings.warn(
                f"the chains of {type(self).__name__} prefer different orders, so that order_ is one of several; raise "
                "the numbers of sweeps, or look at candidate_draws_",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _given_orders(self, orders, d):
        """Orders that the user gave, (k, d)."""
        given = np.atleast_2d(np.asarray(orders))
        if given.ndim != 2 or given.shape[1] != d or not (np.sort(given, axis=1) == np.arange(d)).all():
            raise ValueError(f"orders must have rows that are permutations of 0 to {d - 1}, got {orders!r}")
        return given.astype(np.int64)


def hidden_cells(X):
    """Data (d, N) with zeros in missing cells, these cells (n, 2), and nan for their values, which nobody knows.

    Standardised data are kept to a millionth of a deviation. A chain magnifies rounding errors without end; without
    them a column in other units gives the same draws.
    """
    missing = np.isnan(X)
    return (
        np.where(missing, 0.0, np.round(X * 2.0**20) / 2.0**20),
        np.ascontiguousarray(np.argwhere(missing)),
        np.full(np.count_nonzero(missing), np.nan),
    )
