"""Names from a stranger's file, in everything that the commands about tables of names write."""

import csv
import re
from itertools import permutations

import networkx
import numpy as np
import polars as pl
import pytest

from treatise._core.files import held
from treatise.compare.output import output_folder

NAMES = ["=1+2", "<script>x</script>", "+cmd|x", "@SUM(A1)", "-2+3", "</text>", "A & B", r"$\frac$", "a$b", '"q"']
FORMULA, NUMBER = re.compile(r"[=+\-@\t\r]"), re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?")


def _games(rng):
    return pl.DataFrame(list(permutations(NAMES, 2)), schema=["winner", "loser"], orient="row")


def _rankings(rng):
    return pl.DataFrame({"item": NAMES} | {f"={voter}": rng.permutation(10) + 1 for voter in range(4)})


def _links(rng):
    pairs = list(permutations(NAMES, 2))
    chosen = [pairs[k] for k in rng.choice(len(pairs), 40, replace=False)]
    return pl.DataFrame(chosen, schema=["source", "target"], orient="row")


def _signed(rng):
    return _links(rng).with_columns(sign=pl.Series(rng.choice([-1, 1], 40)))


def _timed(rng):
    return pl.concat([_links(rng), _links(rng)]).with_columns(time=pl.Series(np.arange(80)))


def _events(rng):
    who = rng.integers(0, 30, 300)
    return pl.DataFrame({
        "=who": [f"{NAMES[k % 10]}{k}" for k in who],
        "time": np.sort(rng.integers(0, 10**5, 300)),
        "<b>kind": [NAMES[k] for k in rng.integers(0, 10, 300)],
        "=label": ["=bad" if k < 8 else "<i>good" for k in who],
    })  # fmt: skip


def _columns(rng):
    x = rng.normal(size=60)
    return pl.DataFrame({"=a": x, "<script>b": x**2, r"$\frac$": rng.normal(size=60), "-d": x + rng.normal(size=60)})


COMMANDS = {
    "rate": (_games, ["rate"]),
    "aggregate": (_rankings, ["aggregate", "--item", "item", "--method", "borda", "--resamples", "20"]),
    "network": (_links, ["network"]),
    "network of signs": (_signed, ["network", "--sign", "sign"]),
    "network over time": (_timed, ["network", "--time", "time"]),
    "events": (_events, ["events", "--entity", "=who", "--time", "time", "--label", "=label"]),
    "depend": (_columns, ["depend", "--permutations", "99"]),
    "graph": (_columns, ["graph", "--method", "SparsePrecision", "--subsamples", "0"]),
}


@pytest.fixture(params=COMMANDS)
def command(request, tmp_path):
    make, words = COMMANDS[request.param]
    make(np.random.default_rng(0)).write_csv(tmp_path / "data.csv")
    return [words[0], str(tmp_path / "data.csv"), *words[1:], "--header", "-o", str(tmp_path / "o")]


def test_no_name_runs_in_a_page_or_in_a_spreadsheet(invoke, command, tmp_path):
    answer = invoke(*command, "--spreadsheet")
    assert answer.exit_code == 0, answer.output
    tables = list((tmp_path / "o").glob("*.csv"))
    assert tables
    for path in tables:
        with path.open(newline="", encoding="utf-8") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell)] == []
    for path in (tmp_path / "o").glob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert not any(tag in page for tag in ("<script>x", "<script>b", "<b>kind", "<i>good", "</text>A"))
    for path in (tmp_path / "o").glob("*.graphml"):
        assert networkx.read_graphml(path).number_of_nodes() > 0


def test_names_are_written_as_they_are_for_programs(invoke, tmp_path):
    _games(None).write_csv(tmp_path / "data.csv")
    invoke("rate", str(tmp_path / "data.csv"), "-o", str(tmp_path / "o"))
    assert set(pl.read_csv(tmp_path / "o" / "ratings.csv")["player"]) == set(NAMES)


def test_a_second_writer_waits_for_all_files_of_the_first(tmp_path, monkeypatch):
    waited = []

    def looks(*_):
        waited.append(1)
        holding.close()

    monkeypatch.setattr("treatise._core.files.time.sleep", looks)
    holding = _held(tmp_path)
    next(holding)
    with output_folder(tmp_path):
        assert waited == [1]


def _held(folder):
    with held(folder):
        yield
