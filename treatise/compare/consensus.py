"""One order out of many rankings: the rule that agrees best with held-out voters, its scores and how sure they are."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.stats import t as student

from treatise._core.errors import TreatiseError
from treatise.compare.convergence import watched_solvers
from treatise.compare.interval_picture import draw_intervals
from treatise.compare.output import output_folder, write_table
from treatise.datasets import Rankings, load_rankings

FOLDS = 5
JUDGES = 1000
"""Held-out voters on whom a rule is judged, at most."""
PAIRED = 1000
"""Items up to which rules that look at all pairs take part."""
KNOWN = 2000
"""Voters up to whom each gets an adherence of its own."""
PLACED = 300
"""Items up to which places have intervals."""
HELD = 1e-3  # weight of squared scores, so that a sample of voters without a finite maximum has one


def _multinomial(rankings: Rankings, adherence: str) -> np.ndarray:
    from treatise.ranking import MultinomialPreferenceModel

    kind = "ratings" if rankings.ratings else "rank_difference"
    return MultinomialPreferenceModel(kind, adherence=adherence).fit(rankings.values).scores_[0]


def _by(name: str, **options: Any) -> Callable[[Rankings], np.ndarray]:
    def scores(rankings: Rankings) -> np.ndarray:
        from treatise import ranking

        return getattr(ranking, name)(rankings.ranks, **options)

    return scores


def _by_pairs(rankings: Rankings) -> np.ndarray:
    from treatise.ranking import bradley_terry
    from treatise.ranking.aggregation.rules import majority_weights

    return bradley_terry(majority_weights(rankings.ranks), reg=HELD).scores


def _by_choices(rankings: Rankings) -> np.ndarray:
    from treatise.ranking import plackett_luce

    return plackett_luce(rankings.ranks, reg=HELD).scores


RULES: dict[str, Callable[[Rankings], np.ndarray]] = {
    "borda": _by("borda"),
    "multinomial": lambda rankings: _multinomial(rankings, "none"),
    "multinomial_adherence": lambda rankings: _multinomial(rankings, "learn"),
    "plackett_luce": _by_choices,
    "bradley_terry": _by_pairs,
    "copeland": _by("copeland"),
    "kemeny": _by("kemeny", random_state=0),
    "reciprocal_rank_fusion": _by("reciprocal_rank_fusion"),
}
"""What makes scores of rankings, by name."""
OF_PAIRS = ("plackett_luce", "bradley_terry", "copeland", "kemeny")


@dataclass(frozen=True)
class Consensus:
    """One order of the items.

    Attributes
    ----------
    method : str
        The rule.
    table : polars.DataFrame
        Columns "item", "score", "low", "high" (ends of the interval of the score), "best_place", "worst_place" and
        "votes"; the best first. Intervals are null where nothing was resampled, places beyond 300 items.
    rules : polars.DataFrame
        Columns "method", "disagreement" (share of the held-out voters' pairs in the other order) and "error" (its
        standard error); the best first. Empty where the rule was named.
    level : float
        Confidence of the intervals.
    notes : list of str
        What was decided about the rankings.
    """

    method: str
    table: pl.DataFrame
    rules: pl.DataFrame
    level: float
    notes: list[str]

    def write(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> dict[str, Path]:
        """Write the picture and the table into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.
        spreadsheet : bool, default=False
            Whether an apostrophe goes before text that a spreadsheet would run as a formula.

        Returns
        -------
        files : dict
            "picture" and "table".
        """
        with output_folder(folder) as place:
            files = {"picture": place / "consensus.png", "table": place / "consensus.csv"}
            sure = "" if self.table["low"].null_count() else f" with {100 * self.level:g}% intervals"
            draw_intervals(self.table, "item", "score", files["picture"], title=f"{self.method}: scores{sure}")
            write_table(self.table, files["table"], spreadsheet=spreadsheet)
        return files


def aggregate_rankings(
    data: str | os.PathLike[str] | Rankings,
    method: str = "auto",
    *,
    form: str | None = None,
    item: str | None = None,
    ratings: bool = False,
    resamples: int = 200,
    level: float = 0.95,
    header: bool | None = None,
    seed: int = 0,
) -> Consensus:
    """Find one order of items that many voters ranked or rated, and how sure it is.

    Parameters
    ----------
    data : path, bundled name or Rankings
        A file of PrefLib or a table; see :func:`treatise.datasets.load_rankings`.
    method : str, default="auto"
        One of :data:`RULES`; "auto" takes the one that puts the fewest pairs of held-out voters in the other order.
    form, item, ratings, header :
        How a table is read; see :func:`treatise.datasets.load_rankings`.
    resamples : int, default=200
        Samples of the voters, drawn with replacement, from which the intervals come; 0 leaves them out. Intervals are
        of what the rule would say if all voters of the kind had voted.
    level : float, default=0.95
        Confidence of the intervals.
    seed : int, default=0
        Seed of folds and samples.

    Returns
    -------
    consensus : Consensus
    """
    if resamples < 0 or 0 < resamples < 20:
        raise TreatiseError(f"{resamples} resamples say nothing of intervals; draw at least 20, or 0 to leave them out")
    if not 0.0 < level < 1.0:
        raise TreatiseError(f"the level {level:g} must lie between 0 and 1; the usual one is 0.95")
    if method not in ("auto", *RULES):
        raise TreatiseError(f"no rule is called {method!r}; choose auto, {', '.join(RULES)}")
    rankings, notes = data, list[str]()
    if not isinstance(rankings, Rankings):
        rankings, notes = load_rankings(data, form=form, item=item, ratings=ratings, header=header)  # type: ignore[arg-type]
    if len(rankings.items) < 2 or not np.any(np.diff(rankings.values.indptr) > 1):
        raise TreatiseError("no voter ranks two items; there is nothing to put in order")
    if not _decide(rankings):
        raise TreatiseError("no voter puts one item before another; there is nothing to put in order")
    notes += _groups_apart(rankings)
    rng = np.random.default_rng(seed)
    rules = _no_rules()
    if method == "auto":
        method, rules, words = _chosen(rankings, rng)
        notes += words
    scores, unfinished = _scores(method, rankings)
    notes += [f"{method} did not converge, so that its scores are approximate: {words}" for words in unfinished[:1]]
    draws = None
    if resamples and rankings.n_voters > 1:
        draws, short = _resampled(method, rankings, resamples, rng)
        if short:
            notes.append(f"{method} did not converge on {short} of {resamples} samples; the intervals are approximate")
    if rankings.n_voters == 1:
        notes.append("one voter says nothing of how others would vote; there are no intervals")
    return Consensus(method, _table(rankings, scores, draws, level), rules, level, notes)


def _no_rules() -> pl.DataFrame:
    """The table of judged rules where none was."""
    return pl.DataFrame(schema={"method": pl.String, "disagreement": pl.Float64, "error": pl.Float64})


def _decide(rankings: Rankings) -> bool:
    """Whether some voter gives two items different ranks."""
    values = rankings.values
    voter = np.repeat(np.arange(rankings.n_voters), np.diff(values.indptr))
    return bool(np.any((np.diff(values.data) != 0) & (np.diff(voter) == 0)))


def _groups_apart(rankings: Rankings) -> list[str]:
    """A word where no chain of votes leads from some items to others."""
    said = rankings.values.copy()
    said.data = np.ones_like(said.data)  # a rating of zero is said too
    _, part = connected_components(sparse.block_array([[None, said], [said.T, None]]), directed=False)
    number = len(np.unique(part[: len(rankings.items)]))  # a voter who says nothing is no group of items
    if number < 2:
        return []
    return [
        f"the items fall into {number} groups that no voter ranks together: the order between items of different "
        "groups comes from no vote"
    ]


def _scores(method: str, rankings: Rankings) -> tuple[np.ndarray, list[str]]:
    """The scores by a rule, and what its solver said if it did not converge."""
    with watched_solvers() as unfinished:
        try:
            scores = np.asarray(RULES[method](rankings), np.float64)
        except ValueError as error:
            raise TreatiseError(f"{method} cannot aggregate these rankings: {error}") from error
    return scores, unfinished


def _chosen(rankings: Rankings, rng: np.random.Generator) -> tuple[str, pl.DataFrame, list[str]]:
    """The rule that disagrees least with voters it has not seen, and all of them in order."""
    if rankings.n_voters < 2:
        return "borda", _no_rules(), []
    wide = len(rankings.items) > PAIRED
    names = [name for name in RULES if not (wide and name in OF_PAIRS)]
    words = []
    if rankings.n_voters > KNOWN:
        names.remove("multinomial_adherence")
        words.append(f"voters are not told apart beyond {KNOWN} of them: multinomial_adherence is left out")
    if wide:
        words.append(f"rules over all pairs of items are left out beyond {PAIRED} items: {', '.join(OF_PAIRS)}")
    shares: dict[str, list[float]] = {name: [] for name in names}
    fold = rng.permutation(rankings.n_voters) % min(FOLDS, rankings.n_voters)
    ranks, unfinished = rankings.ranks, set[str]()
    for number in range(min(FOLDS, rankings.n_voters)):
        train = _part(rankings, np.flatnonzero(fold != number))
        if not _decide(train):
            continue
        held = np.flatnonzero(fold == number)[: JUDGES // FOLDS]
        for name in names:
            scores, short = _scores(name, train)
            unfinished.update([name] * bool(short))
            shares[name] += [_disagreement(scores, ranks, voter) for voter in held]
    if unfinished:
        which = ", ".join(name for name in names if name in unfinished)
        words.append(f"did not converge on some folds, and may be judged too low: {which}")
    rows = []
    for name in names:
        judged = np.array(shares[name])
        judged = judged[~np.isnan(judged)]
        if not len(judged):
            told = "too few voters put items in order to judge the rules by; borda is taken, --method names another"
            return "borda", _no_rules(), [*words, told]
        rows.append(
            (name, float(judged.mean()), float(judged.std(ddof=1) / len(judged) ** 0.5) if len(judged) > 1 else None)
        )
    table = pl.DataFrame(rows, schema=["method", "disagreement", "error"], orient="row")
    table = table.sort("disagreement", maintain_order=True)
    return table["method"][0], table, words


def _disagreement(scores: np.ndarray, ranks: Any, voter: int) -> float:
    from treatise.statistics import disagreement

    part = slice(*ranks.indptr[voter : voter + 2])
    return disagreement(scores[ranks.indices[part]], -ranks.data[part])


def _part(rankings: Rankings, voters: np.ndarray) -> Rankings:
    return Rankings(rankings.items, rankings.values[:, voters], rankings.ratings)


def _resampled(method: str, rankings: Rankings, resamples: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Scores from samples of the voters, and on how many the solver fell short.

    A sample in which no pair is decided is drawn again.
    """
    draws, short = np.empty((resamples, len(rankings.items))), 0
    for number in range(resamples):
        for _ in range(100):
            sample = _part(rankings, rng.integers(0, rankings.n_voters, rankings.n_voters))
            if _decide(sample):
                break
        draws[number], unfinished = _scores(method, sample)
        short += bool(unfinished)
    return draws, short


def _table(rankings: Rankings, scores: np.ndarray, draws: np.ndarray | None, level: float) -> pl.DataFrame:
    from treatise.statistics import place_intervals

    n_items = len(scores)
    nothing: list[Any] = [None] * n_items
    low: Any = nothing
    high, best, worst = low, low, low
    if draws is not None:
        # The sample's own spread is a little too small with few voters: by the root of n over n - 1.
        n_voters = rankings.n_voters
        deviation = draws.std(axis=0, ddof=1) * np.sqrt(n_voters / (n_voters - 1))
        half = student.ppf(0.5 + 0.5 * level, n_voters - 1) * deviation
        low, high = scores - half, scores + half
        if n_items <= PLACED:
            best, worst = place_intervals(scores, draws, level=level)
    columns = {
        "item": rankings.items, "score": scores, "low": low, "high": high, "best_place": best, "worst_place": worst,
        "votes": np.bincount(rankings.values.indices, minlength=n_items),
    }  # fmt: skip
    whole = {"low": pl.Float64, "high": pl.Float64, "best_place": pl.Int64, "worst_place": pl.Int64}
    table = pl.DataFrame(columns, schema_overrides=whole)
    return table.sort("score", descending=True, maintain_order=True)
