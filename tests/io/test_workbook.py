"""Excel's workbooks: read where fastexcel is, named where it is not."""

import io
import zipfile

import pytest

from treatise._core.errors import TreatiseError
from treatise.io import Stream, read_table

HEAD = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>mass</t></is></c><c r="B1" t="inlineStr"><is><t>paid</t></is></c></row>'
    '<row r="2"><c r="A2"><v>3.5</v></c><c r="B2" t="inlineStr"><is><t>$1,200</t></is></c></row>'
)
CELLS = HEAD + ('<row r="3"><c r="A3"><v>4</v></c><c r="B3" t="inlineStr"><is><t>$80</t></is></c></row>')
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook():
    """Two sheets, the second of which has one row less."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="May" sheetId="1" r:id="r1"/><sheet name="June" sheetId="2" r:id="r2"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in (1, 2)
        )
        + "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{CELLS}</sheetData></worksheet>',
        "xl/worksheets/sheet2.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{HEAD}</sheetData></worksheet>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)
    return buffer.getvalue()


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
