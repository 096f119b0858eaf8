"""Discrete models written as sums of tables over few variables."""

from dataclasses import dataclass
from math import prod
from numbers import Integral

import numpy as np

from treatise.inference.marginals import Marginals


@dataclass(frozen=True)
class Factor:
    """A table of log scores over some variables.

    Attributes
    ----------
    variables : tuple of int
        The variables, one for each axis of the table.
    table : ndarray
        Score of each joint state; -inf forbids it.
    """

    variables: tuple[int, ...]
    table: np.ndarray


def _checked(sizes, number, variables, table):
    """A factor over variables with these numbers of states."""
    variables = _numbers(number, variables)
    table = np.array(table, np.float64, order="C")
    for v in variables:
        if not 0 <= v < len(sizes):
            raise ValueError(f"factor {number} names variable {v}; variables are numbered from 0 to {len(sizes) - 1}")
    if len(set(variables)) < len(variables):
        raise ValueError(f"factor {number} names a variable twice: {variables}")
    expected = tuple([sizes[v] for v in variables])
    if table.shape != expected:
        raise ValueError(
            f"factor {number} over variables {variables} must have the shape {expected}; it has {table.shape}"
        )
    # The largest of numbers with a NaN among them is one, and no number is above NaN.
    if not np.maximum.reduce(table, axis=None) < np.inf:
        raise ValueError(f"factor {number} holds NaN or +inf; scores must be numbers or -inf")
    return Factor(variables, table)


def _numbers(number, variables):
    if type(variables) is tuple and all(type(v) is int for v in variables):
        return variables
    named = np.atleast_1d(np.asarray(variables))
    if named.size and not np.issubdtype(named.dtype, np.integer):
        raise ValueError(f"factor {number} names {named.tolist()}; variables are whole numbers from 0 on")
    return tuple(named.tolist())


class FactorGraph:
    """Discrete variables whose log probability is a sum of tables, up to a constant.

    ``log p(x) = sum of the factors' scores at x - log Z``: Markov random fields, Bayesian networks (factors are the
    logarithms of their conditional tables) and conditional random fields of any shape. The graph only holds the model;
    :class:`JunctionTree` answers exactly where the graph is narrow, :func:`belief_propagation`, :func:`mean_field`,
    :func:`tree_reweighted` and :func:`gibbs` approximately elsewhere. Plain sequences are faster in :class:`Chains`.

    Parameters
    ----------
    n_states : array-like of int of shape (n,)
        Number of states of each variable. States are counted from 0.
    factors : iterable of (variables, table)
        A factor's variables, and its log scores with one axis for each of them. Several factors may share variables;
        a variable without a factor is uniform.

    Attributes
    ----------
    n_states : ndarray of shape (n,)
    factors : tuple of Factor

    Examples
    --------
    Two coins that like to agree, the first of them biased:

    >>> import numpy as np
    >>> from treatise.inference import FactorGraph
    >>> coins = FactorGraph([2, 2], [((0,), np.log([0.2, 0.8])), ((0, 1), [[1.0, 0.0], [0.0, 1.0]])])
    >>> exact = coins.brute_force()
    >>> exact.nodes[1].round(3)
    array([0.361, 0.639])
    >>> coins.condition({0: 0}).brute_force().nodes[1].round(3)
    array([0.731, 0.269])
    """

    def __init__(self, n_states, factors=()):
        self.n_states = np.atleast_1d(np.asarray(n_states, np.int64))
        if self.n_states.ndim != 1 or np.any(self.n_states < 1):
            raise ValueError(f"n_states must list at least one state for each variable; it is {n_states!r}")
        sizes = self.n_states.tolist()
        self.factors = tuple(_checked(sizes, i, *factor) for i, factor in enumerate(factors))

    @classmethod
    def pairwise(cls, unary, edges, pairs):
        """Model of scores of single variables and of pairs.

        Parameters
        ----------
        unary : array-like of shape (n, K), or sequence of n arrays
            Scores of the states of each variable.
        edges : array-like of int of shape (m, 2)
            The coupled pairs, each listed once.
        pairs : array-like of shape (m, K, K) or (K, K), or sequence of m arrays
            Table of each edge, or one for all.

        Returns
        -------
        graph : FactorGraph
        """
        unary = [np.asarray(scores, np.float64) for scores in unary]
        edges = np.asarray(edges, np.int64).reshape(-1, 2)
        tables = np.broadcast_to(pairs, (len(edges), *np.shape(pairs))) if np.ndim(pairs) == 2 else pairs
        if len(tables) != len(edges):
            raise ValueError(f"{len(edges)} edges need as many tables, or one for all; there are {len(tables)}")
        singles = [((v,), scores) for v, scores in enumerate(unary)]
        return cls([len(scores) for scores in unary], singles + list(zip(edges, tables)))

    @classmethod
    def ising(cls, fields, edges, couplings, *, values=(-1, 1)):
        """Model of binary variables, ``sum_s field_s x_s + sum_st coupling_st x_s x_t``.

        Parameters
        ----------
        fields : array-like of shape (n,)
            Weight of each variable.
        edges : array-like of int of shape (m, 2)
            The coupled pairs, each listed once.
        couplings : array-like of shape (m,)
            Weight of each product.
        values : pair of float, default=(-1, 1)
            What the states 0 and 1 stand for; (0, 1) is the other usual choice.

        Returns
        -------
        graph : FactorGraph
        """
        x, couplings = np.asarray(values, np.float64), np.asarray(couplings, np.float64)
        if couplings.ndim != 1:
            raise ValueError(f"couplings must hold one weight for each edge; its shape is {couplings.shape}")
        tables = couplings[:, None, None] * np.outer(x, x)
        return cls.pairwise(np.outer(fields, x), edges, tables.reshape(-1, 2, 2))

    def ising_parameters(self, *, values=(-1, 1)):
        """The model of binary variables as fields and couplings: the inverse of :meth:`ising`.

        Parameters
        ----------
        values : pair of float, default=(-1, 1)
            What the states 0 and 1 stand for.

        Returns
        -------
        constant : float
        fields : ndarray of shape (n,)
        edges : ndarray of int of shape (m, 2)
        couplings : ndarray of shape (m,)
            ``constant + sum_s field_s x_s + sum_st coupling_st x_s x_t`` is the score.
        """
        if np.any(self.n_states != 2):
            v = int(np.argmax(self.n_states != 2))
            raise ValueError(f"variable {v} has {self.n_states[v]} states; only binary variables have Ising parameters")
        a, b = (float(value) for value in values)
        constant, fields, couplings = 0.0, np.zeros(len(self)), {}
        for number, factor in enumerate(self.factors):
            if len(factor.variables) > 2 or not np.all(np.isfinite(factor.table)):
                raise ValueError(f"factor {number} over {factor.variables} must be a finite table of at most two "
                                 "variables to be written with Ising parameters")  # fmt: skip
            if len(factor.variables) == 0:
                constant += float(factor.table)
            elif len(factor.variables) == 1:
                slope = (factor.table[1] - factor.table[0]) / (b - a)
                fields[factor.variables[0]] += slope
                constant += factor.table[0] - slope * a
            else:
                (t00, t01), (t10, t11) = factor.table
                s, t = factor.variables
                product = (t11 - t10 - t01 + t00) / (b - a) ** 2
                slope_s, slope_t = (t10 - t00) / (b - a) - product * a, (t01 - t00) / (b - a) - product * a
                fields[s] += slope_s
                fields[t] += slope_t
                constant += t00 - a * (slope_s + slope_t) - product * a * a
                pair = (min(s, t), max(s, t))
                couplings[pair] = couplings.get(pair, 0.0) + product
        edges = np.array(list(couplings), np.int64).reshape(-1, 2)
        return constant, fields, edges, np.array(list(couplings.values()), np.float64)

    def __len__(self):
        return len(self.n_states)

    def __repr__(self):
        return f"FactorGraph({len(self)} variables, {len(self.factors)} factors)"

    def scores(self, assignments):
        """Sum of the factors' scores, of one assignment or of many.

        Parameters
        ----------
        assignments : array-like of int of shape (n,) or (N, n)

        Returns
        -------
        scores : float or ndarray of shape (N,)
        """
        assignments = np.asarray(assignments)
        if assignments.ndim not in (1, 2) or assignments.shape[-1] != len(self):
            raise ValueError(f"an assignment needs a state for each of the {len(self)} variables; "
                             f"the shape given is {assignments.shape}")  # fmt: skip
        if assignments.size and not np.issubdtype(assignments.dtype, np.integer):
            raise ValueError(f"states are whole numbers; the type of the assignments given is {assignments.dtype}")
        if assignments.size and (np.any(assignments < 0) or np.any(assignments >= self.n_states)):
            v = int(np.argmax(np.any((np.atleast_2d(assignments) < 0) | (np.atleast_2d(assignments) >= self.n_states),
                                     axis=0)))  # fmt: skip
            raise ValueError(f"variable {v} is assigned a state outside 0 to {self.n_states[v] - 1}")
        total = np.zeros(assignments.shape[:-1])
        for factor in self.factors:
            total += factor.table[tuple(assignments[..., v] for v in factor.variables)]
        return total[()]

    def energy(self, assignments):
        """Minus the score: what a most probable assignment minimises."""
        return -self.scores(assignments)

    def condition(self, evidence):
        """The model of the same variables when some have been observed.

        Tables are cut at the observed states, so that an observed variable couples nothing any more. ``log Z`` of the
        result minus that of the whole is the log probability of the evidence.

        Parameters
        ----------
        evidence : dict of int to int
            Observed state of each observed variable.

        Returns
        -------
        graph : FactorGraph
            Other states of an observed variable score -inf.
        """
        check_evidence(evidence, self.n_states)
        cut = []
        for factor in self.factors:
            at = tuple(evidence.get(v, slice(None)) for v in factor.variables)
            cut.append((tuple(v for v in factor.variables if v not in evidence), factor.table[at]))
        for v, state in evidence.items():
            only = np.full(self.n_states[v], -np.inf)
            only[state] = 0.0
            cut.append(((v,), only))
        return FactorGraph(self.n_states, cut)

    def add(self, variables, table):
        """The model with one more factor."""
        return FactorGraph(self.n_states, [(f.variables, f.table) for f in self.factors] + [(variables, table)])

    def neighbors(self):
        """For each variable, the set of those that share a factor with it."""
        found: list[set[int]] = [set() for _ in range(len(self))]
        for factor in self.factors:
            for v in factor.variables:
                found[v].update(factor.variables)
        for v, others in enumerate(found):
            others.discard(v)
        return found

    def joint_scores(self, *, max_states=2**22):
        """Scores of all joint states, as an array with one axis for each variable.

        Parameters
        ----------
        max_states : int, default=2**22
            Largest number of joint states to enumerate.

        Returns
        -------
        scores : ndarray of shape n_states
        """
        size = prod(int(k) for k in self.n_states)
        if size > max_states or len(self) > 60:
            raise ValueError(f"the model has {size} joint states; enumeration stops at {max_states}. "
                             "JunctionTree is exact on larger models")  # fmt: skip
        scores = np.zeros(tuple(self.n_states))
        for factor in self.factors:
            order = np.argsort(factor.variables)
            shape = np.ones(len(self), np.int64)
            shape[list(factor.variables)] = factor.table.shape
            scores += factor.table.transpose(order).reshape(shape)
        return scores

    def brute_force(self, *, max_states=2**22):
        """Exact marginals by enumeration of all joint states.

        Parameters
        ----------
        max_states : int, default=2**22
            Largest number of joint states to enumerate.

        Returns
        -------
        marginals : Marginals
        """
        scores = self.joint_scores(max_states=max_states)
        top = scores.max(initial=-np.inf)
        if top == -np.inf:
            raise ValueError("no joint state is possible: every one scores -inf")
        p = np.exp(scores - top)
        total = p.sum()
        p /= total
        return Marginals(
            log_partition=float(top + np.log(total)),
            kind="exact",
            nodes=tuple(marginal_of(p, tuple(range(len(self))), (v,)) for v in range(len(self))),
            factors=tuple(marginal_of(p, tuple(range(len(self))), f.variables) for f in self.factors),
            n_iter=1,
            converged=True,
        )


def check_evidence(evidence, n_states):
    """An error if some of the evidence is no state of a variable."""
    for v, state in evidence.items():
        whole = isinstance(v, Integral) and isinstance(state, Integral)
        if not whole or not 0 <= v < len(n_states) or not 0 <= state < n_states[v]:
            raise ValueError(f"evidence {v}: {state} names no state of a variable of this model")


def marginal_of(table, variables, wanted):
    """Sum of a table over ``variables`` down to the ``wanted`` ones, in their order."""
    rest = tuple(axis for axis, v in enumerate(variables) if v not in wanted)
    kept = [v for v in variables if v in wanted]
    return table.sum(axis=rest).transpose([kept.index(v) for v in wanted])
