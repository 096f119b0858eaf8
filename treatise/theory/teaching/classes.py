"""The concept classes of the paper, and others that are known well."""

from itertools import combinations, product

import numpy as np

from treatise.theory.teaching.concepts import ConceptClass


def singleton_class(n):
    """The empty concept and every single instance: C0, with TD = n though one example says all.

    Examples
    --------
    >>> from treatise.theory import singleton_class
    >>> [singleton_class(5).teach(model).dimension for model in ("ts", "bts", "sts", "rts")]
    [5, 2, 1, 1]
    """
    _positive(n=n)
    return ConceptClass(np.vstack([np.zeros((1, n), np.int8), np.eye(n, dtype=np.int8)]))


def threshold_class(n):
    """The instances from some place on: C_theta.

    Examples
    --------
    >>> from treatise.theory import threshold_class
    >>> threshold_class(3).n_concepts
    4
    """
    _positive(n=n)
    return ConceptClass(np.triu(np.ones((n + 1, n), np.int8)))


def monomial_class(m):
    """Conjunctions of literals of m variables, over their 2^m assignments, the contradiction last.

    Examples
    --------
    >>> from treatise.theory import monomial_class
    >>> monomial_class(3)
    ConceptClass(28 concepts over 8 instances)
    """
    _positive(m=m)
    worlds = np.array(list(product((0, 1), repeat=m)))
    wanted = list(product((None, 1, 0), repeat=m))
    rows = [np.all([worlds[:, i] == w for i, w in enumerate(each) if w is not None] or [worlds[:, 0] >= 0], axis=0)
            for each in wanted]  # fmt: skip
    names = [" and ".join(f"{'' if w else 'not '}v{i + 1}" for i, w in enumerate(each) if w is not None) or "true"
             for each in wanted]  # fmt: skip
    return ConceptClass(np.array([*rows, np.zeros(2**m, bool)]).astype(np.int8), [*names, "false"])


def pair_class(u):
    """For each set of u instances, that set, and the same with an instance of its own (Theorem 18.1).

    Examples
    --------
    >>> from treatise.theory import pair_class
    >>> [pair_class(3).teach(model).dimension for model in ("ts", "bts", "sts", "rts")]
    [4, 3, 1, 3]
    """
    _positive(u=u)
    signs = np.array(list(product((0, 1), repeat=u)), np.int8)
    own = np.eye(2**u, dtype=np.int8)
    rows = np.stack([np.hstack([signs, np.zeros_like(own)]), np.hstack([signs, own])], axis=1)
    return ConceptClass(rows.reshape(2 ** (u + 1), -1))


def half_class(u, *, empty=False):
    """Single instances and pairs of u + 1 instances (Theorem 18.2), and the empty concept where it is asked for.

    Examples
    --------
    >>> from treatise.theory import half_class
    >>> half_class(4).teach("sts").dimension, half_class(4, empty=True).teach("sts").dimension
    (4, 2)
    """
    _positive(u=u)
    sets = [*([()] if empty else []), *((i,) for i in range(u + 1)), *combinations(range(u + 1), 2)]
    return ConceptClass.of_sets(sets, u + 1)


def or_dnf_class(m):
    """``v1``, and ``v1 or M`` for each conjunction M of literals of all other variables (of m).

    Examples
    --------
    >>> from treatise.theory import or_dnf_class
    >>> or_dnf_class(4).teach("ts").dimension
    8
    """
    _positive(m=m - 1)
    worlds = np.array(list(product((0, 1), repeat=m)))
    first = worlds[:, 0] == 1
    others = [first | np.all(worlds[:, 1:] == rest, axis=1) for rest in product((0, 1), repeat=m - 1)]
    return ConceptClass(np.array([first, *others]).astype(np.int8))


def powerset_class(n):
    """All sets of n instances: nobody can teach it with less than all labels.

    Examples
    --------
    >>> from treatise.theory import powerset_class
    >>> powerset_class(3).teach("rts").dimension
    3
    """
    _positive(n=n)
    return ConceptClass(np.array(list(product((0, 1), repeat=n)), np.int8))


def interval_class(n):
    """All intervals of n instances in a row, and the empty concept.

    Examples
    --------
    >>> from treatise.theory import interval_class
    >>> interval_class(6).teach("rts").dimension
    2
    """
    _positive(n=n)
    return ConceptClass.of_sets([(), *(range(i, j) for i in range(n) for j in range(i + 1, n + 1))], n)


def _positive(**sizes):
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is too small for a class of concepts; the next larger one will do")
