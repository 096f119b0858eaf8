"""The forms of the problem that general solvers take: without errors, and with the sum of absolute weights."""

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from treatise.ranking.minlip._interior_point import OrderSolution


def _comparisons(order):
    """The matrix of differences: one row a comparison, one column a node."""
    m = len(order.gap)
    ones, rows = np.ones(m), np.arange(m)
    parts = np.concatenate([ones, -ones]), (np.concatenate([rows, rows]), np.concatenate([order.head, order.tail]))
    return sparse.csr_array(parts, shape=(m, order.n_nodes))


def minimize_without_errors(features, order, *, max_iter):
    """The shortest weights whose utilities meet every comparison (Equation 5).

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Of the samples.
    order : Order
        The comparisons.
    max_iter : int
        Most steps.

    Returns
    -------
    solution : OrderSolution
    """
    (n, d), k = features.shape, order.n_nodes - len(features)
    matrix = _comparisons(order)
    left = sparse.hstack([sparse.csr_array(matrix[:, :n] @ features), matrix[:, n:]], format="csc")
    curvature = sparse.diags_array(np.concatenate([np.ones(d), np.zeros(k)]), format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, max_iter
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cones = [clarabel.NonnegativeConeT(len(order.gap))]
    answer = clarabel.DefaultSolver(curvature, np.zeros(d + k), -left, -order.gap, cones, settings).solve()
    infeasible = clarabel.SolverStatus.PrimalInfeasible, clarabel.SolverStatus.AlmostPrimalInfeasible
    if answer.status in infeasible:
        raise ValueError("no utility has the order of the outcomes without errors; give C a finite value")
    x, flows = np.asarray(answer.x), np.asarray(answer.z)
    utility = features @ x[:d]
    gap = abs(answer.obj_val - answer.obj_val_dual) / max(abs(answer.obj_val), np.finfo(float).tiny)
    solved = answer.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)
    return OrderSolution(
        x[:d],
        np.concatenate([utility, x[d:]]),
        order.balance(flows)[:n],
        answer.obj_val,
        answer.obj_val_dual,
        gap,
        answer.iterations,
        solved,
    )


def minimize_absolute_weights(features, rise, fall, order):
    """The least sum of absolute weights and costs of errors (Equation 10), a linear program.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Of the samples.
    rise, fall : ndarray of shape (n_samples,)
        Costs of an error upwards and downwards; infinite ones allow none.
    order : Order
        The comparisons.

    Returns
    -------
    solution : OrderSolution
    """
    n, d = features.shape
    at_samples = sparse.eye_array(n, order.n_nodes)
    # The tolerances of the solver are absolute: features and outcomes are brought to sizes of about one.
    length, height = np.abs(features).max() or 1.0, np.abs(order.gap).max() or 1.0
    table, rise, fall = sparse.csr_array(features / length), length * rise, length * fall
    soft = bool(np.all(np.isfinite(rise + fall)))
    errors = [sparse.eye_array(n), -sparse.eye_array(n)] if soft else []
    costs = np.concatenate([np.ones(2 * d), np.zeros(order.n_nodes), *([rise, fall] if soft else [])])
    equal = sparse.hstack([table, -table, -at_samples, *errors], format="csr")
    m = len(order.gap)
    empty = [sparse.csr_array((m, n))] * len(errors)
    less = sparse.hstack([sparse.csr_array((m, 2 * d)), -_comparisons(order), *empty], format="csr")
    bounds = np.zeros((len(costs), 2))
    bounds[:, 1] = np.inf
    bounds[2 * d : 2 * d + order.n_nodes, 0] = -np.inf
    gap = order.gap / height
    answer = linprog(costs, A_ub=less, b_ub=-gap, A_eq=equal, b_eq=np.zeros(n), bounds=bounds, method="highs")
    if answer.status == 2:
        raise ValueError("no utility has the order of the outcomes without errors; give C a finite value")
    if answer.x is None:
        raise ValueError(f"the linear program was not solved: {answer.message}")
    dual = float(gap @ -answer.ineqlin.marginals)
    unit = height / length
    return OrderSolution(
        unit * (answer.x[:d] - answer.x[d : 2 * d]),
        height * answer.x[2 * d : 2 * d + order.n_nodes],
        answer.eqlin.marginals / length,
        float(unit * answer.fun),
        unit * dual,
        abs(answer.fun - dual) / max(abs(answer.fun), np.finfo(float).tiny),
        int(answer.nit),
        answer.status == 0,
    )
