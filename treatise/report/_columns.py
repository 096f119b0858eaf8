"""What the page shows of columns: what each is worth, what it holds, and where it goes with errors."""

from collections.abc import Sequence
from typing import Any

from treatise.report import _words as words
from treatise.report._bars import axis_labels, effect_row, error_bar, share_bar, sparkline
from treatise.report._scales import linear_axis
from treatise.report.explained import (
    ColumnBin,
    ColumnEffect,
    ColumnProfile,
    ErrorSegments,
    MethodImportance,
    Profile,
)
from treatise.report.record import Metric, RunRecord

TOP_EFFECTS = 15
TOP_PROFILES = 15
COMMONEST = 3
UNKNOWN = "What each column is worth was not measured in this run."


def effects_view(run: RunRecord) -> dict[str, Any] | None:
    """The columns that matter most to any of the best methods, side by side; or why that is not known."""
    found = run.importance
    if not found and (not run.leaderboard or run.data.target is None):
        return None
    shown = [method for method in found if method.columns]
    sentences = [(method.label, method.why_not) for method in found if method.why_not]
    view: dict[str, Any] = {"methods": shown, "sentences": sentences, "unknown": "" if found else UNKNOWN}
    return view | _effects_table(shown, run.metric)


def _effects_table(methods: Sequence[MethodImportance], metric: Metric) -> dict[str, Any]:
    by_method = [{effect.column: effect for effect in method.columns} for method in methods]
    largest: dict[str, float] = {}
    for effects in by_method:
        for column, effect in effects.items():
            mean = -float("inf") if effect.mean is None else effect.mean
            largest[column] = max(largest.get(column, mean), mean)
    ranked = sorted(largest, key=lambda column: -largest[column])
    top = ranked[:TOP_EFFECTS]
    drawn = [effects[column] for effects in by_method for column in top if column in effects]
    ends = [end for effect in drawn for end in (effect.low, effect.mean, effect.high) if end is not None]
    axis = linear_axis([0.0, *ends], 3 if len(methods) > 1 else 4, margin=0.02)
    decimals = words.decimals_for(ends, [abs(effect.mean) for effect in drawn if effect.mean])
    rows = []
    for column in top:
        cells = []
        for method, effects in zip(methods, by_method):
            cells.append(_effect_cell(effects.get(column), method.label, axis, decimals, metric))
        rows.append((column, cells))
    return {
        "rows": rows,
        "unlisted": len(ranked) - len(rows),
        "labels": axis_labels(axis, f"Axis from {axis.low:.3g} to {axis.high:.3g}"),
        "unclear": sum(not cell["sure"] for _, cells in rows for cell in cells),
    }


def _effect_cell(effect: ColumnEffect | None, label: str, axis: Any, decimals: int, metric: Metric) -> dict[str, Any]:
    if effect is None:
        return {"label": label, "figure": "", "mean": words.ABSENT, "interval": "", "sure": True}
    mean, interval = words.number(effect.mean, decimals), words.interval(effect.low, effect.high, decimals)
    sure = effect.low is None or effect.high is None or effect.low > 0 or effect.high < 0
    figure = effect_row(effect, axis, f"{metric.label} worsens by {mean} ({interval or 'no interval'})")
    return {"label": label, "figure": figure, "mean": mean, "interval": interval, "sure": sure}


def segments_view(errors: ErrorSegments | None) -> dict[str, Any] | None:
    """Where errors gather, each beside the error on all rows."""
    if errors is None:
        return None
    shares = errors.measure.startswith("share")

    def told(value: float) -> str:
        return f"{100 * value:.{1 if value < 0.1 else 0}f} %" if shares else words.significant(value)

    largest = max((segment.error for segment in errors.segments), default=0.0)
    top = 1.0 if shares and largest > 0.5 else (1.05 * largest or 1.0)
    rows = [
        vars(segment)
        | {
            "error_text": told(segment.error),
            "figure": error_bar(
                segment.error / top, errors.overall / top, f"{told(segment.error)}, {told(errors.overall)} on all rows"
            ),
            "times": segment.error / errors.overall if errors.overall else None,
        }
        for segment in errors.segments
    ]
    return vars(errors) | {"rows_view": rows, "overall_text": told(errors.overall)}


def profile_view(profile: Profile | None, classes: Sequence[str], target: str | None) -> Any:
    """Every column with its distribution, in two parts: those shown and those folded away."""
    if profile is None or not profile.columns:
        return None
    if profile.base is None:
        meaning = ""
    elif classes:
        meaning = f"share of {classes[-1]}"
    else:
        meaning = f"mean of {target}"
    rows = [_profile_row(column, profile, shares=bool(classes)) for column in profile.columns]
    return {
        "shown": rows[:TOP_PROFILES],
        "folded": rows[TOP_PROFILES:],
        "unlisted": profile.unlisted,
        "rows": profile.rows,
        "relation": profile.relation,
        "meaning": profile.meaning,
        "line": meaning,
        "target": _profile_row(profile.target, profile, shares=False) if profile.target else None,
    }


def _profile_row(column: ColumnProfile, profile: Profile, *, shares: bool) -> dict[str, Any]:
    present = [bar for bar in column.bins if bar.words != "missing"]
    spoken = "; ".join(_spoken(bar, shares) for bar in column.bins)
    categories = column.kind in ("categories", "truth values")
    return {
        "name": column.name,
        "kind": column.kind,
        "missing": column.missing,
        "missing_text": _per_cent(column.missing) if column.missing else "",
        "distinct": column.distinct,
        "figure": sparkline(
            [bar.rows for bar in column.bins],
            [bar.target for bar in column.bins] if column is not profile.target else [],
            profile.base,
            spoken,
            broken=categories or len(present) < len(column.bins),
        ),
        "holds": _holds(present, categories, profile.rows),
        "relation": column.relation,
        "relation_text": "" if column.relation is None else f"{column.relation:.2f}",
        "bar": share_bar(column.relation or 0.0, f"{profile.relation} {column.relation or 0.0:.2f}"),
    }


def _holds(bins: Sequence[ColumnBin], categories: bool, rows: int) -> list[tuple[str, str]]:
    """The commonest values with their shares, or the ends of the range."""
    if not bins:
        return []
    if categories:
        common = [bar for bar in bins if bar.words != "others"][:COMMONEST]
        return [(bar.words, _per_cent(bar.rows / rows)) for bar in common]
    first, last = bins[0].words.split(" to ")[0], bins[-1].words.split(" to ")[-1]
    return [(first if first == last else f"{first} … {last}", "")]


def _spoken(bar: ColumnBin, shares: bool) -> str:
    beside = ""
    if bar.target is not None:
        beside = f", {_per_cent(bar.target)}" if shares else f", {words.significant(bar.target)}"
    return f"{words.shortened(bar.words, 20)}: {words.count(bar.rows, 'row')}{beside}"


def _per_cent(share: float) -> str:
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{100 * share:.{1 if share < 0.1 else 0}f} %"
