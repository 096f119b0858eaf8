"""Files of Orange: what their headers say of types, roles and the target."""

import polars as pl
import pytest

from treatise.compare import understand
from treatise.io import Stream, TableBlocks, read_table

THREE = (
    "age\tsex\tzip\tname\tskip me\tsurvived\n"
    "continuous\tdiscrete\tdiscrete\tstring\tc\tno yes\n"
    "\t\t\tmeta\tignore\tclass\n"
)
ONE = "C#age\tD#sex\tD#zip\tmS#name\ti#skip me\tcD#survived\n"
ROWS = "".join(
    f"{20 + i % 9}\t{'fm'[i % 2]}\t{8000 + i % 3}\tPerson {i}\t{i % 5}\t{'no' if i % 3 else 'yes'}\n" for i in range(40)
)


@pytest.mark.parametrize("head", [THREE, ONE], ids=["three records", "prefixes"])
@pytest.mark.parametrize("name", ["t.tab", "t.txt"])
def test_names_types_and_roles_are_read(tmp_path, head, name):
    path = tmp_path / name
    path.write_text(head + ROWS)
    table = read_table(path)
    assert table.frame.columns == ["age", "sex", "zip", "name", "skip me", "survived"]
    assert table.frame.schema["age"] == pl.Int64 and table.frame.schema["zip"] == pl.String
    assert table.target == "survived" and list(table.asides) == ["name", "skip me"]
    assert table.header and table.n_rows == 40
    assert "the header was taken as one of Orange: names, types and roles" in table.notes
    problem = understand(table)
    assert problem.target == "survived" and problem.X.columns == ["age", "sex", "zip"]
    assert problem.X.schema["zip"] == pl.String
    assert dict(problem.dropped)["name"] == "is meta data by the file's header"


@pytest.mark.parametrize("head", [THREE, ONE], ids=["three records", "prefixes"])
def test_blocks_and_streams_read_them_alike(tmp_path, head):
    path = tmp_path / "t.tab"
    path.write_text(head + ROWS)
    whole = read_table(path)
    blocks = TableBlocks(path)
    assert pl.concat(block.frame for block in blocks).equals(whole.frame.cast({pl.Int64: pl.Float64}))
    assert (blocks.head.target, blocks.head.asides) == (whole.target, whole.asides)
    assert sum(len(chunk) for chunk in Stream(path, target="age")) == 40


def test_quotes_and_blank_lines_in_the_header_are_no_hindrance(tmp_path):
    path = tmp_path / "t.tab"
    path.write_text('"the age"\ty\n\nc\td\n\tclass\n\n1\ta\n"2"\tb\n')
    table = read_table(path)
    assert table.frame.rows() == [(1, "a"), (2, "b")] and table.target == "y"


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\nc\td\nd\tc\nc\tc\nd\td\n",  # letters that are types, and no empty role
        "C#\tF#\n1\t2\n3\t4\n",  # names of languages
        "# a\tb\n1\t2\n3\t4\n",
        "C4\tC#4\tD4\tD#4\n1\t2\t3\t4\n3\t4\t5\t6\n",  # keys of a piano
        "a\tb\nc\td\n",  # no rows beneath
        "a\tb\n1\t2\n\t\n3\t4\n",
    ],
)
def test_other_tables_are_not_taken_for_them(tmp_path, text):
    path = tmp_path / "t.tab"
    path.write_text(text)
    assert not any("Orange" in note for note in read_table(path).notes)


def test_a_header_that_is_denied_is_data(tmp_path):
    path = tmp_path / "t.tab"
    path.write_text(ONE + ROWS)
    assert read_table(path, header=False).n_rows == 41
