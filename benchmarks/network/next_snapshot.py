"""The joint problem of the next snapshot beside Clarabel, an interior-point solver of cones, at the same optimum."""

from collections.abc import Iterator
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from benchmarks._contest import Contest
from treatise.datasets import make_changing_network
from treatise.network.autoregressive._joint_fit import JointProblem, fit_jointly
from treatise.network.autoregressive._past import Past


def benchmarks() -> Iterator[Contest]:
    """Fifty nodes and ten snapshots, degrees as features: the paper's rule, and one for all nodes with levels."""
    for rule, words in (("full", "the paper's rule"), ("shared", "one rule for all nodes")):
        problem, small = degree_problem(50, rule), degree_problem(8, rule)
        yield Contest(
            f"50 nodes, 10 snapshots, degrees, {words}: the optimum of the joint problem",
            "clarabel",
            ours=lambda problem=problem: fit_jointly(problem, tol=1e-4, max_iter=5000).objective,
            theirs=lambda problem=problem: conic_objective(problem),
            quality=float,
            warm_up=lambda small=small: fit_jointly(small, tol=1e-4, max_iter=5000),
            repeats=1,
        )


def degree_problem(n_nodes: int, rule: str) -> JointProblem:
    """The problem of a made-up network."""
    past = Past(
        make_changing_network(n_nodes, 5, 11, random_state=0), features="in_degree", order=1, rule=rule,
        constant=rule == "shared", nonnegative=True,
    )  # fmt: skip
    return past.problem(0, 0.5, 0.5, 0.02)


def conic_objective(problem: Any) -> float:
    """The least of the objective for a snapshot that is not negative.

    The singular values' price is half of the trace of a positive semidefinite matrix that has A off its diagonal; W is
    the difference of two parts that are not negative. Clarabel takes the upper half of a symmetric matrix, column by
    column, with entries off the diagonal multiplied by the root of two.
    """
    n, m = problem.shape
    (T, groups, q), size, d = problem.X0.shape, problem.X1.shape[2], problem.X1[0].size
    half, n_weights, n_constants = (n + m) * (n + m + 1) // 2, q * size, d * problem.constant
    row, column = np.indices((n, m))
    place = ((n + column) * (n + column + 1) // 2 + row).ravel()
    diagonal = np.arange(n + m) * (np.arange(n + m) + 3) // 2
    maps = np.array([problem.omega.adjoint(unit).ravel() for unit in np.eye(d)])
    features = sparse.csc_array(
        (maps[maps != 0] / np.sqrt(2.0), (np.nonzero(maps)[0], place[np.nonzero(maps)[1]])), shape=(d, half)
    )
    fit = sparse.kron(problem.X0.reshape(T * groups, q), sparse.eye_array(size))
    ahead = sparse.kron(problem.last, sparse.eye_array(size))
    levels = sparse.kron(np.ones((T, 1)), sparse.eye_array(d, n_constants))
    first = sparse.hstack([sparse.csc_array((T * d, half)), fit, -fit, levels])
    second = sparse.hstack([features, -ahead, ahead, -sparse.eye_array(d, n_constants)])
    squares = sparse.vstack([np.sqrt(2.0 / T) * first, np.sqrt(2.0 / d) * second])
    cost = -2.0 / T * (first.T @ problem.X1.ravel())
    cost[half : half + 2 * n_weights] += problem.kappa
    cost[diagonal] += problem.tau / 2.0
    cost[place] += problem.gamma / np.sqrt(2.0)
    total = half + 2 * n_weights + n_constants
    snapshot = sparse.csc_array((np.ones(n * m), (np.arange(n * m), place)), shape=(n * m, total))
    parts = sparse.eye_array(2 * n_weights, total, k=half)
    limits = -sparse.vstack([sparse.eye_array(half, total), snapshot, parts])
    cones = [clarabel.PSDTriangleConeT(n + m), clarabel.NonnegativeConeT(n * m + 2 * n_weights)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    quadratic = sparse.csc_matrix(sparse.triu(squares.T @ squares))
    solver = clarabel.DefaultSolver(
        quadratic, cost, sparse.csc_matrix(limits), np.zeros(limits.shape[0]), cones, settings
    )  # fmt: skip
    return float(solver.solve().obj_val + np.sum(problem.X1**2) / T)
