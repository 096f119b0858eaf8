"""Communities of a large graph beside networkx and leidenalg at the same modularity, and those of a ring of cliques."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.metrics import rand_score

from benchmarks._contest import Contest, Scaling, left_out
from treatise.network import GraphCommunities, graph_quality


def benchmarks() -> Iterator[Contest | Scaling]:
    """A planted partition of 100 000 nodes and a million edges, and a ring of small cliques."""
    graph = planted(1000)
    size = "100 000 nodes, a million edges"
    yield contest("networkx", graph, _networkx(graph), f"{size}: Louvain's communities (without refinement)", False)
    try:
        yield contest("leidenalg", graph, _leidenalg(graph), f"{size}: Leiden's communities", True)
    except ImportError as missing:
        left_out(f"{missing}: no contest with leidenalg")
    for M in (0.0, 100.0):
        yield ring(M)
    yield Scaling(
        work="adaptive scale modularity at its defaults, over nodes of ten edges each",
        sizes=(100, 400, 1600),
        prepare=lambda blocks: _fitting("adaptive", planted(blocks)),
        warm_up=_fitting("adaptive", planted(2)),
    )


def contest(peer, graph, theirs, work, refine) -> Contest:
    """The same function, modularity, and the same search, from one start each; quality is the modularity reached."""
    return Contest(
        work=work,
        peer=peer,
        ours=_fitting("modularity", graph, refine),
        theirs=theirs,
        quality=lambda labels: graph_quality(graph, labels, "modularity"),
        warm_up=_fitting("modularity", planted(2), refine),
    )


def ring(M: float) -> Contest:
    """Thirty cliques of five in a ring, of which modularity joins neighbours; quality is 1 where all come back."""
    import networkx

    graph = networkx.to_scipy_sparse_array(networkx.ring_of_cliques(30, 5))
    cliques = np.arange(graph.shape[0]) // 5

    def adaptive() -> np.ndarray:
        return GraphCommunities("adaptive", M=M, gamma=2.0, random_state=0).fit(graph).labels_

    return Contest(
        work=f"ring of 30 cliques of 5, adaptive scale, (M, gamma) = ({M:g}, 2), beside modularity: cliques returned",
        peer="networkx",
        ours=adaptive,
        theirs=_networkx(graph),
        quality=lambda labels: float(rand_score(cliques, labels) == 1.0),
        warm_up=adaptive,
    )


def planted(blocks: int, size: int = 100) -> sparse.csr_array:
    """Groups of a hundred nodes with fifteen neighbours inside and five outside, on average."""
    rng, n = np.random.default_rng(blocks), blocks * size
    inside, across = int(n * 15 / 2), int(n * 5 / 2)
    first = rng.integers(0, n, inside)
    rows = np.concatenate([first, rng.integers(0, n, across)])
    columns = np.concatenate([first // size * size + rng.integers(0, size, inside), rng.integers(0, n, across)])
    kept = rows != columns
    upper = sparse.coo_array((np.ones(kept.sum()), (rows[kept], columns[kept])), shape=(n, n))
    graph = sparse.csr_array(upper + upper.T)
    graph.data[:] = 1.0
    return graph


def _fitting(function, graph, refine=True):
    return lambda: GraphCommunities(function, refine=refine, random_state=0).fit(graph).labels_


def _networkx(graph):
    import networkx

    plain = networkx.from_scipy_sparse_array(graph)

    def work():
        labels = np.empty(graph.shape[0], dtype=np.int64)
        for number, nodes in enumerate(networkx.community.louvain_communities(plain, seed=0)):
            labels[list(nodes)] = number
        return labels

    return work


def _leidenalg(graph):
    import igraph
    import leidenalg

    upper = sparse.triu(graph).tocoo()
    plain = igraph.Graph(n=graph.shape[0], edges=np.stack([upper.row, upper.col], axis=1).tolist())
    kind = leidenalg.ModularityVertexPartition
    return lambda: np.array(leidenalg.find_partition(plain, kind, seed=0).membership)
