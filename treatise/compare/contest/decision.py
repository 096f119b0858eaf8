"""From a judged leaderboard to a recommendation in words that a manager understands."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from treatise.catalog import FORMS
from treatise.compare.rules import Rules
from treatise.report.record import Alternative, Decision, LeaderboardEntry, Metric, Race, sentence_of

READABLE = ("constant", "linear", "tree", "additive", "probabilities")
STANDINGS = ("equivalent", "undecided", "worse", "unjudged")
NAMES_SHOWN = 4
WAS_INTERRUPTED = "The run was interrupted; the same command goes on where it stopped."
FASTER = 2.0
"""A quicker method is worth a word if it is so many times quicker."""
FEW_FOLDS = 3
"""With fewer, the order of the methods is that of a few rows: nobody should be told to take the first."""


def decide(board: Sequence[LeaderboardEntry], metric: Metric, race: Race, rules: Rules, margin: float) -> Decision:
    """What to take, and how sure that is."""
    # A near copy stands with the method whose place it shares.
    places = [e for e in board if e.copy_of is None]
    counts = {word: sum(e.standing == word for e in places) for word in STANDINGS}
    about: dict[str, Any] = {"prefer": rules.prefer, "margin": margin, "margin_share": rules.margin, **counts}
    if not board:
        reasons = ("No method finished a fold; the reasons are listed below.",)
        return Decision(
            None, "", "No method could be judged.", reasons, fit_seconds=None, predict_seconds=None, to_decide="",
            alternatives=(), **about,
        )  # fmt: skip
    best = board[0]
    equal = [best, *(e for e in board if e.standing == "equivalent" and e.stage == "folds")]
    chosen = _safer(board, _preferred(equal, rules.prefer), rules.prefer)
    return Decision(
        chosen.key, chosen.label, _headline(chosen, best, metric, race), tuple(_reasons(board, chosen, metric, margin)),
        fit_seconds=chosen.fit_seconds, predict_seconds=chosen.predict_seconds,
        to_decide=_to_decide(board, metric, margin),
        alternatives=tuple(_alternatives(board, equal, chosen, metric)), **about,
    )  # fmt: skip


def _preferred(equal: Sequence[LeaderboardEntry], prefer: str) -> LeaderboardEntry:
    """The one to take among those that are equivalent, the first of them the best."""
    if prefer == "accuracy":
        return equal[0]
    if prefer == "speed":
        return min(equal, key=_price)
    # The simplest; among equally simple ones the quickest.
    return min(equal, key=lambda e: (FORMS.index(e.form), _price(e)))


def _safer(board: Sequence[LeaderboardEntry], chosen: LeaderboardEntry, prefer: str) -> LeaderboardEntry:
    """A blend in place of the first of several methods that the rows do not tell apart.

    The first of many that are level is first by luck too, the more so the more there are; a blend of the leaders hardly
    hangs on it. It must do as well as the median of them, and not be wanted simple or quick.
    """
    level = [e for e in board if e.standing == "undecided" and e.stage == "folds"]
    singles = [e for e in level if e.form != "blend" and e.copy_of is None]
    blend = next((e for e in level if e.form == "blend"), None)
    if chosen.standing != "best" or chosen.form == "blend" or prefer in ("speed", "simple") or blend is None:
        return chosen
    ahead = sum(e.rank < blend.rank for e in singles)
    return blend if singles and 2 * ahead <= len(singles) else chosen


def _price(entry: LeaderboardEntry) -> float:
    """Processor seconds of a fit and a thousand predictions."""
    return entry.fit_seconds + entry.predict_seconds


def _headline(chosen: LeaderboardEntry, best: LeaderboardEntry, metric: Metric, race: Race) -> str:
    if chosen.form == "constant":
        if race.complete:
            return f"Nothing here predicts better than guessing ({metric.label} {chosen.score:.4g})."
        return "Too few methods had their turn to say anything; give the comparison more time with --budget."
    if chosen.folds < FEW_FOLDS:
        seen = "a single fold" if chosen.folds == 1 else f"{chosen.folds} folds"
        return (
            f"{chosen.label} leads the {race.looked} methods tried so far with {metric.label} {chosen.score:.4g}, but "
            f"that rests on {seen}, too little to rely on; give the comparison more time with --budget."
        )
    value = f"{metric.label} {chosen.score:.4g}{_interval(chosen)}"
    if chosen.key == best.key:
        return f"Take {chosen.label}: {value}, the best of {race.looked} methods tried."
    if chosen.standing == "undecided":
        return f"Take {chosen.label}: {value}; these rows do not tell which of several is best, and it blends them."
    return f"Take {chosen.label}: {value}; nothing tried is better by more than matters, and it is simpler or quicker."


def _interval(entry: LeaderboardEntry) -> str:
    return "" if entry.low is None or entry.high is None else f" (95 % interval {entry.low:.4g} to {entry.high:.4g})"


def _reasons(
    board: Sequence[LeaderboardEntry], chosen: LeaderboardEntry, metric: Metric, margin: float
) -> Iterable[str]:
    best = board[0]
    if chosen.standing == "undecided":
        yield (
            f"{best.label} scores {best.score:.4g}, but the first of many that are level is first by luck too; a blend "
            "hangs on it less. --prefer simple takes a single method."
        )
    elif chosen.key != best.key:
        yield (
            f"{best.label} scores {best.score:.4g}; with 95 % confidence {chosen.label} is behind the best by no more "
            f"than {margin:.2g}, which is taken not to matter."
        )
    guess = next((e for e in board if e.form == "constant"), None)
    if guess is not None and guess.key != chosen.key:
        yield f"Guessing gives {guess.score:.4g}."
    worse = [e.label for e in board if e.standing == "worse"]
    if worse:
        yield (
            f"{_listed(worse)} {'are' if len(worse) > 1 else 'is'} worse by more than {margin:.2g} "
            "(row by row on the same held-out rows, 5 % level for all together)."
        )
    undecided = [e.label for e in _undecided(board) if e.key != chosen.key]
    if undecided:
        yield f"{_listed(undecided)} could be as good: these rows do not tell."


def _undecided(board: Sequence[LeaderboardEntry]) -> list[LeaderboardEntry]:
    """The places that are undecided; a near copy stands with the method whose place it shares."""
    return [e for e in board if e.standing == "undecided" and e.copy_of is None]


def _to_decide(board: Sequence[LeaderboardEntry], metric: Metric, margin: float) -> str:
    undecided = _undecided(board)
    if not undecided:
        return ""
    looked = [e for e in undecided if e.stage == "look"]
    if looked:
        which = "It" if len(undecided) == 1 else "All" if looked == undecided else f"{len(looked)} of {len(undecided)}"
        return f"{which} had a look only; a larger --budget would give {'it' if len(looked) == 1 else 'them'} folds."
    them = "It has had its folds" if len(undecided) == 1 else "They have had their folds"
    share, guesses = tellable(board), [metric.merit(e.score) for e in board if e.form == "constant"]
    told = ""
    if share is not None:
        smallest = margin + share * (metric.merit(board[0].score) - max(guesses))
        told = f", and these rows tell differences from about {smallest:.2g} on"
    return f"{them}{told}: more rows of data would decide, more time hardly."


def tellable(board: Sequence[LeaderboardEntry]) -> float | None:
    """About what a method must be behind the best by, beyond the margin, for the held-out rows to tell.

    The median length of a half of the contenders' intervals, the upper one, since the lower ends at no distance; a
    share of the way from guessing to the best. Near copies of the best are next to it whatever the rows tell; None
    where nobody else contended.
    """
    rivals = [e for e in board if e.form != "constant" and e.standing != "best" and e.copy_of is None]
    contenders = [e for e in rivals if e.stage == "folds"]
    halves = [e.behind_high - e.behind for e in contenders if e.behind is not None and e.behind_high is not None]
    way = [e.behind for e in board if e.form == "constant" and e.behind is not None and e.behind > 0]
    return statistics.median(halves) / min(way) if halves and way else None


def _alternatives(
    board: Sequence[LeaderboardEntry], equal: Sequence[LeaderboardEntry], chosen: LeaderboardEntry, metric: Metric
) -> Iterable[Alternative]:
    """One method for each other wish, where one serves it better than the recommendation."""
    serious = [e for e in board if e.stage == "folds" and e.form != "constant" and e.key != chosen.key]
    if not serious:
        return
    first = serious[0]
    if metric.merit(first.score) > metric.merit(chosen.score):
        yield Alternative("accuracy", first.key, first.label, f"Scores {first.score:.4g}, the most that was seen.")
    else:
        yield Alternative("runner-up", first.key, first.label, f"Scores {first.score:.4g}, next after it.")
    close = [e for e in serious if e.standing in ("best", "equivalent", "undecided")]
    # The best of those about as quick as the quickest.
    least = min(map(_price, close), default=0.0)
    quick = next((e for e in close if FASTER * _price(e) < _price(chosen) and _price(e) <= FASTER * least), None)
    if quick is not None:
        times = _price(chosen) / max(_price(quick), 1e-6)
        yield Alternative("speed", quick.key, quick.label, f"Scores {quick.score:.4g}, {times:.3g} times as fast.")
    readable = [e for e in serious if e.form in READABLE]
    if chosen.form not in READABLE and readable:
        plain = readable[0]
        yield Alternative(
            "readable",
            plain.key,
            plain.label,
            f"Scores {plain.score:.4g} with a model that can be read ({plain.form}).",
        )


def verdict(decision: Decision, race: Race, failures: int, status: str) -> list[str]:
    """The outcome in sentences, as the terminal prints it."""
    words = [decision.headline, *decision.reasons]
    if decision.to_decide:
        words.append(decision.to_decide)
    words += map(sentence_of, decision.alternatives)
    if not race.complete and decision.key is not None:
        words.append(
            f"Only {race.looked} of {race.field} methods had a turn: the field was not compared; give more --budget."
        )
    if failures:
        words.append(f"{failures} method{'s' if failures > 1 else ''} could not take part or did not finish.")
    if status == "interrupted":
        words.append(WAS_INTERRUPTED)
    return words


def _listed(names: list[str]) -> str:
    if len(names) > NAMES_SHOWN + 1:
        names = [*names[:NAMES_SHOWN], f"{len(names) - NAMES_SHOWN} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
