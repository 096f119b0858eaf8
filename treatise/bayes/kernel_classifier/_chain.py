"""A chain of the sampler (section 3.2): latent scores, active rows, precisions and kernel parameters, by turns."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, log_ndtr

from treatise.bayes.kernel_classifier._factor import ActiveFactor
from treatise.bayes.kernel_classifier._kernels import adapted
from treatise.bayes.kernel_classifier._latent_loops import add_probabilities, draw_given_scores, draw_latent

BIRTH = DEATH = 0.3
"""Shares of the moves where neither is forced; the rest are swaps (section 3.2)."""
_REBUILD = 20
"""Blocks of sweeps from one computation of the factors from the kernel to the next."""
_FIRST_ACTIVE = 50
_FIRST_STEP = 0.3
_LARGEST_LOG = 40.0
_FEWEST_MOVES, _MOST_MOVES, _MOVED_COLUMNS = 2, 20, 200
"""Moves in a sweep that a chain settles for itself: many where they are cheap and each active row matters much."""
_MOVES = ("birth", "death", "swap", "kernel")


@dataclass(frozen=True)
class Prior:
    """Gamma priors (shape, rate) of eta and g, both halved, and the beta prior of the share of active rows."""

    a_eta: float = 1.0
    b_eta: float = 0.1
    a_g: float = 4.0
    b_g: float = 0.1
    a_alpha: float = 1.0
    b_alpha: float = 1.0

    def log_active(self, k, n):
        """Log probability of one certain set of k active rows (equation 10)."""
        return betaln(k + self.a_alpha, n - k + self.b_alpha) - betaln(self.a_alpha, self.b_alpha)


class Kept(NamedTuple):
    """What predictions need of one draw."""

    active: np.ndarray
    intercept: np.ndarray
    coefficients: np.ndarray
    parameters: np.ndarray
    triangle: np.ndarray | None


def centred_basis(n_classes):
    """Orthonormal columns that span the vectors whose sum is zero; with two classes the second is positive."""
    basis = np.zeros((n_classes, n_classes - 1))
    for a in range(n_classes - 1):
        basis[: a + 1, a] = -1.0
        basis[a + 1, a] = a + 1.0
        basis[:, a] /= math.sqrt((a + 1.0) * (a + 2.0))
    return basis


def move_chances(k, most):
    """Probabilities of a birth and of a death with k active rows."""
    if k == 0:
        return 1.0, 0.0
    return (BIRTH, DEATH) if k < most else (0.0, 1.0)


class Chain:
    """State of the sampler.

    Parameters
    ----------
    kernel : FixedKernel, WidthKernel or WeightedKernels
        Kernel of the training rows.
    codes : ndarray of int of shape (n,)
        Classes.
    n_classes : int
        How many.
    prior : Prior
        Priors.
    most : int or None
        Active rows at most; None makes all rows active for good (the full model).
    n_moves : int or "auto"
        Moves of the active rows in a sweep; "auto" settles them during the burn-in by the number of active rows.
    g_step : {"slice", "gibbs", "fixed"}
        How g is drawn: without the coefficients, given them, or not: with several kernels amplitudes take its place.
    spread : bool
        Whether draws keep mean and spread of the coefficients (the sparse Gaussian process) or one draw of them.
    burn_in : int
        Sweeps during which steps of kernel parameters adapt.
    rng : numpy.random.Generator
        Random numbers.
    """

    def __init__(self, kernel, codes, n_classes, prior, *, most, n_moves, g_step, spread, burn_in, rng):
        n = len(codes)
        self.rng, self.prior, self.codes, self.n = rng, prior, codes, n
        self.moving, self.most = most is not None, n if most is None else most
        self.settles, self.n_moves = n_moves == "auto", _FEWEST_MOVES if n_moves == "auto" else n_moves
        self.g_step, self.spread, self.burn_in = g_step, spread, burn_in
        self.basis = centred_basis(n_classes)
        first = n if most is None else min(self.most, max(1, n // 2), _FIRST_ACTIVE)
        active = np.sort(rng.choice(n, first, replace=False)) if self.moving else np.arange(n)
        self.factor = ActiveFactor(kernel, active.tolist(), 1.0, 1.0, self._first_scores(), self.most)
        self.is_active = np.zeros(n, bool)
        self.is_active[active] = True
        self.steps = np.full(max(1, len(kernel.parameters)), _FIRST_STEP)
        self.trace, self.kept, self.n_done, self.n_blocks = [], [], 0, 0
        self.tried, self.accepted = dict.fromkeys(_MOVES, 0), dict.fromkeys(_MOVES, 0)

    def _first_scores(self):
        """Scores of one at the own class's side: the row of the class in the basis, brought to length one."""
        S = self.basis[self.codes].T
        return np.ascontiguousarray(S / np.linalg.norm(S, axis=0))

    def sweep(self, n_sweeps):
        """So many sweeps of latent scores and active rows, then one of precisions and kernel parameters."""
        factor = self.factor  # moves of the kernel put another in its place, later
        for _ in range(n_sweeps):
            draw_latent(self.rng, factor.W, factor.M, factor.size, factor.S, self.codes, self.basis)
            for _ in range(self.n_moves if self.moving else 0):
                self._move()
            self.trace.append(factor.size - 1)
        self.n_done += n_sweeps
        self._draw_parameters()
        self.n_blocks += 1
        if self.settles and self.n_done <= self.burn_in:  # not later: it depends on the state
            k = np.mean(self.trace[-_REBUILD * n_sweeps :])
            self.n_moves = int(np.clip(_MOVED_COLUMNS / (1.0 + k), _FEWEST_MOVES, _MOST_MOVES))
        if self.n_blocks % _REBUILD == 0:
            self.factor.rebuild()

    def _move(self):
        """Birth, death or swap of active rows (step c)."""
        k, rng = self.factor.size - 1, self.rng
        birth, death = move_chances(k, self.most)
        turn = rng.random()
        if turn < birth:
            self._birth(k, birth)
        elif turn < birth + death:
            self._death(k, death)
        elif k < self.n:
            row, place = self._inactive_row(), int(rng.integers(k))
            if self._accepts("swap", self.factor.try_swap(row, place)):
                self.factor.give_birth(row)
                self.is_active[[row, self.factor.active[place]]] = True, False
                self.factor.drop(place)

    def _birth(self, k, chance):
        row = self._inactive_row()
        back = move_chances(k + 1, self.most)[1]
        ratio = self._prior_ratio(k, k + 1) + math.log(back * (self.n - k) / (chance * (k + 1)))
        if self._accepts("birth", self.factor.try_birth(row) + ratio):
            self.factor.give_birth(row)
            self.is_active[row] = True

    def _death(self, k, chance):
        place = int(self.rng.integers(k))
        back = move_chances(k - 1, self.most)[0]
        ratio = self._prior_ratio(k, k - 1) + math.log(back * k / (chance * (self.n - k + 1)))
        if self._accepts("death", self.factor.try_death(place) + ratio):
            self.is_active[self.factor.active[place]] = False
            self.factor.drop(place)

    def _prior_ratio(self, k, new):
        return self.prior.log_active(new, self.n) - self.prior.log_active(k, self.n)

    def _inactive_row(self):
        while True:
            row = int(self.rng.integers(self.n))
            if not self.is_active[row]:
                return row

    def _accepts(self, kind, log_ratio):
        self.tried[kind] += 1
        if math.log1p(-self.rng.random()) < log_ratio:
            self.accepted[kind] += 1
            return True
        return False

    def _draw_parameters(self):
        """Step b: kernel parameters, eta given the intercept, g with the coefficients integrated out."""
        if len(self.factor.kernel.parameters) and self.factor.size > 1:
            self._move_kernel()
        intercept, coefficients = self.factor.draw_theta(self.rng)
        eta = self._draw_eta(intercept)
        self.factor.rescale(eta, self._draw_g(eta, coefficients))
        if self.g_step == "slice" and len(self.factor.S) == 1:
            self._stretch()

    def _stretch(self):
        """Stretch the scores of the training rows along with g, then draw the latent ones anew given the scores.

        Given latent scores, which have noise of deviation one, g can move by a few hundredths only. Here it moves with
        theta sqrt(g) held fast and the latent scores integrated out.
        """
        (intercept,), _, (scores,) = self.factor.draw_coefficients(self.rng)
        signs, rest, start = 2.0 * self.codes - 1.0, scores - intercept, math.log(self.factor.g)
        shape, rate = 0.5 * self.prior.a_g, 0.5 * self.prior.b_g

        def height(at):
            if abs(at) > _LARGEST_LOG:
                return -np.inf
            stretched = intercept + rest * math.exp(0.5 * (start - at))
            return float(log_ndtr(signs * stretched).sum()) + shape * at - rate * math.exp(at)

        at = _slice(self.rng, height, start)
        draw_given_scores(self.rng, intercept + rest * math.exp(0.5 * (start - at)), self.codes, self.factor.S[0])
        self.factor.rescale(self.factor.eta, math.exp(at))
        self.factor.refresh_products()

    def _draw_eta(self, intercept):
        shape, rate = self.prior.a_eta + len(intercept), self.prior.b_eta + np.sum(intercept**2)
        return max(2.0 * self.rng.gamma(0.5 * shape) / rate, 1e-10)

    def _draw_g(self, eta, coefficients):
        """A slice of p(s | active rows, eta, g) p(g), where g moves freely; or the paper's draw given coefficients."""
        shape, rate = 0.5 * self.prior.a_g, 0.5 * self.prior.b_g
        if self.g_step == "fixed":
            return self.factor.g
        if self.g_step == "gibbs":
            return self.rng.gamma(shape + 0.5 * coefficients.size) / (rate + 0.5 * np.sum(coefficients**2))
        law = self.factor.scale_law()

        def height(at):
            if abs(at) > _LARGEST_LOG:
                return -np.inf
            return law(eta, math.exp(at)) + shape * at - rate * math.exp(at)

        return math.exp(_slice(self.rng, height, math.log(self.factor.g)))

    def _move_kernel(self):
        now = self.factor.log_likelihood()
        for j, propose in self.factor.kernel.moves(self.rng, self.steps):
            moved, accepted = propose(self.factor.kernel), False
            if moved is not None:
                candidate = self.factor.with_kernel(moved[0])
                likelihood = -np.inf if candidate is None else candidate.log_likelihood()
                accepted = self._accepts("kernel", likelihood - now + moved[1])
                if accepted:
                    self.factor, now = candidate, likelihood
            if j >= 0 and self.n_done <= self.burn_in:
                self.steps[j] = adapted(self.steps[j], accepted, self.n_blocks)

    def draw(self):
        """Numbers that are judged; what predictions need is kept here, since its length changes."""
        intercept, coefficients, scores = self.factor.draw_coefficients(self.rng)
        triangle = None
        if self.spread:
            coefficients, triangle = self.factor.mean_given_intercept(intercept)
        kernel = self.factor.kernel
        self.kept.append(
            Kept(np.array(self.factor.active, np.int64), intercept, coefficients.T, kernel.parameters.copy(), triangle)
        )
        return {
            "log_likelihood": self._log_likelihood(scores), "log_g": math.log(self.factor.g),
            "log_eta": math.log(self.factor.eta), "n_active": self.factor.size - 1, "parameters": kernel.parameters,
        }  # fmt: skip

    def _log_likelihood(self, scores):
        """Of the labels, given the coefficients just drawn."""
        if len(scores) == 1:
            return float(log_ndtr((2.0 * self.codes - 1.0) * scores[0]).sum())
        chances = np.zeros((len(self.basis), self.n))
        add_probabilities(self.basis @ scores, chances)
        return float(np.log(np.maximum(chances[self.codes, np.arange(self.n)], 1e-300)).sum())


def _slice(rng, height, at, width=1.0):
    """The next state of a slice sampler with stepping out (Neal, 2003)."""
    floor = height(at) + math.log1p(-rng.random())
    low = at - width * rng.random()
    high = low + width
    while height(low) > floor:
        low -= width
    while height(high) > floor:
        high += width
    while True:
        new = low + (high - low) * rng.random()
        if height(new) > floor or high - low < 1e-12:
            return new
        low, high = (new, high) if new < at else (low, new)
