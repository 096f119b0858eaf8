"""Variable elimination: the probabilities of a few variables, for one set of evidence or for many rows of it."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

Scope = tuple[int, ...]
MAX_TABLE = 2**24
"""Most entries of a table on the way (128 MiB)."""
_WORTH_A_SECOND_LOOK = 2**16


def elimination_order(scopes: Iterable[Scope], wanted: Sequence[int], n_states: Sequence[int]) -> tuple[list[int], int]:
    """The order in which to sum variables out, and the entries of the largest table on the way.

    Next is always the variable whose table is then smallest; where that leads to a large one, the variable whose
    neighbours lack the fewest pairs is tried instead.

    Parameters
    ----------
    scopes : iterable of tuple of int
        Variables of each factor.
    wanted : sequence of int
        Variables to keep.
    n_states : sequence of int
        Number of states of each variable.
    """
    scopes = list(scopes)
    order, largest = _greedy(scopes, wanted, n_states, by_fill=False)
    if largest > _WORTH_A_SECOND_LOOK:
        order, largest = min(
            (order, largest), _greedy(scopes, wanted, n_states, by_fill=True), key=lambda found: found[1]
        )
    if largest > MAX_TABLE:
        raise ValueError(f"this question needs a table of {largest:.3g} joint states, more than {MAX_TABLE}; "
                         "ask for fewer variables, observe more, or draw samples")  # fmt: skip
    return order, largest


def _greedy(
    scopes: list[Scope], wanted: Sequence[int], n_states: Sequence[int], by_fill: bool
) -> tuple[list[int], int]:
    around: dict[int, set[int]] = {}
    for scope in scopes:
        for v in scope:
            around.setdefault(v, set()).update(scope)

    def size(v: int) -> int:
        return prod(n_states[u] for u in around[v])

    def cost(v: int) -> tuple[int, int]:
        near = around[v]
        missing = sum(len(near) - len(near & around[u]) for u in near) if by_fill else 0
        return missing, size(v)

    costs = {v: cost(v) for v in around if v not in wanted}
    order, largest = [], prod(n_states[v] for v in wanted)
    while costs:
        v = min(costs, key=costs.__getitem__)
        largest = max(largest, size(v))
        del costs[v]
        order.append(v)
        near = around.pop(v)
        near.discard(v)
        touched = set(near)
        for u in near:
            around[u] |= near
            around[u].discard(v)
            if by_fill:  # who sees both ends of a new pair lacks one pair less
                touched |= around[u]
        for u in touched:
            if u in costs:
                costs[u] = cost(u)
    return order, largest


def eliminate(
    factors: Iterable[tuple[Scope, np.ndarray]], order: Sequence[int], wanted: Sequence[int], n_states: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Sum the product of factors over all variables but the wanted ones.

    A table that has become small is scaled and its scale kept apart, so that long products do not vanish.

    Parameters
    ----------
    factors : iterable of (variables, table)
        A table has a leading axis of rows (one for each row of evidence; 1 where it is the same in all), then one for
        each variable.
    order : sequence of int
        The variables to sum over, from :func:`elimination_order`.
    wanted : sequence of int
        The variables to keep.
    n_states : sequence of int
        Number of states of each variable.

    Returns
    -------
    table : ndarray of shape (rows, states of the wanted variables)
        In their order, up to a scale in each row; zero where the evidence is impossible.
    log_scale : ndarray of shape (rows,)
        Logarithm of that scale.
    """
    held: dict[int, list[tuple[Scope, np.ndarray]]] = {v: [] for v in order}
    rank = {v: i for i, v in enumerate(order)}
    final: list[tuple[Scope, np.ndarray]] = []

    def put(scope: Scope, table: np.ndarray) -> None:
        # A table waits for the first of its variables that goes.
        first = min((v for v in scope if v in rank), key=rank.__getitem__, default=None)
        (final if first is None else held[first]).append((scope, table))

    for scope, table in factors:
        put(scope, table)
    log_scale = np.zeros(1)
    for v in order:
        scope, table = _product(held.pop(v), n_states)
        table = table.sum(axis=1 + scope.index(v))
        top = table.max(axis=tuple(range(1, table.ndim)), keepdims=True)
        if np.any(top < 1e-100):
            scale = np.where(top > 0, top, 1.0)
            table, log_scale = table / scale, log_scale + np.log(scale).reshape(-1)
        put(tuple(u for u in scope if u != v), table)
    scope, table = _product(final, n_states)
    table = table.transpose(0, *(1 + scope.index(v) for v in wanted))
    return table, np.broadcast_to(log_scale, (max(len(table), len(log_scale)),))


def _product(taken: list[tuple[Scope, np.ndarray]], n_states: Sequence[int]) -> tuple[Scope, np.ndarray]:
    """The product of tables, over all their variables."""
    if len(taken) == 1:
        return taken[0]
    union = tuple(dict.fromkeys(v for scope, _ in taken for v in scope))
    place = {v: i for i, v in enumerate(union)}
    result: np.ndarray | float = 1.0
    for scope, table in sorted(taken, key=lambda entry: entry[1].size):
        axes = sorted(range(len(scope)), key=lambda i: place[scope[i]])
        shape = [1] * len(union)
        for v in scope:
            shape[place[v]] = n_states[v]
        result = result * table.transpose(0, *(1 + i for i in axes)).reshape(-1, *shape)
    return union, np.asarray(result).reshape(-1, *(n_states[v] for v in union))


def cut(table: np.ndarray, family: Scope, known: Mapping[int, np.ndarray]) -> tuple[Scope, np.ndarray]:
    """The free variables of a table, and the table at the known states, of which there is one for each row."""
    seen = [i for i, v in enumerate(family) if v in known]
    free = [i for i, v in enumerate(family) if v not in known]
    scope = tuple(family[i] for i in free)
    if not seen:
        return scope, table[None]
    # The observed axes in front are indexed together: one cut for each row.
    return scope, table.transpose(seen + free)[tuple(known[family[i]] for i in seen)]
