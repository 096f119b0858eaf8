"""``treatise reproduce``, with experiments of its own in place of the papers'."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.papers import Evidence, Row


def reached(*, full=False):
    rows = [
        Row.close("accuracy", 0.95, 0.9512345678 if full else 0.9498, 0.01, "one standard error"),
        Row.equal("features kept", 12, np.int64(12)),
        Row.equal("ties broken", True, np.bool_(True)),
        Row.unpublished("seconds", 0.25),
    ]
    return Evidence(rows, figure=Figure())


def explained(*, full=False):
    row = Row.at_least("accuracy", 0.99, 0.97, gap="the paper's splits are lost; ten seeds were tried")
    return Evidence([row], skipped=["sonar.dat is absent: get it from example.org and put it at /data/sonar.dat"])


def missed(*, full=False):
    return Evidence([Row.at_most("error", 0.1, 0.2)])


def broken(*, full=False):
    raise ZeroDivisionError("division by zero")


def without_data(*, full=False):
    raise DataNotFoundError("sonar.dat is absent")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the test's own as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cells_of(line):
    return [cell for cell in line.split("  ") if cell.strip()]


def test_one_paper_prints_its_rows_beside_the_published_numbers(invoke, catalogue, experiments, here):
    experiments({"v98-0001": reached})
    result = invoke("reproduce", "v98-0001")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "v98-0001  Sifting columns"
    table = [[cell.strip() for cell in cells_of(line)] for line in lines[1:6]]
    assert table == [
        ["quantity", "published", "here", "tolerance", "verdict"],
        ["accuracy", "0.95", "0.9498", "±0.01 (one standard error)", "reached"],
        ["features kept", "12", "12", "exact", "reached"],
        ["ties broken", "yes", "yes", "exact", "reached"],
        ["seconds", "0.25", "no published number"],
    ]
    assert lines[6] == "figure: treatise-evidence/v98-0001.png"
    assert lines[7].endswith(" s")
    assert result.stderr == ""


def test_full_reaches_the_experiment_and_output_names_the_folder(invoke, catalogue, experiments, here):
    experiments({"v98-0001": reached})
    result = invoke("reproduce", "v98-0001", "--full", "--output", "figures/here", "--json")
    answer = json.loads(result.stdout)
    assert answer["rows"][0]["here"] == 0.9512345678
    assert answer["figure"] == "figures/here/v98-0001.png"
    assert (here / answer["figure"]).read_bytes().startswith(b"\x89PNG")


def test_json_of_one_paper_is_an_object_with_plain_rows(invoke, catalogue, experiments, here):
    experiments({"v98-0002": explained})
    result = invoke("reproduce", "v98-0002", "--json")
    answer = json.loads(result.stdout)
    assert list(answer) == ["paper", "rows", "seconds", "figure", "skipped"]
    assert answer["paper"] == "v98-0002"
    assert answer["rows"] == [row.plain() for row in explained().rows]
    assert answer["skipped"] == explained().skipped
    assert answer["seconds"] >= 0
    assert answer["figure"] is None
    assert list(here.iterdir()) == []  # without a figure no folder is made
    assert result.stderr == ""


def test_a_gap_is_told_and_is_no_failure_and_missing_data_say_what_to_get(invoke, catalogue, experiments, here):
    experiments({"v98-0002": explained})
    result = invoke("reproduce", "v98-0002")
    assert result.exit_code == 0
    assert "not reached: accuracy: the paper's splits are lost; ten seeds were tried\n" in result.stdout
    assert "left out: sonar.dat is absent: get it from example.org and put it at /data/sonar.dat\n" in result.stdout


def test_a_number_that_should_be_reached_and_is_not_exits_with_one(invoke, catalogue, experiments, here):
    experiments({"v98-0001": missed})
    result = invoke("reproduce", "v98-0001")
    assert result.exit_code == 1
    assert "not reached" in result.stdout
    assert result.stderr == "treatise: a published number that should be reached is not, in v98-0001\n"
    assert invoke("reproduce", "v98-0001", "--json").exit_code == 1


def test_several_papers_give_a_list_in_the_order_named_and_each_once(invoke, catalogue, experiments, here):
    experiments({"v98-0001": reached, "v98-0002": explained})
    result = invoke("reproduce", "v98-0002", "v98-0001", "v98-0002", "--json")
    assert [answer["paper"] for answer in json.loads(result.stdout)] == ["v98-0002", "v98-0001"]


def test_all_runs_every_experiment_counts_what_is_left_out_and_tallies(invoke, catalogue, experiments, here):
    experiments({"v98-0001": reached, "v98-0002": explained})
    result = invoke("reproduce", "all")
    assert result.exit_code == 0
    assert result.stderr == "2 papers without an experiment are left out\n"
    assert result.stdout.splitlines()[-1] == (
        "2 papers: 3 of 4 published numbers reached; 1 not reached, with the reason given; "
        "1 part left out for want of data"
    )


def test_a_family_runs_its_own_and_is_a_list_even_of_one(invoke, catalogue, experiments, here):
    experiments({"v98-0001": reached, "v98-0002": explained})
    result = invoke("reproduce", "--family", "ranking", "--json")
    assert [answer["paper"] for answer in json.loads(result.stdout)] == ["v98-0002"]
    assert result.stderr == "1 paper without an experiment is left out\n"


def test_an_experiment_that_breaks_among_several_does_not_lose_the_others(invoke, catalogue, experiments, here):
    experiments({"v98-0001": broken, "v98-0002": explained, "v98-0003": missed})
    told = "v98-0001: ZeroDivisionError: division by zero; run again with --debug for the traceback"
    result = invoke("reproduce", "all")
    assert result.exit_code == 1
    assert f"treatise: {told}\n" in result.stderr and "Traceback" not in result.stderr
    assert "v98-0002  Ranking players" in result.stdout
    assert "1 not reached; 1 part left out for want of data; 1 experiment broke off" in result.stdout
    answers = json.loads(invoke("reproduce", "all", "--json").stdout)
    assert [answer["paper"] for answer in answers] == ["v98-0001", "v98-0002", "v98-0003"]
    assert answers[0]["rows"] == [] and answers[0]["error"] == told.removeprefix("v98-0001: ")
    assert "error" not in answers[1]
    assert "in broken" in invoke("reproduce", "all", "--debug").stderr


def test_an_experiment_that_breaks_alone_is_a_failure_in_one_sentence(invoke, catalogue, experiments, here):
    experiments({"v98-0001": broken})
    result = invoke("reproduce", "v98-0001", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "treatise: ZeroDivisionError: division by zero; run again with --debug for the traceback\n"
    )


def test_an_experiment_without_its_data_is_left_out_and_no_failure(invoke, catalogue, experiments, here):
    experiments({"v98-0001": without_data})
    result = invoke("reproduce", "v98-0001")
    assert result.exit_code == 0
    assert "left out: sonar.dat is absent\n" in result.stdout


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        ([], 2, "name either papers by their ids, or 'all', or a --family; `treatise reproduce --help` tells more"),
        (["v98-0001", "--family", "ranking"], 2, "name either papers by their ids"),
        (["v98-001"], 2, "no paper has the id 'v98-001' (did you mean 'v98-0001'"),
        (["v98-0001", "zeppelin"], 2, "no paper has the id 'zeppelin'; `treatise list --all` shows all ids"),
        (["--family", "rankings"], 2, "no family is called 'rankings' (did you mean 'ranking'?); choose from "),
        (["--family", "svm"], 1, "no paper of the family 'svm' has an experiment yet"),
        (["v98-0003"], 1, "v98-0003 has no experiment yet; `treatise show v98-0003` tells what there is of it"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(
    invoke, catalogue, experiments, here, words, status, sentence
):
    def unwanted(*, full=False):
        raise AssertionError("must not run")

    experiments({"v98-0001": unwanted})
    result = invoke("reproduce", *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.startswith(f"treatise: {sentence}")


def test_an_output_that_is_a_file_is_refused_before_anything_runs(invoke, catalogue, experiments, here):
    experiments({"v98-0001": broken})
    (here / "taken").write_text("")
    result = invoke("reproduce", "v98-0001", "--output", "taken")
    assert result.exit_code == 2
    assert "taken" in result.stderr and "ZeroDivisionError" not in result.stderr


FAKE = """
import sys, types
import treatise.papers._reproduce as engine
from treatise.papers import Evidence, Row
module = types.ModuleType("treatise.papers.v98_0001")
def experiment(*, full=False):
    {body}
module.experiment = experiment
sys.modules[module.__name__] = module
engine._modules = lambda: {{"v98-0001": module.__name__}}
from treatise.cli import main
main()
"""


def test_status_and_streams_of_the_process(shell):
    script = FAKE.format(body="return Evidence([Row.at_most('error', 0.1, 0.2)])")
    result = shell("reproduce", "v98-0001", "--json", script=script)
    assert result.returncode == 1
    assert json.loads(result.stdout)["rows"][0]["verdict"] == "not reached"
    assert result.stderr.startswith("treatise: ")
    assert shell("reproduce", "v98-0001", script=FAKE.format(body="return Evidence([])")).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_stops_all_experiments_quietly(plain_environment):
    script = FAKE.format(body="import time; print('started', flush=True); time.sleep(60)")
    command = [sys.executable, "-c", script, "reproduce", "all"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment)
    while b"started" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors and b"KeyboardInterrupt" not in errors


def test_what_an_experiment_prints_does_not_mix_with_the_json(invoke, catalogue, experiments, here):
    def talkative(*, full=False):
        print("iteration 1")
        return Evidence([])

    experiments({"v98-0001": talkative})
    result = invoke("reproduce", "v98-0001", "--json")
    assert json.loads(result.stdout)["rows"] == []
    assert result.stderr == "iteration 1\n"


def test_treatise_errors_of_an_experiment_keep_their_own_words(invoke, catalogue, experiments, here):
    def refuses(*, full=False):
        raise TreatiseError("the table has no column 'class'; name another")

    experiments({"v98-0001": refuses})
    assert invoke("reproduce", "v98-0001").stderr == "treatise: the table has no column 'class'; name another\n"
