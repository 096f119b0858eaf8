"""Axes, words, matrices and drawings: the numbers behind what the page shows."""

import math
import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from treatise.catalog import load_catalogue
from treatise.report import _words as words
from treatise.report._bars import effect_row, interval_row, sparkline
from treatise.report._confusion import MOST_CLASSES, confusion_table
from treatise.report._learning import learning_panel, learning_view
from treatise.report._panels import calibration_panel, predicted_and_actual, residual_panel, residual_words
from treatise.report._references import bibtex
from treatise.report._scales import linear_axis, score_axis, time_axis
from treatise.report._scatter import fastest_equivalent, time_and_score
from treatise.report._thresholds import precision_panel, roc_panel
from treatise.report.explained import ColumnEffect
from treatise.report.record import CalibrationCurve, ConfusionMatrix, Metric, PaperRecord, RunRecord


def row(score, low=None, high=None, **more):
    """A row of the leaderboard, as far as drawings need it."""
    shown = {
        "score": score, "low": low, "high": high, "rank": 1, "label": "m", "baseline": False,
        "standing": "worse", "fit_seconds": 1.0, "copy_of": None, **more,
    }  # fmt: skip
    return SimpleNamespace(**shown)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"), (0.0, "< 1 ms"), (0.0042, "4 ms"), (0.0996, "0.10 s"), (0.206, "0.21 s"), (0.997, "1.0 s"),
        (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min"), (118.2, "1 min 58 s"), (3599.7, "1 h"),
        (6000, "1 h 40 min"), (86400, "24 h"),
    ],
)  # fmt: skip
def test_durations_are_in_the_unit_that_suits_them(seconds, text):
    assert words.duration(seconds).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(None, 3, "–"), (0.12345, 3, "0.123"), (-0.5, 1, "−0.5"), (-0.0001, 3, "0.000"), (12345.6, 0, "12,346"),
     (-3.2e9, 2, "−3.20e+09")],
)  # fmt: skip
def test_numbers_have_true_minus_signs_and_no_negative_zero(value, decimals, text):
    assert words.number(value, decimals) == text


@pytest.mark.parametrize(
    ("scores", "half_widths", "decimals"),
    [([0.99, 0.98], [0.009, 0.01], 3), ([0.99], [0.0004], 4), ([27000.0], [700.0], 0), ([3.2], [0.3], 1),
     ([0.9], [], 3), ([5e5], [], 0), ([], [], 3), ([0.9], [0.0], 3)],
)  # fmt: skip
def test_decimals_follow_the_width_of_the_intervals(scores, half_widths, decimals):
    assert words.decimals_for(scores, half_widths) == decimals


def test_small_words():
    assert [words.probability(p) for p in (None, 0.31, 0.0501, 0.0004)] == ["", "p = 0.31", "p = 0.050", "p < 0.001"]
    assert words.moment("2026-01-31T12:00:00+00:00") == "31 January 2026, 12:00 UTC"
    assert words.moment("yesterday") == "yesterday"
    assert [words.listing(names) for names in ([], ["A"], ["A", "B"], ["A", "B", "C"])] == [
        "", "A", "A and B", "A, B and C",
    ]  # fmt: skip
    assert [words.in_sentence(label) for label in ("Log loss", "ROC AUC", "R²", "")] == [
        "log loss", "ROC AUC", "R²", "",
    ]  # fmt: skip
    assert [words.parameter(value) for value in (0.123456, True, None, "a\"b", [1, 2])] == [
        "0.1235", "True", "None", '"a\\"b"', "[1, 2]",
    ]  # fmt: skip


def test_shortened_text_fits_and_says_that_it_was_cut():
    assert words.shortened("short  name\n", 20) == "short name"
    cut = words.shortened("漢" * 50, 20)
    assert cut.endswith("…")
    assert words.width_in_em(cut) <= 20


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.981, 0.9934), (-3e6, 2e5), (5.0, 5.0), (0.0, 0.0), (1e-9, 3e-9)])
def test_linear_axis_holds_its_values_with_round_ticks_inside(values):
    axis = linear_axis(values)
    assert axis.low < min(values) <= max(values) < axis.high
    ticks = [value for value, _ in axis.ticks]
    assert 2 <= len(ticks) <= 8
    assert all(axis.low <= tick <= axis.high for tick in ticks)
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
    mantissa = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
    assert min(abs(mantissa - round_step) for round_step in (1, 2, 2.5, 5)) < 1e-6
    # Labels are exact: reading one back gives the tick.
    read = [float(text.replace("−", "-").replace(",", "")) for _, text in axis.ticks]
    np.testing.assert_allclose(read, ticks, atol=1e-6 * steps[0] + 1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_method_far_behind_does_not_squeeze_the_leaders(sign):
    rows = [row(sign * s, sign * s - 0.01, sign * s + 0.01) for s in (0.99, 0.98, 0.97, 0.96, 0.5)]
    axis = score_axis(rows, greater_is_better=sign > 0)
    # Length by hand: leaders (0.99, 0.98, 0.97) with intervals span 0.04, and 0.96 - 0.01 extends that to 0.05.
    np.testing.assert_allclose(axis.high - axis.low, 0.05 * 1.08)
    assert [axis.beyond(r.score) for r in rows] == [0, 0, 0, 0, -sign]


def test_score_axis_holds_everything_when_methods_are_close():
    rows = [row(s, s - 0.02, s + 0.02) for s in (0.9, 0.89, 0.88, 0.86)]
    axis = score_axis(rows, greater_is_better=True)
    assert axis.low < 0.84
    assert axis.high > 0.92


def test_one_hopeless_interval_does_not_stretch_the_axis():
    rows = [row(0.9, 0.89, 0.91), row(0.88, 0.87, 0.89), row(0.86, -1e6, 1e6)]
    axis = score_axis(rows, greater_is_better=True)
    assert axis.high - axis.low < 0.2


def test_time_axis_is_logarithmic():
    axis = time_axis([0.001, 10.0])
    assert axis.at(0.1) == pytest.approx(0.5)
    assert [text for _, text in axis.ticks] == ["1 ms", "10 ms", "0.1 s", "1 s", "10 s"]
    assert len(time_axis([0.5]).ticks) >= 1
    assert time_axis([0.0]).at(0.0) >= 0


def tree(drawing):
    return ElementTree.fromstring(str(drawing))


def by_class(drawing, name):
    return [element for element in tree(drawing).iter() if name in element.get("class", "").split()]


def test_interval_row_puts_score_and_ends_where_the_axis_says():
    axis = linear_axis((0.0, 1.0), margin=0.0)
    figure = interval_row(row(0.5, 0.25, 0.75), axis, (0.4, 0.9), "words")
    (dot,), line = by_class(figure, "dot"), by_class(figure, "interval")[0]
    assert dot.get("cx") == "50.00%"
    assert (line.get("x1"), line.get("x2")) == ("25.00%", "75.00%")
    (band,) = by_class(figure, "band")
    assert (band.get("x"), band.get("width")) == ("40.00%", "50.00%")


@pytest.mark.parametrize(("score", "edge"), [(-3.0, "0.00%"), (9.0, "100.00%")])
def test_a_score_off_the_axis_is_an_arrow_at_the_edge(score, edge):
    figure = interval_row(row(score, score - 1, score + 1), linear_axis((0.0, 1.0)), (None, None), "words")
    assert by_class(figure, "dot") == by_class(figure, "interval") == by_class(figure, "band") == []
    assert [e.get("x") for e in tree(figure).iter("svg") if e.get("x")] == [edge]


@pytest.mark.parametrize(("mean", "start", "width"), [(0.5, "50.00%", "25.00%"), (-0.5, "25.00%", "25.00%")])
def test_effect_bar_starts_at_zero(mean, start, width):
    figure = effect_row(ColumnEffect("a", mean, None, None), linear_axis((-1.0, 1.0), margin=0.0), "words")
    (bar,) = by_class(figure, "bar")
    assert (bar.get("x"), bar.get("width")) == (start, width)


def test_confusion_shares_are_recall_and_precision():
    table = confusion_table(ConfusionMatrix(("a", "b", "c"), ((8, 2, 0), (1, 9, 0), (0, 0, 0))))
    assert table.found == [0.8, 0.9, None]
    assert table.trusted == [8 / 9, 9 / 11, None]
    assert table.mistakes == [("a", "b", 2, 10), ("b", "a", 1, 10)]
    assert [[cell.count for cell in cells] for cells in table.cells] == [[8, 2, 0], [1, 9, 0], [0, 0, 0]]
    assert table.summed == 0
    # A mistake is always shaded, an empty cell never.
    assert all((cell.shade > 0) == (cell.count > 0) for cells in table.cells for cell in cells)


def test_rare_classes_are_summed_without_losing_a_row():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 4, (40, 40)) + np.diag(rng.integers(10, 60, 40))
    labels = [f"c{i}" for i in range(40)]
    table = confusion_table(ConfusionMatrix(tuple(labels), matrix.tolist()))
    assert len(table.labels) == MOST_CLASSES
    assert table.labels[-1] == "all others"
    kept = [labels.index(label) for label in table.labels[:-1]]
    rest = [i for i in range(40) if i not in kept]
    assert table.summed == len(rest) == 15
    assert min(matrix.sum(1)[kept]) >= max(matrix.sum(1)[rest])
    counts = np.array([[cell.count for cell in cells] for cells in table.cells])
    np.testing.assert_array_equal(counts[:-1, :-1], matrix[np.ix_(kept, kept)])
    assert counts.sum() == matrix.sum()
    # Taking one rare class for another is a mistake, though both fall into the summed cell.
    assert table.found[-1] == pytest.approx(np.diag(matrix)[rest].sum() / matrix[rest].sum())


def test_frontier_steps_through_every_method_that_none_dominates():
    rng = np.random.default_rng(1)
    rows = [row(float(s), fit_seconds=float(t)) for s, t in zip(rng.random(30), rng.lognormal(size=30))]
    for better in (True, False):
        sign = 1 if better else -1
        metric = Metric("m", "M", better)
        axis = score_axis(rows, better)
        shown = [r for r in rows if not axis.beyond(r.score)]
        free = [
            r
            for r in shown
            if not any(o.fit_seconds <= r.fit_seconds and sign * o.score > sign * r.score for o in shown)
        ]
        (path,) = by_class(time_and_score(rows, metric, 3, 1040, 480, names=True), "frontier")
        assert len(re.findall("[MV]", path.get("d"))) == len(free)


def test_every_method_with_a_time_is_on_the_scatter_and_labelled(named_run):
    run = RunRecord.from_plain(named_run("binary"))
    figure = time_and_score(run.leaderboard, run.metric, 3, 1040, 480, names=True)
    labels = [element.text for element in by_class(figure, "label")]
    assert len(by_class(figure, "mark")) == len(labels) == len(run.leaderboard)
    assert labels[0] == run.leaderboard[0].label
    assert "DummyClassifier (0.500)" in labels
    places = [e.text for e in by_class(time_and_score(run.leaderboard, run.metric, 3, 358, 400, names=False), "label")]
    assert places[:3] == ["1", "2", "3"]


def test_the_quickest_equivalent_method_is_named_only_where_it_saves_time():
    best = row(0.9, standing="best", fit_seconds=2.0)
    quick, slow = row(0.89, standing="equivalent", fit_seconds=0.1), row(0.89, standing="equivalent", fit_seconds=1.9)
    behind = row(0.5, fit_seconds=0.01)
    assert fastest_equivalent([best, slow, quick, behind]) == (best, quick)
    assert fastest_equivalent([best, slow, behind]) is None
    assert fastest_equivalent([behind]) is None


def test_calibration_panel_skips_empty_cells_and_sizes_dots_by_rows():
    curve = CalibrationCurve("a", (0.9, 0.1, None), (0.8, 0.2, 0.5), (100, 25, 3))
    dots = by_class(calibration_panel(curve, large=True), "point")
    assert len(dots) == 2
    # Sorted by prediction: left before right; the page grows downwards.
    assert float(dots[0].get("cx")) < float(dots[1].get("cx"))
    assert float(dots[0].get("cy")) > float(dots[1].get("cy"))
    assert float(dots[0].get("r")) < float(dots[1].get("r"))


def test_residual_figures_draw_every_point_once():
    rng = np.random.default_rng(2)
    pairs = [(float(p), float(a)) for p, a in rng.normal(size=(203, 2))]
    for figure in (predicted_and_actual(pairs), residual_panel(pairs)):
        assert sum(path.get("d").count("M") for path in by_class(figure, "cloud")) == 203
    assert by_class(residual_panel(pairs[:1]), "band") == []


def test_residual_sentence_tells_the_quantiles():
    pairs = [(0.0, float(i)) for i in range(1, 101)]
    assert residual_words(pairs) == (
        "Half of the predictions lie within 50.0 of the actual value, nine tenths within 90.0."
    )


def test_bars_of_a_distribution_are_as_high_as_their_rows():
    figure = sparkline([10, 40, 0, 20], [0.1, 0.9, None, 0.5], 0.5, "words", broken=False)
    heights = [float(v) for v in re.findall(r"v-([\d.]+)", by_class(figure, "bars")[0].get("d"))]
    assert heights == pytest.approx([heights[1] / 4, heights[1], heights[1] / 2], abs=0.1)
    (line,) = by_class(figure, "target-line")
    assert len(re.findall("[ML]", line.get("d"))) == 3
    places = [float(y) for _, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", line.get("d"))]
    # The page grows downwards: a larger target stands higher.
    assert places[1] < places[2] < places[0]
    assert float(by_class(figure, "base-line")[0].get("y1")) == pytest.approx(places[2], abs=0.1)


def test_the_target_of_a_handful_of_rows_is_not_drawn():
    assert by_class(sparkline([4, 3], [0.0, 1.0], 0.5, "words", broken=False), "target-line") == []
    assert by_class(sparkline([40, 30], [], 0.5, "words", broken=False), "target-line") == []
    ticks = by_class(sparkline([40, 30], [0.0, 1.0], 0.5, "words", broken=True), "target-line")[0].get("d")
    assert (ticks.count("M"), ticks.count("h"), ticks.count("L")) == (2, 2, 0)


def test_roc_and_precision_panels_put_every_point_where_its_rates_say(named_run):
    run = RunRecord.from_plain(named_run("binary"))
    curve = run.thresholds[0]
    for draw, points in (
        (roc_panel, [(0, 0), *zip(curve.false_positive_rate, curve.true_positive_rate), (1, 1)]),
        (precision_panel, list(zip(curve.true_positive_rate, curve.precision))),
    ):
        figure = draw(run.thresholds)
        ends = {
            name: float(by_class(figure, "chosen")[0].get(f"data-{name}"))
            for name in ("left", "right", "bottom", "top")
        }
        drawn = np.array(re.findall(r"([\d.]+) ([\d.]+)", by_class(figure, "line-0")[0].get("d")), dtype=float)
        x = (drawn[:, 0] - ends["left"]) / (ends["right"] - ends["left"])
        y = (drawn[:, 1] - ends["bottom"]) / (ends["top"] - ends["bottom"])
        # The drawing keeps tenths of a unit of some three hundred.
        np.testing.assert_allclose(np.column_stack([x, y]), points, atol=1e-3)


def test_the_learning_curve_has_a_dot_and_an_interval_for_every_point(named_run):
    run = RunRecord.from_plain(named_run("binary"))
    curves = [
        [point for point in run.learning if point.key == key] for key in dict.fromkeys(p.key for p in run.learning)
    ]
    figure = learning_panel(curves, run.metric, 3)
    assert [len(by_class(figure, f"dot-{place}")) for place in range(3)] == [5, 5, 5]
    across = [float(dot.get("cx")) for dot in by_class(figure, "dot-0")]
    # Rows double from point to point: the steps of a logarithmic axis are equal.
    np.testing.assert_allclose(np.diff(across), np.diff(across)[0], atol=0.2)


@pytest.mark.parametrize(("last", "words_of_it"), [(0.99, "more rows would help still"), (0.905, "promise little")])
def test_what_the_last_rows_brought_is_weighed_against_chance(named_run, last, words_of_it):
    run = named_run("binary")
    run["learning"] = [
        {"key": "k", "label": "M", "rows": rows, "score": score, "low": score - 0.02, "high": score + 0.02}
        for rows, score in ((100, 0.9), (200, last))
    ]
    (sentence,) = learning_view(RunRecord.from_plain(run), 3)["sentences"]
    assert words_of_it in sentence
    assert sentence.startswith(f"With 200 rows instead of 100, M is better by {last - 0.9:.3f}")


def test_bibtex_escapes_what_tex_would_take_for_commands():
    paper = PaperRecord(
        "i", r"50 % of R&D_{x} \ ~", ("Zoë Ünal", "A. B"), "Machine Learning 37", 1999, "277-296", "", ""
    )
    assert bibtex(paper).splitlines() == [
        "@article{unal1999,",
        "  author = {Zoë Ünal and A. B},",
        r"  title = {{50 \% of R\&D\_\{x\} \textbackslash{} \textasciitilde{}}},",
        "  journal = {Machine Learning},",
        "  volume = {37},",
        "  pages = {277--296},",
        "  year = {1999},",
        "}",
    ]


def test_a_thesis_is_cited_as_one():
    paper = PaperRecord(
        "t", "Reductions", ("Ann Lee",), "PhD thesis, Columbia University", 2014, "chapters 2-5", "", ""
    )
    assert bibtex(paper).startswith("@phdthesis{lee2014reductions,")
    assert "school = {Columbia University}" in bibtex(paper)
    assert "pages" not in bibtex(paper)


def test_every_paper_of_the_catalogue_can_be_cited():
    keys = []
    for paper in load_catalogue():
        known = {
            name: getattr(paper, name)
            for name in ("id", "title", "authors", "journal", "year", "pages", "when", "cost")
        }
        entry = bibtex(PaperRecord(**known))
        assert entry.count("{") == entry.count("}")
        keys.append(entry.splitlines()[0])
    assert len(set(keys)) == len(keys)
