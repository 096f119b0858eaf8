"""``treatise reproduce``, with experiments of its own in place of the papers'."""

import json
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.papers import Evidence, Gap, Row


def reached(*, full=False):
    rows = [
        Row.printed("accuracy", "Table 2", 0.95, 0.9512345678 if full else 0.9498, within=0.01, why="one split"),
        Row.claim("ties are broken", "p. 3", np.bool_(True)),
        Row.check("features kept", 12, np.int64(12)),
        Row.time("seconds", "Table 3", 0.2, 0.25),
        Row.ours("passes", 4),
    ]
    return Evidence(rows, figure=Figure())


LOST = Gap("the paper's splits are lost; ten seeds were tried", band=0.05)


def explained(*, full=False):
    row = Row.printed_at_least("accuracy", "Table 2", 0.99, 0.97, gap=LOST)
    return Evidence([row], skipped=["sonar.dat is absent: get it from example.org and put it at /data/sonar.dat"])


def missed(*, full=False):
    return Evidence([Row.printed_at_most("error", "Table 2", 0.1, 0.2)])


def broken(*, full=False):
    raise ZeroDivisionError("division by zero")


def without_data(*, full=False):
    raise DataNotFoundError("sonar.dat is absent")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the test's own as the current one, with a record of what was seen last."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("treatise.papers._record.LAST_SEEN", tmp_path / "last_seen.json")
    (tmp_path / "last_seen.json").write_text('{"v98-0002": {"quick": {"accuracy": 0.97}}}')
    return tmp_path


def cells_of(line):
    return [cell for cell in line.split("  ") if cell.strip()]


def test_one_paper_prints_its_rows_beside_the_published_numbers(invoke, catalogue, experiments, here):
    experiments({"v98-0001": reached})
    result = invoke("reproduce", "v98-0001")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "v98-0001  Sifting columns"
    table = [[cell.strip() for cell in cells_of(line)] for line in lines[1:15]]
    assert table == [
        ["printed in the paper"],
        ["quantity", "place", "published", "here", "tolerance", "verdict"],
        ["accuracy", "Table 2", "0.95", "0.9498", "±0.01 (one split)", "reached"],
        ["claims of the paper"],
        ["statement", "place", "here", "verdict"],
        ["ties are broken", "p. 3", "yes", "reached"],
        ["checks of theorems and formulas"],
        ["quantity", "expected", "here", "tolerance", "verdict"],
        ["features kept", "12", "12", "exact", "reached"],
        ["times, which never decide"],
        ["quantity", "place", "published", "here", "tolerance", "verdict"],
        ["seconds", "Table 3", "0.2", "0.25", "at most", "not reached"],
        ["numbers of ours"],
        ["quantity", "here"],
    ]
    assert lines[15].split() == ["passes", "4"]
    assert lines[16] == "figure: treatise-evidence/v98-0001.png"
    assert lines[17] == (
        "1 of 1 printed number reached; 1 of 1 claim reached; 1 of 1 check reached; 0 of 1 time reached"
    )
    assert lines[18].endswith(" s")
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
    assert list(answer) == ["paper", "size", "counts", "rows", "seconds", "figure", "skipped"]
    assert answer["paper"] == "v98-0002"
    assert answer["rows"] == [replace(row, last_seen=0.97).plain() for row in explained().rows]
    assert answer["counts"]["printed"] == {"rows": 1, "reached": 0, "missed": 1, "uncertain": 0, "failed": 0}
    assert answer["skipped"] == explained().skipped
    assert answer["seconds"] >= 0
    assert answer["figure"] is None
    assert [path.name for path in here.iterdir()] == ["last_seen.json"]  # without a figure no folder is made
    assert result.stderr == ""


def test_a_gap_is_told_and_is_no_failure_and_missing_data_say_what_to_get(invoke, catalogue, experiments, here):
    experiments({"v98-0002": explained})
    result = invoke("reproduce", "v98-0002")
    assert result.exit_code == 0
    told = "not reached, as last seen (0.97): accuracy: the paper's splits are lost; ten seeds were tried\n"
    assert told in result.stdout
    assert "left out: sonar.dat is absent: get it from example.org and put it at /data/sonar.dat\n" in result.stdout


def test_a_gap_that_grew_worse_or_has_no_record_exits_with_one(invoke, catalogue, experiments, here):
    (here / "last_seen.json").write_text('{"v98-0002": {"quick": {"accuracy": 0.98}, "full": {"accuracy": 1.1}}}')
    experiments({"v98-0002": explained})
    assert invoke("reproduce", "v98-0002").exit_code == 0, "the band"
    worse = invoke("reproduce", "v98-0002", "--full")
    assert worse.exit_code == 1
    assert "not reached, worse than last seen (1.1): accuracy" in worse.stdout
    (here / "last_seen.json").unlink()
    unknown = invoke("reproduce", "v98-0002")
    assert unknown.exit_code == 1
    assert "no value is on record" in unknown.stdout


def test_recording_keeps_the_outcome_and_the_values_last_seen(invoke, catalogue, experiments, here):
    (here / "last_seen.json").unlink()
    experiments({"v98-0001": reached, "v98-0002": explained})
    first = invoke("reproduce", "all", "--record", "evidence.json")
    assert first.exit_code == 0
    book = json.loads((here / "evidence.json").read_text())
    assert {paper: list(sizes) for paper, sizes in book.items()} == {"v98-0001": ["quick"], "v98-0002": ["quick"]}
    assert json.loads((here / "last_seen.json").read_text()) == {"v98-0002": {"quick": {"accuracy": 0.97}}}
    invoke("reproduce", "v98-0002", "--full", "--record", "evidence.json")
    assert list(json.loads((here / "evidence.json").read_text())["v98-0002"]) == ["quick", "full"]
    assert invoke("reproduce", "v98-0002").exit_code == 0


def test_recording_says_what_grew_worse_and_what_is_reached_now(invoke, catalogue, experiments, here):
    (here / "last_seen.json").write_text('{"v98-0002": {"quick": {"accuracy": 1.1}}}')
    experiments({"v98-0002": explained})
    worse = invoke("reproduce", "v98-0002", "--record", "evidence.json")
    assert worse.stderr == "v98-0002: worse than the value last seen, 1.1: accuracy\n"

    def better(*, full=False):
        return Evidence([Row.printed_at_least("accuracy", "Table 2", 0.99, 0.995, gap=LOST)])

    experiments({"v98-0002": better})
    promoted = invoke("reproduce", "v98-0002", "--record", "evidence.json")
    assert "reached: its gap can go, if the other size reaches it too: accuracy\n" in promoted.stdout
    assert "1 of 1 printed number reached" in promoted.stdout
    assert json.loads((here / "last_seen.json").read_text()) == {}


def test_a_number_that_should_be_reached_and_is_not_exits_with_one(invoke, catalogue, experiments, here):
    experiments({"v98-0001": missed})
    result = invoke("reproduce", "v98-0001")
    assert result.exit_code == 1
    assert "not reached" in result.stdout
    assert result.stderr == "treatise: a row that should be reached is not, or is worse than it was, in v98-0001\n"
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
        "2 papers: 1 of 2 printed numbers reached; 1 of 1 claim reached; 1 of 1 check reached; 0 of 1 time reached; "
        "1 part left out"
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
    assert "0 of 2 printed numbers reached (1 failed); 1 part left out; 1 experiment broke off" in result.stdout
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
    script = FAKE.format(body="return Evidence([Row.printed_at_most('error', 'Table 2', 0.1, 0.2)])")
    result = shell("reproduce", "v98-0001", "--json", script=script)
    assert result.returncode == 1
    assert json.loads(result.stdout)["rows"][0]["verdict"] == "not reached"
    assert result.stderr.startswith("treatise: ")
    assert shell("reproduce", "v98-0001", script=FAKE.format(body="return Evidence([])")).returncode == 0


TWO = """
import sys, time, types
from pathlib import Path
import treatise.papers._record as record
import treatise.papers._reproduce as engine
from treatise.papers import Evidence, Row
record.LAST_SEEN = Path({last_seen!r})
def quick(*, full=False):
    return Evidence([Row.ours("passes", 4)])
def long(*, full=False):
    print("started", flush=True)
    time.sleep(600)
names = {{"v98-0001": quick, "v98-0002": long}}
for name, experiment in names.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].experiment = experiment
engine._modules = lambda: {{name: name for name in names}}
from treatise.cli import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_all_experiments_quietly_and_keeps_what_is_done(plain_environment, tmp_path, blow):
    script = TWO.format(last_seen=str(tmp_path / "last_seen.json"))
    record = tmp_path / "record.json"
    command = [sys.executable, "-c", script, "reproduce", "all", "--record", str(record), "--output", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment)
    while b"started" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(blow)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in errors and b"KeyboardInterrupt" not in errors
    assert list(json.loads(record.read_text())) == ["v98-0001"]
    assert not list(tmp_path.glob(".record*"))


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


def test_two_that_record_at_once_lose_nothing(here):
    code = "from pathlib import Path; import treatise.papers._record as r; r.LAST_SEEN = Path('seen.json'); "
    code += "from treatise.papers import Gap, Row; import sys; gap = Gap('lost', band=0.5); "
    code += "[r.record_last_seen(f'{sys.argv[1]}-{i}', False, [Row.printed('a', 'T', 1.0, 2.0, within=0.1, why='w', "
    code += "gap=gap)]) for i in range(40)]"
    both = [subprocess.Popen([sys.executable, "-c", code, name]) for name in ("a", "b")]
    assert [process.wait() for process in both] == [0, 0]
    assert len(json.loads((here / "seen.json").read_text())) == 80
