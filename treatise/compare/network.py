"""What a network is made of: communities or camps, balance, and links or signs that are likely though not seen."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.compare.convergence import watched_solvers
from treatise.compare.next_links import next_links
from treatise.compare.output import output_folder, write_table
from treatise.datasets import Network, load_network
from treatise.io import Table

REWIRED = 19
"""Random networks of the same degrees beside which communities are judged: chance beats them all once in 20 times."""
MOST_REWIRED = 200_000
"""Links from which on fewer networks are rewired."""
MOST_CAMPS = 6
HELD_OUT = 0.1
"""Share of the signs on which the predictor is judged."""
LARGE, SMALL_RANK = 30_000, 10
"""Links from which on signs are completed at a smaller rank, sixteen times as fast."""
MOST_PAIRS = 200_000
"""Pairs without a link whose signs are looked at."""


@dataclass(frozen=True, eq=False)
class NetworkFindings:
    """What was found in a network.

    Attributes
    ----------
    network : Network
        The network as it was understood.
    labels : ndarray of int of shape (n_nodes,)
        Community of each node, or camp in a signed network; the largest is 1.
    nodes : polars.DataFrame
        A row a node: name, number of links and community.
    communities : polars.DataFrame
        A row a community: nodes, links inside and out, and the members with the most links.
    links : polars.DataFrame
        Pairs without a link, the likeliest first; with the likely sign in a signed network.
    balance : polars.DataFrame or None
        Patterns of signs around cycles, beside shuffled signs; of signed networks.
    facts : dict
        Numbers that sum the network up.
    notes : list of str
        What was decided, and what to be careful about.
    next_links : polars.DataFrame or None
        Pairs that are likely to be linked in the next period, the likeliest first; where links have times enough.
    """

    network: Network
    labels: np.ndarray
    nodes: pl.DataFrame
    communities: pl.DataFrame
    links: pl.DataFrame
    balance: pl.DataFrame | None
    facts: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    next_links: pl.DataFrame | None = None

    def to_networkx(self) -> Any:
        """The network for networkx, nodes with their "community", links with their "weight"."""
        import networkx

        graph = networkx.Graph()
        names = self.network.nodes
        graph.add_nodes_from((name, {"community": int(label)}) for name, label in zip(names, self.labels, strict=True))
        pairs = zip(self.network.pairs.tolist(), self.network.weights.tolist(), strict=True)
        graph.add_weighted_edges_from((names[i], names[j], weight) for (i, j), weight in pairs)
        return graph

    def write(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> dict[str, Path]:
        """Write the page, the picture, the GraphML and the tables into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.
        spreadsheet : bool, default=False
            Whether an apostrophe goes before text that a spreadsheet would run as a formula.

        Returns
        -------
        files : dict
            "page", "picture", "graphml", "nodes", "communities", "links", "balance" of a signed network and
            "next_links" where they are predicted.
        """
        import networkx

        from treatise.compare.network_page import network_page
        from treatise.compare.network_picture import network_picture

        with output_folder(folder) as place:
            tables = {"nodes": self.nodes, "communities": self.communities, "links": self.links}
            if self.balance is not None:
                tables["balance"] = self.balance
            if self.next_links is not None:
                tables["next_links"] = self.next_links
            endings = {"page": "html", "picture": "png", "graphml": "graphml"}
            files = {name: place / f"network.{ending}" for name, ending in endings.items()}
            files |= {name: place / f"{name}.csv" for name in tables}
            with replacing(files["picture"]) as temporary:
                network_picture(self).savefig(temporary, dpi=150, format="png")
            with replacing(files["page"]) as temporary:
                temporary.write_text(network_page(self, files["picture"].read_bytes()), encoding="utf-8")
            with replacing(files["graphml"]) as temporary:
                networkx.write_graphml(self.to_networkx(), temporary)
            for name, table in tables.items():
                write_table(table, files[name], spreadsheet=spreadsheet)
        return files


def explore_network(
    data: str | os.PathLike[str] | Table | Network,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    sign: str | None = None,
    time: str | None = None,
    links: int = 100,
    camps: int | None = None,
    header: bool | None = None,
    seed: int = 0,
) -> NetworkFindings:
    """Find communities, balance, likely links or signs of a network and, where there are times, its next links.

    Parameters
    ----------
    data : path, Table or Network
        A table with a link a row, GML or GraphML; see :func:`treatise.datasets.load_network`.
    source, target, weight, sign, time :
        How a table is read; see :func:`treatise.datasets.load_network`.
    links : int, default=100
        Pairs to predict.
    camps : int or None, default=None
        Camps of a signed network; None takes the number from 1 to 6 with the fewest links against them.
    header, seed :
        As for :func:`compare_methods`.

    Returns
    -------
    findings : NetworkFindings
    """
    if links < 0:
        raise TreatiseError(f"{links} links cannot be predicted; ask for 0 or more")
    if camps is not None and camps < 1:
        raise TreatiseError(f"{camps} camps are too few; ask for 1 or more")
    notes: list[str] = []
    network = data
    if not isinstance(network, Network):
        network, notes = load_network(
            data, source=source, target=target, weight=weight, sign=sign, time=time, header=header  # type: ignore[arg-type]
        )  # fmt: skip
    if not network.signed and (network.weights < 0).any():
        raise TreatiseError("a network with negative weights must be a signed one")
    n_parts, _ = sparse.csgraph.connected_components(network.adjacency(), directed=False)
    facts: dict[str, Any] = {"nodes": len(network.nodes), "links": len(network.pairs), "parts": int(n_parts)}
    with watched_solvers() as unfinished:
        explored = _explored_signed if network.signed else _explored
        labels, predicted, balance, more, words = explored(network, links, camps, seed)
        ahead = next_links(network, links)
    notes += [
        *words,
        *ahead.notes,
        *(f"a solver did not converge, so that what it found is approximate: {word}" for word in unfinished[:1]),
    ]
    labels = _largest_first(labels)
    return NetworkFindings(
        network, labels, _node_table(network, labels), _community_table(network, labels), predicted, balance,
        {**facts, **more, **ahead.facts}, notes, ahead.table,
    )  # fmt: skip


Explored = tuple[np.ndarray, pl.DataFrame, "pl.DataFrame | None", dict[str, Any], list[str]]


def _explored(network: Network, count: int, camps: int | None, seed: int) -> Explored:
    """Communities and likely links of a network without signs."""
    from treatise.network import GraphCommunities, graph_quality, likely_links

    if camps is not None:
        raise TreatiseError("camps are for signed networks, and this one has no negative link")
    adjacency = network.adjacency()
    found = GraphCommunities(random_state=seed).fit(adjacency)
    modularity = float(graph_quality(adjacency, found.labels_, "modularity"))
    rng = np.random.default_rng(seed)
    rounds = REWIRED if len(network.pairs) <= MOST_REWIRED else 3
    chance = []
    for _ in range(rounds):
        rewired = _rewired(network, rng)
        labels = GraphCommunities(random_state=seed).fit(rewired).labels_
        chance.append(float(graph_quality(rewired, labels, "modularity")))
    notes = []
    if modularity <= max(chance):
        notes.append(
            f"the communities are no clearer than in random networks with the same degrees (modularity {modularity:.3f}"
            f", there up to {max(chance):.3f}): take them for chance"
        )
    likely = likely_links(adjacency, count, order=network.times, random_state=seed)
    facts = {
        "communities": int(found.n_communities_), "of two nodes or more": int((np.bincount(found.labels_) > 1).sum()),
        "modularity": modularity, "modularity by chance": max(chance),
        "link score": likely.method, "held-out AUC": likely.auc.get(likely.method),
    }  # fmt: skip
    if likely.auc and likely.auc[likely.method] < 0.6:
        notes.append(
            "common neighbours tell held-out links hardly from other pairs here: take the likely links for guesses"
        )
    elif not likely.auc:
        notes.append("too few links, or too many of all pairs, to judge predicted links on held-out ones")
    if network.times is not None and likely.auc:
        notes.append("likely links were judged on the latest tenth of the links")
    names = np.array(network.nodes, dtype=object)
    pairs = likely.pairs.astype(np.int64).reshape(-1, 2)
    table = pl.DataFrame(
        {"source": names[pairs[:, 0]], "target": names[pairs[:, 1]], "score": likely.scores},
        schema={"source": pl.String, "target": pl.String, "score": pl.Float64},
    )
    return found.labels_, table, None, facts, notes


def _rewired(network: Network, rng: np.random.Generator) -> sparse.csr_array:
    """A random network of about the same degrees: one end of all links permuted, loops left out."""
    flipped = rng.integers(0, 2, len(network.pairs)).astype(bool)
    i, j = np.where(flipped[:, None], network.pairs[:, ::-1], network.pairs).T
    j = rng.permutation(j)
    kept = i != j
    n = len(network.nodes)
    half = sparse.csr_array((network.weights[kept], (i[kept], j[kept])), shape=(n, n))
    return sparse.csr_array(half + half.T)


def _explored_signed(network: Network, count: int, camps: int | None, seed: int) -> Explored:
    """Camps, balance and likely signs of a signed network."""
    from treatise.network import SignedClustering, balance_report, is_balanced

    signs = network.adjacency()
    notes = []
    proof = is_balanced(signs)
    negative = float(np.mean(network.weights < 0))
    tried = {1: np.zeros(len(network.nodes), dtype=np.int64)}
    for k in range(2, MOST_CAMPS + 1) if camps is None else [camps] if camps > 1 else []:
        if k < len(network.nodes):
            tried[k] = SignedClustering(k, random_state=seed).fit_predict(signs)
    if proof.balanced and camps in (None, 2):
        tried[2] = np.asarray(proof.camps)
    against = {k: _against(network, labels) for k, labels in tried.items()}
    chosen = camps if camps in tried and camps is not None else min(against, key=against.__getitem__)
    if chosen == 1:
        notes.append("no division into camps has fewer links against it than the network as a whole has negative ones")
    patterns = balance_report(signs, random_state=seed)
    report = pl.DataFrame(
        [{**pattern._asdict(), "balanced": pattern.balanced} for pattern in patterns], infer_schema_length=None
    ).with_columns(pl.col(pl.Float64).fill_nan(None))
    facts = {
        "negative links": negative, "camps": len(np.unique(tried[chosen])), "links against the camps": against[chosen],
        "balanced": bool(proof.balanced),
    }  # fmt: skip
    if not proof.balanced:
        cycle = [network.nodes[int(node)] for node in proof.cycle]
        notes.append(
            f"not balanced: {' - '.join(cycle[:8])}{' ...' if len(cycle) > 8 else ''} has an odd number of negative "
            "links"
        )
    table, more, words = _likely_signs(network, signs, count, seed)
    return tried[chosen], table, report, {**facts, **more}, [*notes, *words]


def _against(network: Network, labels: np.ndarray) -> float:
    """Share of the links that are negative inside a camp or positive between two."""
    same = labels[network.pairs[:, 0]] == labels[network.pairs[:, 1]]
    return float(np.mean(same == (network.weights < 0)))


def _likely_signs(
    network: Network, signs: sparse.csr_array, count: int, seed: int
) -> tuple[pl.DataFrame, dict[str, Any], list[str]]:
    """Signs of the pairs that are asked about, then the surest of pairs two steps apart; and how well they are told."""
    from treatise.network import SignedLinkPredictor

    schema = {"source": pl.String, "target": pl.String, "sign": pl.Int64, "score": pl.Float64, "asked": pl.Boolean}
    rng = np.random.default_rng(seed)
    facts: dict[str, Any] = {}
    notes = []
    if len(np.unique(network.weights)) < 2:
        return pl.DataFrame(schema=schema), facts, ["all signs are the same; there is nothing to tell apart"]
    model = SignedLinkPredictor(random_state=seed)
    if len(network.pairs) > LARGE:
        model.set_params(rank=SMALL_RANK)
    hidden = rng.permutation(len(network.pairs))[: int(HELD_OUT * len(network.pairs))]
    if network.times is not None:
        hidden = np.argsort(network.times, kind="stable")[len(network.pairs) - len(hidden) :]
    kept = np.delete(np.arange(len(network.pairs)), hidden)
    if len(hidden) >= 10 and len(np.unique(network.weights[kept])) == 2:
        seen = Network(network.nodes, network.pairs[kept], network.weights[kept], None, network.asked, True)
        model.fit(seen.adjacency())
        model.set_params(reg=model.reg_)  # not looked for a second time
        facts["held-out accuracy"] = float(model.score(network.pairs[hidden], network.weights[hidden]))
        share = float(np.mean(network.weights[hidden] > 0))
        facts["more frequent sign"] = max(share, 1.0 - share)
        if facts["held-out accuracy"] <= facts["more frequent sign"]:
            notes.append(
                "held-out signs are told no better than by naming the more frequent one: take predictions for guesses"
            )
    else:
        notes.append("too few links to judge predicted signs on held-out ones")
    model.fit(signs)
    pairs = np.concatenate([network.asked, _two_steps(signs, rng)[: MOST_PAIRS if count else 0]])
    if not len(pairs):
        return pl.DataFrame(schema=schema), facts, notes
    scores = model.decision_function(pairs)
    n_asked, surest = len(network.asked), np.argsort(-np.abs(scores), kind="stable")
    likely = surest[(surest >= n_asked) & (scores[surest] != 0.0)][:count]
    if not scores.any():
        notes.append("these links tell nothing of the signs of others: whoever is asked for is given the frequent sign")
    order = np.concatenate([np.arange(n_asked), likely])
    names = np.array(network.nodes, dtype=object)
    table = pl.DataFrame(
        {
            "source": names[pairs[order, 0]], "target": names[pairs[order, 1]], "sign": model.predict(pairs[order]),
            "score": scores[order], "asked": order < n_asked,
        },
        schema=schema,
    )  # fmt: skip
    return table, facts, notes


def _two_steps(signs: sparse.csr_array, rng: np.random.Generator) -> np.ndarray:
    """Pairs with a common neighbour and no link, all or a random part of them."""
    n = signs.shape[0]
    links = abs(signs)
    walks = np.asarray(links @ links.sum(axis=1)).ravel()
    order = rng.permutation(n)
    enough = int(np.searchsorted(np.cumsum(walks[order]), 20 * MOST_PAIRS)) + 1
    rows = np.sort(order[:enough])
    reach = sparse.coo_array(links[rows] @ links)
    i, j = rows[reach.row], reach.col
    if enough >= n:
        i, j = i[i < j], j[i < j]
    else:
        i, j = np.minimum(i, j)[i != j], np.maximum(i, j)[i != j]
    pairs = np.unique(np.stack([i, j], axis=1), axis=0)
    free = np.asarray(links[pairs[:, 0], pairs[:, 1]]).ravel() == 0 if len(pairs) else np.zeros(0, dtype=bool)
    pairs = pairs[free]
    return pairs[rng.permutation(len(pairs))[:MOST_PAIRS]]


def _largest_first(labels: np.ndarray) -> np.ndarray:
    """Numbers from 1 on, the largest group first."""
    _, places, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(1, len(sizes) + 1)
    return rank[places.ravel()]


def _degrees(network: Network) -> np.ndarray:
    return np.bincount(network.pairs.ravel(), minlength=len(network.nodes))


def _node_table(network: Network, labels: np.ndarray) -> pl.DataFrame:
    table = pl.DataFrame({"node": network.nodes, "links": _degrees(network), "community": labels})
    return table.sort(["community", "links"], descending=[False, True], maintain_order=True)


def _community_table(network: Network, labels: np.ndarray) -> pl.DataFrame:
    ends = labels[network.pairs]
    inside = ends[:, 0] == ends[:, 1]
    count = int(labels.max())
    within = np.bincount(ends[inside, 0], minlength=count + 1)[1:]
    out = np.bincount(ends[~inside].ravel(), minlength=count + 1)[1:]
    degrees = _degrees(network)
    order = np.lexsort((-degrees, labels))
    starts = np.searchsorted(labels[order], np.arange(1, count + 1))
    sizes = np.bincount(labels, minlength=count + 1)[1:]
    chief = [
        ", ".join(network.nodes[node] for node in order[start : start + min(5, size)])
        for start, size in zip(starts, sizes, strict=True)
    ]
    table = {"community": np.arange(1, count + 1), "nodes": sizes, "links inside": within, "links out": out}
    if network.signed:
        hostile = network.weights < 0
        table["negative inside"] = np.bincount(ends[inside & hostile, 0], minlength=count + 1)[1:]
        table["positive out"] = np.bincount(ends[~inside & ~hostile].ravel(), minlength=count + 1)[1:]
    return pl.DataFrame({**table, "most links": chief})
