"""What theory says of a table of classes: contradictions, planes, the rows that tell a method apart, a bound."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from scipy import sparse
from scipy.stats import beta

from treatise.compare.explaining.rows import Rows
from treatise.compare.inputs import FoldPredictions
from treatise.compare.inputs.encoding import TableEncoder
from treatise.optimize import separating_plane
from treatise.theory import teaching_rows

LEVEL = 0.05
MOST_CELLS = 2_000_000
"""Of the encoded table: a linear program of more takes longer than the answer is worth."""
MOST_CLASSES = 10
MOST_CATEGORIES = 50
ROWS_NAMED = 8


def theory_lines(
    rows: Rows | None, chosen: str, label: str, predictions: Mapping[str, Sequence[FoldPredictions]], seconds: float
) -> tuple[str, ...]:
    """Sentences for the report, as far as they are known; none where classes are not what is predicted.

    Parameters
    ----------
    rows : Rows or None
        The columns and classes.
    chosen, label : str
        Key and name of the recommended method.
    predictions : mapping
        By a method's key: what it said of each fold of the first repeat while it was held out.
    seconds : float
        Time that the search for planes may take.

    Returns
    -------
    tuple of str
    """
    if rows is None or len(rows.classes) < 2 or rows.sparse or rows.numbers is not None:
        return ()
    contradicting, most = contradictions(rows)
    lines = [_of_contradictions(contradicting, most)]
    if contradicting == 0:
        lines.append(_of_planes(rows, seconds))
    lines.append(_of_teaching(label, chosen, predictions))
    lines.append(_of_bound(label, predictions.get(chosen, ())))
    return tuple(filter(None, lines))


def contradictions(rows: Rows) -> tuple[int, float]:
    """Rows that equal one of another class in every column, and the largest share that anything can get right."""
    frame = rows.X.select(rows.features).with_columns(pl.Series("\0class", rows.labels))
    counted = frame.group_by([*rows.features, "\0class"]).len("\0rows")
    groups = counted.group_by(rows.features).agg(
        pl.col("\0rows").sum().alias("\0all"), pl.col("\0rows").max().alias("\0most"), pl.len().alias("\0classes")
    )
    return int(groups.filter(pl.col("\0classes") > 1)["\0all"].sum()), int(groups["\0most"].sum()) / len(rows)


def _of_contradictions(contradicting: int, most: float) -> str:
    if contradicting == 0:
        return "No two rows that are equal in every column have different classes."
    return (
        f"{contradicting} rows are equal in every column to a row of another class: nothing can get more than "
        f"{most:.2%} of the rows of this table right."
    )


def _of_planes(rows: Rows, seconds: float) -> str:
    frame = rows.X.select(rows.features)
    if any(not kind.is_numeric() and frame[name].n_unique() > MOST_CATEGORIES for name, kind in frame.schema.items()):
        return ""  # encoded with the help of the target, which would separate by itself
    encoded = TableEncoder().fit(frame, rows.y).transform(frame)
    encoded = encoded.toarray() if sparse.issparse(encoded) else np.asarray(encoded, dtype=float)
    n, p = encoded.shape
    if n * p > MOST_CELLS or len(rows.classes) > MOST_CLASSES:
        return ""
    if p + 1 >= n:
        return (
            f"There are {p} encoded columns for {n} rows: planes separate whatever labels they have, and a fit without "
            "errors means nothing."
        )
    spread = encoded.std(axis=0)
    X = (encoded - encoded.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    wanted = [1] if len(rows.classes) == 2 else range(len(rows.classes))
    found = [separated_by_plane(X, rows.labels == number, seconds / len(wanted)) for number in wanted]
    if None in found:
        return ""
    if len(wanted) == 1:
        if found[0]:
            return (
                "A plane separates the two classes without an error: a linear method can get every row of this table "
                "right, which alone promises nothing for new ones."
            )
        return "No plane separates the two classes: what is linear in these columns errs on some row of this table."
    return f"A plane separates {sum(map(bool, found))} of the {len(found)} classes from all others without an error."


def separated_by_plane(X: np.ndarray, positive: np.ndarray, seconds: float) -> bool | None:
    """Whether some plane has all rows of one kind on one side and all others on the other; None if it is not known."""
    try:
        return separating_plane(X, positive, time_limit=max(0.01, seconds)) is not None
    except (TimeoutError, RuntimeError):  # or the numbers were beyond the program
        return None


def _of_teaching(label: str, chosen: str, predictions: Mapping[str, Sequence[FoldPredictions]]) -> str:
    """By greed: the fewest would take long to find, and are hardly fewer."""
    said = {key: dict(zip(*_joined(parts))) for key, parts in predictions.items() if len(parts)}
    if chosen not in said:
        return ""
    numbers = sorted(said[chosen])
    complete = [key for key in said if key != chosen and said[key].keys() >= said[chosen].keys()]
    if not complete:
        return ""
    table = np.array([[said[key][number] for number in numbers] for key in (chosen, *complete)])
    found = teaching_rows(table, exact=False)
    different = len(complete) - len(found.alike)
    if different == 0:
        return ""
    named = ", ".join(str(numbers[row]) for row in found.rows[:ROWS_NAMED])
    more = " and others" if len(found.rows) > ROWS_NAMED else ""
    rows = f"{len(found.rows)} held-out row{'s' if len(found.rows) > 1 else ''}"
    return f"{rows} ({named}{more}) tell {label} from the {different} other methods that predict anything else."


def _joined(parts: Sequence[FoldPredictions]) -> tuple[list[int], list]:
    return (
        np.concatenate([part.numbers for part in parts]).tolist(),
        np.concatenate([part.predicted for part in parts]).tolist(),
    )


def _of_bound(label: str, parts: Sequence[FoldPredictions]) -> str:
    """Exact binomial bounds of the folds, together at the level: true however the folds depend on each other."""
    if not parts:
        return ""
    right = np.array([np.sum(part.predicted == part.actual) for part in parts])
    judged = np.array([len(part.actual) for part in parts])
    lowest = np.where(right > 0, beta.ppf(LEVEL / len(parts), np.maximum(right, 1), judged - right + 1), 0.0)
    return (
        f"Whatever the table is like, as long as its rows are independent, with 95 % confidence {label} as fitted in "
        f"the folds gets at least {float(lowest.mean()):.2%} of new rows right on average; of the held-out ones it got "
        f"{right.sum() / judged.sum():.2%}."
    )
