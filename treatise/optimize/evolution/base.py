"""Search distributions that are asked for trials and told their values, saved and resumed."""

import json
from abc import ABC, abstractmethod

import numpy as np
from scipy.optimize import Bounds
from sklearn.utils import check_random_state

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise._core.saved_arrays import load_arrays
from treatise.optimize.evolution.utilities import nes_utilities, ranked

FORMAT = 1
COMPARED = 1000
"""Coordinates, spread over all, by which a trial that is told is known again: at 10^5 the check is not felt."""
NEAR = 1e-3
"""Distance from a trial, in deviations of its coordinates, within which a row is that trial: digits lost in a file do
not matter, while two trials are hardly ever so near in every coordinate."""


class EvolutionStrategy(ABC):
    """Base: trials of a generation, their values, the best so far, the box, and the file that it is kept in.

    Parameters
    ----------
    mean : array-like of shape (d,)
        Where the search starts.
    popsize : int or None, default=None
        Trials of a generation; None is ``4 + floor(3 ln d)``.
    bounds : None, pair, array-like of shape (d, 2) or scipy.optimize.Bounds, default=None
        Least and largest value of all coordinates, or of each; infinite ones are allowed. Trials outside are reflected
        into the box.
    random_state : int, RandomState instance or None, default=None
        Seed.
    """

    _state: tuple[str, ...] = ()
    """Names of the arrays and numbers that its state consists of, beside those of the base."""

    def __init__(self, mean, *, popsize=None, bounds=None, random_state=None):
        self.mean = _checked_start(mean)
        d = self.dimension
        self.popsize = default_popsize(d) if popsize is None else popsize
        if not isinstance(self.popsize, (int, np.integer)) or self.popsize < 2:
            raise ValueError(f"popsize={popsize!r} is no number of trials that can be ranked; give 2 or more")
        self.bounds = checked_bounds(bounds, d)
        outside = (self.mean < self.bounds[:, 0]) | (self.mean > self.bounds[:, 1])
        if outside.any():
            j = int(np.argmax(outside))
            raise ValueError(
                f"coordinate {j} of the start is {self.mean[j]:g}, outside its bounds [{self.bounds[j, 0]:g}, "
                f"{self.bounds[j, 1]:g}]; start inside"
            )
        seed = check_random_state(random_state).randint(0, 2**32, size=4, dtype=np.uint32)
        self._rng = np.random.default_rng(seed)
        self._utilities = nes_utilities(self.popsize)
        self.generation = self.evaluations = 0
        self.best_x, self.best_f = self.mean.copy(), np.inf
        self.still_generations = 0
        self._trials = None

    @property
    def dimension(self):
        """Number of coordinates."""
        return len(self.mean)

    def ask(self):
        """The trials of this generation, one a row; the same until they are told.

        Returns
        -------
        ndarray of shape (popsize, d)
        """
        if self._trials is None:
            self._trials = self._rng.standard_normal((self.popsize, self.dimension))
        points = reflected(self._points(self._trials), self.bounds)
        self._marks = self._marks_of(points).copy()
        return points

    def _marks_of(self, X):
        """The coordinates by which trials are known again."""
        return X[..., :: -(-self.dimension // COMPARED)]

    def tell(self, X, values):
        """Learn from the values of the trials; only their order counts.

        Parameters
        ----------
        X : array-like of shape (popsize, d)
            What :meth:`ask` gave, in any order; a row that it did not give is refused.
        values : array-like of shape (popsize,)
            Values of the rows of X, the lower the better; NaN and infinite ones are the worst.
        """
        values = np.asarray(values, dtype=float)
        if self._trials is None:
            raise ValueError("no trials are waiting for their values; ask first")
        if values.shape != (self.popsize,):
            raise ValueError(f"values has shape {values.shape}; give one number for each of {self.popsize} trials")
        X = np.asarray(X, dtype=float)
        if X.shape != self._trials.shape:
            raise ValueError(f"X has shape {X.shape}; give back the trials that were asked for, {self._trials.shape}")
        rows = self._rows_of_trials(X)
        if rows is not None:
            X, values = X[rows], values[rows]
        ranks, order, _ = ranked(values)
        first = int(order[0])
        if values[first] < self.best_f:
            self.best_x, self.best_f = X[first].copy(), float(values[first])
        self.still_generations = self.still_generations + 1 if np.ptp(ranks) == 0.0 else 0
        if np.ptp(ranks) > 0.0:
            self._learn(values, ranks)
        self._trials = None
        self.generation += 1
        self.evaluations += self.popsize

    def _rows_of_trials(self, X):
        """The row of X that holds each trial; None where they come back in the order that they were asked in."""
        asked, given = self._marks, self._marks_of(X)
        if np.array_equal(asked, given):
            return None
        near = self._marks_of(NEAR * self.deviations + 4.0 * np.spacing(np.abs(self.mean)))
        if (np.abs(given - asked) <= near).all():
            return None
        rows = np.array([int(np.argmin(np.max(np.abs(given - trial) / near, axis=1))) for trial in asked])
        strange = ~(np.abs(given[rows] - asked) <= near).all(axis=1)
        if strange.any() or len(np.unique(rows)) < len(rows):
            told = np.setdiff1d(np.arange(len(X)), rows[~strange])
            raise ValueError(
                f"row {told[0] if len(told) else 0} of X is no trial that was asked for, or stands there twice; give "
                "back the rows of ask(), in any order (until they are told, ask() gives the same)"
            )
        return rows

    @abstractmethod
    def _points(self, trials):
        """Where standard normal draws lie in the space of the problem."""

    @abstractmethod
    def _learn(self, values, ranks):
        """Move the search distribution."""

    def save(self, path):
        """Keep the search in a file, waiting trials and random numbers included; :func:`load_search` goes on.

        Parameters
        ----------
        path : str or path
            A file, by custom with the ending ``.npz``.
        """
        names = ("mean", "bounds", "best_x", *self._state)
        arrays = {name: np.asarray(getattr(self, name)) for name in names}
        if self._trials is not None:
            arrays["trials"] = self._trials
        about = {
            "format": FORMAT, "kind": type(self).__name__, "popsize": int(self.popsize), "best_f": self.best_f,
            "generation": self.generation, "evaluations": self.evaluations, "still": self.still_generations,
            "random": self._rng.bit_generator.state,
        }  # fmt: skip
        with replacing(path) as temporary, open(temporary, "wb") as stream:
            np.savez(stream, about=np.array(json.dumps(about)), **arrays)

    @classmethod
    def _restored(cls, about, arrays):
        search = cls.__new__(cls)
        for name in ("mean", "bounds", "best_x", *cls._state):
            value = arrays[name]
            setattr(search, name, value.copy() if value.ndim else value.item())
        search.popsize, search.best_f = about["popsize"], float(about["best_f"])
        search.generation, search.evaluations = about["generation"], about["evaluations"]
        search.still_generations = about["still"]
        search._rng = np.random.default_rng()
        search._rng.bit_generator.state = about["random"]
        search._utilities = nes_utilities(search.popsize)
        search._trials = arrays.get("trials")
        d = search.dimension
        trials = search._trials if search._trials is not None else np.zeros((search.popsize, d))
        if search.bounds.shape != (d, 2) or search.best_x.shape != (d,) or trials.shape != (search.popsize, d):
            raise ValueError("its arrays are not of one length")
        search._check()
        if search._trials is not None:
            search.ask()
        return search

    @abstractmethod
    def _check(self):
        """Raise ValueError unless the arrays of a file belong together."""


def load_search(path):
    """A search from a file that :meth:`EvolutionStrategy.save` wrote; it goes on to the bit. Runs no code.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    XNES or SNES
    """
    kinds = {kind.__name__: kind for kind in EvolutionStrategy.__subclasses__()}
    try:
        arrays = load_arrays(path)
        about = json.loads(str(arrays.pop("about")))
        return kinds[about["kind"]]._restored(about, arrays)
    except OSError as error:
        raise TreatiseError(f"{path} cannot be read ({error.strerror or error})") from error
    except Exception as error:
        raise TreatiseError(f"{path} holds no search that was saved ({type(error).__name__}: {error})") from error


def default_popsize(d):
    """``4 + floor(3 ln d)``, Table 1."""
    return 4 + int(3 * np.log(d))


def _checked_start(mean):
    mean = np.array(mean, dtype=float)
    if mean.ndim != 1 or len(mean) == 0:
        raise ValueError(f"the start has shape {mean.shape}; give one number for each coordinate")
    if not np.isfinite(mean).all():
        raise ValueError(f"the start has {mean[~np.isfinite(mean)][0]} among its coordinates; give finite numbers")
    return mean


def checked_bounds(bounds, d):
    """Bounds of each coordinate, (d, 2); those of SciPy are taken too."""
    if bounds is None:
        return np.tile([-np.inf, np.inf], (d, 1))
    if isinstance(bounds, Bounds):
        bounds = np.column_stack([np.broadcast_to(side, d) for side in (bounds.lb, bounds.ub)])
    bounds = np.asarray(bounds, dtype=float)
    if bounds.shape == (2,):
        bounds = np.tile(bounds, (d, 1))
    if bounds.shape != (d, 2) or np.isnan(bounds).any():
        raise ValueError(f"bounds has shape {bounds.shape}; give a pair of numbers, or one for each of {d} coordinates")
    crossed = bounds[:, 0] >= bounds[:, 1]
    if crossed.any():
        j = int(np.argmax(crossed))
        raise ValueError(f"the bounds of coordinate {j} cross: {bounds[j, 0]:g} is not below {bounds[j, 1]:g}")
    return bounds


def reflected(X, bounds):
    """Points folded into a box: what crosses a wall comes back as far as it went, as often as it takes."""
    low, high = bounds.T
    if np.isinf(low).all() and np.isinf(high).all():
        return X
    X = X.copy()
    width = high - low
    both = np.isfinite(width)
    if both.any():
        folded = np.mod(X[:, both] - low[both], 2 * width[both])
        X[:, both] = low[both] + np.minimum(folded, 2 * width[both] - folded)
    for wall, side in ((low, 1.0), (high, -1.0)):
        one = np.isfinite(wall) & ~both
        X[:, one] = wall[one] + side * np.abs(X[:, one] - wall[one])
    return np.clip(X, low, high)  # against rounding
