"""What a target says: its task, and what to mind in judging predictions of it."""

import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError

MOST_CLASSES_BY_NUMBER = 20
MOST_CLASSES = 1000
RARE_SHARE, RARE_ROWS = 0.05, 30
FEWEST_OF_A_CLASS = 5
FEWEST_COUNTS = 6
"""Different whole numbers below which they are taken for classes, however they are spread."""
HEAVY_SKEWNESS, COUNTS_SKEWNESS = 2.0, 0.5
MOST_LIKELY_CLASSES, ROWS_OF_A_LIKELY_CLASS = 100, 20
_EVENTS = {"event", "status", "censored", "censor", "censoring", "cens", "death", "dead", "died", "fstat", "observed"}
_TIMES = {"time", "times", "duration", "survival", "days", "weeks", "months", "years", "tenure", "lenfol", "followup"}


def is_nan(column: pl.Series) -> np.ndarray:
    """Where a column holds what is no number."""
    return column.is_nan().fill_null(False).to_numpy() if column.dtype.is_float() else np.zeros(len(column), bool)


def rows_left_out(number: int, where: str) -> str:
    """A word on rows that are left out for want of a value."""
    which, are = ("row", "is") if number == 1 else ("rows", "are")
    return f"{number} {which} without a value in {where} {are} left out"


def read_target(
    labels: pl.Series, name: str, task: str | None, *, written: str | None = None
) -> tuple[np.ndarray, str, list[str]]:
    """The target's values, its task, and a word on the choice.

    Numbers that are ``written`` with a unit or marks between thousands are amounts, however few there are.
    """
    if labels.dtype.is_temporal():
        raise TreatiseError(f"the target {name!r} holds dates; a method here predicts numbers or classes")
    numeric, words = labels.dtype.is_numeric(), list[str]()
    whole = numeric and (labels.dtype.is_integer() or bool((labels == labels.round()).all()))
    distinct = labels.n_unique()
    if distinct == 1:
        raise TreatiseError(f"the target {name!r} has one value only ({labels[0]!r}); there is nothing to predict")
    if task is None:
        few = distinct <= MOST_CLASSES_BY_NUMBER and distinct <= max(2, len(labels) // 5)
        thinning = whole and few and distinct >= FEWEST_COUNTS and _thins_out(labels.cast(pl.Float64).to_numpy())
        if thinning:
            words.append(
                f"the {distinct} whole numbers of {name!r} are taken as counts (--task multiclass: as classes)"
            )
        if numeric and (not (whole and few) or thinning or (written is not None and distinct > 2)):
            task = "regression"
        else:
            task = "binary" if distinct == 2 else "multiclass"
            if numeric and distinct > 2:
                words.append(
                    f"the {distinct} whole numbers of {name!r} are taken as classes (--task regression: as amounts)"
                )
    if task == "regression":
        if not numeric:
            raise TreatiseError(f"the target {name!r} holds text such as {labels[0]!r}; regression needs numbers")
        y = labels.cast(pl.Float64).to_numpy()
        if not np.isfinite(y).all():
            raise TreatiseError(f"the target {name!r} holds infinite values")
        return y, task, words + amounts_to_mind(y, name)
    if task == "binary" and distinct != 2:
        raise TreatiseError(f"the target {name!r} has {distinct} values; a binary task needs two")
    if distinct > max(MOST_CLASSES_BY_NUMBER, min(MOST_CLASSES, len(labels) // 2)):
        raise TreatiseError(
            f"the target {name!r} has {distinct} different values in {len(labels)} rows; that is no set of classes"
        )
    if distinct == 2:
        task = "binary"
    y = labels.cast(pl.Int64).to_numpy() if whole else labels.cast(pl.String).to_numpy().astype(str)
    values, counts = np.unique(y, return_counts=True)
    told = {str(value): int(count) for value, count in zip(values, counts)}
    return y, task, words + alike_labels(list(told), name) + rare_classes(told)


def alike_labels(labels: list[str], name: str) -> list[str]:
    """A word on labels that differ by blanks around them or by capitals only, each of which is a class of its own."""
    alike: dict[str, list[str]] = {}
    for label in labels:
        alike.setdefault(label.strip().casefold(), []).append(label)
    return [
        f"the labels {' and '.join(map(repr, same))} of {name!r} differ in "
        f"{'capitals' if len({label.strip() for label in same}) == len(same) else 'blanks'} only and are "
        f"{len(same)} classes; if they are one, write them alike"
        for same in alike.values()
        if len(same) > 1
    ]


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """A word on the rarest class, if it is one: under 5 % of the rows, or under 30 rows, and far from an even share."""
    rows = sum(counts.values())
    label, count = min(counts.items(), key=lambda pair: pair[1])
    if count < FEWEST_OF_A_CLASS:
        return [f"class {label!r} has {'one row' if count == 1 else f'{count} rows'} only; its folds say little of it"]
    if count >= 0.5 * rows / len(counts) or (count >= RARE_SHARE * rows and count >= RARE_ROWS):
        return []
    if len(counts) == 2:
        advice = "--metric average_precision ranks by how well it is found, accuracy hardly sees it"
    else:
        advice = "balanced accuracy counts it like any other, --metric accuracy would hardly see it"
    return [f"class {label!r} is rare, {count} of {rows} rows ({count / rows:.1%}): {advice}"]


def amounts_to_mind(y: np.ndarray, name: str) -> list[str]:
    """A word on whole numbers that may be classes, on counts, or on positive amounts with a long tail."""
    low, distinct, skewness = y.min(), len(np.unique(y)), _skewness(y)
    if _whole(y) and distinct <= MOST_LIKELY_CLASSES and distinct * ROWS_OF_A_LIKELY_CLASS <= len(y) and skewness < 1:
        return [f"the {distinct} whole numbers of {name!r} are taken as amounts (--task multiclass: as classes)"]
    if are_counts(y):
        tail = ", with a long tail" if skewness > HEAVY_SKEWNESS else ""
        return [
            f"the target {name!r} holds counts (whole numbers from {low:.0f} to {y.max():.0f}{tail}): errors grow with "
            "the count; --metric mae minds the large ones less"
        ]
    if low >= 0 and skewness > HEAVY_SKEWNESS:
        return [
            f"the target {name!r} has a long tail (skewness {skewness:.1f}, the largest value is {_times(y)}): a few "
            "rows decide R² and RMSE; --metric mae, or the logarithm as the target, minds all of them"
        ]
    return []


def are_counts(y: np.ndarray) -> bool:
    """Whether amounts look like counts: whole numbers from 0 or 1 on, the large ones rarer."""
    return _whole(y) and y.min() in (0, 1) and _skewness(y) > COUNTS_SKEWNESS


def _thins_out(y: np.ndarray) -> bool:
    """Whether these are counts of which the largest has too few rows to be a class."""
    return are_counts(y) and int(np.sum(y == y.max())) < FEWEST_OF_A_CLASS


def _whole(y: np.ndarray) -> bool:
    return bool(np.all(y == np.rint(y)))


def _skewness(y: np.ndarray) -> float:
    centred = y - y.mean()
    spread = np.sqrt(np.mean(centred**2))
    return float(np.mean((centred / spread) ** 3)) if spread > 0 else 0.0


def _times(y: np.ndarray) -> str:
    median = float(np.median(y))
    return f"{y.max() / median:.0f} times the median" if median > 0 else "far above the median"


def survival_data(frame: pl.DataFrame, target: str) -> list[str]:
    """A word where the target is a time beside a flag that tells whether it was cut off, or is that flag."""
    flags = [c.name for c in frame.iter_columns() if _words_in(c.name) & _EVENTS and c.drop_nulls().n_unique() == 2]
    times = [
        c.name for c in frame.iter_columns()
        if _words_in(c.name) & _TIMES and c.dtype.is_numeric() and c.drop_nulls().n_unique() > 2
        and float(c.drop_nulls().min()) >= 0  # type: ignore[arg-type]
    ]  # fmt: skip
    pairs = [(time, flag) for time in times for flag in flags if target in (time, flag)]
    if not pairs:
        return []
    time, flag = pairs[0]
    return [
        f"{time!r} beside {flag!r} looks like survival data: where the event was not seen, the time is cut off and no "
        f"plain amount, and {flag!r} is not known beforehand; --time {time} --event {flag} instead of a target asks "
        "the methods that know of this"
    ]


def _words_in(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
