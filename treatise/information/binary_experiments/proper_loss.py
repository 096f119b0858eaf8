"""Proper losses in all their forms: a weight over costs, a Bayes risk, the divergence that they estimate."""

import numpy as np

from treatise.information.binary_experiments.f_divergence import FDivergence, distributions
from treatise.information.binary_experiments.least_divergence import greatest_argument
from treatise.information.binary_experiments.named import LOSSES, cost_weighted
from treatise.information.binary_experiments.perspective import (
    Perspective,
    curvature_by_differences,
    slope_by_differences,
)
from treatise.information.binary_experiments.weight_integrals import from_weight

GRID = np.linspace(0.005, 0.995, 199)


class ProperLoss:
    r"""A loss for probabilities of two classes that the true probability minimises.

    Each is a weighted sum of cost-sensitive errors: :math:`\ell(y, \hat\eta) = \int \ell_c(y, \hat\eta) w(c) dc`,
    where a false alarm costs c and a miss 1 - c (Theorem 16). The weight w says which costs matter; choose it, and the
    loss, its Bayes risk, its regret (a Bregman divergence), the f-divergence that it estimates and the cost-sensitive
    regret that it guarantees follow.

    Use it to design a loss for the costs at hand, to score predicted probabilities, or to turn a small regret into a
    promise about decisions. It is not a training objective for margins: compose it with a link for that. Evaluations
    cost O(n); of a loss from a weight, O(16 n) values of the weight.

    Parameters
    ----------
    name : str, default="log"
        "log", "square" (half of the squared error: the weight 1), "boosting" (the exponential loss, Bayes risk
        2 sqrt(eta (1 - eta))) or "zero_one". For others see :meth:`from_weight`, :meth:`from_bayes_risk`,
        :meth:`cost_weighted` and :meth:`FDivergence.loss`.

    Attributes
    ----------
    name : str
        What it is called.
    is_fair : bool
        Whether a certain and right answer costs nothing. If not, some partial loss has no lower bound (the weight grows
        as fast as 1/c^2 at an end) and is zero at one half.
    atoms : tuple of (float, float)
        Point masses of the weight: cost and size.

    Examples
    --------
    >>> from treatise.information import ProperLoss
    >>> costly_misses = ProperLoss.from_weight(lambda c: 1.0 / c)  # mostly about cheap false alarms
    >>> costly_misses([0, 1], [0.2, 0.2]).round(4)
    array([0.2   , 0.8094])
    >>> log = ProperLoss("log")
    >>> round(float(2 * log.greatest_cost_regret(0.02)), 4)  # greatest error rate above the best one
    0.1993

    References
    ----------
    .. [1] Paper v12-0731: Section 4.3, Theorems 16, 17, 18 and 25.
    """

    def __init__(self, name="log"):
        if name not in LOSSES:
            raise ValueError(f"no loss is called {name!r}; choose among {', '.join(LOSSES)}")
        self.name, self._perspective, self.is_fair = name, LOSSES[name], True

    @classmethod
    def _made(cls, perspective, name):
        """A loss from the perspective of its Bayes risk, moved to be fair where that is possible."""
        made = cls.__new__(cls)
        with np.errstate(all="ignore"):
            ends = np.array([perspective.slopes_at(1.0, 0.0)[0], perspective.slopes_at(0.0, 1.0)[1]], dtype=float)
        made.is_fair = bool(np.isfinite(ends).all())
        made._perspective = perspective.shifted(-ends[0], -ends[1]) if made.is_fair else perspective
        made.name = name
        return made

    @classmethod
    def from_weight(cls, weight=None, *, atoms=(), breaks=(), name="from a weight"):
        """The loss with a given weight over costs (Theorem 17).

        Parameters
        ----------
        weight : callable or None, default=None
            Weight of each cost c of a false alarm in (0, 1), of arrays; None for point masses alone.
        atoms : sequence of (float, float), default=()
            Point masses: cost and size.
        breaks : sequence of float, default=()
            Where the weight jumps or has a kink.
        name : str, default="from a weight"
            What to call it.

        Returns
        -------
        loss : ProperLoss
        """
        if weight is None and not len(atoms):
            raise ValueError("neither a weight function nor point masses are given; one is needed")
        return cls._made(from_weight(weight, atoms=atoms, breaks=breaks), name)

    @classmethod
    def from_bayes_risk(cls, bayes_risk, slope=None, *, name="from a Bayes risk"):
        """The loss with a given least risk at every probability (Theorem 7, Savage).

        Parameters
        ----------
        bayes_risk : callable
            Concave on [0, 1], of arrays.
        slope : callable or None, default=None
            Its derivative; None takes differences, good to ten digits but near the ends.
        name : str, default="from a Bayes risk"
            What to call it.

        Returns
        -------
        loss : ProperLoss
        """
        values = np.asarray(bayes_risk(GRID), dtype=float)
        if values.shape != GRID.shape or not np.isfinite(values).all():
            raise ValueError("bayes_risk must take an array of probabilities and return as many finite values")
        bent = np.diff(values, 2) > 1e-12 * (1.0 + np.abs(values).max())
        if bent.any():
            at = GRID[1 + int(np.argmax(bent))]
            raise ValueError(f"the Bayes risk is not concave near {at:.3g}; the least risk of a proper loss is")
        made = cls.__new__(cls)
        made.name, made._perspective = name, _savage(bayes_risk, slope)
        made.is_fair = bool(np.abs(np.asarray(bayes_risk(np.array([0.0, 1.0])), dtype=float)).max() < 1e-12)
        return made

    @classmethod
    def cost_weighted(cls, cost):
        """The loss of decisions: ``cost`` for a false alarm, the rest to one for a miss (equation 29).

        Parameters
        ----------
        cost : float
            Strictly between 0 and 1; probabilities from it on are taken for positive.

        Returns
        -------
        loss : ProperLoss
        """
        cost = _cost(cost)
        return cls._made(cost_weighted(cost), f"cost {cost:g}")

    @property
    def atoms(self):
        return self._perspective.atoms

    def __repr__(self):
        return f"ProperLoss({self.name!r})"

    def weight(self, cost):
        """The weight of costs strictly between 0 and 1, without the :attr:`atoms`: minus the second derivative of the
        Bayes risk (equation 32)."""
        cost = np.asarray(cost, dtype=float)
        if not ((cost > 0) & (cost < 1)).all():
            raise ValueError(f"cost={cost} must lie strictly between 0 and 1")
        return self._perspective.weight_at(cost)

    def __call__(self, y, proba):
        """The loss of each row; infinite where a certain answer is wrong and the loss says so.

        Parameters
        ----------
        y : array-like
            Labels 0 and 1.
        proba : array-like
            Predicted probabilities of the label 1.

        Returns
        -------
        losses : ndarray
        """
        y, proba = np.asarray(y), _probabilities(proba, "proba")
        if not np.isin(y, (0, 1)).all():
            raise ValueError(f"labels are 0 and 1; y holds {np.setdiff1d(y, [0, 1])[0]!r}")
        negative, positive = self._partial(proba)
        return np.where(y == 1, positive, negative)

    def _partial(self, proba):
        """Losses of a negative and of a positive row: minus the slopes."""
        in_negative, in_positive = self._perspective.slopes_at(1.0 - proba, proba)
        return -np.asarray(in_negative), -np.asarray(in_positive)

    def bayes_risk(self, eta):
        """The least expected loss at each probability ``eta`` of a positive row."""
        eta = _probabilities(eta, "eta")
        return -self._perspective(1.0 - eta, eta)

    def risk(self, eta, proba):
        """The expected loss of predicting ``proba`` where ``eta`` is true; both are broadcast."""
        eta, proba = _probabilities(eta, "eta"), _probabilities(proba, "proba")
        eta, proba = np.broadcast_arrays(eta, proba)
        negative, positive = self._partial(proba)
        with np.errstate(invalid="ignore"):
            return np.where(eta < 1, (1.0 - eta) * negative, 0.0) + np.where(eta > 0, eta * positive, 0.0)

    def regret(self, eta, proba):
        """What predicting ``proba`` where ``eta`` is true costs beyond the least: a Bregman divergence (Section 4.4).

        Parameters
        ----------
        eta, proba : array-like
            True and predicted probabilities, broadcast. Of a loss that is not fair, ``eta`` must not be 0 or 1.

        Returns
        -------
        regret : ndarray
            Not negative; zero where both are the same.
        """
        eta, proba = np.broadcast_arrays(_probabilities(eta, "eta"), _probabilities(proba, "proba"))
        if not self.is_fair and ((eta == 0) | (eta == 1)).any():
            raise ValueError("this loss has no finite least risk at a probability of 0 or 1; keep eta inside (0, 1)")
        return np.where(eta == proba, 0.0, np.maximum(self.risk(eta, proba) - self.bayes_risk(eta), 0.0))

    def least_regret(self, cost_regret, cost=0.5):
        """The least regret of this loss, given the regret of the decision at one cost (Theorem 25).

        The paper prints the larger of two terms; its argument gives the smaller, which is attained. With a
        symmetric loss and a cost of one half the bound is convex and holds for averages over rows, otherwise for each
        row.

        Parameters
        ----------
        cost_regret : array-like
            Regret of the decision, from 0 to the larger of ``cost`` and 1 - ``cost``. At a cost of one half it is half
            of the error rate above the best one.
        cost : float, default=0.5
            Cost of a false alarm, strictly between 0 and 1.

        Returns
        -------
        bound : ndarray
        """
        cost, alpha = _cost(cost), np.asarray(cost_regret, dtype=float)
        top = max(cost, 1.0 - cost)
        if not ((alpha >= 0) & (alpha <= top * (1 + 1e-12))).all():
            raise ValueError(f"cost_regret={alpha} must lie between 0 and {top:g}, the largest at a cost of {cost:g}")
        return self._least_regret(alpha, cost)

    def _least_regret(self, alpha, cost):
        # The prediction lies just on the wrong side of the cost.
        sides = ((cost + alpha, np.nextafter(cost, 0.0)), (cost - alpha, np.nextafter(cost, 1.0)))
        bounds = []
        for eta, proba in sides:
            inside = (eta >= 0) & (eta <= 1) if self.is_fair else (eta > 0) & (eta < 1)
            regret = self.regret(np.where(inside, eta, cost), proba)
            bounds.append(np.where(inside, regret, np.inf))
        return np.where(alpha == 0, 0.0, np.minimum(*bounds))

    def greatest_cost_regret(self, regret, cost=0.5):
        """The greatest regret of a decision at one cost, given the regret of this loss (Corollary 28).

        What a good probability is worth: minimising the loss bounds all decisions at once.

        Parameters
        ----------
        regret : array-like
            Regret of this loss, not negative; for averages over rows as in :meth:`least_regret`.
        cost : float, default=0.5
            Cost of a false alarm, strictly between 0 and 1.

        Returns
        -------
        bound : ndarray
            At a cost of one half it is half of the error rate above the best one.
        """
        cost, regret = _cost(cost), np.asarray(regret, dtype=float)
        if np.isnan(regret).any() or (regret < 0).any():
            raise ValueError("a regret is not negative, nor NaN")
        return greatest_argument(lambda alpha: self._least_regret(alpha, cost), regret, max(cost, 1.0 - cost))

    def divergence(self, prior=0.5):
        """The f-divergence that is this loss's statistical information at a prior (Theorem 9, equation 21).

        Parameters
        ----------
        prior : float, default=0.5
            Share of the positive class, strictly between 0 and 1.

        Returns
        -------
        divergence : FDivergence
        """
        if not 0 < float(prior) < 1:
            raise ValueError(f"prior={prior} must lie strictly between 0 and 1")
        perspective = self._perspective.rescaled(1.0 - prior, prior).swapped()
        return FDivergence._made(perspective, f"information of {self.name} loss at prior {float(prior):g}")

    def information(self, p, q, prior=0.5):
        """Statistical information of two distributions: how much knowing the outcome lowers the Bayes risk.

        Parameters
        ----------
        p, q : array-like of shape (..., n_outcomes)
            Masses of the positive and the negative class.
        prior : float, default=0.5
            Share of the positive class.

        Returns
        -------
        information : ndarray
        """
        p, q = distributions(p, q)
        return self.divergence(prior).between(p, q)


def statistical_information(y, proba, loss="log", *, sample_weight=None):
    """How much predicted probabilities lower a proper loss below that of the class shares alone.

    In expectation it is the statistical information of the features less the regret of the predictions: a lower bound
    of what the features hold, in nats for the log loss. With the loss of a divergence at the share of the positive
    class (:meth:`FDivergence.loss`) it estimates that divergence of the two classes from any classifier. Use
    probabilities for rows that the classifier has not seen. It costs O(n).

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0 and 1, both present.
    proba : array-like of shape (n,)
        Predicted probabilities of the label 1.
    loss : str or ProperLoss, default="log"
        The loss, or its name.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the rows.

    Returns
    -------
    information : float
        Negative where the predictions are worse than the shares; minus infinity where the loss is infinite.

    Examples
    --------
    >>> from treatise.information import statistical_information
    >>> round(statistical_information([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9]), 4)
    0.3851

    References
    ----------
    .. [1] Paper v12-0731, Sections 4.6 and 4.7, Theorem 9.
    """
    loss = loss if isinstance(loss, ProperLoss) else ProperLoss(loss)
    y, proba = np.asarray(y), np.asarray(proba, dtype=float)
    if y.ndim != 1 or y.shape != proba.shape or not len(y):
        raise ValueError(f"one probability for each label is needed; the shapes are {y.shape} and {proba.shape}")
    losses = loss(y, proba)
    prior = np.average(y, weights=sample_weight)
    if not 0 < prior < 1:
        raise ValueError("all labels are the same; information is about telling two classes apart")
    return float(loss.bayes_risk(prior) - np.average(losses, weights=sample_weight))


def _savage(bayes_risk, slope):
    """The perspective of a Bayes risk, whose slopes are minus the partial losses."""

    def rate(c):
        reach = np.minimum(c, 1.0 - c)
        return slope(c) if slope is not None else slope_by_differences(bayes_risk, c, np.where(reach > 0, reach, 1e-6))

    def value(negative, positive):
        return -(negative + positive) * np.asarray(bayes_risk(positive / (negative + positive)), dtype=float)

    def slopes(negative, positive):
        c = positive / (negative + positive)
        risk, rises = np.asarray(bayes_risk(c), dtype=float), np.asarray(rate(c), dtype=float)
        # At an end the product of a mass of zero and an infinite slope is zero for the right answer.
        at_zero, at_one = np.where(c > 0, c * rises, 0.0), np.where(c < 1, (1.0 - c) * rises, 0.0)
        return -(risk - at_zero), -(risk + at_one)

    def weight(c):
        return -curvature_by_differences(bayes_risk, c, np.minimum(c, 1.0 - c))

    return Perspective(value, slopes, weight)


def _probabilities(values, name):
    values = np.asarray(values, dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"{name} holds a value that is NaN or outside [0, 1]; probabilities are needed")
    return values


def _cost(cost):
    if not 0 < float(cost) < 1:
        raise ValueError(f"cost={cost} must lie strictly between 0 and 1")
    return float(cost)
