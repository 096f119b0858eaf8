"""What the columns of a table say: what kind each is, which carry information, which repeat the target or rows."""

import re
import shlex

import numpy as np
import polars as pl
from scipy import sparse

MOST_CATEGORIES = 50
"""More than these are many, and have no indicator each."""
REDUCED_TEXT = 50
"""Columns that a method which takes dense input only is given of a text."""
PARTS_OF_DATE = 8
FEW_ROWS = 20
FEWEST_GROUPS = 5
WORDS_OF_TEXT, WORDS_OF_TITLES = 3, 2
NEARLY_ALL = 0.9
REPEATED_WORDS = 0.2
IDENTIFIER = "looks like an identifier: every value differs"
COUNTER = "counts the rows: it grows by the same step from each to the next"
_GLANCE = 500


def kind_of(column: pl.Series, most: int = MOST_CATEGORIES) -> str:
    """What a column holds: ``"number"``, ``"date"``, ``"category"``, ``"many"`` (more than ``most``) or ``"text"``."""
    kind = column.dtype
    if kind.is_numeric() or isinstance(kind, pl.Boolean | pl.Duration | pl.Null):
        return "number"
    if kind.is_temporal():
        return "date"
    if is_text(column):
        return "text"
    return "many" if column.n_unique() > most else "category"


def is_text(column: pl.Series) -> bool:
    """Whether a column holds sentences or lists of words: cells of several words that seldom repeat, words that do.

    Three words a cell will do, or two where nearly every cell differs, as titles do. A word is of letters alone, so
    that hashes and addresses of machines hold none.
    """
    if column.dtype != pl.String:
        return False
    distinct = column.drop_nulls().unique(maintain_order=True)
    if len(distinct) <= min(MOST_CATEGORIES, len(column) / 2):
        return False
    words = distinct.head(_GLANCE).str.to_lowercase().str.extract_all(r"\b\p{L}{2,}\b").list.unique()
    told = words.explode().drop_nulls()
    enough = WORDS_OF_TITLES if len(distinct) > NEARLY_ALL * len(column) else WORDS_OF_TEXT
    return len(told) >= enough * len(words) and _repeated(told) >= REPEATED_WORDS


def _repeated(words: pl.Series) -> float:
    """Share of words, each counted once a cell, that other cells have too."""
    counts = words.unique_counts()
    return float(counts.filter(counts > 1).sum() / len(words))


def width_of(frame: pl.DataFrame) -> int:
    """Columns after encoding; of text those that dense methods are given, as the cost of sparse ones depends on how
    long the texts are and not on how many words there are."""
    width = 0
    for column in frame.iter_columns():
        kind = kind_of(column)
        if kind in ("category", "many"):
            width += min(column.n_unique(), MOST_CATEGORIES) + (kind == "many")
        else:
            width += {"number": 1, "date": PARTS_OF_DATE, "text": REDUCED_TEXT}[kind]
    return width


def kinds_in_words(frame: pl.DataFrame) -> str:
    """How many columns of each kind there are: ``3 numeric, 1 categorical, 1 date``."""
    kinds = [kind_of(column) for column in frame.iter_columns()]
    dates, texts = kinds.count("date"), kinds.count("text")
    said = [f"{kinds.count('number')} numeric", f"{kinds.count('category') + kinds.count('many')} categorical"]
    said += [f"{dates} date{'s' * (dates > 1)}"] * (dates > 0) + [f"{texts} text"] * (texts > 0)
    return ", ".join(said)


def informative(frame: pl.DataFrame, *, plain: bool = False) -> tuple[pl.DataFrame, list[tuple[str, str]]]:
    """The columns worth keeping, and why the others are not.

    ``plain`` is for methods that take numbers and categories only: dates and free text are left out then. If a regular
    grid of fractions is all there is, it stays: somebody fits a curve.
    """
    reasons = {column.name: useless(column, plain=plain) for column in frame.iter_columns()}
    if all(reasons.values()):
        grids = [name for name, why in reasons.items() if why == COUNTER and frame[name].dtype.is_float()]
        reasons |= dict.fromkeys(grids)
    dropped = [(name, why) for name, why in reasons.items() if why]
    return frame.drop([name for name, _ in dropped]), dropped


def useless(column: pl.Series, *, plain: bool = False) -> str | None:
    """Why nothing can be learned from a column, or None if something can."""
    present = column.drop_nulls()
    if len(present) == 0:
        return "is empty"
    if isinstance(column.dtype, pl.List | pl.Struct | pl.Array | pl.Binary | pl.Object):
        return f"holds {column.dtype}, which is no number and no text"
    distinct = present.n_unique()
    if distinct == 1 and len(present) == len(column):
        return "is constant"
    if column.dtype.is_temporal():
        return "holds dates or times, which are not used" if plain else None
    if column.dtype == pl.String:
        return _useless_text(column, distinct, len(present), plain)
    if distinct == len(column) > FEW_ROWS and column.dtype.is_numeric():
        if column.dtype.is_integer() and (_is_named_id(column.name) or _span(column) == distinct - 1):
            return IDENTIFIER
        if _is_counter(column):
            return COUNTER
    return None


def _useless_text(column: pl.Series, distinct: int, present: int, plain: bool) -> str | None:
    if distinct <= FEW_ROWS or distinct <= NEARLY_ALL * present:
        return "looks like free text, which is not used" if plain and is_text(column) else None
    if is_text(column):
        return f"looks like free text: {distinct} different values" if plain else None
    if distinct == len(column):
        return IDENTIFIER
    return f"looks like an identifier: {distinct} different values in {present} rows" if distinct > 100 else None


def _span(column: pl.Series) -> int:
    return column.max() - column.min()  # type: ignore[operator,return-value]


def _is_counter(column: pl.Series) -> bool:
    """Whether numbers grow from row to row, always by the same step."""
    values = column.cast(pl.Float64).to_numpy()
    steps = np.diff(values)
    # Steps of decimal fractions differ in their last digits.
    return bool(steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-6, atol=4 * np.spacing(np.abs(values).max())))


def _is_named_id(name: str) -> bool:
    return bool(
        re.fullmatch(r"(.*[\W_])?(id|index|row|key|nr|no|number)([\W_].*)?", name.lower())
        or re.fullmatch(r".*[a-z](Id|ID)", name)
    )


def groups_of_rows(frame: pl.DataFrame) -> list[str]:
    """A word for each column that names whom or what several rows belong to, by its name and its repeats."""
    words = []
    for column in frame.iter_columns():
        named = re.fullmatch(r"(.*[\W_])?id", column.name.lower()) or re.fullmatch(r".*[a-z](Id|ID)", column.name)
        if not named or not (column.dtype.is_integer() or column.dtype == pl.String):
            continue
        distinct = column.drop_nulls().n_unique()
        if FEWEST_GROUPS <= distinct <= len(column) / 1.5:
            words.append(
                f"column {column.name!r} names {distinct} groups of rows; if new rows will be of other ones, keep each "
                f"in one fold with --group {shlex.quote(column.name)}"
            )
    return words


def leaks(X: pl.DataFrame, y: np.ndarray, target: str) -> list[str]:
    """A word for each column that repeats the target."""
    words = []
    target_texts = pl.Series(y).cast(pl.String)
    for column in X:
        same = column.dtype.is_numeric() == np.issubdtype(y.dtype, np.number)
        if same and bool((column.cast(pl.String) == target_texts).fill_null(False).all()):
            words.append(f"column {column.name!r} repeats the target {target!r}; drop it if it is not known beforehand")
    return words


def copies_of(X: pl.DataFrame | sparse.csr_matrix) -> tuple[np.ndarray | None, list[str]]:
    """Numbers of the distinct rows if some rows repeat by accident, and a word on them."""
    if sparse.issparse(X):
        # Equal rows have equal products with a random vector; different ones differ almost surely.
        keys = X @ np.random.default_rng(0).standard_normal(X.shape[1])
    else:
        keys = X.hash_rows(seed=0).to_numpy()
    _, groups = np.unique(keys, return_inverse=True)
    distinct = int(groups.max()) + 1
    copies = len(groups) - distinct
    if copies == 0:
        return None, []
    if distinct < len(groups) / 2:
        # A small table of a few categories repeats itself by nature; splitting by distinct rows would ask
        # another question than the user's.
        return None, [f"the {len(groups)} rows are {distinct} different ones, so test folds hold rows seen in training"]
    return groups, [f"{copies} rows ({copies / len(groups):.1%}) repeat another; copies of a row stay in the same fold"]
