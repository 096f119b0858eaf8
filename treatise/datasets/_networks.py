"""Networks from files: tables with a link a row, GML and GraphML."""

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.datasets._tables import load_table
from treatise.io import Table
from treatise.io.source import naming, read_bytes

CALLED = {
    "source": ("source", "from", "fromnodeid", "src", "node1", "node_1", "u", "i", "a"),
    "target": ("target", "to", "tonodeid", "dst", "node2", "node_2", "v", "j", "b"),
    "weight": ("weight", "value", "strength", "count"),
    "sign": ("sign", "rating", "vote"),
    "time": ("time", "timestamp", "date", "year", "day"),
}
"""What the columns of a list of links are often called."""
PLACES = {"source": 0, "target": 1, "weight": 2, "time": 3}
"""Where they stand in a file without names."""


@dataclass(frozen=True, eq=False)
class LinkEvents:
    """Links as they came, a pair as often as it was seen.

    Attributes
    ----------
    pairs : ndarray of int of shape (n_events, 2)
        Numbers of the two nodes, the smaller first.
    weights : ndarray of shape (n_events,)
        Strengths.
    times : ndarray of shape (n_events,)
        When: microseconds since 1970 of dates, else numbers as they stand, or places in the order of words.
    dated : bool
        Whether times are dates.
    """

    pairs: np.ndarray
    weights: np.ndarray
    times: np.ndarray
    dated: bool


@dataclass(frozen=True, eq=False)
class Network:
    """Links between named nodes, without directions; each pair once.

    Attributes
    ----------
    nodes : list of str
        Names.
    pairs : ndarray of int of shape (n_links, 2)
        Numbers of the two nodes of each link, the smaller first.
    weights : ndarray of shape (n_links,)
        Positive strengths, or -1 and 1 of a signed network.
    times : ndarray of shape (n_links,) or None
        When each link was first seen.
    asked : ndarray of int of shape (n_asked, 2)
        Pairs of a signed network that the file has without a sign.
    signed : bool
        Whether links are friendly and hostile.
    events : LinkEvents or None
        The links of a network without signs that have times, one by one.
    """

    nodes: list[str]
    pairs: np.ndarray
    weights: np.ndarray
    times: np.ndarray | None
    asked: np.ndarray
    signed: bool
    events: LinkEvents | None = None

    def adjacency(self) -> sparse.csr_array:
        """The symmetric matrix of weights or signs."""
        n, (i, j) = len(self.nodes), self.pairs.T
        half = sparse.csr_array((self.weights, (i, j)), shape=(n, n))
        return sparse.csr_array(half + half.T)


def load_network(
    data: str | os.PathLike[str] | Table,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    sign: str | None = None,
    time: str | None = None,
    header: bool | None = None,
) -> tuple[Network, list[str]]:
    """A network from a table of links, GML or GraphML, and words on how it was understood.

    Directions are dropped. A pair that comes several times has its weights added; of signs the more frequent counts,
    and pairs whose signs contradict each other evenly are left out. A network with a weight below zero is a signed one.

    Parameters
    ----------
    data : path or Table
        A table with a link a row (CSV, TSV, Parquet, text), ``.gml`` or ``.graphml``, compressed by gzip or not.
    source, target, weight, sign, time : str or None, default=None
        Columns of a table, or attributes of links in GML and GraphML; None takes those with a usual name ("source",
        "target", "weight", "sign", "time" and others), and the first two columns for the nodes. Cells without a sign
        are pairs that are asked about.
    header : bool or None, default=None
        Whether the first line of a table has names; None looks.

    Returns
    -------
    network : Network
    notes : list of str

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.datasets import load_network
    >>> from treatise.io import Table
    >>> frame = pl.DataFrame({"from": ["ann", "bob", "cy"], "to": ["bob", "cy", "ann"], "sign": [1, -1, -1]})
    >>> network, notes = load_network(Table("friends", frame, True, ()))
    >>> network.nodes, network.signed, network.weights.tolist()
    (['ann', 'bob', 'cy'], True, [1.0, -1.0, -1.0])
    """
    given = {"source": source, "target": target, "weight": weight, "sign": sign, "time": time}
    name = data.name if isinstance(data, Table) else str(data)
    if not isinstance(data, Table) and (kind := _graph_format(data)):
        frame, notes = _graph_frame(Path(data), kind, given), list[str]()
        nodes = frame.pop("nodes")
    else:
        table = data if isinstance(data, Table) else load_table(data, header=header)
        frame, notes = _table_frame(table, given)
        nodes = None
    network, more = _network(name, nodes=nodes, **frame)
    return network, [*notes, *more]


def _graph_format(path: str | os.PathLike[str]) -> str:
    endings = [ending.lower() for ending in Path(path).suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    return endings[-1][1:] if endings and endings[-1] in (".gml", ".graphml") else ""


def _graph_frame(path: Path, kind: str, given: dict[str, str | None]) -> dict[str, Any]:
    import networkx

    with naming(path):
        content = read_bytes(path)
    try:
        graph = networkx.read_graphml(io.BytesIO(content)) if kind == "graphml" else _gml(content)
    except Exception as error:  # the parsers of networkx raise errors of many kinds
        raise TreatiseError(f"{path} is no {kind.upper()} that networkx can read: {error}") from None
    links = list(graph.edges(data=True))
    known = sorted({key for *_, data in links for key in data})
    columns: dict[str, Any] = {"nodes": [str(node) for node in graph]}
    columns["sources"], columns["targets"] = ([str(link[side]) for link in links] for side in (0, 1))
    for role in ("weight", "sign", "time"):
        wanted = given[role]
        if wanted is not None and wanted not in known:
            raise TreatiseError(
                f"no link of {path.name} has the attribute {wanted!r}; they have {', '.join(known) or 'none'}"
            )
        found = wanted or next((key for key in known if key.lower() in CALLED[role]), None)
        columns[role] = None if found is None else _attribute(links, found, path)
    return columns


def _attribute(links: list[tuple[Any, Any, dict[str, Any]]], name: str, path: Path) -> pl.Series:
    """What each link has by a name, once at most."""
    values = [data.get(name) for *_, data in links]
    for (one, other, _), value in zip(links, values, strict=True):
        if isinstance(value, list | dict):
            raise TreatiseError(
                f"the link of {one} and {other} in {path.name} has several values of {name!r}; give it one"
            )
    return pl.Series(name, values, strict=False)


def _gml(content: bytes) -> Any:
    import networkx

    text = content.decode("utf-8", errors="replace")
    if "label" not in text:
        return networkx.parse_gml(text, label="id")
    try:
        return networkx.parse_gml(text)
    except networkx.NetworkXError as error:
        if "duplicated" not in str(error):
            raise
        # Links that come twice, in a file that does not say so.
        return networkx.parse_gml(text.replace("[", "[\nmultigraph 1\n", 1))


def _table_frame(table: Table, given: dict[str, str | None]) -> tuple[dict[str, Any], list[str]]:
    if table.matrix is not None:
        raise TreatiseError("this is a sparse matrix without names; a network needs a table with a link a row")
    frame = table.frame
    if frame.width < 2:
        raise TreatiseError(f"{table.name} has a single column; a link needs two nodes")
    found: dict[str, str | None] = {}
    for role, column in given.items():
        if column is not None:
            found[role] = table.column(column)
        elif table.header:
            named = {name.strip().lower(): name for name in frame.columns}
            found[role] = next((named[name] for name in CALLED[role] if name in named), None)
        else:
            place = PLACES.get(role, frame.width)
            numeric = place < frame.width and (place < 2 or frame.dtypes[place].is_numeric())
            found[role] = frame.columns[place] if numeric else None
    for role, place in (("source", 0), ("target", 1)):
        found[role] = found[role] or next(name for name in frame.columns[place:] if name not in found.values())
    if found["source"] == found["target"]:
        raise TreatiseError(f"source and target are both column {found['source']!r}; name two columns")
    said = [f"links run between {found['source']!r} and {found['target']!r}"]
    said += [f"{role}s are in {found[role]!r}" for role in ("weight", "sign", "time") if found[role]]
    for role in ("source", "target"):
        empty = frame[str(found[role])]
        if empty.null_count():
            raise TreatiseError(
                f"column {empty.name!r} is empty in row {int(empty.is_null().arg_max() or 0) + 1}; a link needs it"
            )
    columns = {f"{role}s": frame[str(found[role])].cast(pl.String).to_list() for role in ("source", "target")}
    others = {role: None if found[role] is None else frame[str(found[role])] for role in ("weight", "sign", "time")}
    return {**columns, **others}, [*table.notes, "; ".join(said)]


def _network(
    name: str, sources: list[str], targets: list[str], weight: pl.Series | None, sign: pl.Series | None,
    time: pl.Series | None, nodes: list[str] | None,
) -> tuple[Network, list[str]]:  # fmt: skip
    if not sources:
        raise TreatiseError(f"{name} has no link; there is nothing to look at")
    if nodes is None:
        nodes = list(dict.fromkeys([word for link in zip(sources, targets, strict=True) for word in link]))
    number = {node: place for place, node in enumerate(nodes)}
    pairs = np.sort(np.array([[number[a], number[b]] for a, b in zip(sources, targets, strict=True)]), axis=1)
    notes = []
    values = _numbers(sign if sign is not None else weight, len(pairs))
    times, dated = (None, False) if time is None else _moments(time)
    loops = pairs[:, 0] == pairs[:, 1]
    if loops.any():
        notes.append(f"{loops.sum()} links of a node with itself are left out")
    signed = sign is not None or bool((values[~np.isnan(values)] < 0).any())
    unknown = np.isnan(values) & ~loops
    if not signed and unknown.any():
        raise TreatiseError(f"{unknown.sum()} links of {name} have no weight; fill them in, or remove those rows")
    absent = (values == 0) & ~loops
    if absent.any():
        notes.append(f"{absent.sum()} links with a weight or sign of zero are no links, and are left out")
    kept = ~loops & ~unknown & ~absent
    if not kept.any():
        raise TreatiseError(f"no link of {name} joins two different nodes with a weight or sign other than zero")
    unique, place = np.unique(pairs[kept], axis=0, return_inverse=True)
    place = place.ravel()
    total = np.bincount(place, np.sign(values[kept]) if signed else values[kept])
    first = None
    if times is not None:
        first = np.full(len(unique), np.inf)
        np.minimum.at(first, place, times[kept])
    if signed:
        strong = np.abs(values[kept]) != 1
        if strong.any():
            notes.append(
                f"{strong.sum()} of {kept.sum()} links have another number than -1 or 1, such as "
                f"{values[kept][strong][0]:g}; whether it is above zero is what counts"
            )
        total = np.sign(total)
        if (total == 0).any():
            notes.append(f"{(total == 0).sum()} pairs have as many positive as negative links and are left out")
        unique, first = unique[total != 0], None if first is None else first[total != 0]
        total = total[total != 0]
        if not len(total):
            raise TreatiseError(f"all signs of {name} contradict each other; there is nothing to look at")
    if len(unique) < kept.sum():
        notes.append(
            f"{kept.sum()} links join {len(unique)} pairs; " + ("signs are counted" if signed else "weights are added")
        )
    known = set(map(tuple, unique.tolist()))
    asked = [pair for pair in dict.fromkeys(map(tuple, pairs[unknown].tolist())) if pair not in known]
    events = None
    if times is not None and not signed:
        timed = kept & np.isfinite(times)
        events = LinkEvents(pairs[timed], values[timed], times[timed], dated)
    return Network(nodes, unique, total, first, np.array(asked, dtype=np.int64).reshape(-1, 2), signed, events), notes


def _numbers(column: pl.Series | None, count: int) -> np.ndarray:
    if column is None:
        return np.ones(count)
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & column.is_not_null()
    if wrong.any():
        raise TreatiseError(f"column {column.name!r} holds {column.filter(wrong)[0]!r}; weights and signs are numbers")
    values = numbers.fill_null(np.nan).to_numpy()
    if np.isinf(values).any():
        raise TreatiseError(f"column {column.name!r} holds an infinite number; weights are finite")
    return values


def _moments(column: pl.Series) -> tuple[np.ndarray, bool]:
    """Times as numbers that sort alike, unknown ones last; and whether they are dates."""
    if column.dtype.is_integer():
        column = _written_together(column)
    dated = column.dtype in (pl.Date, pl.Datetime)
    if column.dtype == pl.String:
        column = column.rank("dense")
    elif column.dtype.is_temporal():
        column = column.cast(pl.Datetime("us")).cast(pl.Int64) if column.dtype != pl.Time else column.cast(pl.Int64)
    return column.cast(pl.Float64).fill_null(np.inf).fill_nan(np.inf).to_numpy(), dated


def _written_together(column: pl.Series) -> pl.Series:
    """Dates where all numbers are year, month and day in a row, such as 20190531; else the numbers."""
    known = column.drop_nulls()
    if not len(known) or known.min() < 1000_01_01 or known.max() > 9999_12_31:  # type: ignore[operator]
        return column
    days = column.cast(pl.String).str.to_date("%Y%m%d", strict=False)
    return days if days.null_count() == column.null_count() else column
