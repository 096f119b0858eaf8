"""Excel's workbooks: read where fastexcel is, named where it is not."""

import zipfile

import pytest
from workbooks import CELLS, workbook

from treatise._core.errors import TreatiseError
from treatise.io import Stream, read_table


@pytest.fixture
def path(tmp_path):
    (tmp_path / "sales.xlsx").write_bytes(workbook())
    return tmp_path / "sales.xlsx"


def test_without_fastexcel_the_extra_is_named(path, monkeypatch):
    monkeypatch.setattr("treatise.io.tables.workbook.find_spec", lambda name: None)
    for source in (path, f"{path}#June"):
        said = r"sales\.xlsx: this is an Excel workbook; pip install 'treatise\[excel\]'"
        with pytest.raises(TreatiseError, match=said):
            read_table(source)


def test_the_first_sheet_is_read_unless_another_is_named(path):
    pytest.importorskip("fastexcel", reason="fastexcel is not installed (the extra 'excel')")
    table = read_table(path)
    assert table.frame.rows() == [(3.5, 1200), (4.0, 80)] and table.name == "sales"
    assert table.written == {"paid": "$1,234.5"}
    assert read_table(f"{path}#June").n_rows == 1
    assert read_table(path, header=False).frame.columns == ["column_0", "column_1"]
    with pytest.raises(TreatiseError, match="the sheet 'July' of the workbook cannot be read"):
        read_table(f"{path}#July")


def test_a_workbook_is_no_stream_and_an_archive_no_workbook(path, tmp_path):
    with pytest.raises(TreatiseError, match="an Excel workbook"):
        list(Stream(path, target="mass"))
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as archive:
        archive.writestr("notes.txt", "nothing")
    with pytest.raises(TreatiseError, match="ZIP archive"):
        read_table(tmp_path / "other.xlsx")


def test_a_mark_in_the_name_of_another_file_is_part_of_it(tmp_path):
    (tmp_path / "a#b.csv").write_text("x,y\n1,2\n")
    assert read_table(tmp_path / "a#b.csv").frame.rows() == [(1, 2)]


@pytest.mark.parametrize("place", ["XFD1048576", "A99999999999", "ZZZZZZ9"])
def test_a_cell_far_from_all_others_is_refused(path, place):
    pytest.importorskip("fastexcel", reason="fastexcel is not installed (the extra 'excel')")
    # Room for all cells in between would be made, and the process ended where there is none.
    path.write_bytes(workbook(CELLS + f'<row><c\n r = "{place}"><v>1</v></c></row>'))
    with pytest.raises(TreatiseError, match=r"cells up to row \d+ and column \d+, which would take \d+ GiB"):
        read_table(path)
    path.write_bytes(workbook().replace(b"mass", b"mess"))
    with pytest.raises(TreatiseError, match="the workbook is cut short or damaged"):
        read_table(path)
