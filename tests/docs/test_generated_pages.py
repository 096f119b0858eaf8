"""Pages written by the build: nothing public is missing, and records are shown as they are."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import treatise_pages
from docutils import nodes
from numpydoc import docscrape_sphinx
from treatise_pages import answers, api, benchmarks, catalogue, command_line, data_files, defaults, evidence, methods
from treatise_pages.docstrings import link_own_attributes, protect_names, share_template
from treatise_pages.navigation import Navigation
from treatise_pages.rst import escaped, number, table

import treatise
from treatise.catalog import load_catalogue
from treatise.catalog._derived import first_line_of
from treatise.datasets._home import known_files
from treatise.papers import Gap, Reproduction, Row, record_outcome

NOISE = {"within": 0.2, "why": "two standard errors (of 30)"}
ROWS = [
    Row.printed("features kept*", "Table 2", 5, 5),
    Row.printed_at_most("error", "Table 2", 0.1, 0.1234567891, gap=Gap("the splits are lost", 0.1)),
    Row.printed("shift", "p. 3", 2.0, 2.1, **NOISE),
    Row.printed("slope", "p. 3", 3.0, 3.1, **NOISE),
    Row.claim("columns are sifted", "Figure 1", True),
    Row.check("sum of the weights", 1.0, 1.0),
    Row.ours("time", 2.5),
]
RESULT = Reproduction("v05-1205", True, ROWS, 312.0, "somewhere/else/v05-1205.png", ["arcene.mat is absent"])


@pytest.fixture(scope="module")
def reference(docs):
    return api.pages(docs)


def test_every_public_name_of_every_package_is_in_the_reference(reference):
    for name in treatise.__all__:
        package = getattr(treatise, name)
        for member in getattr(package, "__all__", []):
            page = reference[f"api/treatise.{name}.rst"]
            own = f":py:obj:`{member} <treatise.{name}.{member}>`" in page
            assert own or f".{member}`" in page, f"treatise.{name}.{member}"
            if own:
                assert f"api/treatise.{name}.{member}.rst" in reference


def test_a_package_page_says_what_each_name_is(reference):
    row = reference["api/treatise.selection.rst"].partition(":py:obj:`FCBF <treatise.selection.FCBF>`\n")[2]
    assert row.partition("\n")[0].strip() == f"- {first_line_of('treatise.selection.FCBF')}"


def test_packages_without_public_names_are_left_out(reference):
    empty = [n for n in treatise.__all__ if n != "__version__" and not getattr(getattr(treatise, n), "__all__", None)]
    assert not {f"api/treatise.{name}.rst" for name in empty} & set(reference)


def test_a_class_page_has_its_own_methods_and_names_those_of_scikit_learn(reference):
    page = reference["api/treatise.selection.FCBF.rst"]
    assert ".. automethod:: FCBF.fit\n" in page
    assert "``get_params``" in page
    assert "automethod:: FCBF.get_params" not in page
    assert "_request" not in page


def test_every_paper_stands_in_its_family_and_has_a_page_if_it_runs(docs):
    pages = catalogue.pages(docs)
    by_family = pages["_generated/by_family.inc"]
    for paper in load_catalogue():
        assert by_family.count(f"``{paper.id}``") == 1
        assert (f"papers/{paper.id}.rst" in pages) == catalogue.is_running(paper)


def test_pages_of_papers_are_named_by_their_titles_wherever_they_are_listed(docs):
    pages = catalogue.pages(docs)
    listed = pages["papers/index.rst"].split()
    for paper in load_catalogue().search(family="selection"):
        if catalogue.is_running(paper):
            assert pages[f"papers/{paper.id}.rst"].startswith(escaped(paper.title))
            assert paper.id in listed and f"<{paper.id}>" not in listed
            assert f":doc:`{escaped(paper.title)} </papers/{paper.id}>`" in pages["_generated/by_family.inc"]


@pytest.fixture(scope="module")
def sections(docs):
    """What stands under each task."""
    text = methods.pages(docs)["_generated/by_task.inc"]
    return {part.partition(":")[0]: part for part in text.split(".. _task-")[1:]}


def test_every_task_of_every_paper_has_its_section_with_the_paper_in_it(sections):
    for paper in load_catalogue():
        for task in paper.tasks:
            assert escaped(paper.title) in sections[task], f"{paper.id} under {task}"


def test_every_method_stands_with_its_first_line_under_a_task(sections):
    everything = "".join(sections.values())
    for paper in load_catalogue():
        for entry in paper.estimators:
            listed = f":py:obj:`{entry.name} <{entry.path}>`" in everything
            assert listed == methods.is_method(entry), entry.path
    row = sections["feature-selection"].partition("FCBF <treatise.selection.FCBF>`")[2]
    assert row.split("- ")[1].strip() == first_line_of("treatise.selection.FCBF")


def test_classifiers_stand_under_classes_and_regressors_under_numbers(sections):
    assert "<treatise.linear.SpAMClassifier>" in sections["binary"]
    assert "<treatise.linear.SpAMClassifier>" not in sections["regression"]
    assert "<treatise.linear.SpAMRegressor>" in sections["regression"]
    assert "<treatise.online.AveragedSGDRegressor>" in sections["regression"]
    assert "<treatise.online.AveragedSGDRegressor>" not in sections["binary"]


def test_without_a_record_the_evidence_page_says_how_to_make_one(tmp_path):
    assert "make evidence" in evidence.pages(tmp_path)["_generated/evidence.inc"]


@pytest.fixture
def recorded(tmp_path):
    (tmp_path / "evidence").mkdir()
    record_outcome(tmp_path / "evidence.json", RESULT)
    (tmp_path / "evidence" / "v05-1205.png").write_bytes(b"")
    return tmp_path


def test_a_record_is_shown_with_every_row_its_reason_and_its_figure(recorded):
    shown = evidence.evidence_of("v05-1205", evidence.read_evidence(recorded), recorded)
    assert "features kept\\*" in shown
    assert ":reached:`reached`" in shown
    assert ":gap:`not reached`" in shown
    assert "0.123457" in shown
    assert "the splits are lost" in shown
    assert "arcene.mat is absent" in shown
    assert ".. image:: /evidence/v05-1205.png" in shown
    assert "5 min" in shown
    for heading in ("Numbers printed in the paper", "Claims of the paper", "Checks of", "Numbers of ours"):
        assert f"**{heading}" in shown


def test_a_record_says_when_and_with_what_version_it_was_made(recorded):
    record = evidence.read_evidence(recorded)["v05-1205"]["full"]
    for shown in (
        evidence.pages(recorded)["_generated/evidence.inc"],
        (evidence.evidence_of("v05-1205", evidence.read_evidence(recorded), recorded)),
    ):
        assert record["date"] in shown and escaped(record["version"]) in shown


def test_the_full_size_is_shown_where_it_was_recorded_and_the_quick_one_else(recorded):
    record_outcome(recorded / "evidence.json", replace(RESULT, full=False, seconds=1.0))
    record_outcome(recorded / "evidence.json", replace(RESULT, paper="v05-1225", full=False, seconds=1.0))
    records = evidence.read_evidence(recorded)
    sizes = {paper: evidence.shown_record(kept)["size"] for paper, kept in records.items()}
    assert sizes == {"v05-1205": "full", "v05-1225": "quick"}


def test_the_reason_of_a_tolerance_stands_below_the_table_once(recorded):
    shown = evidence.evidence_of("v05-1205", evidence.read_evidence(recorded), recorded)
    assert shown.count("±0.2 :sup:`1`") == 2
    assert shown.count("1. Tolerance: two standard errors (of 30).") == 1


def test_a_figure_that_was_not_kept_is_not_shown(recorded):
    (recorded / "evidence" / "v05-1205.png").unlink()
    assert "image::" not in evidence.evidence_of("v05-1205", evidence.read_evidence(recorded), recorded)


def test_the_overview_counts_kinds_apart(recorded):
    overview = evidence.pages(recorded)["_generated/evidence.inc"]
    assert "**Reached: 3 of 4 printed numbers, 1 of 1 claims and 1 of 1 checks.**" in overview
    assert "1 numbers are ours alone" in overview


def test_benchmarks_are_shown_as_recorded_and_missed_when_not(tmp_path):
    assert "make bench" in benchmarks.pages(tmp_path)["_generated/benchmarks.inc"]
    contest = {
        "benchmark": "ranking", "work": "100 duels", "peer": "openskill", "peer version": "6.1", "ours s": 0.5,
        "peer s": 20.0, "ratio": 40.0, "quality ours": 0.3, "quality peer": 0.31, "peak MiB ours": 3,
        "peak MiB peer": 9,
    }  # fmt: skip
    scaling = {"benchmark": "ranking", "work": "cost", "sizes": [10, 100], "seconds": [1.0, 10.1], "slope": 1.004}
    measured = {**scaling, "work": "cost and room", "peak MiB": [3.2, 31.4], "quality": [2e-8, 0.25]}
    memory = {"benchmark": "ranking", "work": "memory", "sizes": [5, 50], "peak MiB": [7.0, 7.7], "growth": 1.1}
    less = {
        "benchmark": "ranking",
        "work": "room",
        "peer": "choix",
        "peak MiB ours": 4,
        "peak MiB peer": 62,
        "ratio": 15.5,
    }
    share = {"benchmark": "ranking", "work": "false alarms", "share": 0.05}
    rows = (contest, scaling, measured, memory, less, share)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "benchmarks.json").write_text(lines)
    shown = benchmarks.pages(tmp_path)["_generated/benchmarks.inc"]
    for text in (
        "openskill 6.1",
        "- 40\n",
        "0.3 and 0.31",
        "10, 100",
        "1.00",
        "3, 31",
        "2e-08, 0.25",
        "5, 50",
        "7, 8",
        "- 1.1\n",
        "choix",
        "4, 62",
        "- 15.5\n",
        "- 5 %\n",
    ):
        assert text in shown


def test_defaults_that_do_not_hold_come_first_with_the_setting_that_would(tmp_path):
    assert "make defaults" in defaults.pages(tmp_path)["_generated/defaults.inc"]
    scores = {"what": "unscaled", "default": 0.62, "best": 0.97, "setting": {"C": 8612.0, "q": 1.5}, "obvious": 0.96}
    row = {"estimator": "QNormSVC", "table": "breast_cancer", **scores, "beside": "SVC", "why": "", "loses": True}
    slow = {**row, "estimator": "FCBF", "default": None, "best": None, "obvious": None, "beside": "", "loses": False}
    told = [
        {"estimator": "FCBF", "holds": True, "verdict": "holds", "tables": [{**slow, "why": "too slow"}]},
        {"estimator": "QNormSVC", "holds": False, "verdict": "loses on 1 of 1 tables", "tables": [row]},
        {"estimator": "Forgotten", "holds": True, "verdict": "holds", "tables": []},
    ]
    (tmp_path / "defaults.json").write_text("\n".join(map(json.dumps, told)))
    shown = defaults.pages(tmp_path)["_generated/defaults.inc"]
    assert (
        "**1 of 2 defaults hold.**" in shown
        and "Recorded on 1 tables: breast_cancer." in shown
        and "Forgotten" not in shown
    )
    assert shown.index("QNormSVC <") < shown.index("FCBF <")
    assert "breast_cancer: 0.620, and 0.970 with ``C=8.61e+03, q=1.5``" in shown
    assert "0.960 (SVC)" in shown and "too slow" in shown


def test_every_known_data_file_is_in_the_table(docs):
    shown = data_files.pages(docs)["_generated/data_files.inc"]
    assert [name for name in known_files() if f"``{name}``" not in shown] == []


def test_every_option_of_every_command_is_listed(docs):
    pages = command_line.pages(docs)
    for name, command in command_line.commands().items():
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                if option.startswith("-"):
                    assert option in pages[f"_generated/cli/{name}.inc"].replace(",", " ").split(), f"{name} {option}"


def test_pages_that_are_no_longer_made_are_removed_and_others_left(tmp_path):
    stale, kept = tmp_path / "api" / "treatise.gone.rst", tmp_path / "_generated" / "backreferences" / "x.examples"
    for path in (stale, kept, tmp_path / "index.rst"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old")
    treatise_pages.write_pages(tmp_path)
    assert not stale.exists()
    assert kept.exists()
    assert (tmp_path / "index.rst").exists()
    page = tmp_path / "api" / "index.rst"
    before = page.stat().st_mtime_ns
    treatise_pages.write_pages(tmp_path)
    assert page.stat().st_mtime_ns == before, "an unchanged page must not be written again"


def test_text_is_escaped_so_that_it_shows_as_it_is():
    assert escaped("coef_ of a*b, |x| and `y` in n_rows") == r"coef\_ of a\*b, \|x\| and \`y\` in n_rows"


def test_cells_keep_their_paragraphs_together():
    assert table(["a", "b"], [["one\n\ntwo", ""]]).endswith("   * - one\n\n       two\n     -\n")


def test_numbers_have_six_digits_and_nothing_is_nothing():
    assert [number(v) for v in (None, True, 12345678, 0.123456789, "A > B")] == [
        "",
        "yes",
        "12345678",
        "0.123457",
        "A > B",
    ]


@pytest.mark.parametrize(("line", "protected"), [
    ("The coef_ and ``mu_`` and [1]_.", r"The coef\_ and ``mu_`` and [1]_."),
    ("x_ : array of shape (n_iter_ + 1,)", r"x_ : array of shape (n_iter\_ + 1,)"),
    (">>> model.mu_", ">>> model.mu_"),
    ("at most |gradient|^2, or ``a | b``", r"at most \|gradient\|^2, or ``a | b``"),
])  # fmt: skip
def test_names_and_norms_in_docstrings_are_no_links(line, protected):
    lines = [line, "", "The end_."]
    protect_names(None, "class", "", None, None, lines)
    assert lines == [protected, "", r"The end\_."]


def test_a_page_lists_those_beside_it_and_a_page_with_pages_below_lists_those():
    titles = {name: nodes.title(text=name.upper()) for name in ("index", "api/a", "api/b", "api/index")}
    includes = {"index": ["api/index"], "api/index": ["api/a", "api/b"]}
    env = SimpleNamespace(toctree_includes=includes, titles=titles)
    app = SimpleNamespace(env=env, config=SimpleNamespace(root_doc="index", project="Treatise"))
    navigation = Navigation()
    navigation.prepare(app, env)
    for page in ("api/a", "api/index"):
        context = {}
        navigation.add(app, page, "page.html", context, None)
        assert context["siblings"] == ("api/index", "API/INDEX", [("api/a", "API/A"), ("api/b", "API/B")])
    navigation.add(app, "genindex", "page.html", context, None)
    assert context["siblings"].parent == "index"


def test_the_template_of_docstrings_is_compiled_once():
    share_template()
    first, second = (docscrape_sphinx.SandboxedEnvironment(loader=None) for _ in range(2))
    assert first.get_template("numpydoc_docstring.rst") is second.get_template("numpydoc_docstring.rst")
    shown = str(docscrape_sphinx.get_doc_object(Navigation.add))
    assert "Put the list into what the template" in shown


def test_properties_link_to_their_own_class():
    lines = [":obj:`size <.size>` : int", "    see :obj:`other <.name>`"]
    link_own_attributes(None, "class", "treatise.sequence.HMM", None, None, lines)
    assert lines == [":obj:`size <treatise.sequence.HMM.size>` : int", "    see :obj:`other <.name>`"]


def test_answers_are_shown_as_they_are_recorded(tmp_path):
    assert "make answers" in answers.pages(tmp_path)["_generated/answers.inc"]
    ours = {"pick": 0.8123, "label": "Greedy blend", "folds": 10, "undecided": 3, "equivalent": 2, "told": 0.0421}
    asked = {"table": "keel/a.dat", "division": 0, "metric": "roc_auc", "rows": 500}
    asked |= {"budget": 120.0, "jobs": 2, "tuning": True}
    row = {**asked, "treatise": ours, "defaults": {"guess": 0.5, "forest": 0.8}, "flaml": {"score": 0.7999}}
    begun = {**asked, "table": "keel/begun.dat", "defaults": {"guess": 0.5}}
    untuned = {**row, "table": "keel/untuned.dat", "tuning": False}
    summary = {"tables": 1, "mean rank": {"treatise": 1.0, "flaml": 2.0}, "mean of the blend": None}
    lines = map(json.dumps, (row, {**row, "division": 1}, begun, untuned, summary))
    (tmp_path / "answers.json").write_text("\n".join(lines), encoding="utf-8")
    page = answers.pages(tmp_path)["_generated/answers.inc"]
    assert "Recorded on 1 table, with 120 s of each of 2 processors" in page
    for shown in ("0.8123 (Greedy blend)", "0.8000 (forest)", "0.7999", "0.042", "flaml 2"):
        assert shown in page
    assert "begun" not in page
    assert "untuned" not in page
