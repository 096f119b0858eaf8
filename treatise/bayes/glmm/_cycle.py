"""Algorithm 1 of paper v15-1351 for grouped effects: the cycle over the factors, on matrices that are block arrows."""

from dataclasses import dataclass

import numpy as np

from treatise.bayes._fixed_point import LEAST_STEP, ROUNDING, FactorCycle
from treatise.optimize.block_arrow import BlockArrow, gather_vector

_RIDGE = 1e-14
"""Of the largest diagonal entry: what the paper adds, as an epsilon, where a matrix is singular in floating point."""
_MOVE, _STILL, _MOST_STEPS = 0.2, 2e-3, 10
"""Of a covariance's logarithm, to see what follows; a step of the effects that is none; steps at most."""


@dataclass(frozen=True)
class Term:
    """Effects with one covariance matrix: where their columns stand.

    Attributes
    ----------
    place : {"own", "shared"}
        In the blocks of the arrow, or in its border, level after level.
    first : int
        First column.
    size : int
        Columns of a level.
    levels : int
        Levels.
    """

    place: str
    first: int
    size: int
    levels: int

    def effects(self, shared, own):
        """The effects of its levels among those of all terms, of shape (levels, size)."""
        if self.place == "own":
            return own[:, self.first : self.first + self.size]
        return shared[self.first : self.first + self.size * self.levels].reshape(self.levels, self.size)


@dataclass(frozen=True)
class GroupedDesign:
    """Rows of ``C = [X Z]``: shared columns, and own ones in the block of the row's group.

    Attributes
    ----------
    shared : ndarray of shape (n_rows, b)
        Fixed effects first, then effects of the factors that have no blocks.
    own : ndarray of shape (n_rows, q)
        Columns of the factor with blocks.
    group : ndarray of int of shape (n_rows,)
        Level of that factor.
    n_groups : int
        Its levels.
    n_fixed : int
        Fixed effects.
    terms : tuple of Term
        Random effects.
    """

    shared: np.ndarray
    own: np.ndarray
    group: np.ndarray
    n_groups: int
    n_fixed: int
    terms: tuple[Term, ...]

    def predictor(self, shared, own):
        """``C mu`` for effects given as their shared part and that of the groups."""
        return self.shared @ shared + np.einsum("ik,ik->i", self.own, own[self.group])

    def transposed(self, values):
        """``C' values``, in both parts."""
        own = np.zeros((self.n_groups, self.own.shape[1]))
        gather_vector(self.own, self.group, values, own)
        return self.shared.T @ values, own


class NormalFactor:
    """The factor of all effects: natural parameters, and what they say about the rows.

    Attributes
    ----------
    shared, own : ndarray of shape (b,) and (n_groups, q)
        Means.
    mean, variance : ndarray of shape (n_rows,)
        Of the linear predictor, without the offset.
    """

    def __init__(self, design, arrow, natural):
        self.arrow, self.natural = arrow, natural
        self.factor = arrow.factor()
        self.shared, self.own = self.factor.solve(*natural)
        self.mean = design.predictor(self.shared, self.own)
        self.variance = self.factor.row_variances(design.shared, design.own, design.group)
        self.shared_covariance = self.factor.border_inverse()
        self.own_covariances = self.factor.block_inverses()

    def second_moment(self, term):
        """Expected sum of ``u u'`` over the levels of a term."""
        means = term.effects(self.shared, self.own)
        return means.T @ means + self.level_covariances(term).sum(axis=0)

    def level_covariances(self, term):
        """Posterior covariances of the effects of each level of a term, of shape (levels, size, size)."""
        if term.place == "own":
            part = slice(term.first, term.first + term.size)
            return self.own_covariances[:, part, part]
        part = slice(term.first, term.first + term.size * term.levels)
        square = self.shared_covariance[part, part].reshape(term.levels, term.size, term.levels, term.size)
        return np.einsum("ljlk->ljk", square)

    def shift_from(self, other):
        """The largest change of a mean, in its posterior deviations."""
        shared = np.abs(self.shared - other.shared) / np.sqrt(np.diag(self.shared_covariance))
        deviations = np.sqrt(np.einsum("gqq->gq", self.own_covariances))
        return max(float(shared.max(initial=0.0)), float((np.abs(self.own - other.own) / deviations).max(initial=0.0)))


class MixedModelCycle(FactorCycle):
    """The factors of a generalised linear mixed model, and their updates in turn.

    Parameters
    ----------
    design : GroupedDesign
        Rows.
    response : object
        One of :data:`~treatise.bayes.glmm._responses.RESPONSES`, begun with the targets.
    offset : ndarray of shape (n_rows,)
        Known part of the linear predictor.
    prior_precision : ndarray of shape (n_fixed, n_fixed)
        Of the fixed effects.
    covariances : list of CovarianceFactor
        One for each term.
    noise : CovarianceFactor or None
        Of the noise, for a normal response.
    """

    def __init__(self, design, response, offset, prior_precision, covariances, noise):
        self.design, self.response, self.offset = design, response, offset
        self.prior_precision, self.covariances, self.noise = prior_precision, covariances, noise
        self.step = 1.0
        self._prior_constant = 0.5 * np.linalg.slogdet(prior_precision)[1]

    def begin(self, intercept):
        """The first factor: all effects zero but the intercept, and the curvature there."""
        design = self.design
        shared = np.zeros(design.shared.shape[1])
        shared[0] = intercept
        if self.noise is not None:
            self.response.precision = float(self.noise.precision[0, 0])
        mean = design.predictor(shared, np.zeros((design.n_groups, design.own.shape[1])))
        _, _, weight = self.response.moments(mean + self.offset, np.zeros(len(mean)))
        arrow = self._precision(weight)
        self._adopt(NormalFactor(design, arrow, arrow.times(shared, np.zeros((design.n_groups, design.own.shape[1])))))

    def sweep(self):
        """Effects, then covariances and noise."""
        shift, self.step = self._step_effects(self.step)
        return max(shift, self._step_covariances()), self.step

    def widening(self):
        """By how much the variances of the covariances' logarithms exceed those of their factors, one for each term.

        A factor of a covariance takes the effects for known, but they follow it: where it is moved, effects and then
        its own update go along some way. What they go is what is missing, and linear response puts it back (Giordano,
        Broderick & Jordan, JMLR 19:51, 2018; Meng & Rubin, JASA 86:899, 1991, for the same in EM).
        """
        start, rest = self.state(), self._log_sizes()
        follows = np.empty((len(rest), len(rest)))
        for k, factor in enumerate(self.covariances):
            factor.move(factor.logarithm() + _MOVE * np.eye(factor.size)[np.triu_indices(factor.size)])
            for _ in range(_MOST_STEPS):
                shift, share = self._step_effects(1.0)
                if shift <= _STILL or share == 0.0:
                    break
            for term, other in zip(self.design.terms, self.covariances):
                other.update(self.q.second_moment(term))
            follows[:, k] = (self._log_sizes() - rest) / _MOVE
            self.restore(start)
        return np.diag(np.linalg.pinv(np.eye(len(rest)) - follows))

    def _log_sizes(self):
        """The mean logarithm of the eigenvalues of each covariance."""
        return np.array([np.linalg.slogdet(factor.spread)[1] / factor.size for factor in self.covariances])

    def state(self):
        """The factors; none is changed in place."""
        noise = (self.noise.state(), self.response.precision) if self.noise is not None else None
        return self.q, self.step, [factor.state() for factor in self.covariances], noise

    def restore(self, state):
        """Return to a state, and to what it says about the rows."""
        q, self.step, covariances, noise = state
        for factor, kept in zip(self.covariances, covariances):
            factor.restore(kept)
        if noise is not None:
            self.noise.restore(noise[0])
            self.response.precision = noise[1]
        self._adopt(q)

    def bound(self):
        """The lower bound on the logarithm of the marginal likelihood."""
        return self._bound_of(self.q, self.value)

    def _bound_of(self, q, value):
        p, terms = self.design.n_fixed, self.design.terms
        mean, covariance = q.shared[:p], q.shared_covariance[:p, :p]
        prior = -0.5 * float(mean @ self.prior_precision @ mean + np.sum(self.prior_precision * covariance))
        random = sum(factor.bound(q.second_moment(term)) for term, factor in zip(terms, self.covariances))
        noise = self.noise.bound(np.array([[self.response.squares]])) if self.noise is not None else 0.0
        size = len(q.shared) + q.own.size
        entropy = 0.5 * (size + (size - p) * np.log(2 * np.pi) - q.factor.log_determinant)
        return value + self._prior_constant + prior + random + noise + entropy

    def _precision(self, weight):
        """``C' diag(weight) C`` and the expected prior precisions: minus twice the slope in the covariance."""
        design = self.design
        border, block = np.zeros((design.shared.shape[1],) * 2), np.zeros((design.own.shape[1],) * 2)
        border[: design.n_fixed, : design.n_fixed] = self.prior_precision
        for term, factor in zip(design.terms, self.covariances):
            precision = factor.precision
            if term.place == "own":
                block[term.first : term.first + term.size, term.first : term.first + term.size] = precision
            else:
                part = slice(term.first, term.first + term.size * term.levels)
                border[part, part] = np.kron(np.eye(term.levels), precision)
        arrow = BlockArrow.of_rows(design.shared, design.own, design.group, design.n_groups, weight)
        border += _RIDGE * arrow.border.diagonal().max() * np.eye(len(border))
        return arrow.plus(border, block)

    def _adopt(self, q, moments=None):
        """Take a factor of the effects over, with what it says about the responses."""
        self.q = q
        self.value, self.slope, self.weight = moments or self.response.moments(q.mean + self.offset, q.variance)

    def _step_effects(self, step):
        """Equation 7 in natural parameters; the step is halved until the lower bound does not fall."""
        q, design = self.q, self.design
        target = self._precision(self.weight)
        natural = design.transposed(self.slope + self.weight * q.mean)
        before = self.bound()
        step = min(self.ceiling, 2.0 * max(step, LEAST_STEP))
        full = np.inf
        while step >= LEAST_STEP:
            if step == 1.0:
                arrow, mixed = target, natural
            else:
                arrow = q.arrow.mixed(target, step)
                mixed = tuple((1 - step) * old + step * new for old, new in zip(q.natural, natural))
            try:
                proposal = NormalFactor(design, arrow, mixed)
            except np.linalg.LinAlgError:
                step /= 2
                continue
            if step == self.ceiling:
                full = proposal.shift_from(q)
            with np.errstate(over="ignore", invalid="ignore"):
                moments = self.response.moments(proposal.mean + self.offset, proposal.variance)
            if np.isfinite(moments[0]) and np.isfinite(moments[2]).all():
                bound = self._bound_of(proposal, moments[0])
                if bound >= before - ROUNDING * (1 + abs(before)):
                    self._adopt(proposal, moments)
                    return proposal.shift_from(q), step
            step /= 2
        self.response.moments(q.mean + self.offset, q.variance)
        return full, 0.0

    def _step_covariances(self):
        """Every covariance at its optimum, then the noise; gives the largest share by which a precision changed."""
        shift = 0.0
        for term, factor in zip(self.design.terms, self.covariances):
            before = np.diag(factor.precision)
            factor.update(self.q.second_moment(term))
            shift = max(shift, float(np.abs(np.log(np.diag(factor.precision) / before)).max()))
        if self.noise is not None:
            before = float(self.noise.precision[0, 0])
            self.noise.update(np.array([[self.response.squares]]))
            self.response.precision = float(self.noise.precision[0, 0])
            shift = max(shift, abs(np.log(self.response.precision / before)))
            self._adopt(self.q)
        return shift
