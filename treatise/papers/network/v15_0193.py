"""Axioms for graph clustering (van Laarhoven & Marchiori, JMLR 15:193): the proofs' examples, Table 1 and Figure 2."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import networkx
import numpy as np

from treatise.network import GraphCommunities, check_axioms, graph_quality, plot_two_clique_phase, two_clique_phase
from treatise.papers._evidence import Evidence, Gap, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXACT: dict[str, Any] = {"within": 1e-12, "why": "rounding of a few sums"}
FUNCTIONS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "connected components": ("components", {}, {"continuity"}),
    "modularity": ("modularity", {}, {"monotonicity", "locality"}),
    "Reichardt and Bornholdt": ("rb", {}, {"monotonicity", "locality"}),
    "fixed scale modularity": ("fixed", {"M": 1.0}, {"scale invariance", "monotonicity"}),
    "adaptive scale modularity, M = 0": ("adaptive", {"M": 0.0, "gamma": 2.0}, set()),
    "adaptive scale modularity, M = 10": ("adaptive", {"M": 10.0, "gamma": 2.0}, {"scale invariance"}),
    "constant Potts model": ("cpm", {}, {"scale invariance"}),
    "normalised cut": ("ncut", {}, {"richness"}),
}
"""The rows of Table 1: the function here, its parameters, and the axioms that it breaks as a single function."""
SIX = ("permutation invariance", "scale invariance", "richness", "monotonicity", "locality", "continuity")
LONGEST_SEARCH = 20_000
"""Trials until a counterexample that the paper promises; most are found among the first hundred."""
SPLIT = "gamma = 0: cliques split in the two-clique model where v^2 > w M, and nowhere else"
MISPRINT = "modularity of the second clustering after the change, in exact fractions"


def experiment(*, full: bool = False) -> Evidence:
    """Printed qualities, broken axioms, limits, the ring of cliques and the phases of two cliques."""
    rows = [*proof_rows(), *table_rows(2000 if full else 100), *theorem_rows(20_000 if full else 500)]
    rows += [*limit_rows(), *ring_rows(), *phase_rows()]
    skipped = ["Figure 2: a picture; what the text says of it is checked"]
    return Evidence(rows, _figure(), skipped)


# The examples of the proofs. Edges count in both directions, loops once.


def proof_rows() -> list[Row]:
    """Theorems 2, 3 and 4: modularity is neither local nor monotonic, nor relatively so."""
    local, alone, relative = np.array([[2.0, 1.0], [1.0, 2.0]]), np.zeros((3, 3)), np.diag([0.0, 0.0, 8.0, 1.0])
    wider = np.zeros((3, 3))
    wider[:2, :2], wider[2, 2] = local, 4.0
    alone[0, 1] = alone[1, 0] = 1.0
    alone[2, 2] = 2.0
    without = np.diag([0.0, 0.0, 2.0])
    relative[0, 1] = relative[1, 0] = 1.0
    stronger = relative.copy()
    stronger[0, 1] = stronger[1, 0] = 2.0
    printed = [
        ("two nodes apart", "Theorem 2", 1 / 6, local, [0, 1]),
        ("two nodes together", "Theorem 2", 0.0, local, [0, 0]),
        ("two nodes apart, a third far away", "Theorem 2", 23 / 50, wider, [0, 1, 2]),
        ("two nodes together, a third far away", "Theorem 2", 24 / 50, wider, [0, 0, 1]),
        ("three single nodes", "Theorem 3", 1 / 8, alone, [0, 1, 2]),
        ("three single nodes, the edge between two removed", "Theorem 3", 0.0, without, [0, 1, 2]),
        ("the first clustering", "Theorem 4", 20 / 121, relative, [0, 0, 0, 1]),
        ("the second clustering", "Theorem 4", 16 / 121, relative, [0, 1, 2, 2]),
        ("the first clustering after the change", "Theorem 4", 24 / 169, stronger, [0, 0, 0, 1]),
    ]
    rows = [
        Row.printed(f"modularity of {what}", place, value, graph_quality(E, labels, "modularity"), **EXACT)
        for what, place, value, E, labels in printed
    ]
    second = [0, 1, 2, 2]
    here = graph_quality(stronger, second, "modularity")
    misprint = Gap("28/121 is a misprint for 28/169: the volume is 13", band=1e-9, shown_by=MISPRINT)
    rows.append(
        Row.printed("modularity of the second clustering after the change", "Theorem 4", 28 / 121, here, gap=misprint,
                    within=1e-12, why="rounding of a few sums")
    )  # fmt: skip
    rows.append(Row.check(MISPRINT, float(_modularity(stronger, second)), here, **EXACT))
    return rows


def _modularity(E: np.ndarray, labels: list[int]) -> Fraction:
    """Equation (1) by its letters, in fractions."""
    total, quality, n = Fraction(int(E.sum())), Fraction(0), len(labels)
    for c in set(labels):
        nodes = [i for i in range(n) if labels[i] == c]
        inner = Fraction(int(sum(E[i, j] for i in nodes for j in nodes)))
        volume = Fraction(int(sum(E[i, j] for i in nodes for j in range(n))))
        quality += inner / total - (volume / total) ** 2
    return quality


# Which axioms hold.


def table_rows(n_trials: int) -> list[Row]:
    """Table 1: an axiom that fails has a counterexample, one that holds has none among the trials."""
    rows = []
    for name, (function, parameters, broken) in FUNCTIONS.items():
        for axiom in SIX:
            fails = axiom in broken
            trials = LONGEST_SEARCH if fails else n_trials
            found = check_axioms(function, axiom, n_trials=trials, max_nodes=5, random_state=1, **parameters)[axiom]
            statement = "has a counterexample" if fails else f"holds in {trials} trials"
            rows.append(Row.claim(f"{name}: {axiom} {statement}", "Table 1", (found is not None) == fails))
    return rows


def theorem_rows(n_trials: int) -> list[Row]:
    """Theorem 6 and its border: monotonic from gamma = 2 on, and not at gamma = 1."""
    rows = []
    for M in (0.0, 1.0, 10.0):
        found = check_axioms("adaptive", "monotonicity", n_trials=n_trials, random_state=2, M=M, gamma=2.0)
        rows.append(
            Row.claim(f"gamma = 2, M = {M:g}: monotonic in {n_trials} trials", "Theorem 6", not found["monotonicity"])
        )
    weaker, stronger = (graph_quality([[w]], [0], M=1.0, gamma=1.0) for w in (1.0, 2.0))
    rows.append(
        Row.check(
            "gamma = 1, M = 1: one node's quality as its loop grows from 1 to 2 falls from", 1 / 4, weaker, **EXACT
        )
    )
    rows.append(
        Row.check(
            "gamma = 1, M = 1: one node's quality as its loop grows from 1 to 2 falls to", 2 / 9, stronger, **EXACT
        )
    )
    return rows


# Relations to other functions, section 6.1.


def limit_rows() -> list[Row]:
    """The adaptive scale at its ends, on the karate club with its two clubs."""
    club = networkx.karate_club_graph()
    labels = np.array([club.nodes[i]["club"] == "Officer" for i in club]).astype(int)
    E = networkx.to_numpy_array(club)
    w = np.array([E[np.ix_(labels == c, labels == c)].sum() for c in (0, 1)])
    v = np.array([E[labels == c].sum() for c in (0, 1)])
    gamma, total = 2.0, E.sum()
    return [
        Row.check("M = 0: the sum of w/v - 1/gamma, over gamma", float(np.sum(w / v - 1 / gamma) / gamma),
                  graph_quality(E, labels, M=0.0, gamma=gamma), **EXACT),
        Row.check("M Q at M = 1e12: the weight inside the clusters", float(w.sum()),
                  1e12 * graph_quality(E, labels, M=1e12, gamma=gamma), within=1e-6 * float(w.sum()),
                  why="the next term is the volume over M"),
        Row.check("gamma = 0 at the graph's volume: modularity", graph_quality(E, labels, "modularity"),
                  graph_quality(E, labels, M=total, gamma=0.0), **EXACT),
        Row.check("Reichardt and Bornholdt at 1.5: M times the fixed scale, M = volume / 1.5",
                  total / 1.5 * graph_quality(E, labels, "fixed", M=total / 1.5),
                  graph_quality(E, labels, "rb", resolution=1.5), within=1e-9, why="values of about a hundred"),
        Row.check("modularity of the two clubs as networkx has it",
                  networkx.community.modularity(club, [set(np.flatnonzero(labels == c).tolist()) for c in (0, 1)]),
                  graph_quality(club, labels, "modularity"), **EXACT),
    ]  # fmt: skip


def ring_rows() -> list[Row]:
    """Section 6.2: thirty cliques of five nodes in a ring."""
    ring = networkx.ring_of_cliques(30, 5)
    cliques, pairs = [node // 5 for node in ring], [node // 10 for node in ring]
    gap = graph_quality(ring, pairs, "modularity") - graph_quality(ring, cliques, "modularity")
    rows = [Row.claim("ring of 30 cliques: modularity prefers pairs of cliques", "Section 6.2", gap > 0)]
    for M in (0.0, 100.0):
        model = GraphCommunities(M=M, random_state=0).fit(ring)
        same = len(set(zip(cliques, model.labels_.tolist()))) == model.n_communities_ == 30
        rows.append(
            Row.claim(f"ring of 30 cliques, M = {M:g}, gamma = 2: the best found are the cliques", "Section 6.2", same)
        )
    found = GraphCommunities("modularity", n_init=10, random_state=0).fit(ring).n_communities_
    rows.append(Row.claim("ring of 30 cliques: the best modularity found has several cliques in a cluster",
                          "Section 6.2", found < 30))  # fmt: skip
    return rows


# Two cliques, section 6.2 and Figure 2.


def phase_rows() -> list[Row]:
    """What the text says of Figure 2, on a grid of weights."""
    # Steps without a common measure: no two clusterings are equally good.
    w, b = np.meshgrid((np.arange(100) + 0.5) * 2.0, (np.arange(100) + 0.5) * np.sqrt(4.1))
    v, M = w + b, 100.0
    fixed = two_clique_phase(M, 0.0, w, b)
    closed = np.where(v**2 > w * M, 4, np.where(v**2 > b * M, 2, 1))
    # Where the halves beat the two cliques but not the whole, the closed form says nothing.
    known = (v**2 > b * M) | (v**2 <= w * M)
    split = Gap("2v > M is where the function stops being monotonic; the cliques split where v^2 > w M",
                band=0.0, shown_by=SPLIT)  # fmt: skip
    slopes = [float(np.mean(two_clique_phase(0.0, gamma, w, b) == 2)) for gamma in (1.5, 2.0, 4.0)]
    return [
        Row.claim("gamma = 0, M = 100: cliques are split where 2w + 2b > M, and nowhere else", "Section 6.2",
                  bool(np.array_equal(fixed == 4, 2 * v > M)), gap=split),
        Row.check(SPLIT, True, bool(np.array_equal(fixed[known], closed[known]))),
        Row.claim("a row of Figure 2 is the one before, ten times as large", "Section 6.2",
                  all(np.array_equal(two_clique_phase(10 * m, g, 10 * w, 10 * b), two_clique_phase(m, g, w, b))
                      for m in (1.0, 10.0, 100.0) for g in (0.0, 1.0, 2.0))),
        Row.claim("increasing M merges small clusters", "Section 6.2",
                  bool(np.all((two_clique_phase(1000.0, 2.0, w, b) <= two_clique_phase(10.0, 2.0, w, b))[v < 50]))),
        Row.claim("gamma controls the share of weight that must be inside: more is asked for less at a larger one",
                  "Section 6.2", slopes == sorted(slopes) and slopes[0] < slopes[-1]),
        Row.check("M = 0: two clusters where w / (w + b) > (1 + 1/gamma) / 2", True,
                  all(np.array_equal(two_clique_phase(0.0, g, w, b) == 2, w / v > (1 + 1 / g) / 2)
                      for g in (1.5, 2.0, 4.0))),
    ]  # fmt: skip


def _figure() -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 9), layout="constrained")
    for row, M in zip(figure.subplots(3, 3), (0.0, 10.0, 100.0)):
        for ax, gamma in zip(row, (0.0 if M else 1.0, 2.0, 4.0)):
            plot_two_clique_phase(M, gamma, most=100.0, ax=ax)
    return figure
