"""Utilities under comparisons with errors: an interior-point method in O(n d) memory.

The problem (Equations 8 and 16) over weights w, values z of the nodes and errors p - q of the samples:

    least  |w|^2 / 2 + rise' p + fall' q
    with   z = F w + p - q at the samples,   z[head] - z[tail] >= gap,   p, q >= 0,

and its dual over flows a >= 0 along the comparisons, whose balance b at the samples lies within -fall and rise and is
zero at all other nodes: greatest ``gap' a - |F' b|^2 / 2``, with ``w = F' b``.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from treatise.ranking.minlip._merging_loops import feed_network, merge_network, read_network

_NEAREST_TO_BOUND = 0.995
_SMALLEST_PRODUCT = 1e-5
"""Least product of a slack and its price, as a share of their mean: what keeps the next step long."""
_MOST_CORRECTIONS = 2
_START = 100.0
"""First errors, in spreads of the outcome: far from all bounds, so that the first steps are long."""


@dataclass(frozen=True)
class OrderSolution:
    """Where the method stands.

    Attributes
    ----------
    weights : ndarray of shape (n_features,)
        Of the utility.
    values : ndarray of shape (n_nodes,)
        Utilities with their errors, and those of the moments.
    balance : ndarray of shape (n_samples,)
        Weights of the samples in the kernel form of the utility.
    objective, dual_objective : float
        Values of the problem and of its dual.
    gap : float
        Their difference as a share of the objective.
    n_iter : int
        Steps.
    converged : bool
        Whether the gap and all conditions reached the tolerance.
    """

    weights: np.ndarray
    values: np.ndarray
    balance: np.ndarray
    objective: float
    dual_objective: float
    gap: float
    n_iter: int
    converged: bool


def minimize_ordered_errors(features, rise, fall, order, *, tol=1e-8, max_iter=200):
    """Solve the problem at the head of this file.

    A step merges the network in O(n d) and forms a matrix of d x d in O(n d^2); there are some forty of them.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Of the samples, in the order of the first nodes.
    rise, fall : ndarray of shape (n_samples,)
        Costs of an error upwards and downwards; not both zero.
    order : Order
        The comparisons.
    tol : float, default=1e-8
        For the duality gap and the conditions, each relative to its own scale.
    max_iter : int, default=200
        Most steps.

    Returns
    -------
    solution : OrderSolution
    """
    state = _State(features, rise, fall, order)
    for n_iter in range(max_iter + 1):
        residuals = state.residuals()
        gap, violation = state.certificate(residuals)
        converged = gap <= tol and violation <= tol
        if converged or n_iter == max_iter or not np.isfinite(gap):
            break
        if not state.advance(residuals):
            break
    primal, dual = state.objectives()
    return OrderSolution(state.w, state.z, state.b, primal, dual, gap, n_iter, converged)


class _State:
    """The current point, strictly inside all bounds, and one step of it."""

    def __init__(self, F, rise, fall, order):
        self.F, self.rise, self.fall, self.order = F, rise, fall, order
        n, m = len(F), len(order.gap)
        unit = max(_START * np.abs(order.gap).sum() / np.sqrt(n), np.finfo(float).tiny)
        self.price = float(np.mean(rise + fall)) / 2
        self.b = (rise - fall) / 2
        self.up, self.down = (rise + fall) / 2, (rise + fall) / 2
        self.w = F.T @ self.b
        self.z = np.zeros(order.n_nodes)
        self.p, self.q = np.full(n, unit), np.full(n, unit)
        # Along a chain of n comparisons flows add up like a random walk, and slacks share one spread.
        self.s, self.a = np.full(m, unit / np.sqrt(n)), np.full(m, self.price * np.sqrt(n))
        self.n_products = 2 * n + m

    def objectives(self):
        square = self.w @ self.w / 2
        return float(square + self.rise @ self.p + self.fall @ self.q), float(self.a @ self.order.gap - square)

    def residuals(self):
        """What the four sets of equations miss: of w, of the nodes' balance, of the samples, of the comparisons."""
        balance = -self.order.balance(self.a)
        balance[: len(self.b)] += self.b
        return (
            self.F.T @ self.b - self.w,
            balance,
            self.z[: len(self.b)] - self.F @ self.w - self.p + self.q,
            self.s - self.order.differences(self.z) + self.order.gap,
        )

    def certificate(self, residuals):
        primal, dual = self.objectives()
        size = max(abs(primal), abs(dual), np.finfo(float).tiny)
        unit = max(np.abs(self.order.gap).max(), np.abs(self.z).max())
        violation = max(
            np.abs(residuals[1]).max() / max(self.price, self.a.max()),
            np.abs(residuals[2]).max() / unit,
            np.abs(residuals[3]).max() / unit,
        )
        return abs(primal - dual) / size, violation

    def mean_product(self):
        return float(self.p @ self.up + self.q @ self.down + self.s @ self.a) / self.n_products

    def advance(self, residuals):
        """A predictor, a corrector (Mehrotra) and up to two corrections for centrality (Gondzio); false if stuck."""
        mean = self.mean_product()
        try:
            newton = _NewtonSystem(self)
        except np.linalg.LinAlgError:
            return False
        products = self.p * self.up, self.q * self.down, self.s * self.a
        step = newton.solve(residuals, [-product for product in products])
        length = self.longest(step)
        target = mean * (self.moved_products(step, length, mean=True) / mean) ** 3
        step = newton.solve(
            residuals,
            [
                target - products[0] + step.p * step.b,
                target - products[1] - step.q * step.b,
                target - products[2] - step.s * step.a,
            ],
        )
        length = self.longest(step)
        for _ in range(_MOST_CORRECTIONS):
            aimed = self.moved_products(step, min(1.0, 1.5 * length + 0.1))
            wanted = [np.maximum(np.clip(v, 0.1 * target, 10 * target) - v, -10 * target) for v in aimed]
            further = step + newton.solve(None, wanted)
            reach = self.longest(further)
            if reach < length + 0.01:
                break
            step, length = further, reach
        length *= _NEAREST_TO_BOUND
        while length > 1e-10:
            moved = self.moved_products(step, length)
            least = min(v.min() for v in moved)
            if least >= _SMALLEST_PRODUCT * sum(v.sum() for v in moved) / self.n_products:
                break
            length *= 0.9
        else:
            return False
        self.move(step, length)
        return True

    def moved_products(self, step, length, *, mean=False):
        moved = (
            (self.p + length * step.p) * (self.up - length * step.b),
            (self.q + length * step.q) * (self.down + length * step.b),
            (self.s + length * step.s) * (self.a + length * step.a),
        )
        return sum(v.sum() for v in moved) / self.n_products if mean else moved

    def longest(self, step):
        """The longest step, at most one, that keeps all slacks and prices from falling below zero."""
        steepest = min(
            np.min(change / now)
            for change, now in (
                (step.p, self.p),
                (step.q, self.q),
                (step.s, self.s),
                (step.a, self.a),
                (-step.b, self.up),
                (step.b, self.down),
            )
        )
        return 1.0 if steepest >= -1.0 else -1.0 / steepest

    def move(self, step, length):
        self.w += length * step.w
        self.z += length * step.z
        self.b += length * step.b
        # Distances to the bounds are kept apart: near a bound their digits are lost in b.
        self.up -= length * step.b
        self.down += length * step.b
        self.p += length * step.p
        self.q += length * step.q
        self.s += length * step.s
        self.a += length * step.a


@dataclass(frozen=True)
class _Step:
    w: np.ndarray
    z: np.ndarray
    b: np.ndarray
    p: np.ndarray
    q: np.ndarray
    s: np.ndarray
    a: np.ndarray

    def __add__(self, other):
        return _Step(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


class _NewtonSystem:
    """Newton's equations at a point, factored once for several right-hand sides."""

    def __init__(self, state):
        self.state = state
        order, (n, d) = state.order, state.F.shape
        self.feed = 1.0 / (state.p / state.up + state.q / state.down)
        self.tie = state.a / state.s
        N = order.n_nodes
        self.ground = np.zeros(N)
        self.ground[:n] = self.feed
        self.ties = np.zeros((2, N))
        for slot, edge in enumerate((order.near_edge, order.far_edge)):
            self.ties[slot, edge >= 0] = self.tie[edge[edge >= 0]]
        self.potential = np.zeros((N, d))
        self.potential[:n] = state.F
        self.squares = np.empty((int(np.sum(order.near >= 0) + np.sum(order.far >= 0)), d))
        self.roots, self.shares, self.rests = np.zeros((3, 2, N))
        self.pivots = np.empty(N)
        merge_network(
            order.sequence,
            order.near,
            order.far,
            self.ground,
            self.ties,
            self.potential,
            self.squares,
            self.roots,
            self.shares,
            self.rests,
            self.pivots,
        )
        curvature = self.squares.T @ self.squares
        # As small as rounding, and only felt where conductances differ by more than numbers can hold.
        curvature[np.diag_indices(d)] *= 1.0 + d * np.finfo(float).eps
        curvature[np.diag_indices(d)] += 1.0
        self.factor = cho_factor(curvature, overwrite_a=True, check_finite=False)

    def solve(self, residuals, products):
        """The step that meets the equations (None: they are met already) and changes the products as wanted."""
        now, order = self.state, self.state.order
        n = len(self.feed)
        of_w, of_balance, of_samples, of_comparisons = residuals or (0.0, 0.0, 0.0, 0.0)
        flow = products[2] / now.s + self.tie * of_comparisons
        sources = np.zeros(order.n_nodes)
        sources[:n] = of_samples - products[0] / now.up + products[1] / now.down
        currents = of_balance - order.balance(flow)
        level, drop, values = np.empty((3, order.n_nodes))
        column = np.empty(len(self.squares))
        network = order.sequence, order.near, order.far, self.ground
        feed_network(*network, self.roots, self.shares, self.rests, sources, currents, level, drop, column)
        w = cho_solve(self.factor, of_w + self.squares.T @ column - self.potential.T @ currents, check_finite=False)
        utility = now.F @ w
        sources[:n] -= utility
        feed_network(*network, self.roots, self.shares, self.rests, sources, currents, level, drop, column)
        read_network(*network, self.ties, self.pivots, sources, level, drop, values)
        b, z = self.feed * drop[:n], -values
        s = order.differences(z) - of_comparisons
        # The smaller part of an error follows from its product, the larger, whose price is near zero, from the sum.
        error = of_samples - utility + z[:n]
        p, q = (products[0] + now.p * b) / now.up, (products[1] - now.q * b) / now.down
        p, q = np.where(now.p > now.q, error + q, p), np.where(now.p > now.q, q, p - error)
        return _Step(w=w, z=z, b=b, p=p, q=q, s=s, a=(products[2] - now.a * s) / now.s)
