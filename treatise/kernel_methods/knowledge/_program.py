"""The linear program of kernel approximation with knowledge, in its dual form with one copy of the Gram matrix."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

_SIMPLEX_ROWS = 300
"""Up to so many rows the dual simplex method is as fast as the interior point method, and surer at extreme costs."""
_TOLERANCE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""Costs reach 1e6, which the usual 1e-7 would turn into visible errors."""
_ROUNDING = 1e-8
"""Error of a fitted value, in units of the largest y, that is none."""
_GAP = 1e-6
"""Relative gap between the two problems up to which no other method is tried."""
_VISIBLE_GAP = 1e-4
"""Relative gap from which the user is told."""


@dataclass(frozen=True)
class RegionBlock:
    """``sides u + sign (image - slope) = z``, ``sign b - limits' u + zeta >= sign constant``, ``u >= 0``.

    Multipliers u of a region's inequalities that prove the bound (the theorem of the alternative, equations 11 and 19);
    z and zeta are what misses, at costs per unit. The image of the weights is ``K coef`` for kernels and ``A' coef``,
    the slope of the function, for linear ones.
    """

    sides: np.ndarray
    limits: np.ndarray
    slope: np.ndarray
    constant: float
    sign: float
    mismatch_cost: float
    shortfall_cost: float

    @property
    def prices(self):
        """All of its costs."""
        return (self.mismatch_cost, self.shortfall_cost)


@dataclass(frozen=True)
class PointBlock:
    """``sign (columns' coef + b) + zeta >= sign bounds`` at points, with one zeta for all of them."""

    columns: np.ndarray
    bounds: np.ndarray
    sign: float
    shortfall_cost: float

    @property
    def prices(self):
        """All of its costs."""
        return (self.shortfall_cost,)


@dataclass(frozen=True)
class ProgramSolution:
    """Weights, offset and objective; per block what misses: sum of z and zeta."""

    coef: np.ndarray
    offset: float
    objective: float
    mismatches: np.ndarray
    shortfalls: np.ndarray
    gap: float
    n_iter: int

    @property
    def solved(self):
        """Whether both problems have the same value, as far as anyone can see."""
        return self.gap <= _VISIBLE_GAP


def solve_program(left, right, y, costs, coef_cost, blocks):
    """Minimise ``coef_cost |coef|_1 + costs' |left right coef + b - y| + costs of the blocks``, or None if infeasible.

    ``left right`` is the Gram matrix: itself and the identity (None) for kernels, A and A' for linear functions. Solved
    is the dual problem, over multipliers ``lam`` of the rows, ``pi`` of z, ``tau`` of zeta and ``rho`` of points:

        max  y' lam + sum sign (slope' pi + constant tau) + sum sign bounds' rho
        s.t. left v + sum sign columns rho + t = 0,  |t| <= coef_cost      (multipliers: -coef)
             v = right lam + sum sign pi,  |lam| <= costs, |pi| <= mismatch_cost
             sum lam + sum sign (tau + sum rho) = 0                        (multiplier: -b)
             sides' pi <= limits tau,  0 <= tau, sum rho <= shortfall_cost (multipliers: -u, -zeta)

    which holds the Gram matrix once, where the program as written holds it four times and twice more per block.
    """
    scale = max(np.abs(y).max(initial=0.0), max((_largest_bound(block) for block in blocks), default=0.0)) or 1.0
    program = _Program(left, right, y / scale, costs, coef_cost, blocks, scale)
    soft = all(np.isfinite(cost) for block in blocks for cost in block.prices)
    methods = ["highs-ds", "highs-ipm"] if len(y) <= _SIMPLEX_ROWS else ["highs-ipm", "highs-ds"]
    best = None
    for method, options in [(method, options) for options in (_TOLERANCE, {}) for method in methods]:
        answer = linprog(**program.problem, method=method, options=options)
        if answer.status == 0:
            found = program.solution(answer)
            if found.gap <= _GAP:
                return found
            best = found if best is None or found.gap < best.gap else best
        elif answer.status in (2, 3) and not soft:
            return None
    if best is None:
        raise ValueError(
            f"the linear program is too ill-conditioned to be solved ({answer.message}); take a narrower kernel or "
            "smaller costs"
        )
    return best


def _largest_bound(block):
    bounds = block.bounds if isinstance(block, PointBlock) else [block.constant, *block.slope]
    return float(np.abs(bounds).max())


class _Program:
    """Lays out the variables ``v, t, lam`` and then ``pi, tau`` or ``rho`` of each block."""

    def __init__(self, left, right, y, costs, coef_cost, blocks, scale):
        self.left, self.right, self.y, self.costs, self.coef_cost = left, right, y, costs, coef_cost
        self.blocks, self.scale = blocks, scale
        m, q = left.shape
        into = -sparse.eye_array(m) if right is None else -sparse.csc_array(right)
        columns = [
            (np.zeros(q), -np.inf, np.inf, left, sparse.eye_array(q), None),
            (np.zeros(m), -coef_cost, coef_cost, sparse.eye_array(m), None, None),
            (-y, -costs, costs, None, into, np.ones((1, m))),
        ]
        inequalities, limits = [], []
        for block in blocks:
            place = len(columns)
            if isinstance(block, PointBlock):
                n = len(block.bounds)
                signs = np.full((1, n), block.sign)
                columns.append(
                    (-block.sign * block.bounds / scale, 0.0, np.inf, block.sign * block.columns, None, signs)
                )
                if np.isfinite(block.shortfall_cost):
                    inequalities.append({place: np.ones((1, n))})
                    limits.append([block.shortfall_cost])
            else:
                k, mismatch = len(block.limits), block.mismatch_cost
                spread = -block.sign * sparse.eye_array(q)
                columns.append((-block.sign * block.slope / scale, -mismatch, mismatch, None, spread, None))
                price = np.array([-block.sign * block.constant / scale])
                columns.append((price, 0.0, block.shortfall_cost, None, None, np.full((1, 1), block.sign)))
                inequalities.append({place: block.sides.T, place + 1: -block.limits[:, None]})
                limits.append(np.zeros(k))
        lower = [np.broadcast_to(low, len(price)) for price, low, *_ in columns]
        upper = [np.broadcast_to(high, len(price)) for price, _, high, *_ in columns]
        rows = [[column[part] for column in columns] for part in (3, 4, 5)]
        self.problem = {
            "c": np.concatenate([column[0] for column in columns]),
            "A_eq": _stack(rows, (m, q, 1), columns),
            "b_eq": np.zeros(m + q + 1),
            "bounds": np.column_stack([np.concatenate(lower), np.concatenate(upper)]),
        }
        if inequalities:
            within = [[entry.get(place) for place in range(len(columns))] for entry in inequalities]
            self.problem["A_ub"] = _stack(within, [len(limit) for limit in limits], columns)
            self.problem["b_ub"] = np.concatenate(limits)

    def solution(self, answer):
        """Weights from the multipliers; what misses, and the objective, from the weights themselves."""
        (m, q), scale = self.left.shape, self.scale
        coef, offset = -answer.eqlin.marginals[:m], -float(answer.eqlin.marginals[-1])
        # Complementarity: a weight differs from zero only where its condition is tight; the rest is rounding.
        loose = np.abs(answer.x[q : q + m]) < self.coef_cost * (1.0 - 1e-9)
        coef[loose | (np.abs(coef) <= 1e-13 * np.abs(coef).max(initial=0.0))] = 0.0
        image = self.left @ coef if self.right is None else self.right @ coef
        fitted = image if self.right is None else self.left @ image
        errors = np.abs(fitted + offset - self.y)
        # Rounding is no error: costs of 1e6 would make a gap of it.
        errors[errors < _ROUNDING] = 0.0
        objective = self.coef_cost * np.abs(coef).sum() + self.costs @ errors
        mismatches, shortfalls, at = [], [], 0
        for block in self.blocks:
            if isinstance(block, PointBlock):
                reached = block.sign * (block.columns.T @ coef + offset - block.bounds / scale)
                mismatch, shortfall = 0.0, max(0.0, -float(reached.min()))
                at += int(np.isfinite(block.shortfall_cost))
            else:
                u = np.maximum(-answer.ineqlin.marginals[at : at + len(block.limits)], 0.0)
                at += len(block.limits)
                z = block.sides @ u + block.sign * (image - block.slope / scale)
                mismatch = float(np.abs(z).sum())
                shortfall = max(0.0, float(block.limits @ u + block.sign * (block.constant / scale - offset)))
                objective += _cost(block.mismatch_cost, mismatch)
            objective += _cost(block.shortfall_cost, shortfall)
            mismatches.append(mismatch)
            shortfalls.append(shortfall)
        gap = abs(objective + answer.fun) / (1.0 + abs(objective))
        # The dual value: the primal one carries rounding of the fit times the costs.
        return ProgramSolution(
            coef * scale, offset * scale, -float(answer.fun) * scale, np.array(mismatches) * scale,
            np.array(shortfalls) * scale, float(gap), int(answer.nit),
        )  # fmt: skip


def _cost(price, amount):
    """What a hard requirement misses by rounding costs nothing."""
    return price * amount if np.isfinite(price) else 0.0


def _stack(rows, heights, columns):
    """Block matrix from dense, sparse and absent (None) blocks."""
    filled = [
        [
            sparse.coo_array((height, len(column[0]))) if entry is None else sparse.coo_array(entry)
            for entry, column in zip(row, columns)
        ]
        for row, height in zip(rows, heights)
    ]
    return sparse.block_array(filled, format="csc")
