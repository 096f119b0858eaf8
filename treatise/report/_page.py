"""The page: a run's parts made ready, put through the template, written in one step."""

import base64
import hashlib
import json
import shlex
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from treatise._core.files import replacing
from treatise.report import _words as words
from treatise.report._bars import axis_labels, effect_row, interval_row, mark_class, share_bar
from treatise.report._confusion import MOST_CLASSES, confusion_table
from treatise.report._panels import calibration_panel, predicted_and_actual, residual_panel, residual_words
from treatise.report._plain import plain
from treatise.report._scales import linear_axis, score_axis
from treatise.report._scatter import drawable, fastest_level, time_and_score

TOP_EFFECTS = 20
MOST_CLASSES_LISTED = 30
STANDINGS = {
    "best": "Best",
    "level": "Level with the best",
    "behind": "Behind the best",
    "too few folds": "Too few folds to tell",
}


def write_report(run: dict[str, Any], path: Path) -> None:
    """Write the page about ``run`` to ``path``; a reader sees the old page or the new one, never a part.

    Parameters
    ----------
    run : dict
        The run dictionary that a comparison produces, finished or interrupted.
    path : Path
        Where the HTML page goes.
    """
    page = render_report(run)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def render_report(run: dict[str, Any]) -> str:
    """The page about ``run`` as one HTML text that needs nothing else: it opens offline and fetches nothing.

    Parameters
    ----------
    run : dict
        The run dictionary that a comparison produces, finished or interrupted. Every text in it is escaped.

    Returns
    -------
    str
        The page. The same run gives the same text.
    """
    run = plain(run)
    style, script = _asset("page.css"), _asset("page.js")
    return _template().render(
        run=run,
        style=style,
        script=script,
        policy=_policy(style, script),
        data=_data_view(run["data"]),
        rows=_leaderboard_view(run),
        axis=_axis_view(run),
        measures=_measures_view(run),
        time=_time_view(run),
        best=_best_view(run["best"], run["metric"], run["data"]),
        methods=_methods_view(run),
        details=_details_view(run),
    )


def _leaderboard_view(run: dict[str, Any]) -> list[dict[str, Any]]:
    rows, metric = run["leaderboard"], run["metric"]
    decimals = _decimals(rows)
    axis = score_axis(_scored(rows), metric["greater_is_better"])
    leader = next((row for row in rows if row["standing"] == "best"), None)
    band = (leader["low"], leader["high"]) if leader else (None, None)
    places = {method["key"]: place for place, method in enumerate(run["methods"], 1)}
    view = []
    for row in rows:
        score, interval = words.number(row["score"], decimals), words.interval(row["low"], row["high"], decimals)
        spoken = f"{metric['label']} {score}, " + (f"95 % interval {interval}" if interval else "no interval yet")
        view.append(
            row
            | {
                "score_text": score,
                "interval_text": interval,
                "figure": interval_row(row, axis, band, spoken),
                "standing_text": STANDINGS.get(row["standing"], row["standing"]),
                "leading": row["standing"] in ("best", "level"),
                "mark": mark_class(row),
                "place": places.get(row["key"]),
            }
        )
    return view


def _axis_view(run: dict[str, Any]) -> dict[str, Any]:
    rows, better = _scored(run["leaderboard"]), run["metric"]["greater_is_better"]
    axis = score_axis(rows, better)
    return {
        "labels": axis_labels(axis, f"Axis from {axis.low:.3g} to {axis.high:.3g}"),
        "beyond": sum(axis.beyond(row["score"]) != 0 for row in rows),
    }


def _measures_view(run: dict[str, Any]) -> dict[str, Any]:
    """Every measure of every method, each column with decimals of its own."""
    rows = run["leaderboard"]
    keys = list(dict.fromkeys(key for row in rows for key in row["metrics"]))
    decimals = {}
    for key in keys:
        values = [row["metrics"].get(key) for row in rows]
        decimals[key] = words.decimals_for([value for value in values if value is not None], [])
    return {
        "columns": [(key, words.metric_name(key)) for key in keys],
        "rows": [
            (row, [(row["metrics"].get(key), words.number(row["metrics"].get(key), decimals[key])) for key in keys])
            for row in rows
        ],
    }


def _time_view(run: dict[str, Any]) -> dict[str, Any] | None:
    shown, metric, decimals = drawable(run["leaderboard"]), run["metric"], _decimals(run["leaderboard"])
    if not shown:
        return None
    return {
        "wide": time_and_score(shown, metric, decimals, 1040, 480, names=True),
        "narrow": time_and_score(shown, metric, decimals, 358, 400, names=False),
        "quicker": fastest_level(shown),
    }


def _data_view(data: dict[str, Any]) -> dict[str, Any]:
    total, largest = sum(data["counts"]), max(data["counts"], default=0)
    pairs = list(zip(data["classes"], data["counts"]))
    if len(pairs) > MOST_CLASSES_LISTED:
        pairs = sorted(pairs, key=lambda pair: -pair[1])[:MOST_CLASSES_LISTED]
    classes = [
        {
            "label": label,
            "rows": rows,
            "share": rows / total if total else 0.0,
            "figure": share_bar(rows / largest if largest else 0.0, f"{rows} rows"),
        }
        for label, rows in pairs
    ]
    return data | {"class_rows": classes, "unlisted": len(data["classes"]) - len(classes)}


def _best_view(best: dict[str, Any] | None, metric: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    if best is None:
        return None
    return best | {
        "confusion": confusion_table(best["confusion"]) if best["confusion"] else None,
        "residuals": _residual_view(best["residuals"]),
        "calibration": _calibration_view(best["calibration"] or []),
        "effects": _effects_view(best["importance"] or [], metric),
        "code": _code(best, data["task"], data["source"]),
    }


def _calibration_view(curves: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not curves:
        return None
    figures = [calibration_panel(curve, large=len(curves) == 1) for curve in curves[:MOST_CLASSES]]
    return {"figures": figures, "unlisted": len(curves) - len(figures)}


def _residual_view(residuals: dict[str, Any] | None) -> dict[str, Any] | None:
    columns = (residuals["predicted"], residuals["actual"]) if residuals else ([], [])
    pairs = [(p, a) for p, a in zip(*columns) if p is not None and a is not None]
    if not pairs:
        return None
    figures = [predicted_and_actual(pairs), residual_panel(pairs)]
    return {"figures": figures, "words": residual_words(pairs), "points": len(pairs)}


def _effects_view(effects: list[dict[str, Any]], metric: dict[str, Any]) -> dict[str, Any] | None:
    if not effects:
        return None
    ranked = sorted(effects, key=lambda effect: (effect["mean"] is None, -(effect["mean"] or 0.0)))
    shown = ranked[:TOP_EFFECTS]
    ends = [effect[key] for effect in shown for key in ("low", "mean", "high") if effect[key] is not None]
    axis = linear_axis([0.0, *ends], 4, margin=0.02)
    decimals = words.decimals_for(ends, [abs(effect["mean"]) for effect in shown if effect["mean"]])
    rows = []
    for effect in shown:
        mean = words.number(effect["mean"], decimals)
        interval = words.interval(effect["low"], effect["high"], decimals)
        clear = not interval or effect["low"] > 0 or effect["high"] < 0
        figure = effect_row(effect, axis, f"{metric['label']} worsens by {mean} ({interval or 'no interval'})")
        rows.append((effect["column"], mean, interval, clear, figure))
    return {
        "rows": rows,
        "unlisted": len(effects) - len(rows),
        "labels": axis_labels(axis, f"Axis from {axis.low:.3g} to {axis.high:.3g}"),
        "unclear": sum(not clear for _, _, _, clear, _ in rows),
    }


def _code(best: dict[str, Any], task: str, source: str) -> dict[str, str] | None:
    """How to use the saved model, in Python and on the command line."""
    if best["model"] is None:
        return None
    if task == "sequence" and any(ending in source.lower() for ending in (".csv", ".tsv", ".parquet", ".pq")):
        return {
            "python": "\n".join(
                [
                    "from treatise.compare import label_table",
                    "from treatise.io import load_model, read_table",
                    "",
                    f"model = load_model({json.dumps(best['model'], ensure_ascii=False)})",
                    'print(label_table(model, read_table("new.csv")))',
                ]
            ),
            "shell": f"treatise label {shlex.quote(best['model'])} new.csv -o labelled.csv",
        }
    if task == "sequence":
        return {
            "python": "\n".join(
                [
                    "from treatise.compare import label_sentences",
                    "from treatise.io import load_model, read_conll",
                    "",
                    f"model = load_model({json.dumps(best['model'], ensure_ascii=False)})",
                    'print(label_sentences(model, read_conll("new.conllu")))',
                ]
            ),
            "shell": f"treatise label {shlex.quote(best['model'])} new.conllu -o labelled.conllu",
        }
    lines = [
        "from treatise.compare import predict_table",
        "from treatise.io import load_model, read_table",
        "",
        f"model = load_model({json.dumps(best['model'], ensure_ascii=False)})",
        'print(predict_table(model, read_table("new.csv")))',
    ]
    return {
        "python": "\n".join(lines),
        "shell": f"treatise predict {shlex.quote(best['model'])} new.csv -o out.csv",
    }


def _methods_view(run: dict[str, Any]) -> list[dict[str, Any]]:
    """What each method is, those of the leaderboard in its order, the others after them."""
    chosen = {row["key"]: row for row in run["leaderboard"]}
    return [
        method | {"place": place, "row": chosen.get(method["key"]), "params": _parameters(chosen.get(method["key"]))}
        for place, method in sorted(
            enumerate(run["methods"], 1),
            key=lambda item: chosen[item[1]["key"]]["rank"] if item[1]["key"] in chosen else len(chosen) + item[0],
        )
    ]


def _parameters(row: dict[str, Any] | None) -> list[tuple[str, str]]:
    return [(name, words.parameter(value)) for name, value in row["params"].items()] if row else []


def _details_view(run: dict[str, Any]) -> list[tuple[str, str]]:
    folds = run["folds"]
    kept = ", groups kept together" if folds["grouped"] else ""
    repeats = words.count(folds["repeats_done"], "complete repeat")
    return [
        ("Treatise", run["treatise"]),
        ("Status", run["status"]),
        ("Started", words.moment(run["started"])),
        ("Time used", words.duration(run["seconds"])),
        ("Time budget", words.duration(run["budget"]) if run["budget"] is not None else "none"),
        ("Processes", str(run["jobs"])),
        ("Seed", str(run["seed"])),
        ("Cross-validation", f"{words.count(folds['k'], 'fold')}, {repeats}{kept}"),
        ("Source", run["data"]["source"]),
        ("SHA-256 of the data", run["data"]["sha256"] or words.ABSENT),
    ]


def _scored(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["score"] is not None]


def _decimals(rows: list[dict[str, Any]]) -> int:
    scored = _scored(rows)
    bounded = [row for row in scored if row["low"] is not None and row["high"] is not None]
    return words.decimals_for([row["score"] for row in scored], [(row["high"] - row["low"]) / 2 for row in bounded])


def _policy(style: str, script: str) -> str:
    """A content security policy: this style sheet and this script run, nothing else does, nothing is fetched."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (files("treatise.report") / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("treatise.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=words.count,
        duration=words.duration,
        in_sentence=words.in_sentence,
        listing=words.listing,
        probability=words.probability,
        shortened=words.shortened,
    )
    return environment.get_template("page.html")
