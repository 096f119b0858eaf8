"""Orders of teams as the Plackett-Luce and Bradley-Terry models see them, and the scores that fit them best."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigh_tridiagonal
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from treatise.ranking.bradley_terry._choice_loops import (
    curvature,
    curvature_along,
    curvature_diagonal,
    log_likelihood,
    simulated_slopes,
)

DIRECT = 250
"""Items up to which Newton's steps are solved with a matrix in memory at once."""
DENSE = 2000
"""Items up to which they are where the other way fails, and up to which covariances are computed."""
MOST_TURNS = 8
"""Turned orders, and as many reversed ones, that stand for the ways to break the ties of one."""
PROBES = 10
"""Random vectors that estimate a determinant."""
SETTLED = 1e-8
"""Newton's step, in logits, that ends a fit."""


class Choices(ABC):
    """What was chosen over what, among ``n_items`` items: the log-likelihood of their scores and its derivatives."""

    n_items: int

    @abstractmethod
    def value_and_slopes(self, scores):
        """The log-likelihood and its gradient."""

    @abstractmethod
    def bend(self, scores):
        """Minus the second derivatives: a product with vectors, and their diagonal."""

    @abstractmethod
    def dense_bend(self, scores):
        """Minus the second derivatives as a matrix."""

    @abstractmethod
    def noise(self, scores, rng):
        """A random vector whose covariance is minus the second derivatives."""

    @abstractmethod
    def chosen_over(self):
        """Pairs of items such that scores have a finite maximum where these lead from each item to each other."""

    @abstractmethod
    def met(self):
        """Pairs of items that join all that met."""

    def is_connected(self):
        """Whether every item is chosen over every other, at least round about: then scores have a finite maximum."""
        return _parts(self.chosen_over(), self.n_items, "strong")[0] == 1

    def islands(self):
        """Number of each item's island: items of different islands never met, nor through others."""
        return _parts(self.met(), self.n_items, "weak")[1]


def _parts(pairs, n_items, connection):
    graph = sparse.csr_array((np.ones(len(pairs[0])), pairs), shape=(n_items, n_items))
    return connected_components(graph, connection=connection)


class Duels(Choices):
    """Contests of two items, gathered by pairs: ``first`` won ``won`` of them against ``second`` and lost ``lost``."""

    def __init__(self, n_items, first, second, won, lost):
        self.n_items, self.first, self.second, self.won, self.lost = n_items, first, second, won, lost

    @classmethod
    def of_contests(cls, n_items, winners, losers, weights):
        """From single contests, of which each pair may have had many."""
        low, high = np.minimum(winners, losers), np.maximum(winners, losers)
        pairs, place = np.unique(low.astype(np.int64) * n_items + high, return_inverse=True)
        won = np.bincount(place, weights * (winners == low), minlength=len(pairs))
        lost = np.bincount(place, weights * (winners != low), minlength=len(pairs))
        return cls(n_items, pairs // n_items, pairs % n_items, won, lost)

    @classmethod
    def of_wins(cls, wins):
        """From a matrix: ``wins[i, j]`` is how often i beat j."""
        if not sparse.issparse(wins):
            first, second = np.nonzero(np.triu(wins + wins.T, 1))
            return cls(len(wins), first, second, wins[first, second], wins[second, first])
        table = sparse.coo_array(wins)
        fought = (table.data > 0) & (table.row != table.col)
        row, column = table.row[fought], table.col[fought]
        return cls.of_contests(table.shape[0], row, column, table.data[fought].astype(np.float64))

    def chances(self, scores):
        """Probability that the first of each pair wins."""
        return expit(scores[self.first] - scores[self.second])

    def value_and_slopes(self, scores):
        lead = scores[self.first] - scores[self.second]
        # log(1 + exp(-lead)) is log(1 + exp(lead)) less the lead.
        value = self.won @ lead - (self.won + self.lost) @ np.logaddexp(0.0, lead)
        pull = self.won - (self.won + self.lost) * expit(lead)
        return float(value), self._gathered(pull, -pull)

    def _gathered(self, at_first, at_second):
        size = self.n_items
        return np.bincount(self.first, at_first, minlength=size) + np.bincount(self.second, at_second, minlength=size)

    def _stiffness(self, scores):
        chance = self.chances(scores)
        return (self.won + self.lost) * chance * (1.0 - chance)

    def _laplacian(self, scores):
        stiff = self._stiffness(scores)
        diagonal = self._gathered(stiff, stiff)
        each = np.arange(self.n_items)
        rows = np.concatenate([self.first, self.second, each])
        columns = np.concatenate([self.second, self.first, each])
        entries = np.concatenate([-stiff, -stiff, diagonal])
        return sparse.csr_array((entries, (rows, columns)), shape=(self.n_items, self.n_items)), diagonal

    def bend(self, scores):
        laplacian, diagonal = self._laplacian(scores)
        return laplacian.__matmul__, diagonal

    def dense_bend(self, scores):
        stiff, matrix = self._stiffness(scores), np.zeros((self.n_items, self.n_items))
        matrix[self.first, self.second] = matrix[self.second, self.first] = -stiff
        matrix[np.diag_indices(self.n_items)] = self._gathered(stiff, stiff)
        return matrix

    def noise(self, scores, rng):
        pull = np.sqrt(self._stiffness(scores)) * rng.standard_normal(len(self.first))
        return self._gathered(pull, -pull)

    def chosen_over(self):
        up, down = self.won > 0, self.lost > 0
        winners = np.concatenate([self.first[up], self.second[down]])
        return winners, np.concatenate([self.second[up], self.first[down]])

    def met(self):
        return self.first, self.second


@dataclass(frozen=True)
class Orders(Choices):
    """Weighted strict orders of teams in flat arrays, as the loops take them; the players are the items."""

    n_items: int
    players: np.ndarray
    team_ptr: np.ndarray
    order_ptr: np.ndarray
    weights: np.ndarray

    @classmethod
    def of_games(cls, n_items, players, team_ptr, game_ptr, ranks):
        """Orders of games; a tie counts the orders that break it, with equal parts of one order's weight."""
        game = np.repeat(np.arange(len(game_ptr) - 1), np.diff(game_ptr))
        by_rank = np.lexsort((ranks, game))
        tied = (np.diff(ranks[by_rank]) == 0) & (np.diff(game[by_rank]) == 0)
        with_ties = np.zeros(len(game_ptr) - 1, bool)
        with_ties[game[by_rank][1:][tied]] = True
        teams, lengths, weights = [by_rank[~with_ties[game[by_rank]]]], [np.diff(game_ptr)[~with_ties]], []
        weights.append(np.ones(len(lengths[0])))
        for number in np.flatnonzero(with_ties):
            inside = by_rank[game_ptr[number] : game_ptr[number + 1]]
            orders = _without_ties(inside, ranks[inside])
            teams.append(orders.ravel())
            lengths.append(np.full(len(orders), orders.shape[1]))
            weights.append(np.full(len(orders), 1.0 / len(orders)))
        order = np.concatenate(teams)
        sizes = np.diff(team_ptr)[order]
        starts = np.append(0, np.cumsum(sizes))
        seats = np.arange(starts[-1]) + np.repeat(np.asarray(team_ptr)[order] - starts[:-1], sizes)
        order_ptr = np.append(0, np.cumsum(np.concatenate(lengths)))
        return cls(n_items, np.asarray(players, np.int64)[seats], starts, order_ptr, np.concatenate(weights))

    @property
    def _slots(self):
        return self.players, self.team_ptr, self.order_ptr, self.weights

    def value_and_slopes(self, scores):
        gradient = np.zeros(self.n_items)
        return log_likelihood(scores, *self._slots, gradient), gradient

    def bend(self, scores):
        def times(direction):
            product = np.zeros(self.n_items)
            curvature_along(scores, *self._slots, np.ascontiguousarray(direction), product)
            return product

        diagonal = np.zeros(self.n_items)
        curvature_diagonal(scores, *self._slots, diagonal)
        return times, diagonal

    def dense_bend(self, scores):
        matrix = np.zeros((self.n_items, self.n_items))
        curvature(scores, *self._slots, matrix)
        return matrix

    def noise(self, scores, rng):
        slopes = np.zeros(self.n_items)
        simulated_slopes(scores, *self._slots, rng.random(len(self.team_ptr)), slopes)
        return slopes

    def chosen_over(self):
        # In each order a team is beaten by the one before it, which is enough; the players of a team are as one.
        chosen = np.setdiff1d(np.arange(len(self.team_ptr) - 1), self.order_ptr[1:] - 1)
        first = self.players[self.team_ptr[:-1]]
        captains = np.repeat(first, np.diff(self.team_ptr))
        winners = np.concatenate([first[chosen], captains, self.players])
        return winners, np.concatenate([first[chosen + 1], self.players, captains])

    def met(self):
        seats = np.diff(self.team_ptr[self.order_ptr])
        return self.players, np.repeat(self.players[self.team_ptr[self.order_ptr[:-1]]], seats)


def _without_ties(teams, ranks):
    """Orders of teams sorted by rank in which those of equal rank stand in turned and reversed order."""
    groups = np.split(teams, np.flatnonzero(np.diff(ranks)) + 1)
    turns = min(max(len(group) for group in groups), MOST_TURNS)
    orders = []
    for turn in range(turns):
        turned = [np.roll(group, -(turn * len(group)) // turns) for group in groups]
        orders += [np.concatenate(turned), np.concatenate([group[::-1] for group in turned])]
    return np.array(orders)


@dataclass(frozen=True)
class ChoiceFit:
    """Scores of the items, with what is needed to say how sure they are."""

    scores: np.ndarray
    converged: bool
    n_iter: int
    step: float


def fit_scores(choices, precision, *, dispersion=1.0, start=None, max_iter=100):
    """Scores of greatest likelihood, with a normal prior of a precision (zero for none), by Newton's method.

    ``dispersion`` divides the log-likelihood.
    """
    scores = np.zeros(choices.n_items) if start is None else start.copy()
    value, gradient = _objective(choices, scores, precision, dispersion)
    step_size = np.inf
    for iteration in range(1, max_iter + 1):
        step = Bend(choices, scores, precision, dispersion).solve(gradient)
        # Far from the maximum a whole step may leave the region where the parabola is near.
        length = min(1.0, 5.0 / max(np.max(np.abs(step), initial=0.0), 1e-300))
        while True:
            trial = scores + length * step
            new_value, new_gradient = _objective(choices, trial, precision, dispersion)
            if new_value >= value - 1e-12 * abs(value) or length < 1e-8:
                break
            length /= 2.0
        scores, value, gradient = trial, new_value, new_gradient
        step_size = float(np.max(np.abs(length * step), initial=0.0))
        if step_size <= SETTLED:
            return ChoiceFit(scores - scores.mean(), True, iteration, step_size)
    return ChoiceFit(scores - scores.mean(), False, max_iter, step_size)


def _objective(choices, scores, precision, dispersion):
    value, gradient = choices.value_and_slopes(scores)
    return value / dispersion - 0.5 * precision * scores @ scores, gradient / dispersion - precision * scores


class Bend:
    """Minus the second derivatives of likelihood and prior at some scores: solves, and tells what they leave open.

    Scores are told apart from their mean alone; without a prior the mean is held.
    """

    def __init__(self, choices, scores, precision, dispersion=1.0):
        self.choices, self.scores, self.precision, self.dispersion = choices, scores, precision, dispersion
        self._factor = None
        if choices.n_items > DIRECT:
            self._times, diagonal = choices.bend(scores)
            self._diagonal = diagonal / dispersion + precision
            self._diagonal += 1e-12 * self._diagonal.mean() + 1e-300

    def solve(self, vector):
        """The step that a gradient asks for, apart from its mean."""
        n = self.choices.n_items
        # Along the constant vector a gradient is rounding alone, which almost nothing there would hold back.
        vector = vector - vector.mean()
        if n > DIRECT and self._factor is None:
            product = LinearOperator((n, n), matvec=self._product)
            inverse = LinearOperator((n, n), matvec=lambda x: x.ravel() / self._diagonal)
            found, failed = cg(product, vector, rtol=1e-6, maxiter=300 if n <= DENSE else 3000, M=inverse)
            if not failed or n > DENSE:
                return found - found.mean()
        step = cho_solve(self._factored(), vector)
        return step - step.mean()

    def _factored(self):
        if self._factor is None:
            n = self.choices.n_items
            matrix = self.choices.dense_bend(self.scores) / self.dispersion
            # Along the constant vector the likelihood is flat.
            mean = max(np.trace(matrix) / n, 1e-300)
            matrix += mean / n
            matrix[np.diag_indices(n)] += self.precision + 1e-12 * mean
            self._factor = cho_factor(matrix)
        return self._factor

    def covariance(self):
        """Covariance of the scores less their mean; for up to ``DENSE`` items."""
        inverse = cho_solve(self._factored(), np.eye(self.choices.n_items))
        inverse -= inverse.mean(axis=0)
        return inverse - inverse.mean(axis=1, keepdims=True)

    def log_volume(self, random_state):
        """Logarithm of the determinant, apart from the constant vector; by Lanczos' method where there is no matrix."""
        n = self.choices.n_items
        if n <= DENSE:
            factor, _ = self._factored()
            # The constant vector has its own eigenvalue, which the factor holds beside the others.
            own = np.full(n, n**-0.5)
            return 2.0 * np.sum(np.log(np.diag(factor))) + np.log(own @ cho_solve(self._factor, own))
        rng, total = np.random.default_rng(random_state), 0.0
        root = np.sqrt(self._diagonal)
        for _ in range(PROBES):
            total += _lanczos_log(lambda x: self._product(x / root) / root, rng.choice((-1.0, 1.0), n))
        # Along the constant vector there is the prior alone.
        return total / PROBES + np.sum(np.log(self._diagonal)) - np.log(self.precision)

    def _product(self, vector):
        floor = self.precision + 1e-12 * self._diagonal.mean()
        return self._times(vector.ravel()) / self.dispersion + floor * vector.ravel()

    def draws(self, n_draws, rng):
        """Centred draws from the normal distribution with the inverse as covariance, of shape (n_draws, n_items)."""
        n = self.choices.n_items
        if n <= DENSE:
            spread, axes = np.linalg.eigh(self.covariance())
            return (rng.standard_normal((n_draws, n)) * np.sqrt(np.maximum(spread, 0.0))) @ axes.T
        found = np.empty((n_draws, n))
        for at in range(n_draws):
            noise = self.choices.noise(self.scores, rng) / np.sqrt(self.dispersion)
            found[at] = self.solve(noise + np.sqrt(self.precision) * rng.standard_normal(n))
        return found - found.mean(axis=1, keepdims=True)


def _lanczos_log(product, start, steps=40):
    """Quadrature of start' log(A) start by Lanczos' method, with full reorthogonalisation."""
    basis = [start / np.linalg.norm(start)]
    diagonal, beside = [], []
    for _ in range(min(steps, len(start))):
        vector = product(basis[-1])
        diagonal.append(float(vector @ basis[-1]))
        vector -= np.array(basis).T @ (np.array(basis) @ vector)
        length = float(np.linalg.norm(vector))
        if length < 1e-10:
            break
        beside.append(length)
        basis.append(vector / length)
    values, vectors = eigh_tridiagonal(diagonal, beside[: len(diagonal) - 1])
    return float(start @ start) * float(vectors[0] ** 2 @ np.log(np.maximum(values, 1e-300)))
