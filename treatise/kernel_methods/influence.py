"""Which training object moves a kernel classifier, and how far (Christmann & Steinwart, JMLR 5:1007)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import clone
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import codes_among, signs_of
from treatise._core.figures import axes_for
from treatise.kernel_methods.certificate import kernel_certificate
from treatise.kernel_methods.kernel_machine import KernelMachineClassifier, machine_loss
from treatise.optimize import make_loss


@dataclass(frozen=True)
class Influence:
    """Derivatives of a machine as single objects gain weight, one for each object asked about.

    Attributes
    ----------
    norms : ndarray of shape (n_objects,)
        Length of the derivative of the kernel expansion.
    offsets : ndarray of shape (n_objects,)
        Derivative of the offset; zeros for a machine without one.
    scores : ndarray of shape (n_objects, n_train)
        Derivative of the scores of the training objects, offset included.
    coef : ndarray of shape (n_objects, n_train)
        Weights of the training objects in the derivative.
    own_coef : ndarray of shape (n_objects,)
        Weight of the object itself.
    """

    norms: np.ndarray
    offsets: np.ndarray
    scores: np.ndarray
    coef: np.ndarray
    own_coef: np.ndarray


class InfluenceFunction:
    """The derivative of a fitted kernel classifier with respect to the weight of any object, seen or not.

    ``machine`` moves by about ``share * influence`` when a share of the data is replaced by the object: large norms
    name the training objects that dominate the fit, a first sign of a wrong label, and the leave-one-out scores follow
    without a refit. The loss must be smooth; for the hinge use :func:`sensitivity_curve`. One factorisation, O(n³),
    serves all objects, each O(n²).

    Parameters
    ----------
    machine : KernelMachineClassifier
        Fitted, with a smooth loss, and an offset or no free function.
    X, y : as given to ``machine.fit``
        Its training objects and classes, all of equal weight.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import InfluenceFunction, KernelMachineClassifier
    >>> X = np.linspace(-2, 2, 21)[:, None]
    >>> y = np.where(X[:, 0] > 0.1, 1, -1)
    >>> y[2] = 1
    >>> machine = KernelMachineClassifier(0.01).fit(X, y)
    >>> int(np.argmax(InfluenceFunction(machine, X, y).training().norms))
    2

    References
    ----------
    .. [1] Paper v05-1007, Theorems 4 and 8.
    """

    def __init__(self, machine, X, y):
        _check_machine(machine)
        check_is_fitted(machine)
        self._loss = machine_loss(machine.loss)
        if not self._loss.smooth:
            raise ValueError(f"the loss {machine.loss!r} has no second derivative; use sensitivity_curve, which refits")
        if machine.unpenalized not in (None, "constant"):
            raise ValueError("influence is known for machines with an offset or without free functions only")
        self._machine = machine
        self._has_offset = machine.unpenalized == "constant"
        self._X = machine._new_objects(X)
        self._signs = _signs_of(machine, y)
        n = len(self._signs)
        self._gram = machine._block(self._X, machine._kept(self._X, np.arange(n)))
        check_consistent_length(self._gram, self._signs)
        self._coef = np.zeros(n)
        if machine.support_.max(initial=-1) < n:
            self._coef[machine.support_] = machine.dual_coef_
        self._curved_scores = self._gram @ self._coef
        self._offset = float(machine.unpenalized_coef_[0]) if self._has_offset else 0.0
        self._check_trained_on()
        curvature = self._loss.curvature(self._signs, self._curved_scores + self._offset) / n
        self._curved = curvature > 1e-14 * curvature.max()
        inner = self._gram[np.ix_(self._curved, self._curved)].copy()
        inner[np.diag_indices_from(inner)] += 2.0 * machine.penalty_ / curvature[self._curved]
        self._factor = cho_factor(inner, lower=True)

    def _check_trained_on(self):
        """On other data, or with weights, the machine is not at the optimum whose derivative is asked for."""
        machine = self._machine
        certificate = kernel_certificate(
            self._gram, self._signs, self._coef, machine.unpenalized_coef_, machine.penalty_, self._loss
        )
        if certificate.violation > machine.optimality_residual_ + 1e-4:
            raise ValueError(
                f"X and y are not what the machine was fitted to, in that order and with equal weights: it misses the "
                f"conditions of optimality by {certificate.violation:.2g} on them"
            )

    def training(self):
        """Influence of every training object.

        Returns
        -------
        influence : Influence
        """
        return self._of(self._gram, np.diagonal(self._gram), self._signs, self._curved_scores)

    def at(self, X, y):
        """Influence of new objects.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_objects, n_features), or what the kernel reads
            Objects.
        y : array-like of shape (n_objects,)
            Their classes.

        Returns
        -------
        influence : Influence
        """
        machine = self._machine
        if isinstance(machine.kernel_, str):
            raise ValueError("a precomputed kernel cannot be computed at new objects; use training()")
        objects = machine._new_objects(X)
        block = machine.kernel_.block(objects, self._X)
        signs = _signs_of(machine, y)
        check_consistent_length(block, signs)
        return self._of(block, machine.kernel_.diagonal(objects), signs, block @ self._coef)

    def _of(self, block, own, signs, scores):
        """Solve the conditions of Theorem 8 for objects whose kernels with the training objects are ``block``."""
        penalty, curved = self._machine.penalty_, self._curved
        slopes = self._loss.derivative(signs, scores + self._offset)
        right = 2.0 * penalty * self._curved_scores + slopes[:, None] * block
        through = cho_solve(self._factor, right[:, curved].T).T
        shift = np.zeros(len(block))
        if self._has_offset:
            constant = cho_solve(self._factor, np.ones(int(curved.sum())))
            # The second component of the right side, which the paper's Theorem 8 leaves out, is the slope itself.
            shift = (slopes - through.sum(axis=1)) / constant.sum()
            through = through + shift[:, None] * constant
        coef = np.tile(-self._coef, (len(block), 1))
        coef[:, curved] += through / (2.0 * penalty)
        own_coef = -slopes / (2.0 * penalty)
        inner = coef @ self._gram
        squares = np.einsum("ij,ij->i", inner, coef) + own_coef**2 * own
        squares += 2.0 * own_coef * np.einsum("ij,ij->i", coef, block)
        offsets = -shift / (2.0 * penalty)
        values = inner + own_coef[:, None] * block + offsets[:, None]
        return Influence(np.sqrt(np.maximum(squares, 0.0)), offsets, values, coef, own_coef)

    def score_changes(self, points, X=None, y=None):
        """Derivatives of the scores of any objects as other objects gain weight.

        Says whom a prediction leans on: the training objects with the largest entries in its column.

        Parameters
        ----------
        points : {array-like, sparse matrix} of shape (n_points, n_features), or what the kernel reads
            Objects to score.
        X, y : as for :meth:`at`, or None
            The objects that gain weight; None takes every training object.

        Returns
        -------
        changes : ndarray of shape (n_objects, n_points)
        """
        machine = self._machine
        if isinstance(machine.kernel_, str):
            raise ValueError("a precomputed kernel cannot be computed at new objects; use training()")
        if (X is None) != (y is None):
            raise ValueError("X and y must be given together, or neither")
        objects = self._X if X is None else machine._new_objects(X)
        influence = self.training() if X is None else self.at(X, y)
        points = machine._new_objects(points)
        block, own = (machine.kernel_.block(rows, points) for rows in (self._X, objects))
        return influence.coef @ block + influence.own_coef[:, None] * own + influence.offsets[:, None]

    def leave_one_out(self):
        """Scores of the training objects by the machine that did not see them, to first order.

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        n = len(self._signs)
        return self._curved_scores + self._offset - np.diagonal(self.training().scores) / (n - 1)


def _check_machine(machine):
    if not isinstance(machine, KernelMachineClassifier):
        raise ValueError(f"the machine must be a KernelMachineClassifier; it is {type(machine).__name__}")


def _signs_of(machine, y):
    """1 for the second class of a fitted machine, -1 for the first."""
    codes = codes_among(column_or_1d(y), machine.classes_, where="of the machine")
    return signs_of(codes, 2)[0]


def sensitivity_curve(machine, X, y, new_X, new_y, at):
    """Change of a classifier's scores by one more object, times the number of objects, by refitting.

    Works for every loss; :class:`InfluenceFunction` is its limit for many objects and a smooth loss.

    Parameters
    ----------
    machine : KernelMachineClassifier
        What to fit; its penalty is that of the mean loss, so it stays.
    X, y : {array-like, sparse matrix} of shape (n, n_features), and array-like of shape (n,)
        Data.
    new_X : array-like of shape (n_features,)
        The object to add.
    new_y : label
        Its class.
    at : {array-like, sparse matrix} of shape (m, n_features)
        Where to look.

    Returns
    -------
    curve : ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import KernelMachineClassifier, sensitivity_curve
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1, 1])
    >>> bool(sensitivity_curve(KernelMachineClassifier(loss="hinge"), X, y, [0.5], 1, [[0.5]])[0] > 0)
    True
    """
    _check_machine(machine)
    X, at = (check_array(table, accept_sparse="csr", dtype=np.float64) for table in (X, at))
    y, new_row = column_or_1d(y), check_array([new_X], dtype=np.float64)
    if new_row.shape[1] != X.shape[1]:
        raise ValueError(f"new_X has {new_row.shape[1]} features, and X has {X.shape[1]}")
    before = clone(machine).fit(X, y)
    _signs_of(before, [new_y])
    more = sparse.vstack([X, new_row], format="csr") if sparse.issparse(X) else np.vstack([X, new_row])
    after = clone(machine).fit(more, np.append(y, new_y))
    return (X.shape[0] + 1) * (after.decision_function(at) - before.decision_function(at))


def robustness_bound(loss, penalty, kernel_bound=1.0):
    """How fast a kernel classifier without offset can move at most, in units of replaced data (Theorem 12).

    If a share e of the data is replaced in any way, the expansion moves by at most ``2 e`` times this number; that
    includes the worst single object and the worst bias.

    Parameters
    ----------
    loss : str
        Name of a loss of labels: see :class:`treatise.optimize.Loss`.
    penalty : float
        Weight of the squared length.
    kernel_bound : float, default=1.0
        Largest ``sqrt(k(x, x))``; infinite for kernels that are not bounded.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> from treatise.kernel_methods import robustness_bound
    >>> robustness_bound("hinge", 0.01)
    100.0
    """
    if not (penalty > 0 and kernel_bound > 0):
        raise ValueError(f"penalty={penalty} and kernel_bound={kernel_bound} must be positive")
    chosen = machine_loss(loss)
    if not chosen.of_labels and loss != "squared":
        raise ValueError(f"the bound is for losses of labels; {loss!r} is none")
    if np.isinf(kernel_bound):
        return float("inf")
    zero: Any = np.zeros(1)
    reach = np.sqrt((chosen.value(np.ones(1), zero) + chosen.value(-np.ones(1), zero))[0] / penalty)
    return float(kernel_bound / penalty * chosen.lipschitz(reach * kernel_bound))


def influence_bound(loss, penalty, curvature, mean_curvature):
    """Largest norm of the influence of an object on a classifier with an offset (Theorem 15).

    For kernels with ``k(x, x) <= 1`` and losses whose second derivative stays above a positive number.

    Parameters
    ----------
    loss : {"logistic", "modified_huber"}
        A loss with a second derivative and a bounded slope.
    penalty : float
        Weight of the squared length.
    curvature : float
        Smallest second derivative of the loss at the scores that occur.
    mean_curvature : float
        Its mean over the data.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> from treatise.kernel_methods import influence_bound
    >>> round(influence_bound("logistic", 0.1, 0.05, 0.2), 3)
    40.0
    """
    if not min(penalty, curvature, mean_curvature) > 0:
        raise ValueError(
            f"penalty={penalty}, curvature={curvature} and mean_curvature={mean_curvature} must be positive"
        )
    if loss not in ("logistic", "modified_huber"):
        raise ValueError(
            f"the bound is for 'logistic' and 'modified_huber'; the slope of {loss!r} is not bounded or has jumps"
        )
    ratio = penalty / np.hypot(mean_curvature, penalty)
    low = penalty * (1.0 - ratio) + mean_curvature * (1.0 - np.sqrt(1.0 - ratio**2))
    slope = make_loss(loss).lipschitz(np.inf)
    return float(2.0 * slope / min(curvature, penalty, low))


def plot_influence(influence, ax=None, n_named=5):
    """Draw the norms of influence of the training objects, the largest with their numbers.

    Parameters
    ----------
    influence : Influence
        From :meth:`InfluenceFunction.training`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    n_named : int, default=5
        How many objects to name.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = axes_for(ax, figsize=(7, 3.5))
    norms = influence.norms
    ax.vlines(np.arange(len(norms)), 0.0, norms, color="C0", lw=1)
    for i in np.argsort(-norms)[:n_named]:
        ax.annotate(str(i), (i, norms[i]), ha="center", va="bottom")
    ax.set(xlabel="training object", ylabel="norm of the influence", ylim=(0.0, 1.1 * norms.max()))
    return ax
