"""Entities of an event log by risk or by oddity, with the reasons."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise._core.progress import progress
from treatise.compare.output import output_folder, write_table
from treatise.datasets import load_table
from treatise.io import Table

FOLDS = 5
REASONS = 3
TREES = 250
EVENTS = "number of events"
VOLUME_BLOCKS = ("events", "distinct_", "max_", "variance_", "burst_events_", "gaps_", "flags", "quick_gaps")
VOLUME_ENDS = ("_sum", "_squares", "_count")
"""Features that grow with the number of events: of use beside labels; alone they only find the busiest."""


@dataclass(frozen=True, eq=False)
class RankedEntities:
    """Entities of a log, those of the highest risk first, or the oddest.

    Attributes
    ----------
    entity : str
        The column of the entities.
    label, positive : str or None
        The column of labels, and the one that is looked for; None without labels.
    table : polars.DataFrame
        A row an entity: "rank", the entity, "score", "events", its label where there are labels, and its reasons.
    features : polars.DataFrame
        The features of every entity.
    words : dict of str to str
        What each feature says.
    importance : polars.DataFrame
        Features by what they add to the scores: "feature", "says", "share", and medians of those looked for and of the
        others, or of the odd tenth and of all.
    facts : dict
        "entities", "events", "labelled", "positives", and, with labels, "average precision" of scores that no entity's
        own label had a part in, with that of "chance".
    notes : list of str
        What was decided about the log.
    """

    entity: str
    label: str | None
    positive: str | None
    table: pl.DataFrame
    features: pl.DataFrame
    words: dict[str, str]
    importance: pl.DataFrame
    facts: dict[str, Any]
    notes: list[str]

    def write(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> dict[str, Path]:
        """Write the page, the picture and the tables into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.
        spreadsheet : bool, default=False
            Whether an apostrophe goes before text that a spreadsheet would run as a formula.

        Returns
        -------
        files : dict
            "page", "picture", "entities", "features" and "importance".
        """
        from treatise.compare.events_page import events_page, events_picture

        with output_folder(folder) as place:
            files = {"page": place / "events.html", "picture": place / "events.png"}
            tables = {"entities": self.table, "features": self.features, "importance": self.importance}
            with replacing(files["picture"]) as temporary:
                events_picture(self).savefig(temporary, dpi=110, format="png")
            for name, frame in tables.items():
                files[name] = place / f"{name}.csv"
                write_table(frame, files[name], spreadsheet=spreadsheet)
            with replacing(files["page"]) as temporary:
                temporary.write_text(events_page(self, files["picture"].read_bytes()), encoding="utf-8")
        return files


def rank_entities(
    data: str | os.PathLike[str] | Table,
    entity: str | int,
    time: str | int,
    *,
    label: str | int | None = None,
    positive: str | None = None,
    fields: list[str] | None = None,
    visitor: str | None = None,
    page: str | None = None,
    header: bool | None = None,
    seed: int = 0,
) -> RankedEntities:
    """Rank the entities of an event log by the risk that labels teach, or by how odd they are, with the reasons.

    Every entity is described by :class:`~treatise.applications.EventLogFeatures`. With labels, a forest that samples by
    class (:class:`~treatise.applications.ClassSampledForest`) learns them; a labelled entity is scored by a forest that
    has not seen its label, and the reasons are the features that add most to its score on the paths through the trees.
    Without, the score is how far its features lie in the tails of all entities, the mean of -log of the share that is
    as far out; features that only grow with the number of events are left out of it. Odd is not guilty.

    Parameters
    ----------
    data : path or Table
        The log: a row an event.
    entity, time : str or int
        Columns that say whose event it is, and when.
    label : str, int or None, default=None
        A column with the same label in all events of an entity; empty where it is not known.
    positive : str or None, default=None
        The label that is looked for; None takes the rarer of two.
    fields : list of str or None, default=None
        Columns of categories; None takes all that can be.
    visitor, page : str or None, default=None
        Fields that say who acts and where, for gaps.
    header, seed :
        As for :func:`compare_methods`.

    Returns
    -------
    found : RankedEntities
    """
    from treatise.applications import EventLogFeatures

    table = data if isinstance(data, Table) else load_table(data, header=header)
    if table.matrix is not None:
        raise TreatiseError("this is a sparse matrix without names; a log is a table with an event a row, such as CSV")
    who, when = table.column(entity), table.column(time)
    aim = None if label is None else table.column(label)
    if len({who, when, aim}) < 3 - (aim is None):
        raise TreatiseError(f"entity, time and label are different columns; got {who!r}, {when!r} and {aim!r}")
    taken = {who, aim} & {"rank", "score", EVENTS, *(f"reason {k + 1}" for k in range(REASONS))}
    if taken:
        raise TreatiseError(f"column {min(map(str, taken))!r} has the name of a column of the answer; rename it")
    frame, notes = table.frame, list(table.notes)
    gaps = frame.filter(pl.col(who).is_null() | pl.col(when).is_null()).height
    if gaps == frame.height:
        raise TreatiseError(f"no event has both an entity ({who}) and a time ({when})")
    if gaps:
        notes.append(f"{gaps:,} of {frame.height:,} events lack the entity or the time; they are left out")
        frame = frame.filter(pl.col(who).is_not_null() & pl.col(when).is_not_null())
    chosen = None if fields is None else [table.column(name) for name in fields]
    log = frame if aim is None else frame.drop(aim)
    who_acts, where = (None if name is None else table.column(name) for name in (visitor, page))
    describe = EventLogFeatures(who, when, chosen, visitor=who_acts, page=where)
    try:
        features = describe.fit_transform(log)
    except ValueError as error:
        raise TreatiseError(str(error)) from None
    notes.append(f"fields: {', '.join(describe.fields_) or 'none'}; features: {features.width - 1:,}")
    if features.height < 2:
        raise TreatiseError(f"column {who!r} has one entity; a ranking needs two or more")
    X = features.drop(who).to_numpy()
    facts: dict[str, Any] = {"entities": features.height, "events": frame.height, "labelled": 0, "positives": 0}
    if aim is None:
        scores, parts = _oddity(X, list(describe.feature_words_))
        known = looked_for = None
    else:
        known, looked_for = _labels(frame, features[who], who, aim, positive)
        scores, parts, precision = _risk(X, known, str(looked_for), seed)
        held = known.is_not_null()
        facts |= {"labelled": int(held.sum()), "positives": int((known == looked_for).sum())}
        facts |= {"average precision": precision, "chance": facts["positives"] / facts["labelled"]}
        if facts["labelled"] < features.height:
            notes.append(
                f"{features.height - facts['labelled']:,} entities have no label; all others teach their score"
            )
    ranked = _table(features, who, aim, known, scores, parts, describe.feature_words_, X)
    importance = _importance(X, parts, scores, known, looked_for, describe.feature_words_)
    return RankedEntities(
        who, aim, looked_for, ranked, features, describe.feature_words_, importance, facts, notes
    )  # fmt: skip


def _labels(
    frame: pl.DataFrame, entities: pl.Series, who: str, aim: str, positive: str | None
) -> tuple[pl.Series, str]:
    """The label of every entity, in the order of the features, and the one that is looked for."""
    pairs = (
        frame.select(pl.col(who).cast(pl.String), pl.col(aim).cast(pl.String)).drop_nulls().unique(maintain_order=True)
    )
    twice = pairs.filter(pl.col(who).is_duplicated())
    if twice.height:
        name = twice[who][0]
        labels = ", ".join(sorted(twice.filter(pl.col(who) == name)[aim]))
        raise TreatiseError(f"entity {name!r} has several labels in column {aim!r}: {labels}; it must have one")
    known = dict(pairs.iter_rows())
    found = pl.Series(aim, [known.get(name) for name in entities.cast(pl.String)], dtype=pl.String)
    counts = found.drop_nulls().value_counts(sort=True)
    told = ", ".join(f"{label} ({count})" for label, count in counts.iter_rows())
    if positive is None:
        if counts.height != 2:
            raise TreatiseError(
                f"column {aim!r} has {counts.height} labels{': ' * bool(told)}{told}; name the one that is looked for "
                "with --positive, or give a column with two"
            )
        positive = counts[aim][-1]
    elif positive not in set(counts[aim]):
        raise TreatiseError(f"no entity has the label {positive!r} in column {aim!r}; there are {told}")
    rare = int((found == positive).sum())
    other = int(found.is_not_null().sum()) - rare
    if min(rare, other) < 2:
        raise TreatiseError(
            f"{rare} entities with the label {positive!r} and {other} others: two of each are the least to learn from"
        )
    return found, str(positive)


def _risk(X: np.ndarray, known: pl.Series, positive: str, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Probability of the label, what each feature adds to it, and the average precision of scores held out."""
    from sklearn.metrics import average_precision_score
    from sklearn.model_selection import StratifiedKFold

    from treatise.applications import ClassSampledForest

    held = np.flatnonzero(known.is_not_null().to_numpy())
    y = (known == positive).fill_null(False).to_numpy()
    folds = min(FOLDS, int(y.sum()), int((~y[held]).sum()))
    scores, parts = np.empty(len(X)), np.empty(X.shape)
    rest = np.setdiff1d(np.arange(len(X)), held)
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(held, y[held])
    work = [(held[train], held[test]) for train, test in splits] + ([(held, rest)] if len(rest) else [])
    with progress("forests", len(work)) as advance:
        for train, test in work:
            forest = ClassSampledForest(n_estimators=TREES, random_state=seed).fit(X[train], y[train])
            scores[test] = forest.predict_proba(X[test])[:, 1]
            parts[test] = forest.contributions(X[test], True)[0]
            advance(1)
    return scores, parts, float(average_precision_score(y[held], scores[held]))


def _oddity(X: np.ndarray, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """How far entities lie in the tails of their features: mean of -log of twice the smaller tail."""
    from scipy.stats import rankdata

    grows = np.array([name.startswith(VOLUME_BLOCKS) or name.endswith(VOLUME_ENDS) for name in names])
    parts = np.zeros(X.shape)
    below = rankdata(X[:, ~grows], method="max", axis=0) / len(X)
    above = rankdata(-X[:, ~grows], method="max", axis=0) / len(X)
    parts[:, ~grows] = -np.log(np.minimum(1.0, 2.0 * np.minimum(below, above)))
    parts /= max(int((~grows).sum()), 1)
    return parts.sum(axis=1), parts


def _table(
    features: pl.DataFrame, who: str, aim: str | None, known: pl.Series | None, scores: np.ndarray,
    parts: np.ndarray, words: dict[str, str], X: np.ndarray,
) -> pl.DataFrame:  # fmt: skip
    """The ranking, with the reasons in words."""
    names = list(words)
    order = np.argsort(-scores, kind="stable")
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(order) + 1), who: features[who].gather(order), "score": scores[order],
        EVENTS: features["events"].gather(order).cast(pl.Int64),
    }  # fmt: skip
    if aim is not None and known is not None:
        columns[aim] = known.gather(order)
    spread = np.sort(X, axis=0)
    middle = np.median(X, axis=0)
    reasons: list[list[str]] = [[] for _ in range(REASONS)]
    for i in order:
        told = _reasons(parts[i], names)
        for k in range(REASONS):
            j = told[k] if k < len(told) else None
            reasons[k].append("" if j is None else _reason(words[names[j]], X[i, j], middle[j], spread[:, j]))
    columns |= {f"reason {k + 1}": reasons[k] for k in range(REASONS)}
    return pl.DataFrame(columns)


def _reasons(part: np.ndarray, names: list[str]) -> list[int]:
    """The features that add most, no two of which say the same of the same thing."""
    told: list[int] = []
    subjects: set[str] = set()
    for j in np.argsort(-part, kind="stable")[:60]:
        subject = _subject(names[j])
        if part[j] <= 0 or len(told) == REASONS:
            break
        if subject not in subjects:
            subjects.add(subject)
            told.append(int(j))
    return told


def _subject(name: str) -> str:
    """What a feature is about, without scale and statistic."""
    head, _, rest = name.partition("_")
    if head == "series":
        return "series " + rest.rsplit("_", 1)[0].removesuffix("_rise").removesuffix("_fall")
    if head == "burst":
        return "burst " + rest.split("_", 1)[1].rsplit("_", 1)[0]
    if head in ("volume", "gaps"):
        return head
    return name


def _reason(words: str, value: float, middle: float, spread: np.ndarray) -> str:
    """A feature's value beside the usual one, and how many entities have less or more."""
    others = len(spread) - 1
    below = int(np.searchsorted(spread, value, side="left"))
    above = len(spread) - int(np.searchsorted(spread, value, side="right"))
    passed = max(below, above)
    how_many = "all others" if passed == others else f"{100 * passed // others}% of the others"
    where = f"{'more' if below >= above else 'less'} than {how_many}"
    return f"{words}: {_number(value)} (usual {_number(middle)}; {where})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.3g}"


def _importance(
    X: np.ndarray, parts: np.ndarray, scores: np.ndarray, known: pl.Series | None, positive: str | None,
    words: dict[str, str],
) -> pl.DataFrame:  # fmt: skip
    """What features add to the scores of those looked for, or of the odd tenth."""
    if known is None:
        top = scores >= np.quantile(scores, 0.9)
        others = np.ones(len(X), dtype=bool)
        heads = ("median of the oddest tenth", "median of all")
    else:
        top = (known == positive).fill_null(False).to_numpy()
        others = (known != positive).fill_null(False).to_numpy()
        heads = (f"median of {positive}", "median of the others")
    added = np.maximum(parts[top].mean(axis=0), 0.0)
    share = added / added.sum() if added.sum() > 0 else added
    frame = pl.DataFrame(
        {
            "feature": list(words), "says": list(words.values()), "share": share,
            heads[0]: np.median(X[top], axis=0), heads[1]: np.median(X[others], axis=0),
        }
    )  # fmt: skip
    return frame.sort("share", descending=True, maintain_order=True)
