"""The page's structure: sections, well-formed tags, nothing from outside, no input that escapes its place."""

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from treatise._core.errors import TreatiseError
from treatise.report import render_report, write_report

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
FIXED = {"status", "task", "standing", "kind", "started", "key"}


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
    run["data"]["name"] = run["data"]["target"] = run["command"] = text
    run["data"]["classes"][3] = run["best"]["importance"][0]["column"] = text
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

    pages = [render_report(replaced(named_run("binary"), text)) for text in NASTY]
    assert all(inline(page) == inline(render_report(named_run("empty"))) for page in pages)


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("binary", "data leaderboard time mistakes calibration effects methods use failures details", "residuals"),
        ("multiclass", "data leaderboard time mistakes calibration effects methods use details", "failures"),
        ("regression", "data leaderboard time residuals effects methods use details", "mistakes calibration"),
        ("interrupted", "data leaderboard time methods details", "mistakes use failures effects"),
        ("failed", "data methods failures details", "leaderboard time use"),
        ("empty", "data details", "leaderboard time methods use failures"),
    ],
)
def test_sections_follow_what_the_run_holds(named_run, name, present, absent):
    outline = Outline(render_report(named_run(name)))
    assert set(present.split()) <= set(outline.ids)
    assert not set(absent.split()) & set(outline.ids)


def test_standing_is_told_in_words(named_run):
    run = named_run("binary")
    words = " ".join(Outline(render_report(run)).text)
    standings = Counter(row["standing"] for row in run["leaderboard"])
    assert standings["level"] > 1
    assert standings["behind"] > 1
    assert len(re.findall(r"Level with the best\s+p =", words)) == standings["level"]
    assert len(re.findall(r"Behind the best\s+p [=<]", words)) == standings["behind"]


def test_baselines_are_marked_and_papers_lead_to_their_methods(named_run):
    run = named_run("binary")
    page = render_report(run)
    assert page.count('<span class="tag">baseline</span>') == sum(row["baseline"] for row in run["leaderboard"])
    for row in run["leaderboard"]:
        if row["paper"]:
            place = 1 + [method["key"] for method in run["methods"]].index(row["key"])
            assert f'<a href="#method-{place}">{row["paper"]}</a>' in page
            method = page.split(f'id="method-{place}"')[1].split("</details>")[0]
            assert row["label"] in method
            assert run["methods"][place - 1]["paper"]["title"] in method


def test_interruption_is_told(named_run):
    assert "<strong>Interrupted</strong> after 4.1\u00a0s" in render_report(named_run("interrupted"))
    assert "<strong>Interrupted</strong>" not in render_report(named_run("binary"))


def test_numbers_may_be_absent_everywhere(named_run):
    run = named_run("binary")
    for row in run["leaderboard"]:
        row |= {"score": None, "low": None, "high": None, "fit_seconds": None, "predict_seconds": None}
        row["metrics"] = dict.fromkeys(row["metrics"])
    run["best"]["importance"] = [dict.fromkeys(("mean", "low", "high")) | {"column": "a"}]
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


def test_model_name_stays_one_argument_in_code(named_run):
    run = named_run("binary")
    run["best"]["model"] = 'my "best" $(rm -rf).skops'
    text = "".join(Outline(render_report(run)).text)
    literal = re.search(r"model = load_model\((.*)\)", text).group(1)
    assert json.loads(literal) == run["best"]["model"]
    assert """treatise predict 'my "best" $(rm -rf).skops' new.csv -o out.csv""" in text


def test_a_run_without_a_saved_model_says_so(named_run):
    run = named_run("binary")
    run["best"]["model"] = None
    page = render_report(run)
    assert "no fitted model was saved" in page
    assert "load_model" not in page


def test_the_same_run_gives_the_same_page_and_is_left_unchanged(named_run):
    run = named_run("multiclass")
    before = json.dumps(run)
    assert render_report(run) == render_report(named_run("multiclass"))
    assert json.dumps(run) == before


def test_page_survives_a_trip_through_json(run):
    assert render_report(json.loads(json.dumps(run))) == render_report(run)


def test_page_stays_small(named_run):
    run = named_run("many classes")
    points = [i / 7 for i in range(2000)]
    run["best"]["residuals"] = {"predicted": points, "actual": points[::-1]}
    # 500 kB opens at once on a phone; 26 classes and 2000 points are the most that a run holds.
    assert len(render_report(run).encode()) < 500_000


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
