"""DD-SVM: a support vector machine on the distances of bags to instance prototypes (Algorithm 3.2)."""

from numbers import Real

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import signs_of
from treatise._core.invariants import Invariants, all_alike
from treatise.applications.multiple_instance._front import BagClassifier
from treatise.applications.multiple_instance.prototypes import DiverseDensityMapper

_OF_MAPPER = ("both_classes", "beta", "threshold", "method", "scale", "max_starts", "max_iter", "tol")


class DDSVM(BagClassifier):
    """Classifier of bags whose label may depend on several kinds of instances.

    Finds instance prototypes of each class by diverse density, maps every bag to its distances to them, and trains a
    support vector machine there. Use it where labels belong to bags (an image and its regions, a molecule and its
    shapes, a customer and the visits) and more than one kind of instance may decide. Not for labels with errors: one
    wrong bag changes diverse density much. Several classes are told apart each against the rest. The cost is that of
    the search for prototypes, starts x instances x features for each of some fifty steps; memory is starts x
    instances in blocks of at most 16 MiB.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors of the support vector machine; the paper's Musk experiment has 1000.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of its Gaussian kernel ``exp(-gamma |u - v|**2)`` on the distances; 0.001 to 0.01 in the paper's.
    both_classes, beta, threshold, method, scale, max_starts, max_iter, tol
        As in :class:`DiverseDensityMapper`.
    svm : classifier with a decision_function, or None, default=None
        What learns from the distances; None is ``SVC(C=C, gamma=gamma)``.
    random_state : int, RandomState instance or None, default=None
        Draws the starts, where they are limited.

    Attributes
    ----------
    mappers_ : list of DiverseDensityMapper
        The prototypes, one mapper for two classes, else one for each class against the rest.
    svms_ : list of estimators
        The machines on their distances.
    prototypes_, weights_ : ndarray of shape (n_prototypes, n_features)
        The points, and the weights of the features around each, of all mappers.
    log_dd_ : ndarray of shape (n_prototypes,)
        Their log diverse densities.
    converged_ : bool
        Whether the searches for all prototypes met the tolerance.

    Examples
    --------
    >>> from treatise.applications import DDSVM
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(80, n_concepts=2, random_state=0)  # positive with both concepts, not with one
    >>> DDSVM().fit(bags[:60], y[:60]).score(bags[60:], y[60:]) >= 0.9
    True

    References
    ----------
    .. [1] Paper v05-0913, Algorithms 3.1 and 3.2.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        **DiverseDensityMapper._parameter_constraints,
        "svm": [HasMethods(["fit", "decision_function"]), None],
    }

    def __init__(
        self, C=1.0, *, gamma="scale", both_classes=True, beta=0.05, threshold="mid", method="noisy-or", scale="auto",
        max_starts=None, max_iter=200, tol=1e-3, svm=None, random_state=None,
    ):  # fmt: skip
        self.C = C
        self.gamma = gamma
        self.both_classes = both_classes
        self.beta = beta
        self.threshold = threshold
        self.method = method
        self.scale = scale
        self.max_starts = max_starts
        self.max_iter = max_iter
        self.tol = tol
        self.svm = svm
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, bags, y):
        """Find the prototypes and train the machine, or one of each for every class.

        Parameters
        ----------
        bags : Bags or sequence of array-like of shape (n_instances, n_features)
            The bags.
        y : array-like of shape (n_bags,)
            Their labels.

        Returns
        -------
        self
        """
        read, codes = self._fit_labels(bags, y)
        rng = check_random_state(self.random_state)
        settings = {name: getattr(self, name) for name in _OF_MAPPER}
        self.mappers_, self.svms_ = [], []
        for signs in signs_of(codes, len(self.classes_)):
            mapper = DiverseDensityMapper(**settings, random_state=rng)
            mapper.fit(read, signs)
            mapper.random_state = None  # a state that moves on is no part of the model
            svm = SVC(C=self.C, gamma=self.gamma) if self.svm is None else clone(self.svm)
            self.svms_.append(svm.fit(mapper.transform(read), signs))
            self.mappers_.append(mapper)
        self.converged_ = all(mapper.converged_ for mapper in self.mappers_)
        return self

    @property
    def prototypes_(self):
        """Points of all mappers."""
        check_is_fitted(self, "mappers_")
        return np.vstack([mapper.prototypes_ for mapper in self.mappers_])

    @property
    def weights_(self):
        """Weights of the features around each."""
        check_is_fitted(self, "mappers_")
        return np.vstack([mapper.weights_ for mapper in self.mappers_])

    @property
    def log_dd_(self):
        """Log diverse density of each."""
        check_is_fitted(self, "mappers_")
        return np.concatenate([mapper.log_dd_ for mapper in self.mappers_])

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
        return np.hstack([mapper.transform(read) for mapper in self.mappers_])

    def _scores(self, bags):
        read = self._read(bags)
        return np.column_stack(
            [svm.decision_function(mapper.transform(read)) for mapper, svm in zip(self.mappers_, self.svms_)]
        )

    def _invariants(self) -> Invariants:
        machines = 1 if len(self.classes_) == 2 else len(self.classes_)
        yield "there is a mapper and a machine for each score", len(self.mappers_) == len(self.svms_) == machines
        yield "mappers are mappers", all_alike(self.mappers_, DiverseDensityMapper)
        yield "machines are machines", all(hasattr(svm, "decision_function") for svm in self.svms_)
