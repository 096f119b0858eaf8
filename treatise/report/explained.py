"""What a run explains: the parts of its record about columns, thresholds, errors and the number of rows.

Any kind of input may leave any of them out; where something could not be had, a sentence says why.
"""

from dataclasses import dataclass
from typing import Annotated

Number = float | None


@dataclass(frozen=True)
class ColumnEffect:
    """What a column is worth to a method."""

    column: Annotated[str, "The column."]
    mean: Annotated[float, "How much the metric worsens on held-out rows when the column is shuffled."]
    low: Annotated[Number, "Lower end of two standard deviations around it."]
    high: Annotated[Number, "Upper end."]


@dataclass(frozen=True)
class MethodImportance:
    """What each column is worth to one of the best methods."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    columns: Annotated[tuple[ColumnEffect, ...], "The columns, the most important first."]
    why_not: Annotated[str, "Why there are none, or not all, in a sentence; mostly empty."] = ""


@dataclass(frozen=True)
class ThresholdCurve:
    """What a threshold does to one of the best methods, from rows that were held out."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    positive: Annotated[str, "The class that is predicted at or above the threshold."]
    positives: Annotated[int, "Rows that are of it."]
    negatives: Annotated[int, "Rows that are not."]
    probabilities: Annotated[bool, "Whether thresholds are probabilities; else they are scores of the method's own."]
    thresholds: Annotated[tuple[float, ...], "Thresholds, the highest first; at most 200."]
    true_positive_rate: Annotated[tuple[float, ...], "At each: the share of the class that is found (recall)."]
    false_positive_rate: Annotated[tuple[float, ...], "At each: the share of the other rows that is taken for it."]
    precision: Annotated[tuple[float, ...], "At each: the share of those predicted that truly are of the class."]
    area: Annotated[Number, "Area under the ROC curve, of all rows; null where there is no curve."]
    average_precision: Annotated[Number, "Mean precision over the recall that each row adds; null likewise."]
    best_f1: Annotated[Number, "The threshold with the largest F1, one of those listed; null likewise."]
    youden: Annotated[Number, "The one with the largest difference of the two rates (Youden), one of those listed."]
    why_not: Annotated[str, "Why there is no curve, in a sentence; mostly empty."] = ""


@dataclass(frozen=True)
class LearningPoint:
    """The score of one of the best methods, fitted with some of the rows."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    rows: Annotated[int, "Rows that it was fitted with."]
    score: Annotated[float, "Mean of the metric on held-out rows."]
    low: Annotated[Number, "Lower end of the corrected 95 % interval; null with one fold."]
    high: Annotated[Number, "Upper end of it."]


@dataclass(frozen=True)
class Segment:
    """Rows that are alike in one column and that a method errs on more than on others."""

    column: Annotated[str, "The column."]
    words: Annotated[str, "What the rows have there: a range, a value or `missing`."]
    rows: Annotated[int, "How many they are."]
    error: Annotated[float, "The error on them."]
    p_value: Annotated[float, "Chance of so much more error by accident, after Holm for all segments looked at."]


@dataclass(frozen=True)
class ErrorSegments:
    """Where a method errs."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    measure: Annotated[str, "What error means: `share of wrong labels` or `mean absolute error`."]
    overall: Annotated[float, "The error on all held-out rows."]
    rows: Annotated[int, "How many held-out rows were looked at."]
    tried: Annotated[int, "How many segments were looked at."]
    segments: Annotated[tuple[Segment, ...], "Those with more error than chance would give, the worst first."]


@dataclass(frozen=True)
class ColumnBin:
    """A bar of a column's distribution."""

    words: Annotated[str, "What it holds: a range, a value, `others` or `missing`."]
    rows: Annotated[int, "How many rows."]
    target: Annotated[Number, "Of these rows, the mean of the target or the share of the second of two classes."]


@dataclass(frozen=True)
class ColumnProfile:
    """What a column holds."""

    name: Annotated[str, "The column."]
    kind: Annotated[str, "`numbers`, `dates`, `truth values` or `categories`."]
    missing: Annotated[float, "Share of the rows without a value."]
    distinct: Annotated[int, "Different values."]
    bins: Annotated[tuple[ColumnBin, ...], "A histogram, or the commonest values; rows without a value come last."]
    relation: Annotated[Number, "Relation to the target, see the profile; null where it cannot be told."]


@dataclass(frozen=True)
class KeptColumn:
    """A column that a selector kept in some fold."""

    column: Annotated[str, "The column, as it is encoded."]
    share: Annotated[float, "Share of the folds in which it was kept."]


@dataclass(frozen=True)
class Selection:
    """Which columns a selector keeps, and how stably."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    folds: Annotated[int, "Folds, or looks where it had no folds."]
    offered: Annotated[int, "Columns, as they are encoded, among which it chooses."]
    kept: Annotated[float, "Mean number of columns that it keeps."]
    columns: Annotated[tuple[KeptColumn, ...], "Those kept in most folds, at most 20, the most often kept first."]
    ever_kept: Annotated[int, "Columns that were kept in some fold."]
    stability: Annotated[Number, "Nogueira's index: 1 where all folds agree, 0 by chance; null with nothing to tell."]
    low: Annotated[Number, "Lower end of its 95 % interval, which takes folds for independent."]
    high: Annotated[Number, "Upper end of it."]


@dataclass(frozen=True)
class PredictiveIntervals:
    """Intervals around the predictions of one method for held-out rows, and whether they held."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    own: Annotated[bool, "Whether the method gives them itself; else they come from its errors on the other folds."]
    level: Annotated[float, "The share of rows that they should hold."]
    rows: Annotated[int, "Held-out rows with an interval, each judged once."]
    inside: Annotated[int, "Rows that lie in theirs."]
    coverage: Annotated[float, "Share of them."]
    low: Annotated[float, "Lower end of the 95 % interval of that share, which allows for rows that belong together."]
    high: Annotated[float, "Upper end of it."]
    score: Annotated[float, "Mean interval score: the width, and a fine for what lies outside; less is better."]
    width: Annotated[float, "Median width."]
    holds: Annotated[str, "`as promised`, `too narrow` or `too wide`, as far as these rows tell."]
    words: Annotated[str, "The same in a sentence."]
    numbers: Annotated[tuple[int, ...], "Rows, at most 300, by prediction: their numbers, as in `out_of_fold.csv`."]
    predicted: Annotated[tuple[Number, ...], "What was predicted of each."]
    lower: Annotated[tuple[Number, ...], "Lower ends."]
    upper: Annotated[tuple[Number, ...], "Upper ends."]
    actual: Annotated[tuple[Number, ...], "What was the case."]


@dataclass(frozen=True)
class UnlabelledWorth:
    """What the rows without a label were worth, in held-out log loss."""

    rows: Annotated[int, "Rows without a label."]
    key: Annotated[str, "The best method that learns from them."]
    label: Annotated[str, "What names it to a person."]
    beside: Annotated[str, "The best method that does not."]
    beside_label: Annotated[str, "What names that one."]
    judged: Annotated[int, "Held-out rows that both were judged on."]
    gain: Annotated[float, "By how much the log loss is lower with them; negative where it is higher."]
    low: Annotated[Number, "Lower end of its 95 % interval; null with one row."]
    high: Annotated[Number, "Upper end of it."]
    words: Annotated[str, "The same in a sentence."]


@dataclass(frozen=True)
class GroupScore:
    """How a method does on rows of groups that are new to it, and on rows of groups that it has learned from."""

    key: Annotated[str, "The method."]
    label: Annotated[str, "What names it to a person."]
    takes_groups: Annotated[bool, "Whether it learns from the column of groups."]
    new: Annotated[float, "Mean of the metric where whole groups are held out, as in the folds that decide."]
    new_low: Annotated[Number, "Lower end of its corrected 95 % interval; null with one fold."]
    new_high: Annotated[Number, "Upper end of it."]
    known: Annotated[float, "Mean of the metric on held-out rows of groups that have others to learn from."]
    known_low: Annotated[Number, "Lower end of its interval."]
    known_high: Annotated[Number, "Upper end of it."]
    standing: Annotated[str, "On known groups: `best`, `equivalent`, `undecided`, `worse`, or `unjudged`."]


@dataclass(frozen=True)
class KnownGroups:
    """Known groups beside new ones; the verdict is for new ones."""

    column: Annotated[str, "The column that names the groups."]
    groups: Annotated[int, "How many there are."]
    folds: Annotated[int, "Folds on known groups."]
    judged: Annotated[int, "Held-out rows of known groups in these folds."]
    methods: Annotated[tuple[GroupScore, ...], "The methods, the best on known groups first."]
    words: Annotated[tuple[str, ...], "The outcome in sentences."]


@dataclass(frozen=True)
class Profile:
    """What the columns hold, those most related to the target first."""

    rows: Annotated[int, "Rows that distributions and relations come from; a random part of a large table."]
    relation: Annotated[str, "The name of the relation to the target."]
    meaning: Annotated[str, "What it means, in a sentence."]
    base: Annotated[Number, "The mean of the target, or the share of the second of two classes."]
    target: Annotated[ColumnProfile | None, "The target, where it is an amount."]
    columns: Annotated[tuple[ColumnProfile, ...], "The columns that predict; at most 200."]
    unlisted: Annotated[int, "Columns with a weaker relation that are not listed."]
