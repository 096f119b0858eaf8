"""Exit statuses, the sentence on standard error, and what happens when something breaks."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from typer.main import get_command

from treatise._core.errors import TreatiseError
from treatise._core.version import __version__
from treatise.cli import app
from treatise.cli._console import print_json, printable


def test_version_and_bare_command(shell):
    result = shell("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"treatise {__version__}\n", "")
    bare = shell()
    assert bare.returncode == 0
    assert "Usage: treatise" in bare.stdout and "reproduce" in bare.stdout


def test_every_command_offers_json_and_debug_in_its_help(invoke):
    for command in get_command(app).commands:
        text = invoke(command, "--help").stdout
        assert "--json" in text and "--debug" in text, command
    assert "--debug" in invoke("--help").stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lst"], "no such command 'lst'. Did you mean 'list'?"),
        (["list", "--taks", "x"], "no such option: --taks (Possible options: --task)"),
        (["--versoin"], "no such option: --versoin (Possible options: --version)"),
        (
            ["compare", "iris", "--ordered", "--budget", "30"],
            "--ordered needs a value, and --budget follows it; `treatise compare --help` tells more",
        ),
        (["show"], "missing argument 'ID|ESTIMATOR|WORDS...'; `treatise show --help` tells more"),
    ],
)
def test_wrong_usage_exits_with_two_and_one_sentence(shell, words, sentence):
    result = shell(*words)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"treatise: {sentence}\n")


def test_a_failure_exits_with_one_and_one_sentence(shell):
    result = shell("show", "zeppelin", "--json")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("treatise: no paper, estimator or words match 'zeppelin'")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["--debug", "show", "zeppelin"], ["show", "--debug", "zeppelin"]])
def test_debug_shows_the_traceback_wherever_it_stands(shell, words):
    result = shell(*words)
    assert result.returncode == 1
    assert result.stderr.startswith("Traceback")
    assert result.stderr.splitlines()[-1].startswith("treatise: no paper")


def test_debug_behind_the_double_dash_is_a_word(invoke, catalogue):
    result = invoke("show", "--", "--debug")
    assert result.exit_code == 1
    assert result.stderr.startswith("treatise: no paper, estimator or words match '--debug'")


def test_an_unexpected_error_is_one_sentence_with_its_type(invoke, monkeypatch):
    def broken():
        raise RuntimeError("first line\n  second line.")

    monkeypatch.setattr("treatise.catalog.load_catalogue", broken)
    result = invoke("list")
    told = "treatise: RuntimeError: first line second line; run again with --debug for the traceback\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", told)
    result = invoke("list", "--debug")
    assert "Traceback" in result.stderr and "in broken" in result.stderr


def test_a_user_error_is_told_in_its_own_words(invoke, monkeypatch):
    def refused():
        raise TreatiseError("the catalogue is shut; open it")

    monkeypatch.setattr("treatise.catalog.load_catalogue", refused)
    assert invoke("list").stderr == "treatise: the catalogue is shut; open it\n"


@pytest.mark.parametrize("words", [["--version"], ["list", "zeppelin", "--json"], ["list", "--all"], ["--help"]])
def test_a_reader_that_has_gone_ends_it_quietly(plain_environment, words):
    far, near = os.pipe()
    os.close(far)
    command = [sys.executable, "-m", "treatise", *words]
    with os.fdopen(near, "wb") as pipe:
        result = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, env=plain_environment)
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["--version"], ["list", "zeppelin", "--json"], ["list", "--all"], ["--help"]])
def test_an_answer_sent_to_a_full_disk_is_told_in_a_sentence(plain_environment, words, unbuffered):
    command, environment = [sys.executable, "-m", "treatise", *words], plain_environment
    environment["PYTHONUNBUFFERED"] = unbuffered
    with open("/dev/full", "wb") as disk:
        result = subprocess.run(command, stdout=disk, stderr=subprocess.PIPE, env=environment, text=True)
    told = "treatise: the output cannot be written (No space left on device)\n"
    assert (result.returncode, result.stderr) == (1, told)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")
@pytest.mark.parametrize(("closed", "told"), [("1>&-", ""), ("2>&-", "treatise"), ("1>&- 2>&-", "")])
def test_a_process_without_standard_streams_does_its_work(plain_environment, closed, told):
    """As daemons and schedulers start one."""
    command = ["sh", "-c", f'"$0" -m treatise --version {closed}', sys.executable]
    result = subprocess.run(command, capture_output=True, env=plain_environment, text=True)
    assert (result.returncode, result.stdout[:8], result.stderr) == (0, told, "")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_exits_with_130_and_no_word(plain_environment):
    script = """
import sys, time
import treatise.catalog
def slow():
    print("started", flush=True)
    time.sleep(600)
treatise.catalog.load_catalogue = slow
sys.argv = ["treatise", "list"]
from treatise.cli import main
main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment
    )
    assert process.stdout.readline() == b"started\n"
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate()
    assert (process.returncode, rest, errors) == (130, b"", b"")


def test_a_terminal_without_the_letters_shows_their_codes(invoke, catalogue):
    result = invoke("show", "v98-0001", charset="ascii")
    assert result.exit_code == 0
    assert r"Ada M\xfcller" in result.stdout
    row = json.loads(invoke("show", "v98-0001", "--json", charset="ascii").stdout)
    assert row["authors"][0] == "Ada Müller"


def test_json_takes_what_is_not_finite_and_numpy_types(capsys):
    print_json({"a": float("nan"), "b": [np.float64(np.inf), np.int64(3)], "c": np.array([[True, False]]), 4: None})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 3], "c": [[True, False]], "4": None}


def test_control_characters_do_not_reach_the_terminal():
    assert printable("red \x1b[31m bell \x07 tab\t line\n ü") == r"red \x1b[31m bell \x07 tab\t line" + "\n ü"
