"""Mean field for factors of any number of variables: clusters are junction trees, and see one another on average."""

import numpy as np

from treatise.inference.factor_graph import FactorGraph
from treatise.inference.junction_tree.tree import JunctionTree
from treatise.inference.marginals import Marginals


def factor_mean_field(graph, clusters, n_starts, max_iter, tol, random):
    """The bound of :func:`mean_field`; clusters as there, but of any shape that a junction tree can hold."""
    single = [[v] for v in range(len(graph))]
    chosen = single if clusters is None else _checked(graph, clusters)
    parts, alone = _Product(graph, chosen), _Product(graph, single)
    parts.refuse_impossible()
    best = None
    for start in range(n_starts):
        q = _start(graph, None if start == 0 else random)
        if clusters is not None and alone.is_possible:
            # Clusters start at the independent optimum, so that they can only be better.
            alone.begin(q)
            alone.ascend(max_iter, tol)
            q = alone.nodes
        parts.begin(q)
        rounds, settled = parts.ascend(max_iter, tol)
        bound = parts.bound()
        if best is None or bound > best.log_partition:
            kind = "exact" if settled and not parts.crossing else "lower"
            best = Marginals(bound, kind, tuple(q.copy() for q in parts.nodes), parts.of_factors(), rounds, settled)
    return best


def _checked(graph, clusters):
    if isinstance(clusters, str):
        if clusters != "forests":
            raise ValueError(f"clusters={clusters!r} must be None, 'forests' or sets of variables")
        return _induced_forests(graph)
    clusters = [[int(v) for v in nodes] for nodes in clusters]
    if sorted(v for nodes in clusters for v in nodes) != list(range(len(graph))):
        raise ValueError(f"clusters must cover each of the {len(graph)} variables once")
    return clusters


def _start(graph, random):
    possible = [np.zeros(k, bool) for k in graph.n_states]
    for v, each in enumerate(possible):
        each[:] = ~np.isinf(sum(f.table for f in graph.factors if f.variables == (v,)) + np.zeros(len(each)))
        if not each.any():
            raise ValueError(f"no state of variable {v} is possible: all score -inf")
    weights = [np.ones(len(each)) if random is None else random.exponential(size=len(each)) for each in possible]
    return [weight * each / (weight @ each) for weight, each in zip(weights, possible)]


class _Product:
    """A distribution that is a product over clusters of variables.

    ``shares[f]`` lists, for the factor f, the clusters it touches, each with the axes of its table that lie there;
    ``seen[f]`` holds the probabilities of those axes' joint states, cluster by cluster.
    """

    def __init__(self, graph, clusters):
        self.graph = graph
        self.where = np.empty(len(graph), np.int64)
        for c, nodes in enumerate(clusters):
            self.where[nodes] = c
        self.shares = []
        for factor in graph.factors:
            inside: dict[int, list[int]] = {}
            for axis, v in enumerate(factor.variables):
                inside.setdefault(int(self.where[v]), []).append(axis)
            self.shares.append(list(inside.items()))
        self.crossing = [f for f, share in enumerate(self.shares) if len(share) > 1]
        self.clusters = [
            _Cluster(graph, nodes, [(f, axes) for f, share in enumerate(self.shares) for d, axes in share if d == c])
            for c, nodes in enumerate(clusters)
        ]
        self.entropies = np.zeros(len(clusters))

    @property
    def is_possible(self):
        return all(np.isfinite(self.graph.factors[f].table).all() for f in self.crossing)

    def refuse_impossible(self):
        for f in self.crossing:
            if not np.isfinite(self.graph.factors[f].table).all():
                raise ValueError(f"the factor over {self.graph.factors[f].variables} has a score of -inf; independent "
                                 "variables cannot avoid it, so give it a finite score or put its variables into one "
                                 "cluster")  # fmt: skip

    def begin(self, q):
        """Independent variables with the probabilities ``q``."""
        self.nodes = list(q)
        self.seen = []
        for factor, share in zip(self.graph.factors, self.shares):
            outer = [_outer([self.nodes[factor.variables[axis]] for axis in axes]) for _, axes in share]
            self.seen.append(outer)

    def _average(self, f, kept):
        """The factor's scores over the axes in one cluster, those in the others taken on average."""
        table, axes = self.graph.factors[f].table, list(range(self.graph.factors[f].table.ndim))
        for (c, own), probability in zip(self.shares[f], self.seen[f]):
            if c != kept:
                table = np.tensordot(table, probability, ([axes.index(a) for a in own], range(len(own))))
                axes = [a for a in axes if a not in own]
        return table

    def ascend(self, max_iter, tol):
        """Rounds over the clusters; their number, and whether they settled."""
        for number in range(1, max_iter + 1):
            before = [q.copy() for q in self.nodes]
            for c, cluster in enumerate(self.clusters):
                tables = [self._average(f, c) for f, _ in cluster.touching]
                self.entropies[c], nodes, probabilities = cluster.solve(tables)
                for v, q in zip(cluster.variables, nodes):
                    self.nodes[v] = q
                for (f, _), probability in zip(cluster.touching, probabilities):
                    self.seen[f][[d for d, _ in self.shares[f]].index(c)] = probability
            if not self.crossing or max(np.abs(a - b).max() for a, b in zip(before, self.nodes)) <= tol:
                return number, True
        return max_iter, False

    def bound(self):
        """Entropy and expected score."""
        total = float(self.entropies.sum())
        for factor, p in zip(self.graph.factors, self.of_factors()):
            total += float(np.sum(p[p > 0] * factor.table[p > 0]))
        return total

    def of_factors(self):
        """Probabilities of the joint states of every factor."""
        found = []
        for factor, share, seen in zip(self.graph.factors, self.shares, self.seen):
            order = [axis for _, axes in share for axis in axes]
            found.append(_outer(seen).transpose(np.argsort(order)) if factor.variables else np.ones(()))
        return tuple(found)


class _Cluster:
    """Some variables, solved exactly given average scores of the factors that touch them."""

    def __init__(self, graph, nodes, touching):
        self.variables, self.touching = nodes, touching
        place = {v: i for i, v in enumerate(nodes)}
        self.n_states = graph.n_states[list(nodes)]
        self.scopes = [[place[graph.factors[f].variables[axis]] for axis in axes] for f, axes in touching]
        shapes = [tuple(self.n_states[scope]) for scope in self.scopes]
        blank = FactorGraph(self.n_states, [(s, np.zeros(shape)) for s, shape in zip(self.scopes, shapes)])
        self.tree = JunctionTree(blank) if len(nodes) > 1 else None

    def solve(self, tables):
        """Entropy, probabilities of the variables, and of the parts of the factors."""
        if self.tree is None:
            scores = sum(tables, np.zeros(self.n_states[0]))
            p = np.exp(scores - scores.max())
            p /= p.sum()
            return float(-np.sum(p[p > 0] * np.log(p[p > 0]))), [p], [p] * len(tables)
        found = self.tree.with_tables(FactorGraph(self.n_states, list(zip(self.scopes, tables)))).marginals()
        expected = sum(float(np.sum(p[p > 0] * t[p > 0])) for p, t in zip(found.factors, tables))
        return found.log_partition - expected, found.nodes, found.factors


def _outer(arrays):
    """Outer product of arrays of any dimensions."""
    product = np.ones(())
    for each in arrays:
        product = np.multiply.outer(product, each)
    return product


def _induced_forests(graph):
    """Variables divided greedily: each joins the first set in which its factors reach different trees."""
    touching: list[list[set[int]]] = [[] for _ in range(len(graph))]
    for factor in graph.factors:
        for v in factor.variables:
            touching[v].append(set(factor.variables) - {v})
    forests: list[dict[int, int]] = []

    def root(parent, v):
        while parent[v] != v:
            v = parent[v]
        return v

    for v in range(len(graph)):
        for parent in [*forests, {}]:
            reached = {frozenset(others & parent.keys()) for others in touching[v]} - {frozenset()}
            # A factor within another brings no new connection.
            reached = {part for part in reached if not any(part < other for other in reached)}
            trees = [root(parent, next(iter(part))) for part in reached]
            if len(set(trees)) == len(trees):
                break
        if not parent:
            forests.append(parent)
        parent[v] = v
        for tree in trees:
            parent[tree] = v
    return [sorted(parent) for parent in forests]
