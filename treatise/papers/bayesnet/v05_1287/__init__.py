"""Large-sample learning of Bayesian networks is NP-hard (Chickering, Heckerman & Meek, JMLR 5:1287).

The paper proves; here its statements are run. Constants of the reduction are counted on the built networks, the theorem
on the optimum is checked against all graphs of the observed variables by an exact search, and the lemmas of the
appendices on random networks.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import chi2

from treatise.bayesnet import (
    BayesianNetwork,
    absorb_evidence,
    check_faithful,
    faithful_cpts,
    n_parameters,
    reduce_to_roots,
    smallest_independence_map,
)
from treatise.bayesnet.network.elimination import elimination_order
from treatise.papers._evidence import Evidence, Row
from treatise.papers.bayesnet.v05_1287.binary_like import is_binary_like_lattice, is_binary_like_tsp
from treatise.papers.bayesnet.v05_1287.reduction import NPHardnessReduction

Arc = tuple[int, int]
TWO: list[Arc] = [(1, 2), (2, 1)]
THREE: list[Arc] = [(1, 2), (2, 3), (3, 1)]
SQUARE: list[Arc] = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3)]
ROUNDING = "sums of some thousand terms in double precision"


def experiment(*, full: bool = False) -> Evidence:
    """Constants, theorems and lemmas; in full also the cycle of three by 2**24 sets of variables, and more networks."""
    rng = np.random.default_rng(0)
    rows = [
        *constant_rows(),
        *optimum_rows(THREE if full else TWO),
        *feedback_rows(rng, 7 if full else 5),
        *perfectness_rows(rng, 1000 if full else 60),
        *transformation_rows(rng, 500 if full else 40),
        *oracle_rows(rng, (6, 60, 600) if full else (6, 60)),
    ]
    if full:
        rows += optimum_rows(TWO)
    return Evidence(rows, _figure())


def constant_rows() -> list[Row]:
    """Equation 1, and the counts of Section 3.1 and of the proofs of Theorems 8, 9 and 16."""
    problem = NPHardnessReduction(SQUARE)
    exact = faithful_cpts(problem.network, problem.n_states, Fraction(1, 16))
    two_parents = exact["V_3"][..., 0]
    of_zero = f"{two_parents[0, 0]}, {two_parents[0, 1]}, {two_parents[1, 1]}"
    kept, removed = problem.dag([(3, 4)]), problem.dag(SQUARE)
    bare = {name: parents if name[0] != "C" else parents[:1] for name, parents in removed.items()}
    shared = [name for name in problem.component((1, 2))[:7] if name[0] in "ABDEG"]
    changed = ["C_1_2", "F_1_2"]

    def count(dag: dict, names: list[str]) -> int:
        return sum((problem.n_states[v] - 1) * int(np.prod([problem.n_states[u] for u in dag[v]])) for v in names)

    return [
        Row.printed("p(0) where 0, 1 and 2 parents are not 0", "Equation 1", "1/16, 1/64, 1/128", of_zero),
        Row.printed(
            "largest denominator of a probability",
            "Section 3.1",
            1024,
            max(value.denominator for table in exact.values() for value in table.ravel()),
        ),
        Row.printed(
            "most parents in the network with hidden variables",
            "Section 1",
            2,
            max(map(len, problem.network.parents.values())),
        ),
        Row.printed("parameters of A, B, D, E and G of an arc", "Theorem 8", 186, count(removed, shared)),
        Row.printed("parameters of C and F of an arc that is removed", "Theorem 8", 18, count(removed, changed)),
        Row.printed("parameters of C and F of an arc that is kept", "Theorem 8", 16, count(kept, changed)),
        Row.printed(
            "parameters added to the bare component, arc removed",
            "Theorem 9",
            12,
            count(removed, changed) - count(bare, changed),
        ),
        Row.printed(
            "parameters added to the bare component, arc kept",
            "Theorem 9",
            10,
            count(kept, changed) - count(bare, changed),
        ),
        Row.printed(
            "fewest parameters of an edge added to turn one of a component",
            "Theorem 9",
            16,
            _cheapest_cover(bare, problem),
        ),
        Row.printed("most parents in a solution", "Theorem 16", 3, max(map(len, kept.values()))),
    ]


def _cheapest_cover(dag: dict, problem: NPHardnessReduction) -> int:
    """Least price of an edge within a component that covering one of its edges needs.

    To cover an edge, each parent of one end becomes a parent of the other; some of these lie in the component.
    """
    n_states = {name: problem.n_states[name] for name in dag}
    start, prices = n_parameters(dag, n_states), []
    for arc in problem.arcs:
        within = {*problem.component(arc), f"V_{arc[0]}", f"V_{arc[1]}"}
        for v in within & dag.keys():
            for u in within & set(dag[v]):
                for parent, child in chain(((w, v) for w in dag[u]), ((w, u) for w in dag[v] if w != u)):
                    if parent in within and parent not in dag[child]:
                        prices.append(n_parameters({**dag, child: (*dag[child], parent)}, n_states) - start)
    return min(prices)


def optimum_rows(arcs: list[Arc]) -> list[Row]:
    """Theorems 8 and 9: the fewest parameters over all graphs of the observed variables."""
    problem = NPHardnessReduction(arcs)
    found = smallest_independence_map(problem.network, problem.n_states, problem.observed)
    name = f"cycle of {len(problem.vertices)} vertices, {len(problem.observed)} observed variables"
    return [
        Row.check(
            f"{name}: fewest parameters of any graph (Equation 2 at k = 1)",
            problem.parameter_bound(1),
            found.n_parameters,
        ),
        Row.check(
            f"{name}: arcs that the best graph removes (Theorem 9)", 1, len(problem.feedback_arcs(found.parents))
        ),
        Row.check(f"{name}: the best graph includes the distribution", True, problem.includes(found.parents)),
    ]


def feedback_rows(rng: np.random.Generator, n: int) -> list[Row]:
    """Theorem 8 and Lemma 7 for every set of arcs of a random graph with n vertices."""
    arcs = random_instance(rng, n)
    problem = NPHardnessReduction(arcs)
    tried = solved = disagree = excluded = miscounted = 0
    for size in range(len(arcs) + 1):
        for removed in combinations(arcs, size):
            tried += 1
            meets_all = _is_acyclic([arc for arc in arcs if arc not in removed])
            try:
                dag = problem.dag(removed)
            except ValueError:
                disagree += meets_all
                continue
            solved += 1
            disagree += not meets_all
            excluded += not problem.includes(dag)
            miscounted += problem.n_parameters(dag) != problem.parameter_bound(size)
    name = f"random graph of {n} vertices and {len(arcs)} arcs"
    return [
        Row.ours(f"{name}: sets of arcs tried, and those that meet every cycle", f"{tried}, {solved}"),
        Row.check(f"{name}: sets that disagree on cycles with their graph (Theorem 8)", 0, disagree),
        Row.check(f"{name}: graphs that do not include the distribution (Lemma 7)", 0, excluded),
        Row.check(f"{name}: graphs with another count than Equation 2", 0, miscounted),
    ]


def random_instance(rng: np.random.Generator, n: int) -> list[Arc]:
    """A cycle through n vertices and random chords, while no vertex has more than three arcs."""
    arcs, degree = [(v, (v + 1) % n) for v in range(n)], [2] * n
    chords = [(u, v) for u in range(n) for v in range(n) if u != v]
    for i in rng.permutation(len(chords)):
        u, v = chords[i]
        if (u, v) not in arcs and degree[u] < 3 and degree[v] < 3:
            arcs.append((u, v))
            degree[u] += 1
            degree[v] += 1
    return arcs


def _is_acyclic(arcs: list[Arc]) -> bool:
    import networkx

    return bool(networkx.is_directed_acyclic_graph(networkx.DiGraph(arcs)))


def random_networks(rng: np.random.Generator, count: int) -> Iterator[BayesianNetwork]:
    """Random graphs of 3 to 5 variables of 2 or 3 states, with the tables of Lemma 5 at random alpha."""
    for _ in range(count):
        n = int(rng.integers(3, 6))
        order = rng.permutation(n)
        parents: dict[int, tuple[int, ...]] = dict.fromkeys(range(n), ())
        for i, j in combinations(range(n), 2):
            if rng.random() < 0.5:
                parents[int(order[j])] += (int(order[i]),)
        n_states = rng.integers(2, 4, n).tolist()
        yield BayesianNetwork(parents, faithful_cpts(parents, n_states, rng.uniform(0.05, 0.95, n)))


def perfectness_rows(rng: np.random.Generator, count: int) -> list[Row]:
    """Lemma 5 and Theorem 53: every separation and every connection of random networks."""
    queries = wrong = signs = uncertified = 0
    largest, smallest = 0.0, np.inf
    for network in random_networks(rng, count):
        check = check_faithful(network)
        queries += check.n_separated + check.n_connected
        wrong += len(check.violations)
        largest = max(largest, check.largest_separated)
        smallest = min(smallest, check.smallest_connected)
        signs += _wrong_signs(network)
        uncertified += not all(is_binary_like_lattice(t) and is_binary_like_tsp(t) for t in network.cpts.values())
    exact = 0
    for network in random_networks(rng, count // 10):
        n_states = [len(own) for own in network.states.values()]
        exact += len(check_faithful(network, faithful_cpts(network, n_states, Fraction(1, 2**16))).violations)
    name = f"{count} random networks"
    return [
        Row.ours(f"{name}: pairs with sets given", queries),
        Row.check(f"{name}: tables that lack one of the two properties (Lemma 5)", 0, uncertified),
        Row.check(f"{name}: independences that the graph does not say, or the reverse (Lemma 17)", 0, wrong),
        Row.check(f"{name}: connected pairs with p(y=0 | x=0, o=0) below p(y=0 | x=1, o=0) (Theorem 53)", 0, signs),
        Row.check(f"{count // 10} random networks in exact arithmetic: violations (Lemma 17)", 0, exact),
        Row.check(f"{name}: most information of separated variables, nats", 0.0, largest, within=1e-13, why=ROUNDING),
        Row.ours(f"{name}: least information of connected variables, nats", float(f"{smallest:.3g}")),
    ]


def _wrong_signs(network: BayesianNetwork) -> int:
    """Connected pairs for which state 0 of one does not make state 0 of the other more probable, given zeros."""
    wrong = 0
    for x, y in combinations(network.variables, 2):
        rest = [v for v in network.variables if v not in (x, y)]
        for size in range(len(rest) + 1):
            for given in combinations(rest, size):
                if not network.d_separated(x, y, given):
                    table = network.query([x, y], dict.fromkeys(given, 0))
                    of_zero = table[:, 0] / table.sum(axis=1)
                    # Differences below the rounding of the two say nothing.
                    wrong += bool(of_zero[1] > of_zero[0] * (1 + 1e-13))
    return wrong


def transformation_rows(rng: np.random.Generator, count: int) -> list[Row]:
    """Equation 5 for the algorithms ONE and UPS, and what they leave of the lattice property (Lemmas 50 and 51)."""
    error_one = error_ups = 0.0
    lost = 0
    for network in random_networks(rng, count):
        names = list(network.variables)
        observed = rng.permutation(names)[: rng.integers(1, len(names))].tolist()
        evidence = dict.fromkeys(observed, 0)
        left = [v for v in names if v not in evidence]
        after = absorb_evidence(network, evidence)
        error_one = max(error_one, float(np.abs(after.query(left) - network.query(left, evidence)).max()))
        lost += not all(is_binary_like_lattice(table) for table in after.cpts.values())
        for y in names:
            if network.parents[y]:
                short = reduce_to_roots(network, y)
                kept = list(short.variables)
                error_ups = max(error_ups, float(np.abs(short.query(kept) - network.query(kept)).max()))
                lost += not is_binary_like_lattice(short.cpts[y])
    return [
        Row.check(f"{count} networks: error of algorithm ONE (Equation 5)", 0.0, error_one, within=1e-12, why=ROUNDING),
        Row.check(f"{count} networks: error of algorithm UPS (Equation 5)", 0.0, error_ups, within=1e-12, why=ROUNDING),
        Row.check(f"{count} networks: transformed tables that are no more BLL (Lemmas 50, 51)", 0, lost),
    ]


def oracle_rows(rng: np.random.Generator, sizes: tuple[int, ...]) -> list[Row]:
    """Theorem 15: a question about few variables does not grow with the number of arcs; and what data would need."""
    widest = []
    for n in sizes:
        problem = NPHardnessReduction([(v, (v + 1) % n) for v in range(n)])
        dag, n_states = problem.network.dag, [problem.n_states[name] for name in problem.network.variables]
        widths = []
        for _ in range(200):
            asked = dag.numbers([problem.observed[i] for i in rng.permutation(len(problem.observed))[:3]])
            families = [(*dag.parents[v], v) for v in dag.ancestors(asked)]
            widths.append(elimination_order(families, asked, n_states)[1])
        widest.append(max(widths))
    problem = NPHardnessReduction(THREE)
    information = problem.oracle().information("C_1_2", "F_1_2")
    # Twice the rows times the information is what the test of likelihood ratios expects, on 2 degrees of freedom.
    rows_needed = chi2.ppf(0.95, 2) / (2 * information)
    return [
        Row.ours(f"cycles of {', '.join(map(str, sizes))} arcs: entries of the largest table in answering 200 "
                        "questions about three variables (Theorem 15)", ", ".join(map(str, widest))),
        Row.ours("information of C and F, which the hidden variable joins, nats", float(f"{information:.3g}")),
        Row.ours("rows of data that would show it at the 5 % level", float(f"{rows_needed:.2g}")),
    ]  # fmt: skip


def _figure() -> Figure:
    """The network of the cycle of three, its best graph, and how many sets of arcs solve a larger instance."""
    figure = Figure(figsize=(15, 5), layout="constrained")
    network, solution, sets = figure.subplots(1, 3)
    problem = NPHardnessReduction(THREE)
    problem.plot(ax=network).set_title("the distribution: hidden variables grey")
    problem.plot(problem.dag([(1, 2)]), ax=solution).set_title(f"fewest parameters: {problem.optimum()}")
    arcs = random_instance(np.random.default_rng(3), 8)
    larger = NPHardnessReduction(arcs)
    sizes = range(len(arcs) + 1)
    meeting = [
        sum(_is_acyclic([arc for arc in arcs if arc not in removed]) for removed in combinations(arcs, size))
        / max(1, len(list(combinations(arcs, size))))
        for size in sizes
    ]
    sets.bar([larger.parameter_bound(size) for size in sizes], meeting, width=1.5, color="#4a6a8a")
    sets.axvline(larger.optimum(), color="#c0504d", label=f"optimum {larger.optimum()}")
    sets.set(xlabel="parameters", ylabel="share of arc sets that give a graph without cycles",
             title=f"{len(larger.vertices)} vertices, {len(arcs)} arcs")  # fmt: skip
    sets.legend(frameon=False)
    return figure
