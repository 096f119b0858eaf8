"""The first screen: what to use, by what margin, at what price."""

from typing import Any

from treatise.report import _words as words
from treatise.report._board import decimals_of
from treatise.report.record import Decision, RunRecord, sentence_of

PURPOSES = {
    "accuracy": "For the best score",
    "speed": "For speed",
    "readable": "To be read by people",
    "runner-up": "Runner-up",
}
COUNTS = (
    ("equivalent", "as good"),
    ("undecided", "undecided"),
    ("worse", "worse"),
    ("unjudged", "not judged"),
)


def decision_view(run: RunRecord) -> dict[str, Any] | None:
    """The decision in words, with its margin and its price; None where there is none."""
    decision = run.decision
    if decision is None:
        return None
    decimals = decimals_of(run.leaderboard)
    row = next((row for row in run.leaderboard if row.key == decision.key), None)
    # What stands elsewhere on the first screen is not said again.
    said = {decision.headline, *decision.reasons, decision.to_decide, *map(sentence_of, decision.alternatives)}
    return vars(decision) | {
        "score": words.number(row.score, decimals) if row else "",
        "interval": words.interval(row.low, row.high, decimals) if row else "",
        "margin_text": words.significant(decision.margin, 2),
        "share_text": f"{100 * decision.margin_share:.2g}" if decision.margin_share else "",
        "fit": words.duration(decision.fit_seconds),
        "predict": words.duration(decision.predict_seconds) if decision.predict_seconds is not None else "",
        "counts": _counts(run, decision),
        "others": [(PURPOSES.get(other.purpose, other.purpose), other) for other in decision.alternatives],
        "further": [sentence for sentence in run.verdict if sentence not in said],
    }


def _counts(run: RunRecord, decision: Decision) -> list[str]:
    """The other methods by their standing; near copies stand in the place of another."""
    counts = [f"{getattr(decision, name)} {word}" for name, word in COUNTS if getattr(decision, name)]
    copies = sum(row.copy_of is not None for row in run.leaderboard)
    return counts + ([words.count(copies, "near copy", "near copies")] if copies else [])
