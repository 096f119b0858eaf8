"""The leaderboard made ready: ten rows, the others, near copies under the method whose place they share."""

from collections.abc import Sequence
from typing import Any

from treatise.report import _words as words
from treatise.report._bars import axis_labels, interval_row, mark_class
from treatise.report._scales import score_axis
from treatise.report._scatter import drawable, fastest_equivalent, time_and_score
from treatise.report.record import LeaderboardEntry, RunRecord

SHOWN = 10
STANDINGS = {
    "best": "Best",
    "equivalent": "As good as the best",
    "undecided": "Undecided",
    "worse": "Worse",
    "unjudged": "Not judged",
}
ORDER = {standing: place for place, standing in enumerate(STANDINGS)}


def board_view(run: RunRecord) -> dict[str, Any]:
    """Rows of the table, best first, in two parts: those shown and those folded away."""
    keys = {row.key for row in run.leaderboard}
    copies: dict[str, list[LeaderboardEntry]] = {}
    for row in run.leaderboard:
        if row.copy_of in keys and row.stage == "look":
            copies.setdefault(str(row.copy_of), []).append(row)
    # One that has contended has a row of its own.
    own = [row for row in run.leaderboard if row.copy_of not in keys or row.stage == "folds"]
    rows = _rows_view(run, own, copies)
    axis = score_axis(_scored(run.leaderboard), run.metric.greater_is_better)
    return {
        "count": len(run.leaderboard),
        "shown": rows[:SHOWN],
        "folded": rows[SHOWN:],
        "labels": axis_labels(axis, f"Axis from {axis.low:.3g} to {axis.high:.3g}"),
        "beyond": sum(axis.beyond(row.score) != 0 for row in _scored(run.leaderboard)),
        "standings": [standing for standing in STANDINGS if any(row.standing == standing for row in run.leaderboard)],
        "judged": any(row.standing == "best" for row in run.leaderboard),
        "intervals": any(row.low is not None for row in run.leaderboard),
        "looks": sum(row.stage == "look" for row in run.leaderboard),
    }


def _rows_view(
    run: RunRecord, own: Sequence[LeaderboardEntry], copies: dict[str, list[LeaderboardEntry]]
) -> list[dict[str, Any]]:
    metric, decimals = run.metric, decimals_of(run.leaderboard)
    axis = score_axis(_scored(run.leaderboard), metric.greater_is_better)
    leader = next((row for row in run.leaderboard if row.standing == "best"), None)
    band = (leader.low, leader.high) if leader else (None, None)
    places = {method.key: place for place, method in enumerate(run.methods, 1)}
    view = []
    for row in own:
        score, interval = words.number(row.score, decimals), words.interval(row.low, row.high, decimals)
        spoken = f"{metric.label} {score}, " + (f"95 % interval {interval}" if interval else "no interval yet")
        view.append(
            vars(row)
            | {
                "score_text": score,
                "interval_text": interval,
                "figure": interval_row(row, axis, band, spoken),
                "standing_text": STANDINGS.get(row.standing, row.standing),
                "order": 10_000 * ORDER.get(row.standing, len(ORDER)) + row.rank,
                "behind_text": _behind(row, decimals),
                "leading": row.standing in ("best", "equivalent"),
                "chosen": run.decision is not None and row.key == run.decision.key,
                "mark": mark_class(row),
                "place": places.get(row.key),
                "copies": [(copy.label, words.number(copy.score, decimals)) for copy in copies.get(row.key, [])],
            }
        )
    return view


def _behind(row: LeaderboardEntry, decimals: int) -> str:
    """How far behind the best, with the bounds that hold for all methods together."""
    if row.standing == "best" or row.behind is None:
        return ""
    bounds = words.interval(row.behind_low, row.behind_high, decimals)
    return f"behind by {words.number(row.behind, decimals)}" + (f" ({bounds})" if bounds else "")


def measures_view(run: RunRecord) -> dict[str, Any]:
    """Every measure of every method, each column with decimals of its own."""
    rows = run.leaderboard
    keys = list(dict.fromkeys(key for row in rows for key in row.metrics))
    decimals = {}
    for key in keys:
        values = [row.metrics.get(key) for row in rows]
        decimals[key] = words.decimals_for([value for value in values if value is not None], [])
    return {
        "intervals": f"{100 * run.intervals[0].level:g} %" if run.intervals and "interval_score" in keys else "",
        "columns": [(key, words.metric_name(key)) for key in keys],
        "rows": [
            (row, [(row.metrics.get(key), words.number(row.metrics.get(key), decimals[key])) for key in keys])
            for row in rows
        ],
    }


def time_view(run: RunRecord) -> dict[str, Any] | None:
    """Time against score at two sizes, and the quicker method where one is as good."""
    shown, metric, decimals = drawable(run.leaderboard), run.metric, decimals_of(run.leaderboard)
    if not shown:
        return None
    return {
        "wide": time_and_score(shown, metric, decimals, 1040, 480, names=True),
        "narrow": time_and_score(shown, metric, decimals, 358, 400, names=False),
        "quicker": fastest_equivalent(shown),
    }


def decimals_of(rows: Sequence[LeaderboardEntry]) -> int:
    """Decimals that all scores of the page have."""
    scored = _scored(rows)
    half_widths = [(row.high - row.low) / 2 for row in scored if row.low is not None and row.high is not None]
    return words.decimals_for([row.score for row in scored], half_widths)


def _scored(rows: Sequence[LeaderboardEntry]) -> list[LeaderboardEntry]:
    return [row for row in rows if row.score is not None]
