"""Minimising what a program prints."""

import csv
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.search import Argument, minimize_command, read_argument
from treatise.search.commands.program import Program


def python(code):
    return f"{shlex.quote(sys.executable)} -S -c {shlex.quote(code)}"


BOWL = python("print('loss', ({x} - 2) ** 2 + ({y} + 1) ** 2)")
BOX = [Argument("x", 0, 5), Argument("y", -4, 4)]


def test_a_range_is_read_and_its_values_are_spread_as_asked():
    assert read_argument("x=-1:3").at(0.25) == 0.0
    assert read_argument("r=1e-4:1:log").at(0.5) == pytest.approx(0.01)
    whole = read_argument("k=1:4:int")
    counts = np.bincount([whole.at(share) for share in np.linspace(0, 1, 4001)[:-1]])
    assert counts[0] == 0 and np.ptp(counts[1:]) <= 4 and len(counts) == 5
    both = read_argument("n=1:1000:log:int")
    assert both.at(0.0) == 1 and both.at(1.0) == 1000 and isinstance(both.at(0.5), int) and 25 < both.at(0.5) < 40


@pytest.mark.parametrize(
    ("text", "words"),
    [("x", "NAME=LOW:HIGH"), ("x=1", "NAME=LOW:HIGH"), ("x=a:b", "NAME=LOW:HIGH"), ("x=2:1", "cross"),
     ("x=0:1:log", "logarithm"), ("x=0.2:0.8:int", "no whole number"), ("x=0:1:foo", "'foo'"), ("2x=0:1", "no name"),
     ("x=0:inf", "finite"), ("x=nan:1", "finite")],
)  # fmt: skip
def test_a_range_that_cannot_be_is_refused(text, words):
    with pytest.raises(TreatiseError, match=words):
        read_argument(text)


def test_the_least_number_is_found_and_every_run_is_kept(tmp_path):
    found = minimize_command(BOWL, BOX, tmp_path, evaluations=120, target=1e-2, n_jobs=2)
    assert found.finished and found.value <= 1e-2 and abs(found.arguments["x"] - 2) <= 0.1
    with (tmp_path / "trials.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == found.n_trials and min(float(row["value"]) for row in rows) == found.value
    assert json.loads((tmp_path / "best.json").read_text())["arguments"] == found.arguments
    again = subprocess.run(found.command, capture_output=True, text=True, check=True)
    assert float(again.stdout.split()[-1]) == found.value


def test_the_largest_number_is_found_where_it_is_asked_for(tmp_path):
    found = minimize_command(python("print(-({x} - 2) ** 2)"), BOX[:1], tmp_path, evaluations=60, maximize=True)
    assert found.n_trials == 60 and -0.01 <= found.value <= 0


def test_a_search_goes_on_to_the_same_trials_without_running_them_again(tmp_path):
    whole = minimize_command(BOWL, BOX, tmp_path / "whole", evaluations=22)
    minimize_command(BOWL, BOX, tmp_path / "parts", evaluations=9)
    trials = tmp_path / "parts" / "trials.csv"
    trials.write_bytes(trials.read_bytes()[:-7])  # as a power cut leaves it
    more = minimize_command(BOWL, BOX, tmp_path / "parts", evaluations=22)
    assert more.n_taken_up == 8 and more.arguments == whole.arguments
    both = []
    for path in (tmp_path / "whole" / "trials.csv", trials):
        with path.open() as stream:
            rows = sorted(csv.DictReader(stream), key=lambda row: int(row["trial"]))
        both.append([{name: value for name, value in row.items() if name != "seconds"} for row in rows])
    assert both[0] == both[1]


def test_a_folder_of_another_search_is_left_alone(tmp_path):
    minimize_command(BOWL, BOX, tmp_path, evaluations=4)
    before = (tmp_path / "trials.csv").read_bytes()
    with pytest.raises(TreatiseError, match="another seed"):
        minimize_command(BOWL, BOX, tmp_path, evaluations=4, seed=1)
    with pytest.raises(TreatiseError, match="another arguments"):
        minimize_command(BOWL, [BOX[0], Argument("y", -4, 5)], tmp_path, evaluations=4)
    assert (tmp_path / "trials.csv").read_bytes() == before
    (tmp_path / "trials.csv").write_text("trial,value,seconds,complaint,x,y\n0,1.0,0.1,,3.0,3.0\n")
    with pytest.raises(TreatiseError, match="other arguments"):
        minimize_command(BOWL, BOX, tmp_path, evaluations=4)


def test_runs_that_fail_count_as_the_worst(tmp_path):
    code = "import sys; sys.exit('too far') if {x} > 3 else print({x} ** 2)"
    found = minimize_command(python(code), BOX[:1], tmp_path, evaluations=40)
    assert found.n_failed > 0 and found.value < 0.1
    text = (tmp_path / "trials.csv").read_text()
    assert "status 1: too far" in text


@pytest.mark.parametrize(
    ("code", "words"),
    [("import sys; sys.exit('no licence {x}')", "no licence"), ("print('hello {x}'[:5])", "no number: hello"),
     ("print('nan', end=''); {x}", "NaN"), ("import time; time.sleep(9); {x}", "longer than 0.3 s")],
)  # fmt: skip
def test_a_program_that_never_gives_a_number_is_told_at_once(tmp_path, code, words):
    with pytest.raises(TreatiseError, match=words):
        minimize_command(python(code), BOX[:1], tmp_path, timeout=0.3 if "sleep" in code else None, n_jobs=4)


def test_no_shell_reads_the_command(tmp_path):
    program = Program(
        f"{sys.executable} -c 'import sys; print(len(sys.argv), sys.argv[1])' '$HOME;{{x}}' {{x}}{{other}}"
    )
    assert program.places == ["x", "other"]
    assert program.filled({"x": 0.5})[-2:] == ["$HOME;0.5", "0.5{other}"]
    with pytest.raises(TreatiseError, match="cannot be started"):
        Program("no-such-program-at-all {x}").run({"x": 1})
    with pytest.raises(TreatiseError, match="quotes"):
        Program("prog 'x")
    with pytest.raises(TreatiseError, match="empty"):
        Program("  ")


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [(BOX[:1], {}, "{y} has no range"), ([*BOX, Argument("z", 0, 1)], {}, "no place {z}"),
     ([*BOX, BOX[0]], {}, "two ranges"), (BOX, {"evaluations": 0}, "1 or more"), (BOX, {"n_jobs": 0}, "1 or more"),
     (BOX, {"timeout": 0.0}, "leaves no time")],
)  # fmt: skip
def test_a_question_that_cannot_be_asked_is_refused_before_anything_is_written(tmp_path, arguments, options, words):
    with pytest.raises(TreatiseError, match=words):
        minimize_command(BOWL, arguments, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_after_ctrl_c_the_same_command_goes_on(tmp_path):
    ready = tmp_path / "ready"
    code = f"import time, pathlib; time.sleep(0.02); pathlib.Path({str(ready)!r}).touch(); print({{x}} ** 2)"
    words = [
        sys.executable,
        "-m",
        "treatise",
        "minimize",
        python(code),
        "--bounds",
        "x=-3:5",
        "-o",
        str(tmp_path / "o"),
    ]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    trials = tmp_path / "o" / "trials.csv"
    while process.poll() is None and not (trials.exists() and trials.read_text().count("\n") > 6):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130 and "Traceback" not in told
    kept = trials.read_text().count("\n") - 1
    assert kept >= 6 and "status" not in trials.read_text()  # nothing was counted as failed for being interrupted
    found = minimize_command(python(code), [Argument("x", -3, 5)], tmp_path / "o", evaluations=kept + 3)
    assert found.n_taken_up == kept and found.n_trials == kept + 3


def test_a_row_that_was_cut_within_a_letter_is_run_again(tmp_path):
    minimize_command(BOWL, BOX, tmp_path, evaluations=3)
    with (tmp_path / "trials.csv").open("ab") as stream:
        stream.write("3,nan,0.1,it ended with status 1: café".encode()[:-1])
    assert minimize_command(BOWL, BOX, tmp_path, evaluations=4).n_taken_up == 3


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [("question.json", lambda data: b"[]", "no question of a search"),
     ("question.json", lambda data: b"\xff", "cannot be read"),
     ("trials.csv", lambda data: b"trial,value\n0,1.0\n", "no trials of a search"),
     ("trials.csv", lambda data: data + b"7,2.0\n", "no trials of a search"),
     ("trials.csv", lambda data: b"\xff\xfe\x00\n" * 3, "no trials of a search")],
)  # fmt: skip
def test_a_folder_whose_files_were_damaged_is_refused_in_a_sentence(tmp_path, name, change, words):
    minimize_command(BOWL, BOX, tmp_path, evaluations=3)
    path = tmp_path / name
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(TreatiseError, match=words):
        minimize_command(BOWL, BOX, tmp_path, evaluations=4)


def test_a_full_disk_is_told_in_a_sentence(tmp_path):
    (tmp_path / "trials.csv").symlink_to("/dev/full")
    with pytest.raises(TreatiseError, match=r"trials\.csv cannot be written"):
        minimize_command(BOWL, BOX, tmp_path, evaluations=3)


def test_an_interrupt_in_the_first_generation_leaves_the_best_of_the_runs_that_ended(tmp_path, monkeypatch):
    run, calls = Program.run, []

    def interrupted(self, values):
        calls.append(values)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return run(self, values)

    monkeypatch.setattr(Program, "run", interrupted)
    found = minimize_command(BOWL, BOX, tmp_path)
    assert found.n_trials == 2 and found.message.startswith("interrupted") and not found.finished
    told = json.loads((tmp_path / "best.json").read_text())
    assert told["arguments"] in calls[:2] and told["value"] == found.value


def test_the_program_dies_with_a_search_that_is_killed(tmp_path):
    """The program holds one end of a pipe, which ends with it; if it lived on, it would say so there."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = python(
        f"import time; pipe = open({str(pipe)!r}, 'w'); time.sleep(800); pipe.write('lived'); print({{x}})"
    )
    code = f"from treatise.search import Argument, minimize_command as m; m({program!r}, [Argument('x', 0, 1)], 'o')"
    search = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    with pipe.open() as held:  # waits for the program
        search.kill()
        search.wait()
        assert held.read() == ""


def test_the_command_answers_in_words_and_in_json(tmp_path):
    base = [sys.executable, "-m", "treatise", "minimize", BOWL, "--bounds", "x=0:5", "--bounds", "y=-4:4"]
    answer = subprocess.run([*base, "--evaluations", "8", "-o", str(tmp_path / "a")], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "Least number:" in answer.stdout and "of 8 runs" in answer.stdout and (tmp_path / "a/search.png").exists()
    told = subprocess.run([*base, "--evaluations", "8", "-o", str(tmp_path / "a"), "--json"], capture_output=True)
    assert json.loads(told.stdout)["n_taken_up"] == 8
    wrong = subprocess.run([*base, "--bounds", "z=0:1", "-o", str(tmp_path / "b")], capture_output=True, text=True)
    assert wrong.returncode == 1 and "no place {z}" in wrong.stderr and "Traceback" not in wrong.stderr
