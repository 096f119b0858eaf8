"""The page's structure: sections, well-formed tags, nothing from outside, no input that escapes its place."""

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from treatise import report
from treatise._core.errors import TreatiseError
from treatise.report import RunRecord

VOID = {"meta", "link", "br", "hr", "img", "input", "col"}
NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{7*7}}{% raw %}",
    "]]><!--",
    "</style></title></script><svg onload=alert(1)>",
    "&lt;b&gt;&amp;",
    "long " * 100,
    "A" * 400,
    "שלום עולם",
    "😀 e\u0301 漢字",
    "\u202egnp.exe",
    "null \x00 escape \x1b[31m surrogate \ud800 line\nbreak",
    "",
]
# Words of the schema, which no user can choose.
FIXED = {
    "status",
    "task",
    "standing",
    "kind",
    "started",
    "key",
    "copy_of",
    "stage",
    "form",
    "purpose",
    "prefer",
    "measure",
}


def render_report(run):
    """The page about a run in JSON's own types, which tests can change at will."""
    return report.render_report(RunRecord.from_plain(run))


def write_report(run, path):
    report.write_report(RunRecord.from_plain(run), path)


class Outline(HTMLParser):
    """Checks nesting while it reads; keeps tags, attributes and text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes, self.ids, self.text = [], [], [], [], []
        self.sections = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self._note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self._note(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes <{self.open[-1:]}> at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)

    def _note(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> has an attribute twice"


def replaced(value, text):
    """A run in which every text that comes from a user or a file is ``text``."""
    if isinstance(value, dict):
        return {
            key: value[key] if key in FIXED else {text: text} if key == "params" else replaced(value[key], text)
            for key in value
        }
    if isinstance(value, list):
        return [replaced(item, text) for item in value]
    return text if isinstance(value, str) else value


def test_tags_are_well_formed_and_ids_are_unique(run):
    outline = Outline(render_report(run))
    assert [name for name, times in Counter(outline.ids).items() if times > 1] == []
    assert outline.tags.count("h1") == 1


def test_page_refers_to_nothing_outside_itself(run):
    page = render_report(run)
    outline = Outline(page)
    for tag, name, value in outline.attributes:
        assert name not in {"src", "srcset", "action", "poster", "data", "xlink:href", "style"}, (tag, name)
        assert not name.startswith("on"), (tag, name)
        if name == "href":
            assert value == "data:," or value.startswith("#"), value
            if value.startswith("#"):
                assert value[1:] in outline.ids
    assert "url(" not in page
    assert "@import" not in page
    assert "http://" not in page
    assert "https://" not in page


def test_labelled_parts_exist(run):
    outline = Outline(render_report(run))
    for _, name, value in outline.attributes:
        if name == "aria-labelledby":
            assert value in outline.ids
    for tag, name, value in outline.attributes:
        if tag == "svg" and name == "role":
            assert value == "img"


def structure(page):
    """Tags in order and the attributes that occur, but for what may follow from the length of a name."""
    outline = Outline(page)
    # A label may need a line that joins it to its point; a cut name keeps its whole text in a tooltip.
    tags = [tag for tag in outline.tags if tag != "line"]
    return tags, {(tag, name) for tag, name, _ in outline.attributes} - {("bdi", "title")}


@pytest.fixture(scope="module")
def harmless(simulated):
    return {name: structure(render_report(replaced(run, "x"))) for name, run in simulated.items()}


@pytest.mark.parametrize("text", [text for text in NASTY if text])
@pytest.mark.parametrize("name", ["binary", "multiclass", "regression"])
def test_no_text_changes_the_structure_of_the_page(named_run, harmless, name, text):
    assert structure(render_report(replaced(named_run(name), text))) == harmless[name]


def test_empty_names_are_shown_as_empty(named_run):
    outline = Outline(render_report(replaced(named_run("multiclass"), "")))
    assert outline.text.count("(empty)") > 10


@pytest.mark.parametrize("text", [text for text in NASTY if text.isprintable() and 0 < len(text) < 60])
def test_text_is_shown_as_it_was_written(named_run, text):
    run = named_run("multiclass")
    run["data"]["name"] = run["data"]["facts"][2]["value"] = run["data"]["facts"][3]["value"] = run["command"] = text
    run["data"]["classes"][3] = run["importance"][0]["columns"][0]["column"] = text
    outline = Outline(render_report(run))
    assert outline.text.count(text) >= 5


def test_a_book_in_a_cell_does_not_fill_the_page(named_run):
    run = named_run("multiclass")
    run["data"]["classes"] = run["best"]["confusion"]["labels"] = [str(i) + "book " * 200_000 for i in range(10)]
    assert len(render_report(run).encode()) < 500_000


def test_direction_marks_cannot_disguise_a_command(named_run):
    page = render_report(replaced(named_run("binary"), "\u202egnp.exe\u2066"))
    assert "\u202e" not in page
    assert "\u2066" not in page
    assert "�gnp.exe�" in page


def test_script_and_style_are_the_same_whatever_the_run_says(named_run):
    def inline(page):
        return re.findall(r"<(script|style)>(.*?)</\1>", page, flags=re.S)

    untouched = inline(render_report(named_run("empty")))
    assert all(inline(render_report(replaced(named_run("binary"), text))) == untouched for text in NASTY)


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        (
            "binary",
            "summary leaderboard time effects thresholds mistakes errors learning calibration use data profile methods "
            "failures details theory",
            "residuals",
        ),
        (
            "multiclass",
            "leaderboard time effects mistakes errors learning calibration use data profile methods details",
            "failures thresholds theory known-groups",
        ),
        (
            "regression",
            "leaderboard known-groups time effects residuals intervals errors learning use data profile methods "
            "details",
            "mistakes calibration thresholds",
        ),
        ("sequences", "leaderboard time effects mistakes learning use data methods", "thresholds errors profile"),
        ("interrupted", "leaderboard time effects learning data methods", "mistakes use failures thresholds profile"),
        ("failed", "data methods failures details", "leaderboard time use effects learning"),
        ("empty", "data details", "leaderboard time methods use failures effects learning"),
    ],
)
def test_sections_follow_what_the_run_holds(named_run, name, present, absent):
    outline = Outline(render_report(named_run(name)))
    assert set(present.split()) <= set(outline.ids)
    assert not set(absent.split()) & set(outline.ids)


def test_intervals_are_drawn_and_said_to_hold_or_not(named_run):
    run = named_run("regression")
    first, second = run["intervals"]
    page = render_report(run)
    told = section(page, "intervals")
    missed = []
    for found in (first, second):
        assert found["words"] in told
        rows = zip(found["numbers"], found["lower"], found["actual"], found["upper"], strict=True)
        missed += [number for number, low, actual, high in rows if not low <= actual <= high]
    assert page.count('class="outside"') == len(missed) > 30
    assert all(f"<title>row {number}: predicted" in page for number in missed)
    assert (first["holds"], second["holds"]) == ("as promised", "too narrow")
    assert f"{first['label']} gives no intervals itself" in told
    assert f"{second['label']} gives no intervals itself" not in told


def section(page, name):
    """The text of one section."""
    return " ".join(
        " ".join(Outline(page.split(f'<section id="{name}"')[1].split(">", 1)[1].split("</section>")[0]).text).split()
    )


def test_the_first_screen_has_the_decision_its_margin_and_its_price(named_run):
    run = named_run("binary")
    decision = run["decision"]
    first = section(render_report(run), "summary")
    assert first.index(decision["headline"]) < first.index(decision["reasons"][0]) < first.index("Margin")
    assert "0.0049 smaller differences do not matter: 1 % of the way from guessing to the best" in first
    assert re.search(r"Price of a fit 20.ms < 1.ms to predict 1,000 rows", first)
    assert decision["to_decide"] in first
    for other in decision["alternatives"]:
        assert f"{other['label']} {other['sentence']}" in first
    # What the verdict adds is told; what the decision says already is told once.
    assert "Guessing by class frequency" in first
    assert first.count(decision["headline"]) == 1


def test_a_race_that_was_not_complete_says_so(named_run):
    page = render_report(named_run("crowded"))
    assert "only 60 of the 100 methods that apply were tried" in page
    assert "Not complete" not in render_report(named_run("binary"))


def test_standing_is_told_in_words_with_the_distance_from_the_best(named_run):
    run = named_run("crowded")
    words = " ".join(" ".join(Outline(render_report(run)).text).split())
    own = [row for row in run["leaderboard"] if row["copy_of"] is None]
    standings = Counter(row["standing"] for row in own)
    assert {"best", "equivalent", "undecided", "worse"} == set(standings)
    for standing, told in (("equivalent", "As good as the best"), ("undecided", "Undecided"), ("worse", "Worse")):
        assert len(re.findall(rf"{told} behind by [\d.]+ \([\d.]+ to [\d.]+\)", words)) == standings[standing]


def test_ten_rows_are_shown_and_near_copies_stand_under_their_method(named_run):
    run = named_run("crowded")
    page = render_report(run)
    shown, folded = (
        page.split('<details class="rest">')[0],
        page.split('<details class="rest">')[1].split("</section>")[0],
    )
    assert len(re.findall('<td role="cell" class="rank"', shown)) == 10
    assert "<summary>47 more methods</summary>" in page
    assert len(re.findall('<td role="cell" class="rank"', folded)) == 47
    copies = [row["label"] for row in run["leaderboard"] if row["copy_of"]]
    (box,) = re.findall('<details class="copies">(.*?)</details>', page, flags=re.S)
    assert "3 near copies" in box
    assert all(label in box for label in copies)


def test_a_copy_of_a_method_that_is_not_there_keeps_its_own_row(named_run):
    run = named_run("binary")
    run["leaderboard"][6]["copy_of"] = "gone/Method"
    page = render_report(run)
    assert 'class="copies"' not in page
    assert len(re.findall('<td role="cell" class="rank"', page)) == len(run["leaderboard"])


def test_a_reason_that_many_methods_share_is_told_once(named_run):
    failures = section(render_report(named_run("crowded")), "failures")
    assert failures.startswith(
        "What did not finish, and why 40 methods out of time such as: one fit would take about 20 s"
    )
    run = named_run("crowded")
    for failure in run["failures"]:
        failure["reason"] = f"{failure['label']} had no turn"
        failure["kind"] = "error"
    assert section(render_report(run), "failures").count("40 methods") == 1


def test_the_importance_of_columns_is_never_missing_in_silence(named_run):
    for name, sentence in (
        ("binary", "No time was left to shuffle the columns for"),
        ("sequences", "These data have no columns to shuffle."),
        ("interrupted", "What each column is worth was not measured in this run."),
    ):
        assert sentence in section(render_report(named_run(name)), "effects")
    run = named_run("binary")
    told = section(render_report(run), "effects")
    assert all(effect["column"] in told for method in run["importance"] for effect in method["columns"][:10])


def test_thresholds_are_told_without_a_script(named_run):
    run = named_run("binary")
    curve = run["thresholds"][0]
    told = section(render_report(run), "thresholds")
    place = curve["thresholds"].index(curve["best_f1"])
    found = round(curve["true_positive_rate"][place] * curve["positives"])
    alarms = round(curve["false_positive_rate"][place] * curve["negatives"])
    rates = f"{curve['positives'] - found} {alarms} {curve['negatives'] - alarms} largest F1"
    assert f" {found} {rates}" in told
    assert f"area {curve['area']:.3f}, average precision {curve['average_precision']:.3f}" in told
    run["thresholds"] = [curve | {"thresholds": [], "why_not": "It gives labels alone."}]
    assert section(render_report(run), "thresholds") == "Choose a threshold It gives labels alone."


def test_where_it_errs_is_told_beside_all_rows(named_run):
    run = named_run("binary")
    worst = run["errors"]["segments"][0]
    told = section(render_report(run), "errors")
    assert f"{worst['column']} {worst['words']} {worst['rows']}" in told
    assert f"{100 * run['errors']['overall']:.0f} % on all" in told
    run["errors"]["segments"] = []
    assert "none has more errors than chance would give" in section(render_report(run), "errors")


def test_known_groups_stand_beside_new_ones(named_run):
    run = named_run("regression")
    first = run["known_groups"]["methods"][0]
    told = section(render_report(run), "known-groups")
    assert told.count("learns from groups") == 1 and "211 groups" in told and "2,900 rows" in told
    assert all(word in told for word in ("Best", "As good as the best", "Undecided", "Worse", "street"))
    assert f"{first['new']:,.0f} new" in told and f"{first['known']:,.0f} known" in told
    drawn = f"new groups {first['new']:,.0f}, 95 % interval"
    assert drawn in render_report(run)
    first |= dict.fromkeys(("new_low", "new_high", "known_low", "known_high"))
    assert drawn not in render_report(run) and f"new groups {first['new']:,.0f};" in render_report(run)


def test_what_more_rows_bring_is_told(named_run):
    told = section(render_report(named_run("binary")), "learning")
    assert re.search(r"With 400 rows instead of 200, .* is better by 0\.\d+, more than chance would give", told)
    assert "was not measured" in section(render_report(named_run("sequences")), "learning")


def test_the_columns_are_listed_by_their_relation_to_the_target(named_run):
    run = named_run("crowded")
    told = section(render_report(run), "profile")
    assert "Of 223 columns, the 200 most related to the target are listed." in told
    places = [told.index(f"{column['name']} {column['kind']}") for column in run["profile"]["columns"][:20]]
    assert places == sorted(places)
    assert "185 more columns" in told
    assert "share of malignant" in told


def test_every_paper_has_its_bibtex_once_in_its_method(named_run):
    run = named_run("binary")
    page = render_report(run)
    assert page.count("@article{") == len(run["methods"])
    yu = section(page, "methods").split("@article{yu2004efficient,")[1]
    assert yu.startswith(
        " author = {Lei Yu and Huan Liu}, title = {{Efficient Feature Selection via Analysis of Relevance and "
        "Redundancy}}, journal = {Journal of Machine Learning Research}, volume = {5}, pages = {1205--1224}, "
        "year = {2004},"
    )
    assert "pedregosa2011scikit" in page


def test_baselines_are_marked_and_papers_lead_to_their_methods(named_run):
    run = named_run("binary")
    page = render_report(run)
    own = [row for row in run["leaderboard"] if row["copy_of"] is None]
    assert page.count('<span class="tag">baseline</span>') == sum(row["baseline"] for row in own)
    for row in own:
        if row["paper"]:
            place = 1 + [method["key"] for method in run["methods"]].index(row["key"])
            assert f'<a href="#method-{place}">{row["paper"]}</a>' in page
            method = page.split(f'id="method-{place}"')[1].split("</dl>")[0]
            assert row["label"] in method
            assert run["methods"][place - 1]["paper"]["title"] in method


def test_interruption_is_told(named_run):
    assert "<strong>Interrupted</strong> after 4.1\u00a0s" in render_report(named_run("interrupted"))
    assert "<strong>Interrupted</strong>" not in render_report(named_run("binary"))


def test_numbers_may_be_absent_everywhere(named_run):
    run = named_run("binary")
    for row in run["leaderboard"]:
        row |= {"score": None, "low": None, "high": None, "fit_seconds": None, "predict_seconds": None}
        row |= {"behind": None, "behind_low": None, "behind_high": None}
        row["metrics"] = dict.fromkeys(row["metrics"])
    run["decision"] |= {"fit_seconds": None, "predict_seconds": None}
    for column in run["profile"]["columns"]:
        column["relation"] = None
        for bar in column["bins"]:
            bar["target"] = None
    for point in run["learning"]:
        point |= {"low": None, "high": None}
    run["importance"][0]["columns"] = [dict.fromkeys(("mean", "low", "high")) | {"column": "a"}]
    run["best"]["calibration"] = [{"label": "a", "predicted": [None], "observed": [0.2], "count": [None]}]
    run["best"]["confusion"] = {"labels": ["a", "b"], "matrix": [[0, 0], [None, 0]]}
    run["data"] |= {"counts": [0, 0], "sha256": None}
    outline = Outline(render_report(run))
    assert {"leaderboard", "mistakes", "calibration", "effects"} <= set(outline.ids)
    assert "time" not in outline.ids
    assert "None" not in " ".join(outline.text)


def test_numbers_that_are_not_finite_count_as_absent(named_run):
    run = named_run("regression")
    run["leaderboard"][-1] |= {"score": float("inf"), "high": float("nan")}
    run["best"]["residuals"]["actual"][0] = float("nan")
    outline = Outline(render_report(run))
    assert not re.search(r"\b(nan|inf)\b", " ".join(outline.text))
    assert "1,199 rows, each predicted" in " ".join(outline.text)


def test_absent_intervals_are_left_out(named_run):
    page = render_report(named_run("interrupted"))
    assert "too few folds for intervals and tests" in page
    assert "no interval yet" in page
    assert 'class="band"' not in page


def test_a_run_without_a_saved_model_says_so(named_run):
    run = named_run("binary")
    run["best"] |= {"model": None, "use": None}
    page = render_report(run)
    assert "no fitted model was saved" in page
    assert "load_model" not in page


def test_the_same_run_gives_the_same_page_and_is_left_unchanged(named_run):
    run = RunRecord.from_plain(named_run("multiclass"))
    before = json.dumps(run.to_plain())
    assert report.render_report(run) == render_report(named_run("multiclass"))
    assert json.dumps(run.to_plain()) == before


def test_page_survives_a_trip_through_json(run):
    assert render_report(json.loads(json.dumps(run))) == render_report(run)


def test_page_stays_small(named_run):
    run = named_run("many classes")
    points = [i / 7 for i in range(2000)]
    run["best"]["residuals"] = {"predicted": points, "actual": points[::-1]}
    # 500 kB opens at once on a phone; 26 classes and 2000 points are the most that a run holds of these.
    assert len(render_report(run).encode()) < 500_000
    # A hundred methods, sixty of them ranked, and two hundred columns.
    assert len(render_report(named_run("crowded")).encode()) < 1_500_000


def test_writing_replaces_the_old_page_in_one_step(named_run, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report(named_run("binary"), path)
    assert path.read_text(encoding="utf-8") == render_report(named_run("binary"))
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]

    def full_disk(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", full_disk)
    with pytest.raises(TreatiseError, match="disk full"):
        write_report(named_run("empty"), path)
    assert path.read_text(encoding="utf-8") == render_report(named_run("binary"))
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
