"""The problems of v15-0445 as one cone program each, for an interior-point solver: slow, and independent of ours."""

from typing import Any

import clarabel
import numpy as np
from scipy.sparse import coo_array, csc_array


class _Program:
    """Rows ``b - A x`` gathered cone by cone."""

    def __init__(self, n_variables: int) -> None:
        self.cost = np.zeros(n_variables)
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.sides: list[np.ndarray] = []
        self.cones: list[object] = []
        self.height = 0

    def add(self, cone: object, terms: list[tuple[Any, Any, Any]], side: np.ndarray) -> None:
        """The vector ``side + sum values * x[columns]`` at the given rows lies in the cone."""
        for rows, columns, values in terms:
            self.rows.append(np.asarray(rows) + self.height)
            self.columns.append(np.asarray(columns))
            self.values.append(-np.broadcast_to(np.asarray(values, dtype=float), np.shape(rows)))
        self.sides.append(side)
        self.cones.append(cone)
        self.height += len(side)

    def solve(self) -> tuple[np.ndarray, float]:
        parts = [np.concatenate(part) for part in (self.values, self.rows, self.columns)]
        size = len(self.cost)
        A = coo_array((parts[0], (parts[1], parts[2])), shape=(self.height, size))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        found = clarabel.DefaultSolver(
            csc_array((size, size)), self.cost, csc_array(A), np.concatenate(self.sides), self.cones, settings
        ).solve()
        if "Solved" not in str(found.status):
            raise RuntimeError(f"the interior-point solver ended with {found.status}")
        return np.array(found.x), float(found.obj_val)


def solve_by_cones(
    S: np.ndarray, n: np.ndarray, lam1: float, lam2: float, *, shared: bool = False, q: float = 2
) -> tuple[np.ndarray, float]:
    """Two precision matrices and the minimum, by Clarabel.

    ``log det`` is bounded through ``[[T, L], [L', diag(L)]] >= 0`` with L lower triangular and exponential cones on
    the diagonal of L, absolute values and columns through cones of their own.

    Parameters
    ----------
    S : ndarray of shape (2, p, p)
        Covariances.
    n : ndarray of shape (2,)
        Sizes.
    lam1, lam2 : float
        Penalties.
    shared : bool, default=False
        CNJGL, equation (7); otherwise PNJGL, equation (6).
    q : {1, 2, inf}, default=2
        Norm of a column.

    Returns
    -------
    precision : ndarray of shape (2, p, p)
    objective : float
    """
    p = S.shape[-1]
    i, j = np.triu_indices(p)
    half = len(i)
    place = np.zeros((p, p), dtype=int)
    place[i, j] = place[j, i] = np.arange(half)
    parts = 2 if shared else 1
    theta = [k * (3 * half + p) for k in range(2)]  # then L, absolute values, logarithms
    V = 2 * (3 * half + p)
    program = _Program(V + parts * p * p + parts * p * p + p)
    bound, norms = V + parts * p * p, V + 2 * parts * p * p
    twice = np.where(i == j, 1.0, 2.0)
    for k in range(2):
        T, L, size, log = theta[k] + np.array([0, half, 2 * half, 3 * half])
        program.cost[T : T + half] = n[k] * twice * S[k][i, j]
        program.cost[size : size + half] = lam1 * twice
        program.cost[log : log + p] = -n[k]
        _absolute(program, np.arange(T, T + half), np.arange(size, size + half))
        root = np.where(i == j, 1.0, np.sqrt(2))
        lower = L + place[i, j]  # L[j, i] with j >= i stands at row j, column p + i
        diagonal = L + place[np.arange(p), np.arange(p)]
        program.add(
            clarabel.PSDTriangleConeT(2 * p),
            [
                (_triangle(i, j), T + place[i, j], root),
                (_triangle(j, p + i), lower, np.sqrt(2)),
                (_triangle(p + np.arange(p), p + np.arange(p)), diagonal, 1.0),
            ],
            np.zeros(p * (2 * p + 1)),
        )
        for a in range(p):
            program.add(
                clarabel.ExponentialConeT(),
                [(np.array([0]), np.array([log + a]), 1.0), (np.array([2]), diagonal[a : a + 1], 1.0)],
                np.array([0.0, 1.0, 0.0]),
            )
    rows = np.arange(half)
    for part in range(parts):
        entry = V + part * p * p
        kept = (i < j) if shared else np.ones(half, dtype=bool)
        terms = [
            (rows[: kept.sum()], theta[part] + place[i, j][kept], 1.0),
            (rows[: kept.sum()], entry + (i * p + j)[kept], -1.0),
            (rows[: kept.sum()], entry + (j * p + i)[kept], -1.0),
        ]
        if not shared:
            terms.append((rows, theta[1] + place[i, j], -1.0))
        program.add(clarabel.ZeroConeT(int(kept.sum())), terms, np.zeros(int(kept.sum())))
    if shared:
        on = np.concatenate([V + part * p * p + np.arange(p) * (p + 1) for part in range(parts)])
        program.add(clarabel.ZeroConeT(len(on)), [(np.arange(len(on)), on, 1.0)], np.zeros(len(on)))
    program.cost[norms : norms + p] = lam2
    _column_norms(program, V, bound, norms, parts, p, q)
    x, objective = program.solve()
    return np.stack([x[start : start + half][place] for start in theta]), objective


def _triangle(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Place of an entry on or above the diagonal in the column-wise upper triangle; off it, entries count sqrt 2."""
    return column * (column + 1) // 2 + row


def _absolute(program: _Program, entries: np.ndarray, bounds: np.ndarray) -> None:
    for sign in (1.0, -1.0):
        rows = np.arange(len(entries))
        program.add(
            clarabel.NonnegativeConeT(len(rows)), [(rows, bounds, 1.0), (rows, entries, sign)], np.zeros(len(rows))
        )


def _column_norms(program: _Program, V: int, bound: int, norms: int, parts: int, p: int, q: float) -> None:
    for column in range(p):
        members = np.concatenate([V + part * p * p + np.arange(p) * p + column for part in range(parts)])
        limits = members - V + bound
        own = np.array([norms + column])
        count = len(members)
        if q == 2:
            program.add(
                clarabel.SecondOrderConeT(count + 1),
                [(np.array([0]), own, 1.0), (np.arange(1, count + 1), members, 1.0)],
                np.zeros(count + 1),
            )
            continue
        _absolute(program, members, limits)
        if q == 1:
            terms = [(np.array([0]), own, 1.0), (np.zeros(count, dtype=int), limits, -1.0)]
            program.add(clarabel.NonnegativeConeT(1), terms, np.zeros(1))
        else:
            terms = [(np.arange(count), np.repeat(own, count), 1.0), (np.arange(count), limits, -1.0)]
            program.add(clarabel.NonnegativeConeT(count), terms, np.zeros(count))
