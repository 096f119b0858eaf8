"""The joint problem of the next snapshot beside Clarabel, an interior-point solver of cones, at the same optimum."""

from collections.abc import Iterator
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from benchmarks._contest import Contest
from treatise.datasets import make_changing_network
from treatise.network.autoregressive._joint_fit import JointProblem, fit_jointly
from treatise.network.autoregressive.feature_maps import feature_map


def benchmarks() -> Iterator[Contest]:
    """Fifty nodes and ten snapshots, degrees as features."""
    problem, small = degree_problem(50), degree_problem(8)
    yield Contest(
        "50 nodes, 10 snapshots, degrees: the optimum of the joint problem",
        "clarabel",
        ours=lambda: fit_jointly(problem, tol=1e-6, max_iter=5000).objective,
        theirs=lambda: conic_objective(problem),
        quality=float,
        warm_up=lambda: fit_jointly(small, tol=1e-6, max_iter=5000),
    )


def degree_problem(n_nodes: int) -> JointProblem:
    """The problem of a made-up network."""
    snapshots = make_changing_network(n_nodes, 5, 11, random_state=0)
    omega = feature_map("in_degree", np.sum(snapshots, axis=0), 5)
    seen = np.array([omega.apply(A) for A in snapshots])
    return JointProblem(seen[:-1], seen[1:], seen[-1], omega, (n_nodes, n_nodes), 0.5, 0.5, 0.02, True)


def conic_objective(problem: Any) -> float:
    """The least of the objective for a snapshot that is not negative.

    The singular values' price is half of the trace of a positive semidefinite matrix that has A off its diagonal; W is
    the difference of two parts that are not negative. Clarabel takes the upper half of a symmetric matrix, column by
    column, with entries off the diagonal multiplied by the root of two.
    """
    n, m = problem.shape
    (T, d), q, size = problem.X1.shape, problem.X0.shape[1], n + m
    half = size * (size + 1) // 2
    row, column = np.indices((n, m))
    place = ((n + column) * (n + column + 1) // 2 + row).ravel()
    diagonal = np.arange(size) * (np.arange(size) + 3) // 2
    maps = np.array([problem.omega.adjoint(unit).ravel() for unit in np.eye(d)])
    features = sparse.csc_array(
        (maps[maps != 0] / np.sqrt(2.0), (np.nonzero(maps)[0], place[np.nonzero(maps)[1]])), shape=(d, half)
    )
    fit = sparse.kron(problem.X0, sparse.eye_array(d))
    ahead = sparse.kron(problem.last[np.newaxis], sparse.eye_array(d))
    first = sparse.hstack([sparse.csc_array((T * d, half)), fit, -fit])
    second = sparse.hstack([features, -ahead, ahead])
    squares = sparse.vstack([np.sqrt(2.0 / T) * first, np.sqrt(2.0 / d) * second])
    cost = -2.0 / T * (first.T @ problem.X1.ravel())
    cost[half:] += problem.kappa
    cost[diagonal] += problem.tau / 2.0
    cost[place] += problem.gamma / np.sqrt(2.0)
    total = half + 2 * q * d
    snapshot = sparse.csc_array((np.ones(n * m), (np.arange(n * m), place)), shape=(n * m, total))
    parts = sparse.hstack([sparse.csc_array((2 * q * d, half)), sparse.eye_array(2 * q * d)])
    limits = -sparse.vstack([sparse.eye_array(half, total), snapshot, parts])
    cones = [clarabel.PSDTriangleConeT(size), clarabel.NonnegativeConeT(n * m + 2 * q * d)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    quadratic = sparse.csc_matrix(sparse.triu(squares.T @ squares))
    solver = clarabel.DefaultSolver(
        quadratic, cost, sparse.csc_matrix(limits), np.zeros(limits.shape[0]), cones, settings
    )  # fmt: skip
    return float(solver.solve().obj_val + np.sum(problem.X1**2) / T)
