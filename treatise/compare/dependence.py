"""Which columns of a table depend on which, in whatever shape, with p-values corrected for their number."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import gammaincc

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise._core.progress import progress
from treatise.compare.inputs.columns import informative, kind_of
from treatise.compare.output import output_folder, write_table
from treatise.datasets import load_table
from treatise.io import Table
from treatise.statistics import copula_transform, westfall_young

RANK = 8
"""Features of a column of numbers; they hold 93 % of the spread of the distances between ranks."""
MOST_LEVELS = 20
"""Categories of a column that are told apart; the rarest beyond are one."""
ORDERED_VALUES = 10
"""Whole numbers with so few different values are called ordered."""
FEWEST_ROWS = 10
WHY = {
    ("numeric", "numeric"): (
        "distance correlation of the ranks",
        "zero only for independent columns, whatever the shape; ranks make it free of units and outliers",
    ),
    ("numeric", "ordered"): (
        "distance correlation of the ranks, equal values sharing their mean rank",
        "uses the order of the steps and nothing of their distances",
    ),
    ("ordered", "ordered"): (
        "distance correlation of the mean ranks",
        "uses the order of the steps of both, and sees a turn in it as well",
    ),
    ("categorical", "numeric"): (
        "distance correlation of the ranks with distances of 0 and 1 between categories",
        "the energy statistic of whether the numbers have one distribution in all categories, not their means alone",
    ),
    ("categorical", "ordered"): (
        "distance correlation of the mean ranks with distances of 0 and 1 between categories",
        "as for numbers: any difference of the distributions counts",
    ),
    ("categorical", "categorical"): (
        "distance correlation with distances of 0 and 1 on both sides",
        "squared differences of a contingency table's cells from independence, steadier than chi-squared where cells "
        "hold few rows",
    ),
}
"""The statistic for each pair of kinds, and why."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """What depends on what in a table.

    Attributes
    ----------
    columns : list of str
        The columns looked at.
    kinds : dict of str to str
        "numeric", "ordered" or "categorical".
    target : str or None
        The column whose pairs were looked at, if not all were.
    table : polars.DataFrame
        A row a pair: the two columns, their "strength" (distance correlation, corrected for chance: 0 to 1), the
        "rank_correlation" of ordered and numeric ones, "p_value" of the permutations and "adjusted", corrected for the
        number of pairs; the clearest first.
    level : float
        Pairs with an adjusted p-value up to it depend on each other.
    n_rows : int
        Rows looked at.
    n_permutations : int
        Permutations.
    notes : list of str
        What was decided about the table.
    """

    columns: list[str]
    kinds: dict[str, str]
    target: str | None
    table: pl.DataFrame
    level: float
    n_rows: int
    n_permutations: int
    notes: list[str]

    @property
    def found(self) -> pl.DataFrame:
        """The pairs that depend on each other at the level."""
        return self.table.filter(pl.col("adjusted") <= self.level)

    def matrix(self, value: str = "strength") -> np.ndarray:
        """A square matrix of a column of the table over the columns; NaN where no pair was looked at."""
        place = {name: number for number, name in enumerate(self.columns)}
        square = np.full((len(place), len(place)), np.nan)
        for first, second, number in self.table.select("first", "second", value).iter_rows():
            square[place[first], place[second]] = square[place[second], place[first]] = number
        return square

    def to_networkx(self) -> Any:
        """The columns as a graph for networkx, a link for each pair that depends on each other."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from((name, {"kind": self.kinds[name]}) for name in self.columns)
        for row in self.found.iter_rows(named=True):
            graph.add_edge(row["first"], row["second"], weight=row["strength"], adjusted=row["adjusted"])
        return graph

    def write(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> dict[str, Path]:
        """Write the page, the picture, the GraphML and the table into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.
        spreadsheet : bool, default=False
            Whether an apostrophe goes before text that a spreadsheet would run as a formula.

        Returns
        -------
        files : dict
            "page", "picture", "graphml" and "table".
        """
        import networkx

        from treatise.compare.dependence_page import dependence_page, dependence_picture

        with output_folder(folder) as place:
            endings = {"page": "html", "picture": "png", "graphml": "graphml", "table": "csv"}
            files = {name: place / f"dependence.{ending}" for name, ending in endings.items()}
            with replacing(files["picture"]) as temporary:
                dependence_picture(self).savefig(temporary, dpi=110, format="png")
            with replacing(files["graphml"]) as temporary:
                networkx.write_graphml(self.to_networkx(), temporary)
            write_table(self.table, files["table"], spreadsheet=spreadsheet)
            with replacing(files["page"]) as temporary:
                temporary.write_text(dependence_page(self, files["picture"].read_bytes()), encoding="utf-8")
        return files


def find_dependence(
    data: str | os.PathLike[str] | Table,
    target: str | int | None = None,
    *,
    columns: list[str] | None = None,
    level: float = 0.05,
    permutations: int | None = None,
    rows: int | None = None,
    header: bool | None = None,
    seed: int = 0,
) -> Dependence:
    """Find which columns of a table depend on which, beyond correlation.

    Every pair has a distance correlation, with a distance that fits its kinds of columns (:data:`WHY`). Columns are
    permuted apart from each other, and the p-values corrected step down by the largest statistic of each permutation
    (:func:`treatise.statistics.westfall_young`): the chance that any of the pairs found is a false one is at most the
    level. Rows must not depend on one another: a time series has to be differenced first.

    Parameters
    ----------
    data : path, bundled name or Table
        The table. Missing cells leave their row out of the pairs of that column only.
    target : str, int or None, default=None
        Look at the pairs of this column alone; the other columns then stay as they are in the permutations.
    columns : list of str or None, default=None
        The columns to look at; None takes all that carry information.
    level : float, default=0.05
        Chance of any false pair.
    permutations : int or None, default=None
        Permutations; None takes 999, or 199 where there are more than 60 columns.
    rows : int or None, default=None
        Rows to look at, a random sample of them; None takes at most 5000, or 1000 with more than 60 columns.
    header, seed :
        As for :func:`compare_methods`.

    Returns
    -------
    found : Dependence
    """
    if not 0.0 < level < 1.0:
        raise TreatiseError(f"the level {level:g} must lie between 0 and 1; the usual one is 0.05")
    if permutations is not None and permutations < 19:
        raise TreatiseError(f"{permutations} permutations cannot show anything at a level of 0.05; draw 19 or more")
    if rows is not None and rows < FEWEST_ROWS:
        raise TreatiseError(f"{rows} rows are too few to tell dependence from chance; take {FEWEST_ROWS} or more")
    table = data if isinstance(data, Table) else load_table(data, header=header)
    frame, aim, notes = _columns(table, target, columns)
    many = frame.width > 60 and aim is None
    count = permutations or (199 if many else 999)
    if 1.0 / (count + 1) > level:
        raise TreatiseError(
            f"{count} permutations give no p-value below {1 / (count + 1):.3g}; draw more for level {level:g}"
        )
    most = rows or (1000 if many else 5000)
    height = frame.height
    if height > most:
        frame = frame.sample(most, seed=seed)
        notes.append(f"{most:,} of {height:,} rows are looked at, a random sample; --rows takes more")
        frame, gone = informative(frame)
        notes += [f"column {name!r} {why} in the sample; it is left out" for name, why in gone]
        if frame.width < 2 or (aim is not None and aim not in frame.columns):
            raise TreatiseError("too few columns vary in the sample of the rows; take more with --rows")
    coded = [_Coded.of(column) for column in frame]
    strengths, p_values, adjusted, pairs = _tested(coded, frame.columns, aim, count, seed)
    found = _pair_table(coded, pairs, strengths, p_values, adjusted)
    notes += _barely_shared(found)
    kinds = {column.name: column.kind for column in coded}
    return Dependence(frame.columns, kinds, aim, found, level, frame.height, count, [*table.notes, *notes])


def _columns(
    table: Table, target: str | int | None, columns: list[str] | None
) -> tuple[pl.DataFrame, str | None, list[str]]:
    """The columns to look at, the target's name, and words on what is left out."""
    if table.matrix is not None:
        raise TreatiseError("this is a sparse matrix without names; dependence needs a table of columns, such as CSV")
    frame = table.frame
    aim = None if target is None else table.column(target)
    if columns is not None:
        chosen = list(dict.fromkeys(table.column(name) for name in columns))
        frame = frame.select(chosen if aim is None or aim in chosen else [aim, *chosen])
    numbers = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    frame = frame.with_columns(pl.col(numbers).fill_nan(None)) if numbers else frame
    kept, dropped = informative(frame)
    notes = [f"column {name!r} {why}; it is left out" for name, why in dropped]
    for column in kept.iter_columns():
        present = column.drop_nulls()
        if kind_of(column) == "text":
            notes.append(f"column {column.name!r} holds free text; it is left out")
        elif present.n_unique() < 2:
            notes.append(f"column {column.name!r} has one value and gaps; it is left out")
        elif len(present) < FEWEST_ROWS:
            notes.append(f"column {column.name!r} has {len(present)} values, fewer than {FEWEST_ROWS}; it is left out")
        elif column.dtype.is_float() and np.isinf(present.to_numpy()).any():
            raise TreatiseError(f"column {column.name!r} holds an infinite number; write it as missing")
        else:
            continue
        kept = kept.drop(column.name)
    if aim is not None and aim not in kept.columns:
        raise TreatiseError(
            f"nothing can depend on the target {aim!r}; {next(note for note in notes if repr(aim) in note)}"
        )
    if kept.width < 2:
        why = "".join(f"; {note}" for note in notes[:4])
        raise TreatiseError(f"dependence needs two columns that vary, {kept.width} are left{why}")
    return kept, aim, notes


@dataclass(frozen=True, eq=False)
class _Coded:
    """A column as centred features whose products are those of its distances; zero rows where it is missing."""

    name: str
    kind: str
    features: np.ndarray
    present: np.ndarray
    ranks: np.ndarray | None

    @classmethod
    def of(cls, column: pl.Series) -> "_Coded":
        from treatise.kernels import Distance, KernelFactor

        present = column.is_not_null().to_numpy()
        values = column.drop_nulls()
        kind, ranks = _kind(values), None
        if kind == "categorical":
            inside = _indicators(values)
        else:
            numbers = values.to_physical().cast(pl.Float64).to_numpy()
            ranks = np.zeros(len(column))
            ranks[present] = copula_transform(numbers) - 0.5
            rank = min(RANK, values.n_unique() - 1, len(values) - 1)
            places = Distance().prepare(copula_transform(numbers)[:, None])
            inside = KernelFactor.on_demand(Distance(), places, tolerance=1e-12, max_rank=rank).features
            inside = inside - inside.mean(axis=0)
        features = np.zeros((len(column), inside.shape[1]), dtype=np.float32)
        # All columns of one size, so that single precision does for the products.
        features[present] = inside / np.sqrt(np.mean(np.sum(inside**2, axis=1)))
        return cls(column.name, kind, features, present, ranks)


def _kind(values: pl.Series) -> str:
    if (values.dtype.is_integer() and 2 < values.n_unique() <= ORDERED_VALUES) or isinstance(values.dtype, pl.Enum):
        return "ordered"
    if values.dtype.is_numeric() or (values.dtype.is_temporal()):
        return "numeric" if values.n_unique() > 2 else "categorical"
    return "categorical"


def _indicators(values: pl.Series) -> np.ndarray:
    """Indicators of the categories, centred; the rarest beyond a number are one."""
    _, codes, counts = np.unique(values.cast(pl.String).to_numpy(), return_inverse=True, return_counts=True)
    if len(counts) > MOST_LEVELS:
        place = np.full(len(counts), MOST_LEVELS - 1)
        place[np.argsort(-counts, kind="stable")[: MOST_LEVELS - 1]] = np.arange(MOST_LEVELS - 1)
        codes = place[codes]
    hot = np.eye(int(codes.max()) + 1)[codes]
    return hot - hot.mean(axis=0)


def _tested(
    coded: list[_Coded], names: list[str], aim: str | None, count: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Strengths, p-values and adjusted p-values of all pairs, or of those with the target."""
    rng = np.random.default_rng(seed)
    if aim is None:
        pairs = [(i, j) for i in range(len(coded)) for j in range(i)]
        moved, others = list(range(len(coded))), list(range(len(coded)))
    else:
        place = names.index(aim)
        pairs = [(place, j) for j in range(len(coded)) if j != place]
        moved, others = [place], list(range(len(coded)))
    products = _Products(coded, moved, others)
    at = tuple(np.array([(moved.index(i), j) for i, j in pairs]).T)
    seen = products.at(None)[at]
    null = np.empty((count, len(pairs)), dtype=np.float32)
    with progress("permutations", count) as advance:
        for row in range(count):
            null[row] = products.at(rng)[at]
            advance(1)
    slack = 1e-5 * np.abs(seen)  # single precision
    p_values = (1.0 + (null >= seen - slack).sum(axis=0)) / (count + 1.0)
    own, here = products.own(), np.array([column.present.sum() for column in coded])
    first, second = np.array(pairs).T
    # Of independent columns the statistic is a sum of squared normals with the mean 1 and this variance.
    variance = 2.0 * (own / here)[first] * (own / here)[second]
    adjusted = westfall_young(_surprise(seen - slack, variance), np.stack([_surprise(row, variance) for row in null]))
    scale = np.sqrt(own[first] * own[second])
    strengths = np.sqrt(np.clip((seen - null.mean(axis=0, dtype=float)) / np.where(scale > 0, scale, 1.0), 0.0, 1.0))
    return strengths, p_values, np.maximum(adjusted, p_values), pairs


def _surprise(statistics: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Statistics of different kinds of columns on one scale: minus the logarithm of the tail of a gamma distribution.

    The scale is fixed, not drawn from the permutations, so that the data are one order among the others; where the tail
    underflows, the statistic itself decides.
    """
    tail = gammaincc(1.0 / variance, np.maximum(statistics, 0.0) / variance)
    return -np.log(np.maximum(tail, 1e-300)) + 1e-6 * statistics


class _Products:
    """Squared products of the features of columns, over the rows that both have, for any order of the rows."""

    def __init__(self, coded: list[_Coded], moved: list[int], others: list[int]) -> None:
        self.coded, self.moved = coded, moved
        self.fixed = np.hstack([coded[j].features for j in others])
        self.present = np.stack([coded[j].present for j in others], axis=1).astype(np.float32)
        self.gaps = not self.present.all()
        self.starts = np.cumsum([0, *(coded[j].features.shape[1] for j in others)])[:-1]
        self.moved_starts = np.cumsum([0, *(coded[i].features.shape[1] for i in moved)])[:-1]
        self.apart = len(moved) > 1

    def at(self, rng: np.random.Generator | None) -> np.ndarray:
        """The statistics with the rows as they are, or with each moved column in an order of its own."""
        n = len(self.fixed)
        if rng is None:
            left, seen = np.hstack([self.coded[i].features for i in self.moved]), self.present[:, self.moved]
        else:
            orders = [rng.permutation(n) for _ in self.moved]
            left = np.hstack([self.coded[i].features[order] for i, order in zip(self.moved, orders, strict=True)])
            seen = np.stack([self.present[order, i] for i, order in zip(self.moved, orders, strict=True)], axis=1)
        # Where all columns move, each in its own order, a pair is two moved columns.
        right, there = (left, seen) if self.apart else (self.fixed, self.present)
        blocks = np.add.reduceat(np.add.reduceat((left.T @ right) ** 2, self.moved_starts, axis=0), self.starts, axis=1)
        both = seen.T @ there if self.gaps else np.full(blocks.shape, float(n))
        return blocks / np.maximum(both, 1.0)

    def own(self) -> np.ndarray:
        """The statistic of each column with itself."""
        return np.array(
            [np.sum((c.features.T @ c.features) ** 2) / max(int(c.present.sum()), 1) for c in self.coded], dtype=float
        )


def _pair_table(
    coded: list[_Coded], pairs: list[tuple[int, int]], strengths: np.ndarray, p_values: np.ndarray, adjusted: np.ndarray
) -> pl.DataFrame:
    rows = []
    for (i, j), strength, p_value, corrected in zip(pairs, strengths, p_values, adjusted, strict=True):
        a, b = coded[i], coded[j]
        shared = int((a.present & b.present).sum())
        numbers = float(strength), _rank_correlation(a, b), float(p_value), float(corrected)
        rows.append((b.name, a.name, b.kind, a.kind, *numbers, shared))
    schema = {
        "first": pl.String, "second": pl.String, "first_kind": pl.String, "second_kind": pl.String,
        "strength": pl.Float64, "rank_correlation": pl.Float64, "p_value": pl.Float64, "adjusted": pl.Float64,
        "rows": pl.Int64,
    }  # fmt: skip
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.sort(["adjusted", "strength"], descending=[False, True], maintain_order=True)


def _barely_shared(table: pl.DataFrame) -> list[str]:
    """Words on pairs of columns that have too few rows in common to show anything."""
    few = table.filter(pl.col("rows") < FEWEST_ROWS)
    if not few.height:
        return []
    first, second, rows = few.select("first", "second", "rows").row(0)
    others = f", and {few.height - 1} other pairs fewer than {FEWEST_ROWS}" if few.height > 1 else ""
    return [
        f"columns {first!r} and {second!r} have {rows} rows in common{others}: too few to tell dependence from chance"
    ]


def _rank_correlation(a: _Coded, b: _Coded) -> float | None:
    if a.ranks is None or b.ranks is None:
        return None
    both = a.present & b.present
    x, y = a.ranks[both], b.ranks[both]
    if len(x) < 2 or x.std() == 0 or y.std() == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])
