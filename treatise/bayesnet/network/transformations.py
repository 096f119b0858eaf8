"""Exact transformations of Bayesian networks (Appendix B of Chickering et al., JMLR 5:1287)."""

from math import prod

import numpy as np

from treatise.bayesnet.network.bayesian_network import BayesianNetwork
from treatise.bayesnet.network.elimination import MAX_TABLE


class _Tables:
    """Parents and tables by number, changed step by step."""

    def __init__(self, network):
        self.network = network
        self.n_states = [len(network.states[name]) for name in network.variables]
        self.parents = {v: list(own) for v, own in enumerate(network.dag.parents)}
        self.tables = {v: network.cpts[name] for v, name in enumerate(network.variables)}

    def product(self, factors, scope):
        """The product of (variables, table) pairs, with the axes of ``scope``."""
        if prod(self.n_states[v] for v in scope) > MAX_TABLE:
            raise ValueError(f"a table would couple {len(scope)} variables with more than {MAX_TABLE} joint states")
        label = {v: i for i, v in enumerate(scope)}
        operands = [piece for variables, table in factors for piece in (table, [label[v] for v in variables])]
        return np.einsum(*operands, list(label.values()))

    def reverse(self, h, y):
        """Cover the edge h -> y and turn it (Section B.1.2)."""
        rest = list(dict.fromkeys([*self.parents[h], *(u for u in self.parents[y] if u != h)]))
        both = self.product(
            [((*self.parents[h], h), self.tables[h]), ((*self.parents[y], y), self.tables[y])], [*rest, y, h]
        )
        self.parents[y], self.parents[h] = rest, [*rest, y]
        self.tables[y] = both.sum(axis=-1)
        self.tables[h] = _conditional(both)

    def below(self, v):
        """Descendants of v."""
        found, stack = set(), [v]
        while stack:
            u = stack.pop()
            for child in [c for c, own in self.parents.items() if u in own]:
                if child not in found:
                    found.add(child)
                    stack.append(child)
        return found

    def build(self, kept):
        names = self.network.variables
        return BayesianNetwork(
            {names[v]: tuple(names[u] for u in self.parents[v]) for v in kept},
            {names[v]: self.tables[v] for v in kept},
            {names[v]: self.network.states[names[v]] for v in kept},
        )


def _conditional(joint):
    """Divide by the sum over the last axis; uniform where that is zero, which never comes to pass."""
    total = joint.sum(axis=-1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), 1.0 / joint.shape[-1])


def reverse_edge(network, parent, child):
    """The same distribution with an edge turned round.

    Both ends get all of each other's parents first, so that nothing is lost (Howard and Matheson's arc reversal).

    Parameters
    ----------
    network : BayesianNetwork
        The network.
    parent, child : name
        Ends of the edge. There must be no other directed path between them.

    Returns
    -------
    network : BayesianNetwork

    Examples
    --------
    >>> from treatise.bayesnet import BayesianNetwork, reverse_edge
    >>> rain = BayesianNetwork.from_tables({"rain": ((), [0.8, 0.2]), "wet": (("rain",), [[0.9, 0.1], [0.2, 0.8]])})
    >>> turned = reverse_edge(rain, "rain", "wet")
    >>> turned.parents, turned.cpts["rain"].round(3).tolist()
    ({'rain': ('wet',), 'wet': ()}, [[0.947, 0.053], [0.333, 0.667]])

    References
    ----------
    .. [1] Paper v05-1287, Section B.1.2 and Proposition 19.
    """
    h, y = network.dag.number(parent), network.dag.number(child)
    steps = _Tables(network)
    if h not in steps.parents[y]:
        raise ValueError(f"there is no edge {parent!r} -> {child!r} to turn")
    steps.parents[y].remove(h)
    way_round = y in steps.below(h)
    steps.parents[y] = list(network.dag.parents[y])
    if way_round:
        raise ValueError(
            f"another directed path leads from {parent!r} to {child!r}; turning the edge would close a cycle"
        )
    steps.reverse(h, y)
    return steps.build(range(len(network.variables)))


def absorb_evidence(network, evidence):
    """A network of the unobserved variables alone, with their distribution given the evidence (algorithm ONE).

    Edges out of observed variables are cut at the observed state. Then, from the lowest unobserved variable that has
    observed children upwards, each is given what these children say, and hands the rest on to its parents. Use it to
    ask many questions about, or to sample from, one case; the result has more edges where observed children had
    several parents, and its tables grow with these.

    Parameters
    ----------
    network : BayesianNetwork
        The network.
    evidence : mapping
        States of the observed variables; at least one variable must be left.

    Returns
    -------
    network : BayesianNetwork

    References
    ----------
    .. [1] Paper v05-1287, Section B.2.2, Figure 15.
    """
    known = network._known(evidence)
    if len(known) == len(network.variables):
        raise ValueError("the evidence names every variable; leave at least one unobserved")
    steps = _Tables(network)
    for v, own in steps.parents.items():
        at = tuple(known.get(u, slice(None)) for u in own)
        steps.tables[v] = steps.tables[v][at]
        steps.parents[v] = [u for u in own if u not in known]
    # An observed variable has no children now: all that is left of it is how its parents' states explain it.
    told = [(tuple(steps.parents[o]), steps.tables[o][..., state]) for o, state in known.items()]
    for o in known:
        del steps.parents[o], steps.tables[o]
    while any(variables for variables, _ in told):
        heard = {v for variables, _ in told for v in variables}
        lowest = next(v for v in sorted(heard) if not steps.below(v) & heard)
        told = _separate_children(steps, lowest, told)
    if not prod(float(table) for _, table in told) > 0:
        raise network._impossible(known)
    return steps.build(list(steps.parents))


def _separate_children(steps, h, told):
    """Observed-child separation (Section B.1.5): what h's observed children say goes into its table and its parents."""
    own = [entry for entry in told if h in entry[0]]
    parents = steps.parents[h]
    rest = list(dict.fromkeys([*parents, *(v for variables, _ in own for v in variables if v != h)]))
    both = steps.product([((*parents, h), steps.tables[h]), *own], [*rest, h])
    steps.parents[h], steps.tables[h] = rest, _conditional(both)
    return [entry for entry in told if h not in entry[0]] + [(tuple(rest), both.sum(axis=-1))]


def reduce_to_roots(network, variable):
    """A variable with its root ancestors as its only parents (algorithm UPS): how it depends on what starts it.

    Parameters
    ----------
    network : BayesianNetwork
        The network.
    variable : name
        A variable with parents.

    Returns
    -------
    network : BayesianNetwork
        The variable and its root ancestors; all other variables are summed out.

    References
    ----------
    .. [1] Paper v05-1287, Section B.2.1, Figure 14.
    """
    y = network.dag.number(variable)
    if not network.dag.parents[y]:
        raise ValueError(f"{variable!r} is a root itself; name a variable with parents")
    steps = _Tables(network)
    for v in range(len(network.variables)):
        if v not in network.dag.ancestors([y]):
            del steps.parents[v], steps.tables[v]
    while between := [h for h in steps.parents[y] if steps.parents[h]]:
        lowest = next(h for h in between if not steps.below(h) & set(between))
        steps.reverse(lowest, y)
        del steps.parents[lowest], steps.tables[lowest]
    return steps.build([*steps.parents[y], y])
