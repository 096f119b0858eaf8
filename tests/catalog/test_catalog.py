"""The catalogue: its rows, how it is searched, and what it says of a row that is wrong."""

import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from treatise._core.errors import TreatiseError
from treatise.catalog import (
    FAMILIES,
    Catalogue,
    CatalogueError,
    ComparisonEntry,
    Cost,
    PeerEntry,
    SearchRange,
    load_catalogue,
    load_entries,
)
from treatise.catalog import _load as loading
from treatise.catalog._derived import MOST_DOORS, _source, cost_in_words, first_line_of

JOURNALS = {"v05": ("JMLR 5", 2004), "v12": ("JMLR 12", 2011), "v15": ("JMLR 15", 2014)}

PAPER = """
[[paper]]
id = "v15-0059"
title = "Fast SVM Training Using Approximate Extreme Points"
authors = ["Manu Nandan", "Pramod P. Khargonekar", "Sachin S. Talathi"]
journal = "JMLR 15"
year = 2014
pages = "59-98"
status = "working"
tasks = ["binary", "multiclass"]
summary = "Shrinks the training set of a kernel SVM."
when = "Many rows, few features."
cost = "n log n"
"""

PREDICTOR = """
[[paper.estimator]]
path = "treatise.svm.ExtremePointSVC"
[paper.estimator.compare]
tasks = ["binary"]
input = ["dense", "sparse"]
scaling = "standard"
seconds = { scale = 1e-6, n = 2, p = 1 }
bytes = { scale = 8, n = 2 }
search = { C = { low = 1e-2, high = 1e2, log = true }, kernel = ["rbf", "poly"] }
"""

TRANSFORMER = """
[[paper.estimator]]
path = "treatise.selection.CMIM"
[paper.estimator.compare]
tasks = ["binary", "multiclass"]
role = "transformer"
head = { binary = "sklearn.naive_bayes.BernoulliNB", multiclass = "sklearn.naive_bayes.BernoulliNB" }
seconds = { scale = 1e-9, n = 1, p = 1 }
bytes = { scale = 0.125, n = 1, p = 1 }
"""


@pytest.fixture
def catalogue_of(tmp_path, monkeypatch):
    """Loads the catalogue from ``papers.toml`` texts, one for each family named."""

    def load(**texts: str) -> Catalogue:
        for family, text in texts.items():
            (tmp_path / family).mkdir(exist_ok=True)
            (tmp_path / family / "papers.toml").write_text(text, encoding="utf-8")
        monkeypatch.setattr(loading, "files", lambda package: tmp_path)
        return load_catalogue.__wrapped__()

    return load


# The rows that ship


def test_all_ninety_seven_papers_and_two_theses_are_listed():
    volumes = Counter(paper.id.partition("-")[0] for paper in load_catalogue())
    assert volumes == {"v05": 28, "v12": 30, "v15": 39, "thesis": 2}
    assert len(load_catalogue()) == 99


def test_ids_say_volume_and_first_page():
    for paper in load_catalogue():
        assert re.fullmatch(r"v(05|12|15)-\d{4}|thesis-[a-z]+", paper.id), paper.id


def test_journal_year_and_first_page_agree_with_the_id():
    for paper in load_catalogue():
        volume, _, first = paper.id.partition("-")
        if volume == "thesis":
            assert paper.journal.startswith("PhD thesis, "), paper.id
        else:
            assert (paper.journal, paper.year) == JOURNALS[volume], paper.id
            pages = re.fullmatch(r"(\d+)(?:-(\d+))?", paper.pages)
            assert pages and int(pages[1]) == int(first), paper.id
            assert pages[2] is None or int(pages[2]) > int(pages[1]), paper.id


def test_no_paper_runs_past_the_first_page_of_the_next_one():
    for volume in JOURNALS:
        papers = sorted((p for p in load_catalogue() if p.id.startswith(volume)), key=lambda p: p.id)
        for paper, following in pairwise(papers):
            last = int(paper.pages.rpartition("-")[2])
            assert last < int(following.pages.partition("-")[0]), paper.id


def test_rows_stand_in_the_order_of_their_ids_within_a_family():
    for family in FAMILIES:
        ids = [paper.id for paper in load_catalogue().search(family=family)]
        assert ids and ids == sorted(ids), family


def test_every_row_names_a_task_and_all_rows_differ_in_title_and_summary():
    papers = list(load_catalogue())
    assert all(paper.tasks for paper in papers)
    assert len({paper.title for paper in papers}) == len({paper.summary for paper in papers}) == len(papers)


def test_a_row_as_plain_data_survives_json():
    for paper in load_catalogue():
        row = paper.row()
        assert json.loads(json.dumps(row)) == row
        assert row["id"] == paper.id and row["authors"] == list(paper.authors)


def test_loading_imports_no_estimator_and_no_numerical_package():
    heavy = {"numpy", "scipy", "sklearn", "numba", "polars", "matplotlib"}
    heavy |= {f"treatise.{family}" for family in FAMILIES}
    script = (
        "import sys; from treatise.catalog import load_catalogue; papers = list(load_catalogue());"
        f"assert papers; print(*(sys.modules.keys() & {heavy!r}))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_loading_reads_every_table_once_and_sources_only_for_rows_without_a_summary(monkeypatch):
    read: Counter[Path] = Counter()
    plain = Path.read_text

    def counted(path: Path, *args: Any, **kwargs: Any) -> str:
        read[path] += 1
        return plain(path, *args, **kwargs)

    _source.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", counted)
        assert len(load_catalogue.__wrapped__()) > 0
    tables = {path for path in read if path.name == "papers.toml"}
    assert {path.parent.name for path in tables} == set(FAMILIES)
    assert set(read.values()) == {1}
    rows = [row for path in tables for row in tomllib.loads(path.read_text(encoding="utf-8")).get("paper", [])]
    silent = [row for row in rows if "summary" not in row]
    # From the family's package through at most so many doors to the file of the one estimator.
    assert len(read) - len(tables) <= MOST_DOORS * len(silent)


# Searching


def test_search_wants_every_word_in_any_case():
    ids = [paper.id for paper in load_catalogue().search("Support vector REGULARIZATION path")]
    assert ids == ["v05-1391"]
    assert load_catalogue().search("path zeppelin") == []


def test_search_without_words_returns_everything_in_the_order_of_families():
    papers = load_catalogue().search()
    assert papers == list(load_catalogue())
    places = [FAMILIES.index(paper.family) for paper in papers]
    assert places == sorted(places)


def test_search_looks_into_authors_tasks_and_summary():
    catalogue = load_catalogue()
    assert {paper.id for paper in catalogue.search("schapire")} == {"v05-1557"}
    assert "v12-1069" in {paper.id for paper in catalogue.search("private")}
    assert {paper.id for paper in catalogue.search("flipflop")} == {"v15-1281"}


def test_search_narrows_by_task_and_family():
    catalogue = load_catalogue()
    survival = catalogue.search(task="survival")
    assert survival and all("survival" in paper.tasks for paper in survival)
    svm = catalogue.search(family="svm")
    assert svm and {paper.family for paper in svm} == {"svm"}
    both = catalogue.search(task="multiclass", family="svm")
    assert {paper.id for paper in both} < {paper.id for paper in svm}
    assert catalogue.search(task="survival", family="svm") == []


def test_find_prefers_the_id_then_the_estimator_then_the_words(catalogue_of):
    mention = PAPER.replace("v15-0059", "v12-0141").replace('"n log n"', '"as ExtremePointSVC, n^2"')
    mention = mention.replace("few features", "few features, and never v15-0059 nor ExtremePointSVC")
    mention = mention.replace("working", "planned")
    catalogue = catalogue_of(svm=mention + PAPER + PREDICTOR)
    assert [paper.id for paper in catalogue.find("v15-0059")] == ["v15-0059"]
    assert [paper.id for paper in catalogue.find("ExtremePointSVC")] == ["v15-0059"]
    assert [paper.id for paper in catalogue.find("treatise.svm.extremepointsvc")] == ["v15-0059"]
    assert [paper.id for paper in catalogue.find("extreme points")] == ["v12-0141", "v15-0059"]
    assert catalogue.find("zeppelin") == []


def test_an_unknown_id_names_itself_and_where_to_look():
    with pytest.raises(TreatiseError, match=r"'v99-0001'.*treatise list --all"):
        load_catalogue()["v99-0001"]
    assert load_catalogue()["v15-0059"].pages == "59-98"


# Reading a row


def test_a_full_row_is_read_as_written(catalogue_of):
    paper = catalogue_of(svm=PAPER + PREDICTOR + TRANSFORMER)["v15-0059"]
    assert paper.family == "svm" and paper.tasks == ("binary", "multiclass")
    predictor, transformer = paper.estimators
    assert predictor.name == "ExtremePointSVC"
    assert predictor.compare.seconds == Cost(1e-6, n=2, p=1) and predictor.compare.role == "predictor"
    assert predictor.compare.search == {
        "C": SearchRange(1e-2, 1e2, log=True),
        "kernel": ("rbf", "poly"),
    }
    assert transformer.compare.input == ("dense",) and transformer.compare.scaling == "none"
    assert transformer.compare.head["binary"] == "sklearn.naive_bayes.BernoulliNB"


def test_a_predictor_may_say_how_it_learns_in_blocks_and_a_transformer_may_not(catalogue_of):
    settled = PREDICTOR + 'stream = { schedule = "doubling" }\n'
    (with_stream,) = catalogue_of(svm=PAPER + settled)["v15-0059"].estimators
    assert with_stream.compare.stream == {"schedule": "doubling"}
    (without,) = catalogue_of(svm=PAPER + PREDICTOR)["v15-0059"].estimators
    assert without.compare.stream is None
    with pytest.raises(TreatiseError, match="a transformer takes no 'stream'"):
        catalogue_of(svm=PAPER + TRANSFORMER + "stream = {}\n")


def test_a_cost_is_a_monomial_in_rows_features_and_classes():
    assert Cost(1e-9, n=2, p=1).at(n=1000, p=30) == pytest.approx(1e-9 * 1000**2 * 30)
    assert Cost(2.0, k=1).at(n=10, p=10, k=7) == pytest.approx(14)


def test_estimators_outside_the_papers_are_read_from_their_own_file(tmp_path):
    source = tmp_path / "baselines.toml"
    source.write_text(PREDICTOR.replace("paper.estimator", "estimator"), encoding="utf-8")
    (entry,) = load_entries(source)
    assert entry.path == "treatise.svm.ExtremePointSVC" and entry.compare.input == ("dense", "sparse")


# What a row leaves out because it is written elsewhere

ONE_ESTIMATOR = """
[[paper.estimator]]
path = "treatise.selection.FCBF"
[paper.estimator.compare]
tasks = ["binary"]
seconds = { scale = 7e-8, n = 1, p = 1 }
bytes = { scale = 16, n = 1, p = 1 }
"""


def _without(key, text):
    return re.sub(rf"(?m)^{key} = .*\n", "", text)


def test_a_paper_with_one_estimator_takes_its_summary_from_the_docstring(catalogue_of):
    from treatise.selection import FCBF

    paper = catalogue_of(svm=_without("summary", PAPER) + ONE_ESTIMATOR)["v15-0059"]
    assert paper.summary == FCBF.__doc__.partition("\n")[0]
    with pytest.raises(CatalogueError, match="key 'summary' is missing"):
        catalogue_of(svm=_without("summary", PAPER) + ONE_ESTIMATOR + TRANSFORMER)
    nowhere = ONE_ESTIMATOR.replace("selection.FCBF", "selection.Zeppelin")
    with pytest.raises(CatalogueError, match=r"treatise\.selection\.Zeppelin has no docstring"):
        catalogue_of(svm=_without("summary", PAPER) + nowhere)


def test_a_paper_with_one_estimator_says_its_laws_in_words(catalogue_of):
    without = _without("cost", PAPER)
    paper = catalogue_of(svm=without + ONE_ESTIMATOR)["v15-0059"]
    assert paper.cost == "about 0.07 s at 10 000 rows x 100 columns; grows with n p; memory 16 n p bytes"
    with pytest.raises(CatalogueError, match="key 'cost' is missing"):
        catalogue_of(svm=without + ONE_ESTIMATOR + TRANSFORMER)
    with pytest.raises(CatalogueError, match="key 'cost' is missing"):
        catalogue_of(svm=without + ONE_ESTIMATOR.partition("[paper.estimator.compare]")[0])


@pytest.mark.parametrize(
    ("tasks", "seconds", "memory", "words"),
    [
        (("binary",), Cost(2e-8, n=2, p=0.75, k=1), Cost(8, n=2), "about 130 s at 10 000 rows x 100 columns; "
         "grows with n^2 p^0.75 k; memory 8 n^2 bytes"),
        (("sequence",), Cost(1e-5, n=1, k=1), Cost(15_000, n=1), "about 1 s at 10 000 positions with 10 labels; "
         "grows with n k; memory 15 000 n bytes"),
        (("regression",), Cost(0.0005), Cost(1e6), "about 0.0005 s at 10 000 rows x 100 columns; whatever the size; "
         "memory 1 000 000 bytes"),
    ],
)  # fmt: skip
def test_laws_in_words(tasks, seconds, memory, words):
    assert cost_in_words(ComparisonEntry(tasks, seconds, memory)) == words


def test_a_new_row_is_read_before_its_laws_are_measured_and_says_so(catalogue_of):
    row = _without("cost", PAPER) + _without("seconds", ONE_ESTIMATOR)
    paper = catalogue_of(svm=row)["v15-0059"]
    assert not paper.estimators[0].compare.is_measured
    assert paper.cost == "not measured yet"
    assert paper.estimators[0].compare.seconds.at(1000, 10) > 0


def test_every_law_that_ships_is_written_down():
    compared = [e for paper in load_catalogue() for e in paper.estimators if e.compare is not None]
    assert [e.path for e in compared if not e.compare.is_measured] == []


def test_first_lines_of_the_source_are_those_of_the_docstrings():
    paths = [e.path for paper in load_catalogue() for e in paper.estimators]
    for path in paths:
        module, _, name = path.rpartition(".")
        paragraph = (getattr(import_module(module), name).__doc__ or "").strip().partition("\n\n")[0]
        assert first_line_of(path) == " ".join(paragraph.split()), path


def test_an_estimator_may_be_for_some_of_its_papers_tasks(catalogue_of):
    row = ONE_ESTIMATOR.replace("[paper.estimator.compare]", 'tasks = ["multiclass"]\n[paper.estimator.compare]')
    (estimator,) = catalogue_of(svm=PAPER + row)["v15-0059"].estimators
    assert estimator.tasks == ("multiclass",)
    with pytest.raises(CatalogueError, match="FCBF has tasks that the paper has not: ranking"):
        catalogue_of(svm=PAPER + row.replace("multiclass", "ranking"))


def test_a_row_may_name_a_peer_for_the_benchmarks(catalogue_of):
    peer = """[paper.estimator.peer]
path = "sklearn.svm.SVC"
params = { C = 10.0 }
ours = { threshold = "log" }
n = 2000
p = 30
"""
    (estimator,) = catalogue_of(svm=PAPER + ONE_ESTIMATOR + peer)["v15-0059"].estimators
    assert estimator.peer == PeerEntry("sklearn.svm.SVC", 2000, 30, 2, {"C": 10.0}, {"threshold": "log"})
    for right, wrong, message in [
        ("n = 2000\n", "", "peer: key 'n' is missing"),
        ("n = 2000", "n = 0", "sizes must be positive"),
        ("sklearn.svm.SVC", "SVC", "is no import path such as 'sklearn"),
        ("params", "parms", "key 'parms' is unknown; did you mean 'params'"),
    ]:
        with pytest.raises(CatalogueError, match=message):
            catalogue_of(svm=PAPER + ONE_ESTIMATOR + peer.replace(right, wrong))


# Rows that are wrong: the error names the file, the paper, the key, and what would be right

WRONG_PAPER = {
    "missing key": ('cost = "n log n"\n', "", ["key 'cost' is missing"]),
    "misspelt needed key": ("summary =", "sumary =", ["key 'summary' is missing", "there is a 'sumary'"]),
    "misspelt optional key": (
        "year =",
        'notes = "x"\nyear =',
        ["key 'notes' is unknown", "did you mean 'note'?"],
    ),
    "unknown key far from any": (
        "year =",
        "qqqq = 1\nyear =",
        ["key 'qqqq' is unknown", "known keys:", "title"],
    ),
    "text for a number": ("year = 2014", 'year = "2014"', ["key 'year' must be int", "'2014'"]),
    "truth value for a number": ("year = 2014", "year = true", ["key 'year' must be int", "True"]),
    "number for a text": ('pages = "59-98"', "pages = 59", ["key 'pages' must be str", "59"]),
    "empty text": ('"n log n"', '"  "', ["key 'cost' is empty"]),
    "authors as one text": (
        'authors = ["Manu Nandan", "Pramod P. Khargonekar", "Sachin S. Talathi"]',
        'authors = "Manu Nandan"',
        ["key 'authors' must be list", "'Manu Nandan'"],
    ),
    "no authors": (
        '["Manu Nandan", "Pramod P. Khargonekar", "Sachin S. Talathi"]',
        "[]",
        ["key 'authors' must be a list of names"],
    ),
    "unknown task": ('"multiclass"]', '"multi-class"]', ["key 'tasks' holds 'multi-class'", "multiclass"]),
    "unknown status": ('"working"', '"done"', ["key 'status' is 'done'", "working, partial, planned, theory"]),
    "working without estimator": ("", "", ["status is 'working' but no estimator is listed"]),
    "partial without note": ('"working"', '"partial"', ["status is 'partial'", "key 'note' must say"]),
    "theory without note": ('"working"', '"theory"', ["status is 'theory'", "key 'note' must say"]),
}

WRONG_ESTIMATOR = {
    "planned with estimator": (
        '"working"',
        '"planned"',
        ["'v15-0059'", "status is 'planned' but estimators are listed"],
    ),
    "path without module": (
        '"treatise.svm.ExtremePointSVC"',
        '"ExtremePointSVC"',
        ["estimator 1", "'ExtremePointSVC' is no import path such as"],
    ),
    "estimator without path": ("path =", "pth =", ["estimator 1", "key 'path' is missing", "there is a 'pth'"]),
    "misspelt key of the comparison": (
        "scaling =",
        "scalling =",
        ["ExtremePointSVC", "key 'scalling' is unknown", "did you mean 'scaling'?"],
    ),
    "unknown scaling": ('"standard"', '"robust"', ["key 'scaling' is 'robust'", "none, standard, minmax"]),
    "unknown input": ('["dense", "sparse"]', '["csr"]', ["key 'input' holds 'csr'", "dense, sparse"]),
    "task that no table has": (
        'tasks = ["binary"]',
        'tasks = ["density"]',
        ["key 'tasks' holds 'density'", "binary, multiclass, regression"],
    ),
    "no task to compare on": ('tasks = ["binary"]', "tasks = []", ["ExtremePointSVC", "key 'tasks' is empty"]),
    "cost without scale": ("{ scale = 8, n = 2 }", "{ n = 2 }", ["bytes", "key 'scale' is missing"]),
    "cost that is not positive": ("scale = 1e-6", "scale = 0", ["seconds", "key 'scale' must be positive"]),
    "cost in an unknown size": ("n = 2, p = 1", "n = 2, d = 1", ["seconds", "key 'd' is unknown"]),
    "cost as a bare number": ("{ scale = 8, n = 2 }", "8", ["key 'bytes' must be dict", "8"]),
    "empty search list": ('["rbf", "poly"]', "[]", ["search.kernel", "the list of values is empty"]),
    "low above high": (
        "low = 1e-2, high = 1e2",
        "low = 10, high = 1",
        ["search.C", "low=10, high=1 is no range"],
    ),
    "low equal to high": (
        "low = 1e-2, high = 1e2",
        "low = 1, high = 1",
        ["search.C", "low=1, high=1 is no range"],
    ),
    "logarithm of zero": ("low = 1e-2", "low = 0", ["search.C", "low=0, high=100 is no range"]),
    "search range without an end": (", high = 1e2", "", ["search.C", "key 'high' is missing"]),
    "search over one value": ('kernel = ["rbf", "poly"]', 'kernel = "rbf"', ["search.kernel", "got str"]),
    "misspelt key of a search range": (
        "log = true",
        "logs = true",
        ["search.C", "key 'logs' is unknown", "did you mean 'log'?"],
    ),
    "head of a predictor": (
        "scaling =",
        'head = { binary = "x.Y" }\nscaling =',
        ["ExtremePointSVC", "a predictor takes no 'head'"],
    ),
}


@pytest.mark.parametrize(("right", "wrong", "message"), WRONG_PAPER.values(), ids=WRONG_PAPER)
def test_a_wrong_paper_is_named_with_file_key_and_remedy(catalogue_of, right, wrong, message):
    _expect_complaint(catalogue_of, PAPER, right, wrong, message)


@pytest.mark.parametrize(("right", "wrong", "message"), WRONG_ESTIMATOR.values(), ids=WRONG_ESTIMATOR)
def test_a_wrong_estimator_is_named_with_file_paper_key_and_remedy(catalogue_of, right, wrong, message):
    _expect_complaint(catalogue_of, PAPER + PREDICTOR, right, wrong, message)


def _expect_complaint(catalogue_of, text, right, wrong, message):
    assert right in text
    with pytest.raises(CatalogueError) as complaint:
        catalogue_of(svm=text.replace(right, wrong) if right else text)
    for part in ["svm/papers.toml", "'v15-0059'", *message]:
        assert part in str(complaint.value)


@pytest.mark.parametrize(
    "head",
    ["", 'head = { binary = "sklearn.naive_bayes.BernoulliNB" }\n'],
    ids=["no head", "head for one task of two"],
)
def test_a_transformer_needs_a_head_for_each_of_its_tasks(catalogue_of, head):
    text = PAPER + re.sub(r"head = .*\n", head, TRANSFORMER)
    with pytest.raises(CatalogueError, match=r"'v15-0059'.*CMIM.*'head' estimator for each of binary, multi"):
        catalogue_of(svm=text)


def test_a_paper_without_an_id_is_still_located(catalogue_of):
    text = PAPER.replace('id = "v15-0059"\n', "")
    with pytest.raises(CatalogueError, match=r"svm/papers\.toml, paper 'without an id': key 'id' is missing"):
        catalogue_of(svm=text)


def test_one_wrong_paper_among_right_ones_is_the_one_named(catalogue_of):
    wrong = PAPER.replace("v15-0059", "v15-0141").replace("year = 2014", "year = 14.0")
    with pytest.raises(CatalogueError, match=r"svm/papers\.toml, paper 'v15-0141': key 'year'"):
        catalogue_of(online=PAPER + PREDICTOR, svm=wrong + PREDICTOR)


def test_broken_toml_names_the_file_and_the_line(catalogue_of):
    with pytest.raises(CatalogueError, match=r"svm/papers\.toml is no valid TOML in UTF-8: .*line 7"):
        catalogue_of(svm=PAPER.replace("year = 2014", "year = "))


def test_rows_of_another_name_are_refused_with_the_right_one(catalogue_of):
    with pytest.raises(CatalogueError, match=r"svm/papers\.toml: 'papers' is no paper; .*\[\[paper\]\]"):
        catalogue_of(svm=(PAPER + PREDICTOR).replace("[[paper]]", "[[papers]]").split("[[paper.")[0])


def test_a_paper_listed_twice_is_named(catalogue_of):
    with pytest.raises(CatalogueError, match=r"linear/papers\.toml: paper 'v15-0059' stands in the catalogue twice"):
        catalogue_of(svm=PAPER + PREDICTOR, linear=PAPER + PREDICTOR)


def test_a_single_bracket_row_is_told_apart(catalogue_of):
    with pytest.raises(CatalogueError, match=r"svm/papers\.toml: a row starts with \[\[paper\]\]"):
        catalogue_of(svm=PAPER.replace("[[paper]]", "[paper]"))


def test_a_paper_without_a_task_is_refused(catalogue_of):
    with pytest.raises(CatalogueError, match=r"'v15-0059': key 'tasks' is empty"):
        catalogue_of(svm=re.sub(r"tasks = .*\n", "tasks = []\n", PAPER + PREDICTOR, count=1))


def test_a_search_without_an_upper_end_is_refused(catalogue_of):
    text = PAPER + re.sub(r"high = [^ ,}]+", "high = inf", PREDICTOR, count=1)
    assert "high = inf" in text
    with pytest.raises(CatalogueError, match="is no range to search"):
        catalogue_of(svm=text)
