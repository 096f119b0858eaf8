"""``treatise list`` and ``treatise show``."""

import json
import os
import sys

import pytest

from treatise.catalog import FAMILIES, load_catalogue
from treatise.catalog._schema import TASKS

HEAVY = ("sklearn", "numba", "polars", "matplotlib", "scipy", "numpy")


def test_list_shows_the_papers_that_run_and_hints_at_the_others(invoke, catalogue):
    result = invoke("list")
    assert result.exit_code == 0
    heading, *rows = result.stdout.splitlines()
    assert heading.split() == ["id", "method", "family", "tasks", "summary"]
    assert [row.split()[0] for row in rows] == ["v98-0001", "v98-0002"]
    assert "Sieve, relevance" in rows[0] and "feature-selection, binary" in rows[0]
    assert result.stderr == "2 papers shown; 1 planned and 1 theory papers match too: add --all\n"


def test_list_all_shows_every_paper_with_its_status(invoke, catalogue):
    result = invoke("list", "--all")
    assert [row.split()[:2] for row in result.stdout.splitlines()[1:]] == [
        ["v98-0001", "working"],
        ["v98-0002", "partial"],
        ["v98-0003", "planned"],
        ["v98-0004", "theory"],
    ]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sifting"], ["v98-0001"]),
        (["SIFTING", "columns"], ["v98-0001"]),
        (["--task", "ranking"], ["v98-0002"]),
        (["--family", "selection", "--all"], ["v98-0001", "v98-0003"]),
        (["sifting", "--family", "ranking"], []),
        (["--task", "survival"], []),
    ],
)
def test_words_task_and_family_narrow_the_list(invoke, catalogue, words, found):
    result = invoke("list", "--json", *words)
    assert result.exit_code == 0
    assert [row["id"] for row in json.loads(result.stdout)] == found


def test_list_json_is_the_rows_of_the_catalogue_and_nothing_else(invoke, catalogue):
    result = invoke("list", "--all", "--json")
    assert json.loads(result.stdout) == [paper.row() for paper in catalogue]
    assert result.stderr == ""


def test_nothing_found_is_a_sentence_and_no_failure(invoke, catalogue):
    result = invoke("list", "zeppelin")
    assert (result.exit_code, result.stdout) == (0, "No paper matches.\n")


def test_matches_among_planned_papers_alone_are_announced(invoke, catalogue):
    assert invoke("list", "rows").stdout == "1 planned paper matches; --all shows it.\n"
    assert invoke("list", "bounds").stdout == "1 theory paper matches; --all shows it.\n"
    assert invoke("list", "rows", "--json").stdout == "[]\n"


@pytest.mark.parametrize(("option", "wrong", "right", "choices"), [
    ("--task", "binery", "binary", TASKS),
    ("--family", "svn", "svm", FAMILIES),
])  # fmt: skip
def test_an_unknown_task_or_family_is_wrong_usage_and_names_the_choices(invoke, option, wrong, right, choices):
    result = invoke("list", option, wrong)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"did you mean '{right}'" in result.stderr
    assert f"choose from {', '.join(choices)}" in result.stderr


def test_show_tells_everything_about_one_paper(invoke, catalogue, experiments):
    experiments({"v98-0001": None})
    text = invoke("show", "v98-0001").stdout
    for part in [
        "Sifting columns", "Ada Müller, Bo Li. JMLR 5 (2004), 1-20.", "working", "Does sifting columns.",
        "Use it [always].", "O(n p)", "treatise reproduce v98-0001",
        "from treatise.selection import Sieve, relevance",
        "Sieve: binary, regression; prepares the table for LogisticRegression or Ridge; standard scaling; "
        "dense or sparse input; tunes threshold",
    ]:  # fmt: skip
        assert part in text


def test_show_tells_what_a_partial_paper_lacks(invoke, catalogue, experiments):
    experiments({})
    text = invoke("show", "v98-0002").stdout
    assert "Draws are missing." in text
    assert "no experiment yet" in text
    assert "does not take part" in text


@pytest.mark.parametrize("key", ["Sieve", "sieve", "treatise.selection.Sieve", "v98-0001", "sifting columns"])
def test_show_finds_by_id_estimator_import_path_and_words(invoke, catalogue, key):
    assert invoke("show", *key.split()).stdout.startswith("Sifting columns\n")


def test_show_json_of_one_paper_is_its_row_with_note_and_evidence(invoke, catalogue, experiments):
    experiments({"v98-0002": None})
    paper = catalogue["v98-0002"]
    expected = {**paper.row(), "note": "Draws are missing.", "evidence": True}
    assert json.loads(invoke("show", "Ladder", "--json").stdout) == expected


def test_show_of_several_is_a_short_list(invoke, catalogue):
    result = invoke("show", "sifting")
    assert result.exit_code == 0
    assert [row.split()[:2] for row in result.stdout.splitlines()[1:]] == [
        ["v98-0001", "working"],
        ["v98-0003", "planned"],
    ]
    several = json.loads(invoke("show", "sifting", "--json").stdout)
    assert [(row["id"], row["evidence"]) for row in several] == [("v98-0001", False), ("v98-0003", False)]


@pytest.mark.parametrize(("key", "close"), [("v98-001", "'v98-0001'"), ("Sieves", "'Sieve'"), ("LADER", "'Ladder'")])
def test_show_of_nothing_fails_and_suggests(invoke, catalogue, key, close):
    result = invoke("show", key)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"treatise: no paper, estimator or words match {key!r} (did you mean ")
    assert close in result.stderr


def test_every_real_paper_can_be_listed_and_shown(invoke):
    rows = json.loads(invoke("list", "--all", "--json").stdout)
    assert [row["id"] for row in rows] == [paper.id for paper in load_catalogue()]
    for row in rows:
        shown = invoke("show", row["id"])
        assert shown.exit_code == 0
        assert shown.stdout.startswith(row["title"])


def test_list_and_show_and_help_import_nothing_heavy(shell):
    script = f"""
import sys
from treatise.cli import main
try:
    main()
except SystemExit:
    pass
sys.stderr.write(' '.join(name for name in {HEAVY!r} if name in sys.modules))
"""
    for words in (["list", "--all", "--json"], ["--help"], ["show", "v00-0000"], ["reproduce", "v00-0000"]):
        heavy = shell(*words, script=script).stderr.splitlines()
        assert not heavy or heavy[-1].startswith("treatise: "), words


def test_a_pipe_gets_plain_text_without_rich(shell):
    script = """
import sys
from treatise.cli import main
try:
    main()
except SystemExit:
    print(sorted(name for name in sys.modules if name == 'rich'), file=sys.stderr)
"""
    result = shell("list", "--all", script=script)
    assert "\x1b" not in result.stdout
    assert result.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("words", [["list"], ["--help"], ["--version"]])
def test_start_up_is_quick(shell, words):
    # About 0.3 s of processor time; scikit-learn alone would take another.
    best = min(_seconds(lambda: shell(*words)) for _ in range(3))
    assert best < 1.0


def test_importing_the_library_is_quick(shell):
    script = "import time; t = time.process_time(); import treatise; print(time.process_time() - t)"
    best = min(float(shell(script=script).stdout) for _ in range(3))
    assert best < 0.1


def _seconds(work):
    """Processor time of the processes that work starts: a busy machine changes it little."""
    before = os.times()
    work()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_style_unless_no_color_forbids_colour(plain_environment):
    environment = {**plain_environment, "TERM": "xterm-256color", "COLUMNS": "80"}
    script = """
from treatise.cli._console import Cell, Column, print_table
print_table([Column("verdict"), Column("extra", spare=True)], [[Cell("[reached]", "green"), "left out"]])
"""
    styled = _on_a_terminal(script, environment)
    assert "\x1b[32m" in styled and "[reached]" in styled
    assert "left out" not in styled  # a spare column needs a wide terminal
    assert "left out" in _on_a_terminal(script, {**environment, "COLUMNS": "160"})
    assert "\x1b[32m" not in _on_a_terminal(script, {**environment, "NO_COLOR": "1"})


def _on_a_terminal(script, environment):
    """What a program prints when its standard output is a terminal."""
    import os
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux reports the far end's closing so
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    return shown.decode()
