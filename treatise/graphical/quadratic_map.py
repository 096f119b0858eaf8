"""Most probable assignments by quadratic programming (chapter 4 of the thesis)."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from treatise._core.jit import compiled
from treatise.inference import MAPResult, PairwiseForm, iterated_conditional_forests, iterated_conditional_modes
from treatise.optimize.simplices import project_simplices

_DIAGONALS = ("absrow", "eig")
_METHODS = ("convex", "structured", "nonconvex")


@dataclass(frozen=True)
class QuadraticRelaxation:
    """The concave quadratic program of a labelling, solved.

    Attributes
    ----------
    probabilities : tuple of ndarray
        The maximiser, one distribution for each variable.
    value : float
        Its value.
    upper_bound : float
        No assignment scores more; it is the value plus the remaining gap of the solver.
    diagonal : tuple of ndarray
        What was subtracted from the diagonal to make the program concave, in the same shape as the probabilities.
    n_iter : int
        Steps taken.
    """

    probabilities: tuple[np.ndarray, ...]
    value: float
    upper_bound: float
    diagonal: tuple[np.ndarray, ...]
    n_iter: int

    @property
    def rounding_loss(self):
        """``sum d mu (1 - mu)``: rounding loses no more than this against the best assignment (Theorem 4)."""
        return float(sum(np.sum(d * mu * (1 - mu)) for d, mu in zip(self.diagonal, self.probabilities)))


def quadratic_relaxation(graph, *, diagonal="absrow", max_iter=5000, tol=1e-6):
    """The largest value of the concave relaxation of the most probable assignment, and where it is attained.

    The score of independent variables with probabilities mu is quadratic in mu, and its maximum is attained at an
    assignment. Taking ``d (mu^2 - mu)``, which is zero at assignments, away from it makes it concave, at the price of a
    maximum that may be above the best assignment's score and between assignments. An accelerated projected gradient
    solves it; a step costs the sizes of the tables of pairs and no matrix over all states is formed.

    Parameters
    ----------
    graph : FactorGraph
        The model; finite factors of at most two variables.
    diagonal : {"absrow", "eig"}, default="absrow"
        The d: "absrow" the sums of the absolute entries of the rows (half of each table counts in each direction), the
        thesis's choice; "eig" one number, the largest eigenvalue. Which is tighter depends on the model. Either is
        loosened by a constant in the table of a pair, which is best left out.
    max_iter : int, default=5000
        Most steps.
    tol : float, default=1e-6
        Gap between value and upper bound to stop at, as a share of that at even probabilities, so that neither the unit
        of the scores nor a constant counts.

    Returns
    -------
    relaxation : QuadraticRelaxation

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import quadratic_relaxation
    >>> pair = FactorGraph.pairwise([[0.0, 0.4], [0.3, 0.0]], [[0, 1]], [[[1.0, 0.0], [0.0, 1.0]]])
    >>> relaxed = quadratic_relaxation(pair)
    >>> round(relaxed.value, 3), round(float(pair.joint_scores().max()), 3)
    (1.422, 1.4)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, section 4.5, equations 4.26-4.27 and Theorem 4.
    """
    if diagonal not in _DIAGONALS:
        raise ValueError(f"diagonal={diagonal!r} must be one of {', '.join(map(repr, _DIAGONALS))}")
    return _relax(_finite_form(graph), diagonal, max_iter, tol)


def qp_map(graph, *, method="convex", diagonal="absrow", start=None, n_starts=1, max_iter=5000, tol=1e-6,
           random_state=None):  # fmt: skip
    """A highly probable assignment by quadratic programming, with a bound on how much better another could be.

    The concave relaxation is solved, its probabilities are rounded one variable after another, which never lowers the
    score (Theorem 3), and passes of that continue until none changes. Good for mixed and strong couplings with tables
    of any kind, where messages wander; much smaller than the linear program. Where the graph is narrow
    :class:`JunctionTree` is exact, and for stereo-like costs graph cuts are better. The bound is looser than that of
    linear programming for many states.

    Parameters
    ----------
    graph : FactorGraph
        The model; finite factors of at most two variables.
    method : {"convex", "structured", "nonconvex"}, default="convex"
        "structured" solves the same relaxation and rounds whole forests of variables at a time, then climbs by forests
        (section 4.7); a little dearer, and as a rule a little better. "nonconvex" climbs on the tight
        program itself, which is iterated conditional modes, and gives no bound.
    diagonal : {"absrow", "eig"}, default="absrow"
        See :func:`quadratic_relaxation`.
    start : array-like of int of shape (n,) or None, default=None
        Where the nonconvex climb starts; None takes each variable's best state by its own scores.
    n_starts : int, default=1
        Climbs of the nonconvex program; those after the first start at random.
    max_iter : int, default=5000
        Most steps on the relaxation, or passes of the climb.
    tol : float, default=1e-6
        See :func:`quadratic_relaxation`.
    random_state : int, RandomState instance or None, default=None
        Source of the random starts.

    Returns
    -------
    result : MAPResult
        Energies are minus the scores that the thesis maximises: ``energy = -score`` and ``lower_bound`` is minus the
        relaxation's upper bound.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import qp_map
    >>> ring = FactorGraph.ising([1, 0, -0.2, 0], [[0, 1], [1, 2], [2, 3], [3, 0]], [0.3, -0.4, 0.1, 0.3])
    >>> result = qp_map(ring)
    >>> result.labels, round(result.energy, 6), result.lower_bound <= result.energy
    (array([1, 1, 0, 1]), -2.1, True)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, chapter 4; P. Ravikumar and J. Lafferty (2006), Quadratic programming relaxations
       for metric labeling and Markov random field MAP estimation. ICML.
    """
    if method not in _METHODS:
        raise ValueError(f"method={method!r} must be one of {', '.join(map(repr, _METHODS))}")
    if diagonal not in _DIAGONALS:
        raise ValueError(f"diagonal={diagonal!r} must be one of {', '.join(map(repr, _DIAGONALS))}")
    if max_iter < 1:
        raise ValueError(f"max_iter={max_iter!r} must be at least 1")
    form = _finite_form(graph)
    if method == "nonconvex":
        return iterated_conditional_modes(
            graph, start=start, n_starts=n_starts, max_sweeps=max_iter, random_state=random_state
        )
    relaxation = _relax(form, diagonal, max_iter, tol)
    if method == "structured":
        found = iterated_conditional_forests(graph, start=relaxation.probabilities, max_sweeps=max_iter)
        bound = min(-relaxation.upper_bound, found.energy)
        return MAPResult(found.labels, found.energy, bound, found.trace, found.n_moves, found.converged)
    mu = np.concatenate(relaxation.probabilities) if form.n_nodes else np.zeros(0)
    labels = np.full(form.n_nodes, -1)
    trace = []
    shape = form.offset, form.unary, form.edges, form.pair_offset, form.pairs
    settled = False
    while not settled and len(trace) < max_iter:
        settled = not round_in_turn(*shape, *form.incidence, mu, labels)
        if not settled:
            trace.append(float(graph.energy(labels)))
    energy = float(graph.energy(labels))
    return MAPResult(labels, energy, min(-relaxation.upper_bound, energy), np.array(trace), len(trace), settled)


def _finite_form(graph):
    form = PairwiseForm.of(graph, max_order=2, method="the quadratic program")
    if not (np.all(np.isfinite(form.unary)) and np.all(np.isfinite(form.pairs))):
        raise ValueError("the model forbids some state by -inf; the quadratic program needs finite scores, "
                         "so give what is forbidden a low finite one")  # fmt: skip
    return form


def _relax(form, diagonal, max_iter, tol):
    # A constant in the scores of a variable moves all assignments alike, and would hide their differences.
    middle = np.add.reduceat(form.unary, form.offset[:-1]) / form.sizes if form.n_nodes else np.zeros(0)
    unary, constant = form.unary - np.repeat(middle, form.sizes), form.constant + float(middle.sum())
    shape = form.offset, unary, form.edges, form.pair_offset, form.pairs
    rows = np.zeros_like(form.unary)
    expected_scores(
        form.offset, rows.copy(), form.edges, form.pair_offset, np.abs(form.pairs), np.ones_like(rows), rows
    )
    d = rows / 2 if diagonal == "absrow" else np.full_like(rows, _largest_eigenvalue(form, rows))
    field = np.empty_like(form.unary)

    def value_and_gradient(mu):
        expected_scores(*shape, mu, field)
        # Plain sums: a threaded dot product of so few numbers waits more than it computes.
        value = np.sum(mu * (0.5 * (unary + field) + d * (1 - mu)))
        return value, field + d * (1 - 2 * mu)

    # Minus the Hessian is 2 d less the tables, at most the diagonal matrix of 2 d and the rows' sums; one step for all
    # states of a variable keeps projections plain.
    curvature = np.maximum.reduceat(rows + 2 * d, form.offset[:-1]) if form.n_nodes else np.zeros(0)
    scale = float(np.abs(unary).sum() + np.abs(form.pairs).sum())
    step = np.repeat(1.0 / np.maximum(curvature, max(1e-12 * scale, np.finfo(float).tiny)), form.sizes)
    mu = np.repeat(1.0 / form.sizes, form.sizes)
    ahead, momentum = mu, 1.0
    value, gradient = value_and_gradient(mu)
    bound, n_iter = _tangent_maximum(form, value, gradient, mu), 0
    # Where even probabilities are best, what is left of the gap is rounding.
    wanted = max(tol * (bound - value), 1e-13 * scale)
    while bound - value > wanted and n_iter < max_iter:
        n_iter += 1
        new = ahead + step * value_and_gradient(ahead)[1]
        project_simplices(form.offset, new)
        new_value, gradient = value_and_gradient(new)
        bound = min(bound, _tangent_maximum(form, new_value, gradient, new))
        if new_value < value:
            if ahead is mu:
                # A plain step cannot lead downhill but by rounding: this is as far as it goes.
                break
            ahead, momentum = mu, 1.0
            continue
        next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / next_momentum * (new - mu)
        mu, value, momentum = new, new_value, next_momentum
    # Rounding may put the bound a little below the value that it bounds.
    value, bound = float(value) + constant, max(float(bound), float(value)) + constant
    return QuadraticRelaxation(form.by_node(mu), value, bound, form.by_node(d), n_iter)


def _tangent_maximum(form, value, gradient, mu):
    """Largest value of the tangent plane at mu, which a concave function is nowhere above."""
    return value + linear_maximum(form.offset, gradient) - np.sum(gradient * mu)


def _largest_eigenvalue(form, rows):
    """Of the symmetric matrix that holds half of each table in both directions, rounded up."""
    size, none = len(form.unary), np.zeros_like(form.unary)

    def times(v):
        product = np.empty(size)
        expected_scores(form.offset, none, form.edges, form.pair_offset, form.pairs, np.ravel(v).astype(float), product)
        return product / 2

    if not rows.any():
        return 0.0
    if size <= 50:
        largest = np.linalg.eigvalsh(np.column_stack([times(e) for e in np.eye(size)]))[-1]
    else:
        start = np.random.RandomState(0).standard_normal(size)
        operator = LinearOperator((size, size), matvec=times, dtype=float)
        largest = eigsh(operator, k=1, which="LA", v0=start, tol=1e-8)[0][0]
    return float(largest) * (1 + 1e-6)


@compiled
def expected_scores(offset, unary, edges, pair_offset, pairs, mu, field):
    """``theta_s + sum_t theta_st mu_t`` for all variables and states."""
    for x in range(len(unary)):
        field[x] = unary[x]
    for e in range(len(edges)):
        s, t = edges[e]
        at = pair_offset[e]
        for x in range(offset[s], offset[s + 1]):
            acc = 0.0
            for y in range(offset[t], offset[t + 1]):
                acc += pairs[at] * mu[y]
                field[y] += pairs[at] * mu[x]
                at += 1
            field[x] += acc


@compiled
def linear_maximum(offset, gradient):
    """Largest value of a linear function over the product of simplices."""
    total = 0.0
    for s in range(len(offset) - 1):
        best = -np.inf
        for k in range(offset[s], offset[s + 1]):
            best = max(best, gradient[k])
        total += best
    return total


@compiled
def round_in_turn(offset, unary, edges, pair_offset, pairs, first, incident, mu, labels):
    """One pass of the rounding of Theorem 3: every variable to its best state given the others' probabilities.

    Never lowers the expected score. Returns the number of labels that changed.
    """
    changes = 0
    for s in range(len(offset) - 1):
        K = offset[s + 1] - offset[s]
        best, label = -np.inf, 0
        for x in range(K):
            value = unary[offset[s] + x]
            for i in range(first[s], first[s + 1]):
                end, e = incident[i] & 1, incident[i] // 2
                t = edges[e, 1 - end]
                L = offset[t + 1] - offset[t]
                for y in range(L):
                    at = x * L + y if end == 0 else y * K + x
                    value += pairs[pair_offset[e] + at] * mu[offset[t] + y]
            # A tie keeps the present label, so that passes end.
            if value > best or (value == best and x == labels[s]):
                best, label = value, x
        if label != labels[s]:
            changes += 1
            labels[s] = label
        for x in range(K):
            mu[offset[s] + x] = 1.0 if x == label else 0.0
    return changes
