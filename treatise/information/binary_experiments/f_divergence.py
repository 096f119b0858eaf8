"""Divergences of two distributions in all their forms: a convex function, a weight function, a risk curve."""

import numpy as np

from treatise.information.binary_experiments.curves import risk_to_roc
from treatise.information.binary_experiments.least_divergence import (
    checked_risks,
    greatest_argument,
    least_from_risks,
    least_from_variation,
)
from treatise.information.binary_experiments.named import DIVERGENCES
from treatise.information.binary_experiments.perspective import from_convex_function
from treatise.information.binary_experiments.weight_integrals import from_weight

# Masses may miss a sum of one by the first, and are divided by their sum from the second on.
SUM_ERROR, EXACT = 1e-6, 1e-14
GRID = np.linspace(0.01, 0.49, 49)
RATIOS = np.exp(np.linspace(-12.0, 12.0, 193))


class FDivergence:
    r"""An f-divergence of two distributions, with its converters and its tightest bounds.

    :math:`I_f(P, Q) = \sum q f(p/q)` with the limits at masses of zero, for KL, Hellinger and their relatives or for
    any convex f or weight function of your own. A weight says how much each prior counts: the divergence is the
    weighted sum of what the best classifier gains over naming the commoner class (equation 27).

    Use it for known distributions, histograms and classifiers' curves: to bound a divergence or an error rate by what
    you know (a variational distance, a few error rates), or to find the proper loss that estimates a divergence. For
    raw samples of continuous values use the estimators of this family instead. A divergence costs O(outcomes), a bound
    from V microseconds, from n risks a convex minimisation in n variables.

    Parameters
    ----------
    name : str, default="kl"
        "variation" (values from 0 to 2), "kl", "triangular", "jensen_shannon", "arithmetic_geometric", "jeffreys",
        "hellinger" (squared, from 0 to 2), "pearson" or "symmetric_pearson"; logarithms are natural. For others see
        :meth:`from_function`, :meth:`from_weight` and :meth:`ProperLoss.divergence`.

    Attributes
    ----------
    name : str
        What it is called.
    atoms : tuple of (float, float)
        Point masses of the weight: place and size.

    Examples
    --------
    >>> from treatise.information import FDivergence
    >>> kl = FDivergence("kl")
    >>> round(float(kl.between([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])), 6)
    0.274887
    >>> round(float(kl.least(variation=1.0)), 6)  # Pinsker's inequality gives 0.5
    0.532298

    References
    ----------
    .. [1] Paper v12-0731: Sections 3.2 and 5.1, Theorems 9, 12, 30 and 31, Table 2.
    """

    def __init__(self, name="kl"):
        if name not in DIVERGENCES:
            raise ValueError(f"no divergence is called {name!r}; choose among {', '.join(DIVERGENCES)}")
        self.name = name
        self._perspective = DIVERGENCES[name]

    @classmethod
    def _made(cls, perspective, name):
        made = cls.__new__(cls)
        made.name, made._perspective = name, perspective
        return made

    @classmethod
    def from_function(cls, f, derivative=None, *, at_zero=None, at_infinity=None, name="from f"):
        """A divergence from its convex function f of the ratio p / q.

        Parameters
        ----------
        f : callable
            Convex on the positive numbers; takes and returns arrays. A constant and a multiple of t - 1 do not matter.
        derivative : callable or None, default=None
            Its derivative, for the bounds; None takes differences, good to about ten digits.
        at_zero : float or None, default=None
            Limit of f(t) at zero; None looks for it.
        at_infinity : float or None, default=None
            Limit of f(t) / t for large t; None looks for it.
        name : str, default="from f"
            What to call it.

        Returns
        -------
        divergence : FDivergence
        """
        with np.errstate(all="ignore"):
            values = np.asarray(f(RATIOS), dtype=float)
        if values.shape != RATIOS.shape or not np.isfinite(values).all():
            raise ValueError("f must take an array of positive ratios and return as many finite values")
        rises = np.diff(values) / np.diff(RATIOS)
        # Rounding of f, as a part of a slope.
        noise = 1e-13 * (np.abs(values[1:]) + np.abs(values[:-1])) / np.diff(RATIOS)
        bent = np.diff(rises) < -(noise[1:] + noise[:-1]) - 1e-12
        if bent.any():
            raise ValueError(
                f"f is not convex near {RATIOS[1 + int(np.argmax(bent))]:.3g}; a divergence needs a convex f"
            )
        return cls._made(from_convex_function(f, derivative, at_zero=at_zero, at_infinity=at_infinity), name)

    @classmethod
    def from_weight(cls, weight=None, *, atoms=(), breaks=(), name="from a weight"):
        """A divergence from its weight function (equation 27).

        The paper's inverse of equation 28 starts its integrals at a ratio of zero, where those of KL diverge; this
        one starts at a ratio of one, which changes f by a multiple of t - 1 only.

        Parameters
        ----------
        weight : callable or None, default=None
            The weight gamma on (0, 1), of arrays; it may be infinite at the ends. None for point masses alone.
        atoms : sequence of (float, float), default=()
            Point masses: place and size.
        breaks : sequence of float, default=()
            Where the weight jumps or has a kink.
        name : str, default="from a weight"
            What to call it.

        Returns
        -------
        divergence : FDivergence
        """
        if weight is None and not len(atoms):
            raise ValueError("neither a weight function nor point masses are given; one is needed")
        return cls._made(from_weight(weight, atoms=atoms, breaks=breaks), name)

    @property
    def atoms(self):
        return self._perspective.atoms

    def __repr__(self):
        return f"FDivergence({self.name!r})"

    def __call__(self, t):
        """The convex function f at ratios t, with f(1) = 0."""
        t = np.asarray(t, dtype=float)
        if (t < 0).any() or np.isnan(t).any():
            raise ValueError("a ratio of masses is not negative, nor NaN")
        return self._perspective(t, np.ones_like(t)) - self._perspective(1.0, 1.0)

    def weight(self, pi):
        """The weight function gamma at priors strictly between 0 and 1, without its :attr:`atoms`.

        Parameters
        ----------
        pi : array-like
            Priors.
        """
        return self._perspective.weight_at(_inside(pi, "pi"))

    def between(self, p, q):
        """The divergence of two discrete distributions; infinite where the limits say so.

        Parameters
        ----------
        p, q : array-like of shape (..., n_outcomes)
            Masses, each summing to one along the last axis; leading axes are broadcast. For densities on a grid pass
            density times cell.

        Returns
        -------
        divergence : ndarray of shape (...)
        """
        p, q = distributions(p, q)
        return np.maximum(self._perspective(p, q).sum(axis=-1) - self._perspective(1.0, 1.0), 0.0)

    def of_roc(self, fpr, tpr):
        """The divergence of the two classes' scores, from the corners of a ROC curve.

        Outcomes are the pieces between corners. Pieces whose slopes rise along the curve are taken as they are: the
        divergence does not mind their order.

        Parameters
        ----------
        fpr, tpr : array-like of shape (n,)
            False and true positive rates in rising order; (0, 0) and (1, 1) are added.

        Returns
        -------
        divergence : float
        """
        from treatise.information.binary_experiments.curves import checked_roc

        fpr, tpr = checked_roc(fpr, tpr)
        return float(self.between(np.diff(tpr), np.diff(fpr)))

    def of_risk_curve(self, priors, risks):
        """The divergence of the experiment whose 0-1 Bayes risk is linear between the given points.

        The risk curve of a discrete experiment is such a curve, and this is exact if all its corners are given. Else it
        is the largest divergence that the risks leave possible, as :meth:`least` gives the least.

        Parameters
        ----------
        priors, risks : array-like of shape (n,)
            Priors of P and the least 0-1 risks there.

        Returns
        -------
        divergence : float
        """
        return self.of_roc(*risk_to_roc(priors, risks))

    def dual(self):
        """The divergence with its arguments exchanged (the Csiszar dual): dual.between(p, q) is between(q, p)."""
        return self._made(self._perspective.swapped(), f"dual of {self.name}")

    def is_symmetric(self):
        """Whether exchanging the distributions changes nothing: the weight at pi is that at 1 - pi (Corollary 13)."""
        left, right = self.weight(GRID), self.weight(1.0 - GRID)
        mirrored = sorted((round(1.0 - place, 12), mass) for place, mass in self.atoms)
        atoms = sorted((round(place, 12), mass) for place, mass in self.atoms)
        same = len(atoms) == len(mirrored) and np.allclose(np.array(atoms), np.array(mirrored), rtol=1e-9)
        return bool(same and np.allclose(left, right, rtol=1e-6, atol=1e-12))

    def least(self, *, variation=None, priors=None, risks=None):
        """The least value that the divergence can have, given a variational divergence or some risks.

        Nothing larger holds for all pairs of distributions (Theorems 30 and 31). From risks the answer is certified: it
        is at most the true minimum, and a ConvergenceWarning is given where it may be visibly below.

        Parameters
        ----------
        variation : array-like or None, default=None
            Variational divergences V from 0 to 2 (twice the total variation distance).
        priors, risks : array-like of shape (n,) or None, default=None
            Instead of it: priors of P, and the least 0-1 risks of a classifier of P and Q there.

        Returns
        -------
        bound : ndarray of the shape of ``variation``, or float
        """
        if (variation is None) == (priors is None) or (priors is None) != (risks is None):
            raise ValueError("give either a variation, or priors and the risks there")
        if variation is not None:
            return least_from_variation(self._perspective, _variation(variation), symmetric=self.is_symmetric())
        return least_from_risks(self._perspective, *checked_risks(priors, risks))

    def greatest_variation(self, value):
        """The greatest variational divergence of two distributions with a divergence of at most ``value``.

        The error rate of any rule that tells P from Q, both equally frequent, is at least 1/2 less a quarter of it.

        Parameters
        ----------
        value : array-like
            Values of this divergence, not negative.

        Returns
        -------
        variation : ndarray
            From 0 to 2.
        """
        value = np.asarray(value, dtype=float)
        if np.isnan(value).any() or (value < 0).any():
            raise ValueError("a divergence is not negative, nor NaN")
        symmetric = self.is_symmetric()

        def bound(variation):
            return least_from_variation(self._perspective, variation, symmetric=symmetric)

        return greatest_argument(bound, value, 2.0)

    def loss(self, prior=0.5):
        """The proper loss whose statistical information at a prior is this divergence (Theorems 9 and 18).

        Its regret is what an estimate of the class probabilities falls short of the divergence. Where both partial
        losses can be zero for the right answer they are made so; otherwise the loss is not fair.

        Parameters
        ----------
        prior : float, default=0.5
            Share of P, the positive class, strictly between 0 and 1.

        Returns
        -------
        loss : ProperLoss
        """
        from treatise.information.binary_experiments.proper_loss import ProperLoss

        prior = float(_inside(prior, "prior"))
        perspective = self._perspective.swapped().rescaled(1.0 / (1.0 - prior), 1.0 / prior)
        return ProperLoss._made(perspective, f"{self.name} at prior {prior:g}")


def pinsker_kl(variation):
    """The best lower bound of the Kullback-Leibler divergence from the variational divergence (equation 59).

    Pinsker's V^2 / 2 at its tightest; it costs microseconds for each value.

    Parameters
    ----------
    variation : array-like
        Variational divergences from 0 to 2 (twice the total variation distance).

    Returns
    -------
    bound : ndarray
        In nats; infinite at 2.

    Examples
    --------
    >>> from treatise.information import pinsker_kl
    >>> pinsker_kl([0.5, 1.0, 1.5]).round(6)
    array([0.126797, 0.532298, 1.339702])

    References
    ----------
    .. [1] Paper v12-0731, Corollary 32, equation 59.
    """
    return FDivergence("kl").least(variation=variation)


def distributions(p, q):
    """Two arrays of masses that are not negative and sum to one along the last axis, exactly."""
    p, q = _masses(p, "p"), _masses(q, "q")
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(f"p has {p.shape[-1]} outcomes and q {q.shape[-1]}; both need the same")
    return p, q


def _masses(masses, name):
    masses = np.asarray(masses, dtype=float)
    if masses.ndim == 0 or masses.shape[-1] == 0:
        raise ValueError(f"{name} holds no outcomes; give the masses of a distribution")
    if masses.size and not (masses.min() >= 0 and masses.max() < np.inf):
        raise ValueError(f"{name} holds a mass that is negative, infinite or NaN; masses are not negative")
    total = masses.sum(axis=-1, keepdims=True)
    off = np.abs(total - 1.0)
    if (off > SUM_ERROR).any():
        worst = float(total.flat[int(np.argmax(off))])
        raise ValueError(f"{name} sums to {worst:g}; a distribution sums to 1, divide by the sum first")
    return masses / total if (off > EXACT).any() else masses


def _inside(values, name):
    values = np.asarray(values, dtype=float)
    if not ((values > 0) & (values < 1)).all():
        raise ValueError(f"{name}={values} must lie strictly between 0 and 1")
    return values


def _variation(variation):
    variation = np.asarray(variation, dtype=float)
    if not ((variation >= 0) & (variation <= 2)).all():
        raise ValueError(f"variation={variation} is outside [0, 2]; V is the sum of |p - q|, twice the total variation")
    return variation
