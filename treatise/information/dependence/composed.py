"""Mutual informations built from other estimates, and that of linear and cosine correlations."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treatise.information._estimator import DependenceEstimator, registered, split_columns
from treatise.information._parameters import MEMBER, POSITIVE, SEED, TOLERANCE, member_of, order_of
from treatise.information.dependence.kernels import HSIC
from treatise.information.entropies.composed import of_order, real_and_imaginary
from treatise.information.entropies.densities import row_codes
from treatise.information.entropies.moments import log_determinant
from treatise.kernels import Distance
from treatise.statistics import entropy as discrete_entropy


@registered("generalised_variance", "generalised variance", cost="n", unit="nats")
class GeneralisedVariance(DependenceEstimator):
    """``-log det(R) / 2`` of correlations R, within groups set apart, summed over some functions of the columns.

    The columns themselves, their cosines and the cosines of their doubles, after standardisation: the first alone is
    the information of Gaussian columns; the others see dependence without correlation. ``linear=False`` leaves the
    first out.
    """

    linear: bool = True
    _parameter_constraints = {"linear": ["boolean"]}

    def _estimate(self, parts):
        X = np.hstack(parts)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        widths = [part.shape[1] for part in parts]
        functions = [X] * self.linear + [np.cos(X), np.cos(2.0 * X)]
        return sum(_gaussian_information(values, widths) for values in functions)


def _gaussian_information(X, widths):
    R = np.corrcoef(X, rowvar=False)
    ends = np.cumsum([0, *widths])
    own = sum(log_determinant(R[a:b, a:b]) for a, b in pairwise(ends))
    return 0.5 * (own - log_determinant(R))


def in_own_units(parts):
    """Groups of columns, each divided by its spread: what does not hang on their units is then estimated so as well.

    One number for a whole group, so that its distances keep their proportions and rotations change nothing.
    """
    spreads = [np.sqrt(part.var(axis=0).sum()) for part in parts]
    return [part / spread if spread > 0.0 else part for part, spread in zip(parts, spreads, strict=True)]


@registered("shannon_from_entropies", "Shannon mutual information", cost="that of its member", unit="nats")
class ShannonFromEntropies(DependenceEstimator):
    """Sum of the entropies of the groups, each in units of its own spread, less that of all columns together."""

    member: Any = None
    _parameter_constraints = {"member": MEMBER}

    def _estimate(self, parts):
        base, parts = member_of("entropy", self.member, "shannon_knn"), in_own_units(parts)
        return sum(base.estimate(part) for part in parts) - base.estimate(np.hstack(parts))


class _FromDivergence(DependenceEstimator):
    """Divergence of the joint law from the product of the groups' own.

    Half of the rows, drawn at random, stand for the first; in the other half each group is shuffled by itself. Groups
    are taken in units of their own spread, where the divergence does not hang on units.
    """

    _default = ""
    _free_of_units = True
    member: Any = None
    random_state: Any = None

    def _divergence(self):
        return member_of("divergence", self.member, self._default)

    def _estimate(self, parts):
        rng, n = check_random_state(self.random_state), len(parts[0])
        if n < 8:
            raise ValueError(f"{n} rows cannot be halved for two samples; at least 8 are needed")
        parts = in_own_units(parts) if self._free_of_units else parts
        order = rng.permutation(n)
        rest = order[n // 2 :]
        product = np.hstack([parts[0][rest], *(part[rng.permutation(rest)] for part in parts[1:])])
        return self._divergence().estimate(np.hstack(parts)[order[: n // 2]], product)


_SPLIT = {"member": MEMBER, "random_state": SEED}


@registered("shannon_from_divergence", "Shannon mutual information", cost="that of its member", unit="nats")
class ShannonFromDivergence(_FromDivergence):
    """Kullback-Leibler divergence of the joint law from the product, from halves of the rows drawn at random."""

    member: Any = None
    random_state: Any = None
    _default = "kl_knn"
    _parameter_constraints = _SPLIT


@registered("l2", "L2 mutual information", cost="that of its member")
class L2Information(_FromDivergence):
    """L2 distance of the joint law from the product, from halves of the rows drawn at random."""

    member: Any = None
    random_state: Any = None
    _default = "l2_knn"
    _free_of_units = False
    _parameter_constraints = _SPLIT


@registered("chi_square", "chi-square mutual information", cost="that of its member")
class ChiSquareInformation(_FromDivergence):
    """Pearson's divergence of the joint law from the product, from halves of the rows drawn at random.

    Strong dependence comes out low, as :class:`~treatise.information.divergences.KnnChiSquareDivergence` says: of
    normal columns with a correlation of 0.7, thousands of rows give two thirds of it. To rank such pairs take Shannon's
    information.
    """

    member: Any = None
    random_state: Any = None
    _default = "chi_square_knn"
    _parameter_constraints = _SPLIT


class _OrderedInformation(_FromDivergence):
    alpha: float = 0.99

    def _divergence(self):
        return of_order(super()._divergence(), order_of(self.alpha))


@registered("renyi", "Renyi mutual information", cost="that of its member", unit="nats")
class RenyiInformation(_OrderedInformation):
    """Renyi divergence of the joint law from the product, from halves of the rows drawn at random."""

    alpha: float = 0.99
    member: Any = None
    random_state: Any = None
    _default = "renyi_knn"
    _parameter_constraints = {**_SPLIT, "alpha": POSITIVE}


@registered("tsallis", "Tsallis mutual information", cost="that of its member")
class TsallisInformation(_OrderedInformation):
    """Tsallis divergence of the joint law from the product, from halves of the rows drawn at random."""

    alpha: float = 0.99
    member: Any = None
    random_state: Any = None
    _default = "tsallis_knn"
    _parameter_constraints = {**_SPLIT, "alpha": POSITIVE}


@registered("distance_covariance_from_hsic", "distance covariance", cost="n^2")
class DistanceCovarianceFromHSIC(DependenceEstimator):
    """Twice the root of HSIC with the distance kernel: distance covariance by another road."""

    tolerance: float = 0.0
    _refuses_constants = False
    _most_parts = 2
    _parameter_constraints = {"tolerance": TOLERANCE}

    def _estimate(self, parts):
        return 2.0 * np.sqrt(max(HSIC(Distance(), tolerance=self.tolerance)._estimate(parts), 0.0))


@registered("correntropy", "approximate correntropy independence measure", columns="two", cost="n r^2")
class CorrentropyIndependence(DependenceEstimator):
    """The larger size of the correntropy coefficients of two columns, one of them as it is and with its sign changed.

    ``member`` is an estimator of association, the correntropy coefficient by default.
    """

    member: Any = None
    _most_parts = 2
    _single_columns = True
    _parameter_constraints = {"member": MEMBER}

    def _estimate(self, parts):
        base, (x, y) = member_of("association", self.member, "correntropy_coefficient"), parts
        return max(abs(base.estimate(np.hstack([x, sign * y]))) for sign in (1.0, -1.0))


@registered("complex", "complex mutual information", cost="that of its member", columns="complex")
class ComplexInformation(DependenceEstimator):
    """Mutual information of groups of complex columns: of their real and imaginary parts."""

    member: Any = None
    _parameter_constraints = {"member": MEMBER}

    def estimate(self, X, Y=None, *, dims=None) -> float:
        """The estimate from complex columns; see :class:`DependenceEstimator`."""
        self._checked()
        X = np.asarray(X)
        parts = [X, np.asarray(Y)] if Y is not None else split_columns(X.reshape(len(X), -1), dims)
        real = [real_and_imaginary(part) for part in parts]
        base = member_of("mutual_information", self.member, "shannon_ksg")
        return base.estimate(np.hstack(real), dims=[part.shape[1] for part in real])

    def _estimate(self, parts):
        raise NotImplementedError


@registered("counts", "Shannon mutual information", cost="n", unit="nats")
class CountedInformation(DependenceEstimator):
    """Shannon information of discrete groups of columns from their counts, in nats."""

    def estimate(self, X, Y=None, *, dims=None) -> float:
        """The estimate from rows of integers, words or categories; see :class:`DependenceEstimator`."""
        X = np.asarray(X)
        parts = [X, np.asarray(Y)] if Y is not None else split_columns(X.reshape(len(X), -1), dims)
        if len({len(part) for part in parts}) > 1:
            raise ValueError(f"X has {len(parts[0])} rows but Y has {len(parts[1])}; they must have as many")
        codes = [row_codes(part) for part in parts]
        own = sum(discrete_entropy(code, base=math.e) for code in codes)
        return max(0.0, own - discrete_entropy(row_codes(np.column_stack(codes)), base=math.e))

    def _estimate(self, parts):
        raise NotImplementedError
