"""The run's record: every field is described, JSON gives it back, and strange records are refused in a sentence."""

import copy
import dataclasses
import json

import pytest

from treatise._core.errors import TreatiseError
from treatise.report import FoldRecord, RunRecord
from treatise.report.record import VERSION, schema, to_plain


def test_every_field_of_every_record_is_described():
    parts = [*schema(RunRecord), *schema(FoldRecord)]
    assert len({part.name for part in parts}) == len(parts) > 15
    for part in parts:
        assert part.meaning.endswith("."), part.name
        for field in part.fields:
            assert field.meaning.endswith((".", "empty.")) and len(field.meaning) > 4, f"{part.name}.{field.name}"
            assert "object of" in field.type or "[" not in field.type, f"{part.name}.{field.name}: {field.type}"


def test_a_record_survives_json_exactly(run):
    record = RunRecord.from_plain(run)
    plain = record.to_plain()
    assert plain == run
    assert RunRecord.from_plain(json.loads(json.dumps(plain))) == record


def test_a_record_cannot_be_changed(named_run):
    record = RunRecord.from_plain(named_run("binary"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.leaderboard[0].score = 2.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda run: run.update(version=VERSION + 1), f"has version {VERSION + 1} and this Treatise reads {'version'}"),
        (lambda run: run.pop("version"), "has version None"),
        (lambda run: run.pop("seed"), "lacks the field 'seed' of RunRecord"),
        (lambda run: run["leaderboard"][3].pop("rank"), "lacks the field 'rank' of LeaderboardEntry"),
        (lambda run: run["best"].update(joy=1), "holds 'joy', which is no field of BestMethod"),
    ],
)
def test_other_versions_and_damaged_records_are_refused_in_a_sentence(named_run, change, sentence):
    run = copy.deepcopy(named_run("binary"))
    change(run)
    with pytest.raises(TreatiseError, match=sentence) as caught:
        RunRecord.from_plain(run)
    assert "\n" not in str(caught.value)


def test_plain_data_are_what_json_knows():
    fold = FoldRecord("a/B", "fold", 0, 0, 1, 80, 20, 0.5, {"accuracy": None}, 0.1, 0.2, {"layers": (3, 4)}, 0.4, 0.0)
    assert to_plain(fold)["params"] == {"layers": [3, 4]}
    assert json.loads(json.dumps(to_plain(fold))) == to_plain(fold)
