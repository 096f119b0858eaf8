"""Diverse density as a classifier: one point of highest density, and a distance up to which a bag is positive."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.classifier import check_two_classes
from treatise._core.invariants import Invariants, finite, is_array, is_number
from treatise.applications.multiple_instance._cut import best_cut
from treatise.applications.multiple_instance._front import BagClassifier
from treatise.applications.multiple_instance._scaling import Units
from treatise.applications.multiple_instance._search import search_maxima
from treatise.applications.multiple_instance.density import weighted_distances


class ConceptPoint(BagClassifier):
    """A bag is positive if one of its instances is near a point, in a metric that is learned with it.

    Parameters
    ----------
    threshold : "train" or float, default="train"
        Distance below which a bag is positive: that which is right most often on the training bags, in the middle of
        the widest gap, or this one.
    scale : "auto", float or None, default="auto"
        Units in which the search begins with weights one: each column's standard deviation, this number for all of
        them, or the columns as they are.
    max_starts : int or None, default=None
        Most searches, drawn at random; None begins at every instance of the positive bags.
    max_iter : int, default=200
        Most steps of a search.
    tol : float, default=1e-3
        A search ends where a step raises what it climbs by a smaller share of itself.
    random_state : int, RandomState instance or None, default=None
        Draws the starts, where they are limited.

    Attributes
    ----------
    point_, weights_ : ndarray of shape (n_features,)
        The point and the weights of the features, in the units of the bags.
    threshold_ : float
        Weighted distance below which a bag is positive.
    log_dd_ : float
        Log diverse density of the point.
    converged_ : bool
        Whether the search that found it met the tolerance.
    """

    _parameter_constraints: dict = {
        "threshold": [StrOptions({"train"}), Interval(Real, 0, None, closed="neither")],
        "scale": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither"), None],
        "max_starts": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    _method: str

    def __init__(self, *, threshold="train", scale="auto", max_starts=None, max_iter=200, tol=1e-3, random_state=None):
        self.threshold = threshold
        self.scale = scale
        self.max_starts = max_starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, bags, y):
        """Find the point from every instance of the positive bags.

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
        read, codes = self._fit_labels(bags, y)
        units = Units.of(read, self.scale)
        maxima = search_maxima(
            units.applied(read), codes == 1, method=self._method, max_iter=self.max_iter, tol=self.tol,
            max_starts=self.max_starts, rng=check_random_state(self.random_state),
        )  # fmt: skip
        best = int(np.argmax(maxima.log_density))
        unit = np.where(np.isfinite(units.unit), units.unit, 1.0)
        self.point_ = maxima.points[best] * unit + units.origin
        self.weights_ = maxima.weights[best] / unit
        self.log_dd_ = float(maxima.log_density[best])
        self.converged_ = bool(maxima.converged[best])
        if not self.converged_:
            warnings.warn(
                f"the search for the point was cut off after max_iter={self.max_iter} steps; raise max_iter or tol, or "
                "let scale='auto' choose the units",
                ConvergenceWarning,
                stacklevel=2,
            )
        if isinstance(self.threshold, str):
            self.threshold_ = -best_cut(-self._distances(read), codes == 1)
        else:
            self.threshold_ = float(self.threshold)
        return self

    def _distances(self, read):
        return weighted_distances(read, self.point_[np.newaxis], self.weights_[np.newaxis])[:, 0]

    def _scores(self, bags):
        read = self._read(bags)
        return (self.threshold_ - self._distances(read))[:, np.newaxis]

    def _invariants(self) -> Invariants:
        for name in ("point_", "weights_"):
            values = getattr(self, name)
            yield f"{name} has a number for each feature", is_array(values, np.float64, self.n_features_in_)
            yield f"{name} is finite", finite(values)
        yield "the threshold is a number", is_number(self.threshold_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class DiverseDensity(ConceptPoint):
    """Classifier of bags by their distance to the point of highest diverse density.

    The point is near an instance of every positive bag and far from all negative ones. Use it where one kind of
    instance makes a bag positive and the features that matter are wanted: the weights name them. Not where several
    kinds decide (:class:`DDSVM`), nor with wrong labels, of which one is enough to hide the point. The cost is starts x
    instances x features for each of some fifty steps.

    Examples
    --------
    >>> from treatise.applications import DiverseDensity
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(80, random_state=0)
    >>> model = DiverseDensity().fit(bags[:40], y[:40])
    >>> model.score(bags[40:], y[40:]) >= 0.9, bool((abs(model.point_) < 0.3).all())
    (True, True)

    References
    ----------
    .. [1] Paper v05-0913, Section 3.2.1; Maron & Lozano-Perez, NIPS 10, 1998.
    """

    _method = "noisy-or"


class EMDD(ConceptPoint):
    """Classifier of bags by their distance to a point that EM-DD finds.

    As :class:`DiverseDensity`, but in the search one instance speaks for each bag, the nearest, chosen anew until
    nothing improves. A step costs starts x bags x features, which is much cheaper where bags are large; with small bags
    diverse density itself is as fast and surer. Of all searches the point of highest diverse density is taken.

    Examples
    --------
    >>> from treatise.applications import EMDD
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(80, random_state=0)
    >>> EMDD().fit(bags[:40], y[:40]).score(bags[40:], y[40:]) >= 0.8
    True

    References
    ----------
    .. [1] Paper v05-0913, Section 3.2.3; Zhang & Goldman, NIPS 14, 2002.
    """

    _method = "em-dd"
