"""Measurements kept in a file of lines."""

import json

from benchmarks._record import put


def test_rows_take_the_place_of_their_name_and_leave_the_others(tmp_path):
    path = tmp_path / "lines.json"
    for name, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        with path.open("a") as file:
            file.write(json.dumps({"name": name, "value": value}) + "\n")
    put(path, "name", [{"name": "a", "value": 5}, {"name": "a", "value": 6}])
    put(path, "name", [{"name": "d", "value": 7}])
    found = [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]
    assert found == [("a", 5), ("a", 6), ("b", 2), ("c", 4), ("d", 7)]


def test_a_file_that_is_not_there_is_made(tmp_path):
    put(tmp_path / "new.json", "name", [{"name": "a", "value": 1}])
    assert json.loads((tmp_path / "new.json").read_text()) == {"name": "a", "value": 1}
