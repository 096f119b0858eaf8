"""The schema of a catalogue row, and errors that say which key of which row is wrong."""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treatise._core.errors import TreatiseError
from treatise.catalog._derived import cost_in_words, first_line_of

STATUSES = ("working", "partial", "planned", "theory")
ROLES = ("predictor", "transformer")
SCALINGS = ("none", "standard", "minmax")
INPUTS = ("dense", "sparse")
TABLE_TASKS = ("binary", "multiclass", "regression")
SEVERAL_TASKS = ("multi-regression", "multi-label", "multi-class")
"""Several targets at once: amounts, two classes each (y is a matrix of 0 and 1), or classes (y holds their numbers)."""
BAG_TASKS = ("binary-bags", "multiclass-bags")
"""Classes of bags of rows: ``fit`` takes a list of arrays, and the rows of a law are those of all bags."""
GROUP_TASKS = ("binary-groups", "multiclass-groups", "regression-groups", "counts-groups")
"""Tables whose rows belong to groups: ``fit`` and ``predict`` take ``groups`` besides, the latter also new ones. Counts
are whole numbers from 0."""
COMPARED_TASKS = (
    *TABLE_TASKS, *SEVERAL_TASKS, *BAG_TASKS, *GROUP_TASKS, "ordinal", "survival", "sequence", "cluster",
    "cluster-sequences",
)  # fmt: skip
"""Of groups of sequences, too, ``fit`` takes a list of arrays, and the rows of a law are their positions."""
FORMS = (
    "constant", "linear", "tree", "additive", "probabilities", "neighbours", "kernel", "ensemble", "blend", "other",
)  # fmt: skip
"""What a fitted model is, the simplest first."""
COLUMNS = ("numeric", "binary", "categorical")
TASKS = (
    *TABLE_TASKS,
    "multilabel", "multitask", "ordinal", "survival", "ranking", "preference", "anomaly",
    "clustering", "density", "topics", "semisupervised", "active", "private",
    "structure", "inference", "sequence", "structured", "time-series",
    "feature-selection", "decomposition", "source-separation", "dimension-reduction",
    "metric", "kernel", "online", "experts", "network",
    "reinforcement", "optimisation", "design", "estimation", "diagnostics", "image", "text", "multiple-instance",
)  # fmt: skip


class CatalogueError(TreatiseError):
    """A catalogue row that does not follow the schema."""


@dataclass(frozen=True)
class Cost:
    """A cost as a monomial in the size of the data: ``scale * n**rows * p**features * k**classes``."""

    scale: float
    n: float = 0.0
    p: float = 0.0
    k: float = 0.0

    def at(self, n: float, p: float, k: float = 2) -> float:
        """The cost on ``n`` rows, ``p`` features and ``k`` classes."""
        return self.scale * n**self.n * p**self.p * k**self.k


UNMEASURED = Cost(1e-6, n=1.0, p=1.0, k=1.0), Cost(64.0, n=1.0, p=1.0)
"""Seconds and bytes of a new row until ``python -m benchmarks cost`` has measured them."""


@dataclass(frozen=True)
class SearchRange:
    """An interval of values of one parameter to search."""

    low: float
    high: float
    log: bool = False
    integer: bool = False


@dataclass(frozen=True)
class ComparisonEntry:
    """How an estimator joins a comparison of methods on a table.

    ``stream`` holds the parameters that it needs to learn from a table in blocks, through ``partial_fit`` if it has
    that and from a sample of the rows if not; None where it cannot. ``input`` without ``dense`` is for methods of
    words, which take part where a table holds text or is sparse. ``unlabelled`` says that it learns from rows without a
    label too, which stand as -1 among the numbers of the classes: ``only`` takes part where there are such rows,
    ``also`` everywhere. ``by_task`` holds the parameters that a task settles, where one method has a form for each.
    """

    tasks: tuple[str, ...]
    seconds: Cost
    bytes: Cost
    role: str = "predictor"
    input: tuple[str, ...] = ("dense",)
    scaling: str = "none"
    params: Mapping[str, Any] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict)
    search: Mapping[str, tuple[Any, ...] | SearchRange] = field(default_factory=dict)
    stream: Mapping[str, Any] | None = None
    form: str = "other"
    unlabelled: str = ""
    by_task: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def takes_groups(self) -> bool:
        """Whether it learns from the groups that rows belong to."""
        return not set(self.tasks).isdisjoint(GROUP_TASKS)

    @property
    def is_measured(self) -> bool:
        """Whether the row has both laws."""
        return self.seconds is not UNMEASURED[0] and self.bytes is not UNMEASURED[1]


@dataclass(frozen=True)
class PeerEntry:
    """An estimator of another library that does the same work, for the benchmarks.

    ``params`` are the peer's parameters, ``ours`` those of ours, on a made-up table of ``n`` rows and ``p`` columns
    with ``k`` classes.
    """

    path: str
    n: int
    p: int
    k: int = 2
    params: Mapping[str, Any] = field(default_factory=dict)
    ours: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EstimatorEntry:
    """A public class or function: its import path, its place in comparisons and its peer if it has them.

    ``tasks`` are those of its paper's tasks that it is for, where the paper has methods for different ones. ``graph``
    names the kinds of columns among which it learns a graph, if it does. ``requires`` names a library that must be
    installed for it, if it is an optional one.
    """

    path: str
    compare: ComparisonEntry | None = None
    graph: tuple[str, ...] = ()
    peer: PeerEntry | None = None
    tasks: tuple[str, ...] = ()
    requires: str = ""

    @property
    def name(self) -> str:
        """The bare name, as in code."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True)
class Paper:
    """One paper: what it is, what of it can be run here, when to use it and what it costs."""

    id: str
    title: str
    authors: tuple[str, ...]
    journal: str
    year: int
    pages: str
    family: str
    status: str
    tasks: tuple[str, ...]
    summary: str
    when: str
    cost: str
    note: str = ""
    estimators: tuple[EstimatorEntry, ...] = ()

    def row(self) -> dict[str, Any]:
        """The row as plain data, with the estimators' import paths."""
        keys = (
            "id", "title", "authors", "journal", "year", "pages", "family", "status", "tasks", "estimators", "summary",
            "when", "cost",
        )  # fmt: skip
        plain = {key: getattr(self, key) for key in keys}
        plain["authors"], plain["tasks"] = list(self.authors), list(self.tasks)
        plain["estimators"] = [estimator.path for estimator in self.estimators]
        return plain


class _Reader:
    """Takes typed keys out of one TOML table, remembering where it is for the error."""

    def __init__(self, table: Any, where: str) -> None:
        if not isinstance(table, dict):
            raise CatalogueError(f"{where}: expected a table of keys, got {type(table).__name__}")
        self.rest, self.where, self.known = dict(table), where, set[str]()

    def fail(self, message: str) -> CatalogueError:
        return CatalogueError(f"{self.where}: {message}")

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = ...) -> Any:
        self.known.add(key)
        if key not in self.rest:
            if default is ...:
                raise self.fail(f"key '{key}' is missing{self._perhaps(key)}")
            return default
        value = self.rest.pop(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            expected = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
            raise self.fail(f"key '{key}' must be {expected}, got {value!r}")
        return value

    def text(self, key: str, default: Any = ...) -> str:
        value = self.take(key, str, default)
        if default is ... and not value.strip():
            raise self.fail(f"key '{key}' is empty")
        return value.strip()

    def choice(self, key: str, allowed: tuple[str, ...], default: Any = ...) -> str:
        value = self.take(key, str, default)
        if value not in allowed:
            raise self.fail(f"key '{key}' is {value!r}; it must be one of {', '.join(allowed)}")
        return value

    def choices(self, key: str, allowed: tuple[str, ...], default: Any = ...) -> tuple[str, ...]:
        values = self.take(key, list, default)
        for value in values:
            if value not in allowed:
                raise self.fail(f"key '{key}' holds {value!r}; it may hold {', '.join(allowed)}")
        return tuple(values)

    def done(self) -> None:
        for key in self.rest:
            close = difflib.get_close_matches(key, self.known, 1)
            hint = f"; did you mean '{close[0]}'?" if close else f"; known keys: {', '.join(sorted(self.known))}"
            raise self.fail(f"key '{key}' is unknown{hint}")

    def _perhaps(self, key: str) -> str:
        close = difflib.get_close_matches(key, self.rest, 1)
        return f" (there is a '{close[0]}')" if close else ""


def read_paper(table: Any, family: str, where: str) -> Paper:
    """One ``[[paper]]`` table as a :class:`Paper`."""
    name = table.get("id", "without an id") if isinstance(table, dict) else "without an id"
    read = _Reader(table, f"{where}, paper {name!r}")
    status = read.choice("status", STATUSES)
    authors = read.take("authors", list)
    if not authors or not all(isinstance(author, str) and author.strip() for author in authors):
        raise read.fail("key 'authors' must be a list of names")
    estimators = tuple(
        read_estimator(entry, f"{read.where}, estimator {number}")
        for number, entry in enumerate(read.take("estimator", list, []), 1)
    )
    paper = Paper(
        id=read.text("id"), title=read.text("title"), authors=tuple(authors), journal=read.text("journal"),
        year=read.take("year", int), pages=read.text("pages"), family=family, status=status,
        tasks=read.choices("tasks", TASKS), summary=_summary(read, estimators), when=read.text("when"),
        cost=_cost(read, estimators), note=read.text("note", ""), estimators=estimators,
    )  # fmt: skip
    read.done()
    if not paper.tasks:
        raise read.fail("key 'tasks' is empty; name at least one")
    for estimator in estimators:
        if not set(estimator.tasks) <= set(paper.tasks):
            raise read.fail(f"{estimator.name} has tasks that the paper has not: {', '.join(estimator.tasks)}")
    if status == "working" and not estimators:
        raise read.fail("status is 'working' but no estimator is listed")
    if status in ("planned", "theory") and estimators:
        raise read.fail(f"status is {status!r} but estimators are listed")
    if status in ("partial", "theory") and not paper.note:
        raise read.fail(f"status is {status!r}: key 'note' must say what is short, or why nothing runs")
    return paper


def _summary(read: _Reader, estimators: tuple[EstimatorEntry, ...]) -> str:
    """What the row says, else the first line of the docstring of its one estimator."""
    if "summary" in read.rest or len(estimators) != 1:
        return read.text("summary")
    found = first_line_of(estimators[0].path)
    if found is None:
        raise read.fail(f"key 'summary' is missing, and {estimators[0].path} has no docstring to take it from")
    return read.text("summary", found)


def _cost(read: _Reader, estimators: tuple[EstimatorEntry, ...]) -> str:
    """What the row says, else the laws of its one estimator in words."""
    if "cost" in read.rest or len(estimators) != 1 or estimators[0].compare is None:
        return read.text("cost")
    return read.text("cost", cost_in_words(estimators[0].compare))


def read_estimator(table: Any, where: str) -> EstimatorEntry:
    """One ``[[paper.estimator]]`` table, or one baseline, as an :class:`EstimatorEntry`."""
    read = _Reader(table, where)
    path = read.text("path")
    compare = read.take("compare", dict, None)
    graph = read.choices("graph", COLUMNS, [])
    tasks = read.choices("tasks", TASKS, [])
    peer = read.take("peer", dict, None)
    requires = read.text("requires", "")
    read.done()
    if "." not in path:
        raise read.fail(f"path {path!r} is no import path such as 'treatise.svm.SVMPath'")
    entry = None if compare is None else _read_comparison(compare, f"{where} ({path})")
    contest = None if peer is None else _read_peer(peer, f"{where} ({path}), peer")
    return EstimatorEntry(path, entry, graph, contest, tasks, requires)


def _read_peer(table: Any, where: str) -> PeerEntry:
    read = _Reader(table, where)
    path = read.text("path")
    sizes = {key: read.take(key, int) for key in ("n", "p")} | {"k": read.take("k", int, 2)}
    entry = PeerEntry(path, params=read.take("params", dict, {}), ours=read.take("ours", dict, {}), **sizes)
    read.done()
    if "." not in path:
        raise read.fail(f"path {path!r} is no import path such as 'sklearn.linear_model.SGDClassifier'")
    if min(sizes.values()) < 1:
        raise read.fail(f"sizes must be positive, got {sizes}")
    return entry


def _read_comparison(table: Any, where: str) -> ComparisonEntry:
    read = _Reader(table, where)
    tasks = read.choices("tasks", COMPARED_TASKS)
    role = read.choice("role", ROLES, "predictor")
    head = read.take("head", dict, {})
    entry = ComparisonEntry(
        tasks=tasks,
        role=role,
        input=read.choices("input", INPUTS, ["dense"]),
        scaling=read.choice("scaling", SCALINGS, "none"),
        params=read.take("params", dict, {}),
        head=head,
        seconds=_read_cost(read.take("seconds", dict, None), f"{where}, seconds", UNMEASURED[0]),
        bytes=_read_cost(read.take("bytes", dict, None), f"{where}, bytes", UNMEASURED[1]),
        search={
            name: _read_search(values, f"{where}, search.{name}")
            for name, values in read.take("search", dict, {}).items()
        },
        stream=read.take("stream", dict, None),
        form=read.choice("form", FORMS, "other"),
        unlabelled=read.choice("unlabelled", ("", "also", "only"), ""),
        by_task=read.take("by_task", dict, {}),
    )
    read.done()
    strange = [task for task in entry.by_task if task not in tasks]
    if strange:
        raise read.fail(f"key 'by_task' names {strange[0]!r}, which is none of its tasks: {', '.join(tasks)}")
    if not all(isinstance(settled, dict) for settled in entry.by_task.values()):
        raise read.fail("key 'by_task' must give a table of parameters for each task")
    if entry.takes_groups and not set(tasks) <= set(GROUP_TASKS):
        raise read.fail(f"a method of groups has tasks of groups alone: {', '.join(GROUP_TASKS)}")
    if entry.takes_groups and (role != "predictor" or "dense" not in entry.input):
        raise read.fail("a method of groups is a predictor that takes dense input")
    if not tasks:
        raise read.fail("key 'tasks' is empty")
    if not all(isinstance(path, str) and "." in path for path in head.values()):
        raise read.fail("key 'head' must give an import path for each task")
    if role == "transformer" and set(head) != set(tasks):
        raise read.fail(f"a transformer needs a 'head' estimator for each of {', '.join(tasks)}")
    if entry.unlabelled and (role != "predictor" or not set(tasks) <= {"binary", "multiclass"}):
        raise read.fail("'unlabelled' is for predictors of classes: tasks binary and multiclass")
    if role == "predictor" and head:
        raise read.fail("a predictor takes no 'head'")
    if role == "transformer" and entry.stream is not None:
        raise read.fail("a transformer takes no 'stream': only a predictor learns from a table in blocks")
    return entry


def _read_cost(table: Any, where: str, unmeasured: Cost) -> Cost:
    if table is None:
        return unmeasured
    read = _Reader(table, where)
    values = {key: float(read.take(key, (int, float), 0.0)) for key in ("n", "p", "k")}
    scale = float(read.take("scale", (int, float)))
    read.done()
    if not (math.isfinite(scale) and scale > 0):
        raise read.fail(f"key 'scale' must be positive, got {scale!r}")
    return Cost(scale, **values)


def _read_search(values: Any, where: str) -> tuple[Any, ...] | SearchRange:
    if isinstance(values, list):
        if not values:
            raise CatalogueError(f"{where}: the list of values is empty")
        return tuple(values)
    read = _Reader(values, where)
    low, high = (float(read.take(key, (int, float))) for key in ("low", "high"))
    found = SearchRange(low, high, read.take("log", bool, False), read.take("integer", bool, False))
    read.done()
    if not -math.inf < low < high < math.inf or (found.log and low <= 0):
        raise read.fail(f"low={low:g}, high={high:g} is no range to search")
    return found
