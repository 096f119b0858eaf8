"""What depends on what in a table: one learner of graphs, its picture, its edges and how stable each of them is."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.catalog import load_catalogue
from treatise.compare.candidates import instance
from treatise.compare.inputs.columns import informative
from treatise.compare.output import output_folder, write_table
from treatise.datasets import load_table
from treatise.io import Table

AUTO = {
    "numeric": "treatise.graphical.SparsePrecision",
    "binary": "treatise.graphical.IsingGraph",
    "categorical": "treatise.graphical.MultinomialGraph",
}
"""The learner for each kind of table, where the user names none."""
BINS = 4
"""Parts of equal size into which a numeric column is cut for a learner of categories."""


@dataclass(frozen=True)
class LearnedGraph:
    """A graph over the columns of a table.

    Attributes
    ----------
    method : str
        Import path of the learner.
    estimator : estimator
        The learner, fitted to all rows.
    kind : str
        What it took the columns for: "numeric", "binary" or "categorical".
    columns : list of str
        The nodes.
    directed : bool
        Whether edges point from cause to effect.
    edges : polars.DataFrame
        Columns "source", "target", "weight" and "stability": the share of subsamples that found the edge, null without
        subsamples. The strongest are first.
    notes : list of str
        What was decided about the table.
    """

    method: str
    estimator: Any
    kind: str
    columns: list[str]
    directed: bool
    edges: pl.DataFrame
    notes: list[str]

    def to_networkx(self) -> Any:
        """The graph for networkx, its edges with "weight" and, where it was asked for, "stability"."""
        import networkx

        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(self.columns)
        for row in self.edges.iter_rows(named=True):
            known = {} if row["stability"] is None else {"stability": row["stability"]}
            graph.add_edge(row["source"], row["target"], weight=row["weight"], **known)
        return graph

    def write(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> dict[str, Path]:
        """Write the picture, the GraphML and the table of edges into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.
        spreadsheet : bool, default=False
            Whether an apostrophe goes before text that a spreadsheet would run as a formula.

        Returns
        -------
        files : dict
            "picture", "graphml" and "edges".
        """
        import networkx
        from matplotlib.figure import Figure

        from treatise.graphical import plot_graph

        with output_folder(folder) as place:
            files = {"picture": place / "graph.png", "graphml": place / "graph.graphml", "edges": place / "edges.csv"}
            graph = self.to_networkx()
            side = 5.0 + 0.6 * np.sqrt(len(self.columns))
            figure = Figure(figsize=(side, side), layout="constrained")
            shares = [share for *_, share in graph.edges(data="stability") if share is not None]
            plot_graph(graph, stability=shares or None, ax=figure.subplots())
            with replacing(files["picture"]) as temporary:
                figure.savefig(temporary, dpi=150, format="png")
            with replacing(files["graphml"]) as temporary:
                networkx.write_graphml(graph, temporary)
            write_table(self.edges, files["edges"], spreadsheet=spreadsheet)
        return files


def learn_graph(
    data: str | os.PathLike[str] | Table,
    method: str = "auto",
    *,
    columns: list[str] | None = None,
    params: Mapping[str, Any] | None = None,
    subsamples: int = 20,
    drop_missing: bool = False,
    jobs: int | None = None,
    header: bool | None = None,
    seed: int = 0,
) -> LearnedGraph:
    """Learn which columns of a table depend on each other, and how stable each edge is.

    Parameters
    ----------
    data : path, bundled name or Table
        The table.
    method : str, default="auto"
        Name, import path or paper of a learner of graphs; "auto" takes a Gaussian graph for numbers, an Ising graph
        where all columns have two values, and a multinomial one where some hold categories.
    columns : list of str or None, default=None
        The columns to look at; None takes all that carry information.
    params : mapping or None, default=None
        Parameters of the learner.
    subsamples : int, default=20
        Subsamples of the rows on which edges must come back; 0 leaves stability out.
    drop_missing : bool, default=False
        Leave out rows with missing values rather than refuse them.
    jobs : int or None, default=None
        Processes for the subsamples.
    header, seed :
        As for :func:`compare_methods`.

    Returns
    -------
    graph : LearnedGraph
    """
    if subsamples < 0 or subsamples == 1:
        raise TreatiseError(f"{subsamples} subsamples say nothing of stability; draw at least 2, or 0 to leave it out")
    table = data if isinstance(data, Table) else load_table(data, header=header)
    frame, notes = _nodes(table, columns, drop_missing)
    path, accepted = _learner(method, _kind(frame))
    kind = next(kind for kind in _readings(_kind(frame)) if kind in accepted)
    X, words = _encoded(frame, kind)
    learner = _unfitted(path, params or {}, seed)
    try:
        learner.fit(X)
        frequency = _frequencies(learner, X, subsamples, jobs, seed) if subsamples else None
    except ValueError as error:
        raise TreatiseError(f"{type(learner).__name__} cannot learn from this table: {error}") from error
    joined = _dense(learner.adjacency_)
    directed = bool(len(joined)) and not (joined == joined.T).all()
    edges = _edge_table(learner, frame.columns, frequency)
    return LearnedGraph(path, learner, kind, frame.columns, directed, edges, [*notes, *words])


def _unfitted(path: str, params: Mapping[str, Any], seed: int) -> Any:
    """The learner with its parameters, its randomness fixed if it has any."""
    try:
        return instance(path, params, seed)
    except TypeError as error:
        raise TreatiseError(f"{path.rpartition('.')[2]} takes no such parameter: {error}") from None


def _frequencies(learner: Any, X: np.ndarray, subsamples: int, jobs: int | None, seed: int) -> np.ndarray:
    """The share of subsamples in which each edge came back, at the penalty that was chosen on all rows."""
    from treatise.graphical import edge_stability

    again = clone(learner)
    if "penalty" in learner.get_params() and hasattr(learner, "penalty_"):
        again.set_params(penalty=learner.penalty_)
    return edge_stability(again, X, n_subsamples=subsamples, n_jobs=jobs, random_state=seed).frequency


def _edge_table(learner: Any, names: list[str], frequency: np.ndarray | None) -> pl.DataFrame:
    """The edges with their weights and how often they came back, the strongest first."""
    edges = np.asarray(learner.edges_).reshape(-1, 2)
    weights = np.asarray(getattr(learner, "edge_weights_", np.ones(len(edges))), dtype=float)
    found = pl.DataFrame(
        {
            "source": [names[i] for i in edges[:, 0]],
            "target": [names[j] for j in edges[:, 1]],
            "weight": weights,
            "stability": [None] * len(edges) if frequency is None else frequency[edges[:, 0], edges[:, 1]],
        },
        schema={"source": pl.String, "target": pl.String, "weight": pl.Float64, "stability": pl.Float64},
    )
    return found[np.argsort(-np.abs(weights), kind="stable")]


def graph_learners() -> dict[str, tuple[str, ...]]:
    """Import paths of all learners of graphs, and the kinds of columns that each takes."""
    return {entry.path: entry.graph for paper in load_catalogue() for entry in paper.estimators if entry.graph}


def _nodes(table: Table, columns: list[str] | None, drop_missing: bool) -> tuple[pl.DataFrame, list[str]]:
    """The columns that become nodes, without gaps, and words on what was left out."""
    if table.matrix is not None:
        raise TreatiseError("this is a sparse matrix without names; a graph needs a table of columns, such as CSV")
    frame = table.frame
    if columns is not None:
        chosen = [table.column(name) for name in columns]
        twice = next((name for place, name in enumerate(chosen) if name in chosen[:place]), None)
        if twice is not None:
            raise TreatiseError(f"column {twice!r} is named twice; name every column once")
        frame = frame.select(chosen)
    frame, dropped = informative(frame, plain=True)
    notes = [f"column {name!r} {reason}; it is left out" for name, reason in dropped]
    if frame.width < 2:
        why = "".join(f"; {note}" for note in notes[:5])
        raise TreatiseError(f"a graph needs at least two columns that vary; {frame.width} are left{why}")
    numbers = [name for name in frame.columns if frame[name].dtype.is_float()]
    frame = frame.with_columns(pl.col(numbers).fill_nan(None))
    missing = {column.name: column.null_count() for column in frame if column.null_count()}
    if missing:
        whole = frame.drop_nulls()
        worst = max(missing, key=missing.__getitem__)
        if not drop_missing:
            raise TreatiseError(
                f"{len(missing)} of {frame.width} columns have missing values, {worst!r} the most with "
                f"{missing[worst]} of {frame.height}; fill them in, choose other columns with --columns, or leave "
                f"{frame.height - whole.height} rows out with --drop-missing"
            )
        notes.append(f"{frame.height - whole.height} of {frame.height} rows have missing values and are left out")
        frame, gone = informative(whole, plain=True)
        notes += [f"column {name!r} {reason} in the rows that are left; it is left out" for name, reason in gone]
        if frame.width < 2:
            raise TreatiseError("without the rows that have missing values fewer than two columns vary")
    return frame, notes


def _kind(frame: pl.DataFrame) -> str:
    """The narrowest kind that holds all columns."""
    if all(column.n_unique() == 2 for column in frame):
        return "binary"
    if all(column.dtype.is_numeric() or column.n_unique() == 2 for column in frame):
        return "numeric"
    return "categorical"


def _readings(kind: str) -> tuple[str, ...]:
    """How columns of a kind may be read, the best first: two values are numbers and categories, numbers can be cut."""
    return {
        "binary": ("binary", "categorical", "numeric"),
        "numeric": ("numeric", "categorical"),
        "categorical": ("categorical",),
    }[kind]


def _learner(method: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """Import path of a learner and what it accepts."""
    learners = graph_learners()
    if method == "auto":
        return AUTO[kind], learners[AUTO[kind]]
    papers = {paper.id: [entry.path for entry in paper.estimators if entry.graph] for paper in load_catalogue()}
    fitting = [path for path in learners if method in (path, path.rpartition(".")[2])] or papers.get(method, [])
    if not fitting:
        names = ", ".join(sorted(path.rpartition(".")[2] for path in learners))
        raise TreatiseError(f"no learner of graphs is called {method!r}; choose auto, {names}")
    for path in fitting:
        if set(_readings(kind)) & set(learners[path]):
            return path, learners[path]
    raise TreatiseError(
        f"{fitting[0].rpartition('.')[2]} learns among {' or '.join(learners[fitting[0]])} columns, and these are "
        f"{kind}; choose columns with --columns, or another --method"
    )


def _encoded(frame: pl.DataFrame, kind: str) -> tuple[np.ndarray, list[str]]:
    """The table as a learner of a kind takes it, and words on what was made of it."""
    if kind == "categorical":
        cut = [c.name for c in frame if c.dtype.is_numeric() and not c.dtype.is_integer() and c.n_unique() > 2]
        cut += [c.name for c in frame if c.dtype.is_integer() and c.n_unique() > 2 * BINS]
        words = [f"{len(cut)} numeric columns are cut into {BINS} parts of equal size"] if cut else []
        codes = [_quantile_codes(c) if c.name in cut else _codes(c) for c in frame]
        return np.column_stack(codes).astype(np.int64), words
    words, columns = [], []
    for column in frame:
        if column.dtype.is_numeric():
            values = column.to_numpy().astype(float)
            two = kind == "binary"
            columns.append(_codes(column).astype(float) if two else values)
        else:
            first, second = column.unique().sort().to_list()
            words.append(f"in column {column.name!r} {second!r} is 1 and {first!r} is 0")
            columns.append(_codes(column).astype(float))
    return np.column_stack(columns), words


def _codes(column: pl.Series) -> np.ndarray:
    return np.unique(column.to_numpy(), return_inverse=True)[1]


def _quantile_codes(column: pl.Series) -> np.ndarray:
    values = column.to_numpy().astype(float)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1]))
    return np.searchsorted(edges, values, side="left")


def _dense(adjacency: Any) -> np.ndarray:
    return np.asarray(adjacency.toarray() if hasattr(adjacency, "toarray") else adjacency, dtype=bool)
