"""The page: a run's parts made ready, put through the template, written in one step."""

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from treatise._core.files import replacing
from treatise.report import _words as words
from treatise.report._bars import share_bar
from treatise.report._board import board_view, decimals_of, measures_view, time_view
from treatise.report._columns import effects_view, profile_view, segments_view
from treatise.report._confusion import MOST_CLASSES, confusion_table
from treatise.report._decision import decision_view
from treatise.report._failures import failures_view
from treatise.report._groups import groups_view
from treatise.report._intervals import intervals_view
from treatise.report._known_groups import known_groups_view
from treatise.report._learning import learning_view
from treatise.report._panels import calibration_panel, predicted_and_actual, residual_panel, residual_words
from treatise.report._plain import plain
from treatise.report._references import bibtex, reference
from treatise.report._selections import selections_view
from treatise.report._survival import survival_view
from treatise.report._targets import targets_view
from treatise.report._thresholds import thresholds_view
from treatise.report.record import (
    BestMethod,
    CalibrationCurve,
    DataRecord,
    LeaderboardEntry,
    Race,
    Residuals,
    RunRecord,
)

MOST_CLASSES_LISTED = 30


def write_report(run: RunRecord, path: Path) -> None:
    """Write the page about ``run`` to ``path``; a reader sees the old page or the new one, never a part.

    Parameters
    ----------
    run : RunRecord
        The record that a comparison produces, finished or interrupted.
    path : Path
        Where the HTML page goes.
    """
    page = render_report(run)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def render_report(run: RunRecord) -> str:
    """The page about ``run`` as one HTML text that needs nothing else: it opens offline and fetches nothing.

    Parameters
    ----------
    run : RunRecord
        The record that a comparison produces, finished or interrupted. Every text in it is escaped.

    Returns
    -------
    str
        The page. The same run gives the same text.
    """
    run = plain(run)
    decimals, chosen = decimals_of(run.leaderboard), run.decision.key if run.decision else None
    style, script = _asset("page.css"), _asset("page.js")
    return _template().render(
        run=run,
        style=style,
        script=script,
        policy=_policy(style, script),
        data=_data_view(run.data),
        decision=decision_view(run),
        board=board_view(run),
        measures=measures_view(run),
        time=time_view(run),
        best=_best_view(run.best),
        effects=effects_view(run),
        thresholds=thresholds_view(run.thresholds),
        intervals=intervals_view(run.intervals),
        errors=segments_view(run.errors),
        known_groups=known_groups_view(run.known_groups, run.metric, decimals, chosen),
        learning=learning_view(run, decimals),
        profile=profile_view(run.profile, run.data.classes, run.data.target),
        unlabelled=run.unlabelled,
        selections=selections_view(run.selections),
        methods=_methods_view(run),
        failures=failures_view(run.failures),
        details=_details_view(run),
    )


def _data_view(data: DataRecord) -> dict[str, Any]:
    total, largest = sum(data.counts), max(data.counts, default=0)
    pairs = list(zip(data.classes, data.counts))
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
    return vars(data) | {"class_rows": classes, "unlisted": len(data.classes) - len(classes)}


def _best_view(best: BestMethod | None) -> dict[str, Any] | None:
    if best is None:
        return None
    return vars(best) | {
        "confusion": confusion_table(best.confusion) if best.confusion else None,
        "residuals": _residual_view(best.residuals),
        "calibration": _calibration_view(best.calibration or ()),
        "survival": survival_view(best.survival or ()),
        "targets": targets_view(best.targets or ()),
        "groups": groups_view(best.groups),
    }


def _calibration_view(curves: Sequence[CalibrationCurve]) -> dict[str, Any] | None:
    if not curves:
        return None
    figures = [calibration_panel(curve, large=len(curves) == 1) for curve in curves[:MOST_CLASSES]]
    return {"figures": figures, "unlisted": len(curves) - len(figures)}


def _residual_view(residuals: Residuals | None) -> dict[str, Any] | None:
    found = zip(residuals.predicted, residuals.actual) if residuals else ()
    pairs = [(p, a) for p, a in found if p is not None and a is not None]
    if not pairs:
        return None
    figures = [predicted_and_actual(pairs), residual_panel(pairs)]
    return {"figures": figures, "words": residual_words(pairs), "points": len(pairs)}


def _methods_view(run: RunRecord) -> list[dict[str, Any]]:
    """What each method is, those of the leaderboard in its order, the others after them."""
    chosen = {row.key: row for row in run.leaderboard}
    first = run.decision.key if run.decision else run.leaderboard[0].key if run.leaderboard else None
    views = [
        vars(method)
        | {
            "place": place,
            "row": chosen.get(method.key),
            "open": method.key == first,
            "params": _parameters(chosen.get(method.key)),
            "reference": (cited := reference(method)),
            "bibtex": bibtex(cited) if cited else "",
        }
        for place, method in enumerate(run.methods, 1)
    ]
    return sorted(views, key=lambda view: view["row"].rank if view["row"] else len(chosen) + view["place"])


def _parameters(row: LeaderboardEntry | None) -> list[tuple[str, str]]:
    return [(name, words.parameter(value)) for name, value in row.params.items()] if row else []


def _details_view(run: RunRecord) -> list[tuple[str, str]]:
    folds = run.folds
    kept = ", groups kept together" if folds.grouped else ""
    repeats = words.count(folds.repeats_done, "complete repeat")
    return [
        ("Treatise", run.treatise),
        ("Status", run.status),
        ("Started", words.moment(run.started)),
        ("Time used", words.duration(run.seconds)),
        ("Time budget", words.duration(run.budget) if run.budget is not None else "none"),
        ("Processes", str(run.jobs)),
        ("Seed", str(run.seed)),
        ("Methods", _race_words(run.race)),
        ("Cross-validation", f"{words.count(folds.k, 'fold')}, {repeats}{kept}"),
        ("Source", run.data.source),
        ("SHA-256 of the data", run.data.sha256 or words.ABSENT),
    ]


def _race_words(race: Race) -> str:
    tried = f"{race.looked} of {race.field} that apply were tried, {race.contended} cross-validated"
    compiled = f", {words.duration(race.compile_seconds)} of compiling" if race.compile_seconds else ""
    spent = f"{words.count(race.folds, 'fit')} in {words.duration(race.processor_seconds)} of processor time{compiled}"
    sampled = "; some with a part of the rows only" if race.rows_sampled else ""
    return f"{tried}; {spent}{sampled}"


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
