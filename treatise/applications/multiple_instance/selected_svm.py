"""MI-SVM and mi-SVM: support vector machines of instances whose labels are found with them (Andrews et al., 2003)."""

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.classifier import signs_of
from treatise._core.invariants import Invariants, all_alike, finite, is_array
from treatise.applications.multiple_instance._cut import best_cut
from treatise.applications.multiple_instance._front import BagClassifier
from treatise.applications.multiple_instance._scaling import Units
from treatise.applications.multiple_instance.bags import Bags


class InstanceSVM(BagClassifier):
    """A bag is as positive as its most positive instance, which a support vector machine finds.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors of the support vector machine.
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
        Its kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the kernel, as in :class:`sklearn.svm.SVC`.
    class_weight : dict, "balanced" or None, default="balanced"
        Weights of the costs of positive (1) and negative (-1) rows. Negative bags bring all their instances; balanced,
        both sides count alike.
    threshold : "train" or float, default="train"
        Score of its best instance above which a bag is positive: that which is right most often on the training bags,
        or this one; 0 is the paper's. The more instances a bag has, the higher the best of them scores by chance.
    scale : "auto", float or None, default="auto"
        Units of the columns: their standard deviations, this number for all, or as they are.
    max_iter : int, default=50
        Most rounds of training and labelling anew.

    Attributes
    ----------
    svms_ : list of SVC
        The machines of instances in units of ``unit_``: one for two classes, else one for each class against the rest.
    thresholds_ : ndarray of shape (n_machines,)
        Score above which each calls a bag positive; it is taken off the scores of instances and bags.
    n_iter_ : int
        Most rounds that a machine took.
    converged_ : bool
        Whether every machine was trained on the labels that it gives.
    origin_, unit_ : ndarray of shape (n_features,)
        The machines see ``(instance - origin_) / unit_``, without constant columns, whose unit is infinite.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions({"rbf", "linear", "poly", "sigmoid"})],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "threshold": [StrOptions({"train"}), Real],
        "scale": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, C=1.0, *, kernel="rbf", gamma="scale", class_weight="balanced", threshold="train", scale="auto",
        max_iter=50,
    ):  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.class_weight = class_weight
        self.threshold = threshold
        self.scale = scale
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, bags, y):
        """Train and label in turn until the labels stay.

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
        units = Units.of(read, self.scale)
        self.origin_, self.unit_ = units.origin, units.unit
        scaled = units.varying(read)
        self.svms_, cuts, rounds, ended = [], [], [], []
        for signs in signs_of(codes, len(self.classes_)):
            svm, n_rounds, stays = self._train(scaled, signs > 0)
            self.svms_.append(svm)
            if isinstance(self.threshold, str):
                best = np.maximum.reduceat(svm.decision_function(scaled.instances), scaled.starts[:-1])
                cuts.append(best_cut(best, signs > 0))
            rounds.append(n_rounds)
            ended.append(stays)
        self.thresholds_ = np.array(cuts) if cuts else np.full(len(self.svms_), float(self.threshold))
        self.n_iter_, self.converged_ = max(rounds), all(ended)
        if not self.converged_:
            warnings.warn(
                f"the labels of instances still changed after max_iter={self.max_iter} rounds, and may do so forever; "
                "the last machine is kept",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @abstractmethod
    def _train(self, bags: Bags, positive: np.ndarray) -> tuple[SVC, int, bool]:
        """The machine of positive bags against the others, its rounds, and whether the labels came to rest."""

    def _svm(self) -> SVC:
        return SVC(C=self.C, kernel=self.kernel, gamma=self.gamma, class_weight=self.class_weight)

    def instance_scores(self, bags: Any) -> list[np.ndarray]:
        """Score of each instance of each bag; the highest is the bag's.

        Parameters
        ----------
        bags : Bags or sequence of array-like of shape (n_instances, n_features)
            The bags.

        Returns
        -------
        list of ndarray of shape (n_instances,) or (n_instances, n_classes)
        """
        read = self._read(bags)
        scores = self._of_instances(read)
        return np.split(scores[:, 0] if scores.shape[1] == 1 else scores, read.starts[1:-1])

    def _of_instances(self, bags: Bags) -> np.ndarray:
        rows = Units(self.origin_, self.unit_).varying(bags).instances
        return np.column_stack([svm.decision_function(rows) for svm in self.svms_]) - self.thresholds_

    def _scores(self, bags):
        read = self._read(bags)
        return np.maximum.reduceat(self._of_instances(read), read.starts[:-1], axis=0)

    def _invariants(self) -> Invariants:
        machines = 1 if len(self.classes_) == 2 else len(self.classes_)
        yield "there is a machine for each score", len(self.svms_) == machines and all_alike(self.svms_, SVC)
        yield "there is a threshold for each machine", is_array(self.thresholds_, np.float64, machines)
        for name in ("origin_", "unit_"):
            yield (
                f"{name} has a number for each feature",
                is_array(getattr(self, name), np.float64, self.n_features_in_),
            )
        yield "origins are finite", finite(self.origin_)
        yield "units are above zero", bool((self.unit_ > 0).all())


class MISVM(InstanceSVM):
    """Classifier of bags by one chosen instance of each positive bag (MI-SVM).

    Trains a support vector machine on all negative instances and one instance of each positive bag, the bag's mean at
    first, then chooses the most positive instance of each bag, until the choice stays. Use it where a single kind of
    instance makes a bag positive; where several kinds together do, :class:`DDSVM` is better. A round costs a support
    vector machine of the negative instances.

    Examples
    --------
    >>> from treatise.applications import MISVM
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(120, random_state=0)
    >>> MISVM().fit(bags[:80], y[:80]).score(bags[80:], y[80:]) >= 0.9
    True

    References
    ----------
    .. [1] Paper v05-0913, Algorithm 3.3; Andrews, Tsochantaridis & Hofmann, NIPS 15, 2003.
    """

    def _train(self, bags, positive):
        negatives = bags.instances[~positive[bags.owners]]
        chosen_from = bags[positive]
        labels = np.repeat([1.0, -1.0], [len(chosen_from), len(negatives)])
        selected, choice = chosen_from.means(), None
        for n_rounds in range(1, self.max_iter + 1):
            svm = self._svm().fit(np.vstack([selected, negatives]), labels)
            before, choice = choice, _most_positive(svm, chosen_from)
            now = chosen_from.instances[choice]
            # The means of bags of one instance are already what is chosen.
            if np.array_equal(now, selected) or (before is not None and np.array_equal(before, choice)):
                return svm, n_rounds, True
            selected = now
        return svm, self.max_iter, False


class miSVM(InstanceSVM):
    """Classifier of bags by labels of all their instances (mi-SVM).

    All instances of positive bags are positive at first; a support vector machine is trained and labels them anew,
    with at least one positive in each positive bag, until the labels stay. Use it where many instances of a positive
    bag are positive, or where labels of instances are wanted; :class:`MISVM` is cheaper. A round costs a support
    vector machine of all instances.

    Examples
    --------
    >>> from treatise.applications import miSVM
    >>> from treatise.datasets import make_concept_bags
    >>> bags, y = make_concept_bags(120, random_state=0)
    >>> miSVM().fit(bags[:80], y[:80]).score(bags[80:], y[80:]) >= 0.9
    True

    References
    ----------
    .. [1] Paper v05-0913, Table 3; Andrews, Tsochantaridis & Hofmann, NIPS 15, 2003.
    """

    def _train(self, bags, positive):
        of_positive = positive[bags.owners]
        asked = bags[positive]
        labels = np.where(of_positive, 1.0, -1.0)
        for n_rounds in range(1, self.max_iter + 1):
            svm = self._svm().fit(bags.instances, labels)
            found = np.where(svm.decision_function(asked.instances) > 0, 1.0, -1.0)
            found[_most_positive(svm, asked)] = 1.0
            if np.array_equal(found, labels[of_positive]):
                return svm, n_rounds, True
            labels[of_positive] = found
        return svm, self.max_iter, False


def _most_positive(svm: SVC, bags: Bags) -> np.ndarray:
    """Number of the instance of each bag with the highest score; of equals, the first."""
    scores = svm.decision_function(bags.instances)
    return np.array([first + scores[first:last].argmax() for first, last in zip(bags.starts, bags.starts[1:])])
