"""Whether a multi-category margin loss leads to the best classifier (Zhang, JMLR 5:1225, Definition 1)."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.optimize import LinearConstraint, linprog, minimize

from treatise.linear.margin._loops import margin_loss
from treatise.linear.margin._multicategory import LOSSES

_FORMULATIONS = ("pairwise", "max_margin", "constrained", "one_vs_rest")
# Theorem 11 with Remark 12: c = 2 / sqrt(m), -m being the largest second derivative of the least binary risk
# V(q): 4q(1 - q) for both quadratic losses, the entropy in nats, and 2 sqrt(q(1 - q)).
_EXCESS_CONSTANTS = {"least_squares": 0.5**0.5, "squared_hinge": 0.5**0.5, "logistic": 1.0, "exponential": 1.0}
_TIE = 1e-6


@dataclass(frozen=True)
class ConsistencyReport:
    """What :func:`check_consistency` found.

    Parameters
    ----------
    consistent : bool
        Whether every q was passed.
    n_checked : int
        Number of pairs of q and a class that should not win.
    probabilities : tuple of float or None
        The first q for which a class wins that is not the most probable.
    winner : int or None
        That class.
    excess : float
        Least excess of the risk over its minimum when a wrong class wins; 0 where it costs nothing.
    """

    consistent: bool
    n_checked: int
    probabilities: tuple[float, ...] | None
    winner: int | None
    excess: float


def conditional_risk(q, f, formulation="constrained", loss="logistic"):
    r"""Expected loss :math:`W(q, f) = \sum_c q_c \Psi_c(f)` of scores f where the classes have probabilities q.

    Parameters
    ----------
    q : array-like of shape (n_classes,)
        Probabilities.
    f : array-like of shape (n_classes,)
        Scores; those of the constrained formulation are centred first.
    formulation : {"pairwise", "max_margin", "constrained", "one_vs_rest"}, default="constrained"
        How margins are combined; "max_margin" is the difference to the largest other score.
    loss : {"logistic", "squared_hinge", "hinge", "least_squares", "exponential"}, default="logistic"
        Loss of a margin.

    Returns
    -------
    float
        The risk.

    Examples
    --------
    >>> from treatise.linear import conditional_risk
    >>> round(conditional_risk([0.45, 0.38, 0.17], [1.0, 1.0, 0.0], "pairwise", "hinge"), 6)
    2.51

    References
    ----------
    .. [1] Paper v05-1225: Equations (8), (10)-(12) and (14).
    """
    q, scores = _probabilities(q, formulation, loss), np.asarray(f, np.float64)
    if scores.shape != q.shape:
        raise ValueError(f"{scores.size} scores do not fit {q.size} probabilities; give one for each class")
    if formulation == "constrained":
        scores = scores - scores.mean()
    first, second = np.argsort(-scores, kind="stable")[:2]
    weights, margins, constant = _margins(q, formulation, (int(first), int(second)))
    return float(weights @ _values(loss, margins @ scores)[0] + constant * _values(loss, np.zeros(1))[0][0])


def minimize_conditional_risk(q, formulation="constrained", loss="logistic", *, winner=None):
    """Scores of least conditional risk, if asked among those that rank a given class first.

    Parameters
    ----------
    q : array-like of shape (n_classes,)
        Probabilities, each above 0.
    formulation, loss : str
        As for :func:`conditional_risk`.
    winner : int or None, default=None
        A class whose score no other may exceed.

    Returns
    -------
    scores : ndarray of shape (n_classes,)
        The least of them is 0 where only differences matter ("pairwise" and "max_margin"). Not unique for the hinge.
    risk : float
        Their risk.

    Examples
    --------
    >>> from treatise.linear import minimize_conditional_risk
    >>> scores, risk = minimize_conditional_risk([0.45, 0.38, 0.17], "constrained", "hinge")
    >>> scores.round(4), round(risk, 4)
    (array([ 2., -1., -1.]), 1.65)

    References
    ----------
    .. [1] Paper v05-1225: Definition 1.
    """
    q = _probabilities(q, formulation, loss)
    if winner is not None and not 0 <= winner < len(q):
        raise ValueError(f"winner={winner} is no class; it must be from 0 to {len(q) - 1}")
    if formulation == "max_margin":
        # Convex only once it is known which two classes lead.
        leaders = [pair for pair in permutations(range(len(q)), 2) if winner in (None, pair[0])]
        return min((_minimum(q, formulation, loss, pair) for pair in leaders), key=lambda found: found[1])
    return _minimum(q, formulation, loss, () if winner is None else (winner,))


def check_consistency(formulation="constrained", loss="logistic", *, n_classes=3, n_parts=20):
    """Look for class probabilities under which the least risk does not rank the most probable class first.

    A loss that passes for all probabilities is infinite-sample consistent: with enough data and rich enough scores it
    leads to the best classifier. Those on a grid are tried here, so that a pass is strong evidence and a failure is
    proof. Costs two small programmes for each point of the grid and each class that should not win.

    Parameters
    ----------
    formulation, loss : str
        As for :func:`conditional_risk`.
    n_classes : int, default=3
        Number of classes.
    n_parts : int, default=20
        Probabilities are multiples of one over this number, all different and above 0, in falling order.

    Returns
    -------
    ConsistencyReport
        The verdict.

    Examples
    --------
    >>> from treatise.linear import check_consistency
    >>> check_consistency("constrained", "hinge", n_parts=10).consistent
    True
    >>> report = check_consistency("pairwise", "hinge", n_parts=20)
    >>> report.consistent, report.probabilities
    (False, (0.5, 0.45, 0.05))

    References
    ----------
    .. [1] Paper v05-1225: Definition 1, Theorems 6, 8 and 10, Proposition 29.
    """
    if n_classes < 2 or n_parts < n_classes * (n_classes + 1) // 2:
        raise ValueError(
            f"n_parts={n_parts} cannot be split into {n_classes} different positive parts; "
            f"give at least {max(n_classes, 2) * (max(n_classes, 2) + 1) // 2} for at least 2 classes"
        )
    least, checked = np.inf, 0
    for parts in _falling_parts(n_parts, n_classes, n_parts):
        q = np.array(parts) / n_parts
        _, free = minimize_conditional_risk(q, formulation, loss)
        for winner in range(1, n_classes):
            _, forced = minimize_conditional_risk(q, formulation, loss, winner=winner)
            checked += 1
            least = min(least, max(forced - free, 0.0))
            if forced - free <= _TIE:
                return ConsistencyReport(False, checked, tuple(q.tolist()), winner, 0.0)
    return ConsistencyReport(True, checked, None, None, float(least))


def excess_error_bound(excess, loss="squared_hinge", *, noise_exponent=0.0, noise_moment=1.0):
    """Most by which the error of a one-against-the-rest classifier exceeds the least possible.

    Parameters
    ----------
    excess : float
        Excess of its expected loss over the least possible.
    loss : {"squared_hinge", "least_squares", "logistic", "exponential"}, default="squared_hinge"
        Loss of a margin.
    noise_exponent : float, default=0.0
        Exponent a of Tsybakov's condition on small noise; 0 assumes nothing.
    noise_moment : float, default=1.0
        Expectation of the gap between the two largest class probabilities to the power -a.

    Returns
    -------
    float
        The bound.

    Examples
    --------
    >>> from treatise.linear import excess_error_bound
    >>> round(excess_error_bound(0.02), 6)
    0.1

    References
    ----------
    .. [1] Paper v05-1225: Theorems 11 and 13, Remark 12.
    """
    if loss not in _EXCESS_CONSTANTS:
        raise ValueError(f"there is no bound for loss={loss!r}; it may be {', '.join(_EXCESS_CONSTANTS)}")
    for name, value in (("excess", excess), ("noise_exponent", noise_exponent)):
        if value < 0:
            raise ValueError(f"{name}={value} must not be negative")
    a = noise_exponent
    constant = _EXCESS_CONSTANTS[loss] ** ((2.0 * a + 2.0) / (a + 2.0))
    return float(constant * excess ** ((a + 1.0) / (a + 2.0)) * noise_moment ** (1.0 / (a + 2.0)))


def _probabilities(q, formulation, loss):
    if formulation not in _FORMULATIONS:
        raise ValueError(f"formulation={formulation!r} is unknown; it may be {', '.join(_FORMULATIONS)}")
    if loss not in LOSSES:
        raise ValueError(f"loss={loss!r} is unknown; it may be {', '.join(LOSSES)}")
    q = np.asarray(q, np.float64)
    if q.ndim != 1 or len(q) < 2 or not np.all(q >= 0) or not np.isclose(q.sum(), 1.0):
        raise ValueError(f"q={q.tolist()} must be two or more numbers from 0 on with the sum 1")
    return q


def _margins(q, formulation, leaders):
    """The risk as a sum of weighted losses of linear margins: weights, one margin a row, and the multiple of phi(0)."""
    k = len(q)
    identity = np.eye(k)
    if formulation == "pairwise":
        pairs = list(permutations(range(k), 2))
        return q[[c for c, _ in pairs]], np.array([identity[c] - identity[o] for c, o in pairs]), 1.0
    if formulation == "constrained":
        return 1.0 - q, -identity, 0.0
    if formulation == "one_vs_rest":
        return np.concatenate([q, 1.0 - q]), np.vstack([identity, -identity]), 0.0
    first, second = leaders
    rivals = [second if c == first else first for c in range(k)]
    return q, identity - identity[rivals], 0.0


def _values(loss, margins):
    pairs = np.array([margin_loss(LOSSES[loss], 0.0, float(z)) for z in margins])
    return pairs[:, 0], pairs[:, 1]


def _minimum(q, formulation, loss, leaders):
    k = len(q)
    weights, margins, constant = _margins(q, formulation, leaders)
    identity = np.eye(k)
    # The first leader is not exceeded; of the others, the second is not.
    order = [identity[leaders[0]] - identity[c] for c in range(k) if leaders and c != leaders[0]]
    order += [identity[leaders[1]] - identity[c] for c in range(k) if len(leaders) > 1 and c not in leaders]
    ahead = np.array(order).reshape(-1, k)
    centred = np.ones((1, k)) if formulation == "constrained" else np.empty((0, k))
    if loss == "hinge":
        scores, risk = _linear_minimum(weights, margins, ahead, centred)
    else:
        scores, risk = _smooth_minimum(loss, weights, margins, ahead, centred)
    if formulation in ("pairwise", "max_margin"):
        scores = scores - scores.min()
    return scores, risk + constant * float(_values(loss, np.zeros(1))[0][0])


def _linear_minimum(weights, margins, ahead, centred):
    m, k = margins.shape
    # Slacks s >= 1 - margin and s >= 0.
    above = np.block([[-margins, -np.eye(m)], [-ahead, np.zeros((len(ahead), m))]])
    limits = np.concatenate([-np.ones(m), np.zeros(len(ahead))])
    equal = np.hstack([centred, np.zeros((len(centred), m))]) if len(centred) else None
    found = linprog(
        np.concatenate([np.zeros(k), weights]),
        A_ub=above,
        b_ub=limits,
        A_eq=equal,
        b_eq=np.zeros(len(centred)) if len(centred) else None,
        bounds=[(None, None)] * k + [(0, None)] * m,
    )
    return found.x[:k], float(found.fun)


def _smooth_minimum(loss, weights, margins, ahead, centred):
    def risk(scores):
        values, slopes = _values(loss, margins @ scores)
        return float(weights @ values), margins.T @ (weights * slopes)

    constraints = [LinearConstraint(ahead, 0.0, np.inf)] if len(ahead) else []
    constraints += [LinearConstraint(centred, 0.0, 0.0)] if len(centred) else []
    start = np.zeros(margins.shape[1])
    found = minimize(
        risk, start, jac=True, method="SLSQP", constraints=constraints, options={"ftol": 1e-14, "maxiter": 500}
    )
    return found.x, float(found.fun)


def _falling_parts(total, count, largest):
    """Ways to write a total as a sum of ``count`` different positive whole numbers in falling order."""
    if count == 1:
        if 0 < total <= largest:
            yield (total,)
        return
    for first in range(min(total, largest), 0, -1):
        for rest in _falling_parts(total - first, count - 1, first - 1):
            yield (first, *rest)
