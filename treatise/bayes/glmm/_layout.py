"""From fixed columns, grouping factors and columns that vary among groups to the rows of a block arrow."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treatise._core.group_labels import places_of, sortable_labels
from treatise._core.invariants import is_count
from treatise.bayes.glmm._cycle import GroupedDesign, Term
from treatise.bayes.glmm._posterior import ColumnScale

_LARGEST_BYTES = 4 * 2**30


class RandomEffect(NamedTuple):
    """Columns whose coefficients vary among the levels of a factor.

    Attributes
    ----------
    factor : str
        Name of the grouping factor.
    labels : ndarray of shape (n_rows,)
        Level of each row.
    columns : ndarray of shape (n_rows, n_columns)
        A column of ones is an intercept.
    names : list of str
        Names of the columns.
    correlated : bool
        Whether the columns have one covariance matrix.
    """

    factor: str
    labels: np.ndarray
    columns: np.ndarray
    names: list[str]
    correlated: bool

    def units(self):
        """The size of each column, about the zero where its effects have their covariance with the others."""
        return ColumnScale.of_columns(self.columns, intercept=False).scale


@dataclass(frozen=True)
class Piece:
    """A term of the model, by the effect and the columns that it is made of."""

    effect: int
    columns: list[int]
    term: Term


class Layout:
    """Where every effect stands: the factor with most effects gets the blocks, the others columns of the border.

    Parameters
    ----------
    effects : list of RandomEffect
        Random effects.
    n_fixed : int
        Fixed effects.
    """

    def __init__(self, effects, n_fixed):
        self.n_fixed = n_fixed
        self.levels = {effect.factor: np.unique(effect.labels) for effect in effects}
        weight = dict.fromkeys(self.levels, 0)
        for effect in effects:
            weight[effect.factor] += len(self.levels[effect.factor]) * effect.columns.shape[1]
        self.main = max(weight, key=lambda factor: weight[factor]) if weight else None
        self.n_groups = len(self.levels[self.main]) if weight else 1  # one block without columns
        self.pieces: list[Piece] = []
        self.n_own, self.n_shared = 0, n_fixed
        for place, effect in enumerate(effects):
            count = effect.columns.shape[1]
            for columns in [list(range(count))] if effect.correlated else [[k] for k in range(count)]:
                self.pieces.append(Piece(place, columns, self._term(effect.factor, len(columns))))

    def plain(self):
        """The layout as plain data, which a model file may hold."""
        pieces = [[p.effect, p.columns, p.term.place, p.term.first, p.term.size, p.term.levels] for p in self.pieces]
        counts = [self.n_fixed, self.n_own, self.n_shared, self.n_groups]
        return {"counts": counts, "main": self.main, "levels": self.levels, "pieces": pieces}

    @classmethod
    def of_plain(cls, plain):
        """The layout that plain data tell of."""
        layout = cls.__new__(cls)
        layout.n_fixed, layout.n_own, layout.n_shared, layout.n_groups = plain["counts"]
        layout.main, layout.levels = plain["main"], plain["levels"]
        layout.pieces = [Piece(effect, columns, Term(*term)) for effect, columns, *term in plain["pieces"]]
        return layout

    def _invariants(self):
        yield "the sizes are counts", all(map(is_count, (self.n_fixed, self.n_own, self.n_shared, self.n_groups)))
        yield "levels are sorted", all(bool((a[1:] > a[:-1]).all()) for a in self.levels.values())
        yield (
            "the blocks are those of a factor",
            (self.n_groups == (len(self.levels[self.main]) if self.main is not None else 1)),
        )
        for piece in self.pieces:
            term, columns = piece.term, (self.n_own if piece.term.place == "own" else self.n_shared)
            width = term.size if term.place == "own" else term.size * term.levels
            yield "a term lies within its columns", all(map(is_count, (term.first, term.size, term.levels)))
            yield "a term lies within its columns", term.first + width <= columns

    def _term(self, factor, size):
        levels = len(self.levels[factor])
        if factor == self.main:
            self.n_own += size
            return Term("own", self.n_own - size, size, levels)
        self.n_shared += size * levels
        return Term("shared", self.n_shared - size * levels, size, levels)

    def rows(self, fixed, effects):
        """Rows of the arrow for a table, and which rows have a level of each term that was not there at the fit.

        Returns
        -------
        design : GroupedDesign
        new : list of ndarray of bool of shape (n_rows,)
            One for each term.
        """
        n = len(fixed)
        if 8 * n * self.n_shared > _LARGEST_BYTES:
            raise ValueError(
                f"{n} rows beside {self.n_shared - self.n_fixed} effects of the smaller factors take "
                f"{8 * n * self.n_shared / 2**30:.1f} GiB; only one factor, {self.main!r}, may have many levels"
            )
        shared, own = np.zeros((n, self.n_shared)), np.zeros((n, self.n_own))
        shared[:, : self.n_fixed] = fixed
        group, new, every = np.zeros(n, dtype=np.int64), [], np.arange(n)
        for piece in self.pieces:
            effect, term = effects[piece.effect], piece.term
            place, unknown = places_of(effect.labels, self.levels[effect.factor])
            values = np.where(unknown[:, None], 0.0, effect.columns[:, piece.columns])
            if term.place == "own":
                own[:, term.first : term.first + term.size] = values
                group = place
            else:
                for k in range(term.size):
                    shared[every, term.first + term.size * place + k] = values[:, k]
            new.append(unknown)
        terms = tuple(piece.term for piece in self.pieces)
        return GroupedDesign(shared, own, group, self.n_groups, self.n_fixed, terms), new


def group_labels(groups, n_rows):
    """Grouping factors, one a column, as lists of labels that sort: numbers or words."""
    if hasattr(groups, "columns") and not hasattr(groups, "dtype"):
        factors = [np.asarray(groups[name]) for name in groups.columns]
    else:
        table = np.asarray(groups)
        factors = [table] if table.ndim == 1 else list(table.T)
    found = []
    for labels in factors:
        if len(labels) != n_rows:
            raise ValueError(f"groups have {len(labels)} rows where X has {n_rows}")
        found.append(sortable_labels(labels))
    return found
