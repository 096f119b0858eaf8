"""``treatise rate`` and ``treatise aggregate``: tables, pictures and sentences."""

import json
from pathlib import Path

import pytest

GAMES = "winner,loser,draw,date\n" + "".join(
    f"{a},{b},{'yes' if day % 7 == 0 else 'no'},2024-01-{day:02d}\n"
    for day, (a, b) in enumerate([("ann", "bob"), ("ann", "cy"), ("bob", "cy"), ("cy", "dee"), ("dee", "ann")] * 5, 1)
)
VOTES = "wine,ann,bob,cy\nred,1,2,1\nwhite,2,1,2\nrose,3,,3\n"


def test_rate_prints_a_leaderboard_and_leaves_two_files(invoke, tmp_path):
    (tmp_path / "games.csv").write_text(GAMES)
    answer = invoke("rate", str(tmp_path / "games.csv"), "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0
    assert "BradleyTerryRater: 4 players, 25 games; 95% intervals" in answer.stdout
    assert "'winner' beat 'loser', unless 'draw' says otherwise" in answer.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"ratings.png", "ratings.csv", ".lock"}
    told = json.loads(
        invoke(
            "rate", str(tmp_path / "games.csv"), "--method", "EloRater", "--set", "k_factor=16", "--json", "-o",
            str(tmp_path / "out"),
        ).stdout
    )  # fmt: skip
    assert len(told["players"]) == 4 and told["players"][0]["best_place"] is None and told["level"] == 0.95
    surer = invoke("rate", str(tmp_path / "games.csv"), "--level", "0.995", "-o", str(tmp_path / "out"))
    assert "99.5% intervals" in surer.stdout
    refused = invoke("rate", str(tmp_path / "games.csv"), "--winner", "champion")
    assert refused.exit_code == 1 and "champion" in refused.stderr


def test_aggregate_prints_the_consensus_and_the_rules(invoke, tmp_path):
    (tmp_path / "wines.csv").write_text(VOTES)
    answer = invoke("aggregate", str(tmp_path / "wines.csv"), "-o", str(tmp_path / "out"), "--resamples", "20")
    assert answer.exit_code == 0 and "held-out pairs wrong" in answer.stdout
    assert "a row is an item, named in 'wine'" in answer.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"consensus.png", "consensus.csv", ".lock"}
    words = ("--method", "borda", "--resamples", "0", "--json", "-o", str(tmp_path / "out"))
    told = json.loads(invoke("aggregate", str(tmp_path / "wines.csv"), *words).stdout)
    assert [row["item"] for row in told["items"]] == ["red", "white", "rose"] and told["rules"] == []
    refused = invoke("aggregate", str(tmp_path / "wines.csv"), "--method", "dice")
    assert refused.exit_code == 1 and "no rule is called 'dice'" in refused.stderr


@pytest.mark.parametrize(("command", "table"), [("rate", GAMES), ("aggregate", VOTES)])
def test_what_cannot_be_written_is_told_and_leaves_what_was_there(invoke, tmp_path, monkeypatch, command, table):
    (tmp_path / "table.csv").write_text(table)
    (tmp_path / "taken").write_text("mine")
    told = invoke(command, str(tmp_path / "table.csv"), "-o", str(tmp_path / "taken"))
    assert told.exit_code == 1 and "cannot be made" in told.stderr and "Traceback" not in told.stderr
    done = invoke(command, str(tmp_path / "table.csv"), "-o", str(tmp_path / "out"))
    assert done.exit_code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    def full(self, file, *args, **options):
        Path(file).write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("polars.DataFrame.write_csv", full)
    told = invoke(command, str(tmp_path / "table.csv"), "-o", str(tmp_path / "out"))
    assert told.exit_code == 1 and "cannot be written (No space left on device)" in told.stderr
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
