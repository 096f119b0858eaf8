"""Instance prototypes: distinct local maxima of diverse density (Algorithm 3.1), and bags as distances to them."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.classifier import check_two_classes
from treatise._core.invariants import Invariants, finite, is_array
from treatise.applications.multiple_instance._front import BagReader
from treatise.applications.multiple_instance._scaling import Units
from treatise.applications.multiple_instance._search import Maxima, search_maxima
from treatise.applications.multiple_instance.bags import Bags
from treatise.applications.multiple_instance.density import weighted_distances


def distinct_maxima(found: Maxima, *, beta: float, threshold: str | float) -> np.ndarray:
    """Numbers of the maxima that become prototypes, the highest first (Algorithm 3.1, lines 8 to 13)."""
    values = found.log_density
    if isinstance(threshold, str):
        least = 0.5 * (values.max() + values.min())
    else:
        least = float(np.quantile(values, threshold))
    order = np.argsort(-values, kind="stable")
    # The middle of equal values may round to more than they are.
    left = order[(values[order] >= least) | (values[order] == values.max())]
    weighted = found.points * found.weights
    chosen = []
    while len(left):
        best = left[0]
        chosen.append(best)
        apart = np.linalg.norm(weighted[left] - weighted[best], axis=1)
        keeps = apart >= beta * np.linalg.norm(weighted[best])
        keeps[0] = False
        left = left[keeps]
    return np.array(chosen, np.int64)


class DiverseDensityMapper(TransformerMixin, BagReader, BaseEstimator):
    """Turns each bag into its distances to instances that are typical of one class and rare in the other.

    From every instance of the positive bags a search climbs to a local maximum of diverse density, in the point and in
    the weights of the features around it; the distinct maxima are the prototypes, and a bag's features are the least
    weighted distances of its instances to them. Any classifier of rows can follow. Not for bags of thousands of
    positive instances without ``max_starts``: the search costs starts x instances x features for each of some fifty
    steps.

    Parameters
    ----------
    both_classes : bool, default=True
        Whether to find prototypes of the negative class too, with the labels negated.
    beta : float, default=0.05
        Maxima nearer to a prototype than this share of its weighted length count as the same.
    threshold : "mid" or float, default="mid"
        The least log diverse density of a prototype: the middle between the highest and the lowest maximum, as in the
        paper, or a quantile of the maxima.
    method : {"noisy-or", "em-dd"}, default="noisy-or"
        What the searches climb: diverse density itself, or EM-DD's likelihood of the nearest instance of each bag,
        which is cheaper where bags are large.
    scale : "auto", float or None, default="auto"
        Units in which the search begins with weights one: each column's standard deviation, this number for all of
        them (100 for the Musk data of the paper), or the columns as they are.
    max_starts : int or None, default=None
        Most searches for each class, drawn at random; None begins at every instance.
    max_iter : int, default=200
        Most steps of a search.
    tol : float, default=1e-3
        A search ends where a step raises the log diverse density by a smaller share of itself.
    random_state : int, RandomState instance or None, default=None
        Draws the starts, where they are limited.

    Attributes
    ----------
    prototypes_, weights_ : ndarray of shape (n_prototypes, n_features)
        The points, and the weights of the features around each, in the units of the bags.
    log_dd_ : ndarray of shape (n_prototypes,)
        Their log diverse densities, the highest first within a class.
    prototype_classes_ : ndarray of shape (n_prototypes,)
        The class that each is typical of.
    converged_ : bool
        Whether the searches for all prototypes met the tolerance.
    n_starts_ : int
        Searches made.
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive one.
    n_features_in_ : int
        Features of an instance.

    Examples
    --------
    >>> from treatise.applications import DiverseDensityMapper
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(30, random_state=0)
    >>> mapper = DiverseDensityMapper(both_classes=False).fit(bags, y)
    >>> mapper.transform(bags).shape == (30, len(mapper.prototypes_))
    True

    References
    ----------
    .. [1] Paper v05-0913, Algorithm 3.1 and equation (6).
    """

    _parameter_constraints: dict = {
        "both_classes": ["boolean"],
        "beta": [Interval(Real, 0, 1, closed="left")],
        "threshold": [StrOptions({"mid"}), Interval(Real, 0, 1, closed="both")],
        "method": [StrOptions({"noisy-or", "em-dd"})],
        "scale": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither"), None],
        "max_starts": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, both_classes=True, beta=0.05, threshold="mid", method="noisy-or", scale="auto", max_starts=None,
        max_iter=200, tol=1e-3, random_state=None,
    ):  # fmt: skip
        self.both_classes = both_classes
        self.beta = beta
        self.threshold = threshold
        self.method = method
        self.scale = scale
        self.max_starts = max_starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, bags, y):
        """Find the prototypes.

        Parameters
        ----------
        bags : Bags or sequence of array-like of shape (n_instances, n_features)
            The bags.
        y : array-like of shape (n_bags,)
            Their labels, of two classes.

        Returns
        -------
        self
        """
        check_two_classes(y)
        read, self.classes_, codes = self._read_labelled(bags, y)
        return self._find(read, codes)

    def _find(self, bags: Bags, codes: np.ndarray) -> "DiverseDensityMapper":
        units = Units.of(bags, self.scale)
        scaled, rng = units.applied(bags), check_random_state(self.random_state)
        found, self.n_starts_ = [], 0
        for code in (1, 0) if self.both_classes else (1,):
            maxima = search_maxima(
                scaled, codes == code, method=self.method, max_iter=self.max_iter, tol=self.tol,
                max_starts=self.max_starts, rng=rng,
            )  # fmt: skip
            self.n_starts_ += len(maxima.points)
            found.append(maxima.take(distinct_maxima(maxima, beta=self.beta, threshold=self.threshold)))
        origin, unit = units.origin, np.where(np.isfinite(units.unit), units.unit, 1.0)
        self.prototypes_ = np.vstack([part.points for part in found]) * unit + origin
        self.weights_ = np.vstack([part.weights for part in found]) / unit
        self.log_dd_ = np.concatenate([part.log_density for part in found])
        sizes = [len(part.points) for part in found]
        self.prototype_classes_ = np.repeat(self.classes_[::-1][: len(found)], sizes)
        self.converged_ = all(bool(part.converged.all()) for part in found)
        if not self.converged_:
            unfinished = sum(int((~part.converged).sum()) for part in found)
            warnings.warn(
                f"the searches for {unfinished} of {sum(sizes)} prototypes were cut off after max_iter={self.max_iter} "
                "steps; raise max_iter or tol, or let scale='auto' choose the units",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def transform(self, bags):
        """Least weighted distance of each bag to each prototype (equation 6).

        Parameters
        ----------
        bags : Bags or sequence of array-like of shape (n_instances, n_features)
            The bags.

        Returns
        -------
        ndarray of shape (n_bags, n_prototypes)
        """
        read = self._read(bags)
        return weighted_distances(read, self.prototypes_, self.weights_)

    def _invariants(self) -> Invariants:
        m = self.n_features_in_
        for name in ("prototypes_", "weights_"):
            values = getattr(self, name)
            yield f"{name} has a row for each prototype", is_array(values, np.float64, len(self.prototypes_), m)
            yield f"{name} is finite", finite(values)
        yield "there are two classes", len(self.classes_) == 2

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
