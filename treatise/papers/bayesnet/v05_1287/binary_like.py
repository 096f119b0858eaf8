"""Properties of tables from which the paper proves a distribution perfect (Appendix B)."""

from itertools import combinations

import numpy as np

_ROUNDING = 1e-12


def is_binary_like(cpt: np.ndarray) -> bool:
    """Whether a table treats all states but 0 alike, of the variable and of its parents (Definition 39).

    Parameters
    ----------
    cpt : ndarray
        One axis for each parent, the last for the variable itself.

    Returns
    -------
    binary_like : bool
    """
    table = np.asarray(cpt)
    for axis in range(table.ndim):
        others = np.moveaxis(table, axis, 0)[1:]
        if table.dtype == object:
            if any(np.any(other != others[0]) for other in others):
                return False
        elif not np.allclose(others, others[:1], rtol=_ROUNDING, atol=0.0):
            return False
    return True


def is_binary_like_lattice(cpt: np.ndarray) -> bool:
    """Whether a table is binary-like and state 0 is strictly more probable for every parent that goes to state 0 (BLL).

    With :func:`is_binary_like_tsp` for all tables of a network, a certificate that its distribution is perfect
    (Lemma 17). O(parents) passes over the table.

    Parameters
    ----------
    cpt : ndarray
        One axis for each parent, the last for the variable itself.

    Returns
    -------
    lattice : bool

    References
    ----------
    .. [1] Paper v05-1287, Definition 40.
    """
    if not is_binary_like(cpt):
        return False
    cube = _cube(cpt)
    return all(bool(np.all(_at(cube, {i: 0}) > _at(cube, {i: 1}))) for i in range(cube.ndim))


def is_binary_like_tsp(cpt: np.ndarray) -> bool:
    """Whether a table is binary-like and any two parents help one another to bring about state 0 (BLTSP).

    For all pairs of parents, with the others fixed, ``p(0 | 0, 0) p(0 | 1, 1) > p(0 | 0, 1) p(0 | 1, 0)``.

    Parameters
    ----------
    cpt : ndarray
        One axis for each parent, the last for the variable itself.

    Returns
    -------
    totally_strictly_positive : bool

    References
    ----------
    .. [1] Paper v05-1287, Definitions 27 and 41.
    """
    if not is_binary_like(cpt):
        return False
    cube = _cube(cpt)
    for i, j in combinations(range(cube.ndim), 2):
        together = _at(cube, {i: 0, j: 0}) * _at(cube, {i: 1, j: 1})
        apart = _at(cube, {i: 0, j: 1}) * _at(cube, {i: 1, j: 0})
        if not np.all(together > apart):
            return False
    return True


def _cube(cpt: np.ndarray) -> np.ndarray:
    """Probability of state 0 where each parent is in state 0 or in another."""
    table = np.asarray(cpt)[..., 0]
    return table[tuple(slice(0, 2) for _ in range(table.ndim))]


def _at(cube: np.ndarray, states: dict[int, int]) -> np.ndarray:
    return cube[tuple(states.get(axis, slice(None)) for axis in range(cube.ndim))]
