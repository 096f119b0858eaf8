"""The confusion matrix as a table: shaded cells, what was found, what was right, the commonest mistakes."""

from dataclasses import dataclass

from treatise.report.record import ConfusionMatrix

# More classes than this would be too small to read: the rarest are summed.
MOST_CLASSES = 26
SHADES = 9
MISTAKES = 3


@dataclass(frozen=True)
class Cell:
    """One cell: its count, its share of the row and its shade."""

    count: int
    share: float
    shade: int
    right: bool


@dataclass(frozen=True)
class Confusion:
    """Rows are the true classes, columns the predicted ones."""

    labels: list[str]
    cells: list[list[Cell]]
    found: list[float | None]
    """Per true class: the share of its rows that were predicted as it (recall)."""
    trusted: list[float | None]
    """Per predicted class: the share of its predictions that were right (precision)."""
    f1: list[float | None]
    """Per class: the harmonic mean of the two."""
    mistakes: list[tuple[str, str, int, int]]
    """The commonest mistakes: true class, predicted class, rows, rows of the true class."""
    summed: int
    """How many rare classes were summed into the last one, whose cell then also holds mistakes among them."""


def confusion_table(confusion: ConfusionMatrix) -> Confusion:
    """The table of a run's confusion matrix, its rarest classes summed where there are too many."""
    labels, matrix = list(confusion.labels), [[int(n or 0) for n in row] for row in confusion.matrix]
    hits, summed = [row[i] for i, row in enumerate(matrix)], 0
    if len(labels) > MOST_CLASSES:
        kept = sorted(sorted(range(len(labels)), key=lambda i: -sum(matrix[i]))[: MOST_CLASSES - 1])
        summed = len(labels) - len(kept)
        labels, matrix = _with_rest_summed(labels, matrix, kept)
        hits = [hits[i] for i in kept] + [sum(hits) - sum(hits[i] for i in kept)]
    totals = [sum(row) for row in matrix]
    predicted = [sum(column) for column in zip(*matrix)]
    mistakes = [
        (labels[i], labels[j], n, totals[i]) for i, row in enumerate(matrix) for j, n in enumerate(row) if i != j and n
    ]
    return Confusion(
        labels=labels,
        cells=[[_cell(n, totals[i], i == j) for j, n in enumerate(row)] for i, row in enumerate(matrix)],
        found=[_share(n, total) for n, total in zip(hits, totals)],
        trusted=[_share(n, total) for n, total in zip(hits, predicted)],
        f1=[_share(2 * n, total + guesses) for n, total, guesses in zip(hits, totals, predicted)],
        mistakes=sorted(mistakes, key=lambda mistake: -mistake[2])[:MISTAKES],
        summed=summed,
    )


def _with_rest_summed(labels: list[str], matrix: list[list[int]], kept: list[int]) -> tuple[list[str], list[list[int]]]:
    place = {old: new for new, old in enumerate(kept)}
    smaller = [[0] * (len(kept) + 1) for _ in range(len(kept) + 1)]
    for i, row in enumerate(matrix):
        for j, n in enumerate(row):
            smaller[place.get(i, len(kept))][place.get(j, len(kept))] += n
    return [labels[i] for i in kept] + ["all others"], smaller


def _cell(n: int, total: int, right: bool) -> Cell:
    share = n / total if total else 0.0
    # A single mistake must be seen: the square root lifts small shares.
    shade = 0 if n == 0 else max(1, round(SHADES * (share if right else share**0.5)))
    return Cell(n, share, shade, right)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
