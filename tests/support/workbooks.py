"""A small workbook of Excel's, written by hand."""

import io
import zipfile

HEAD = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>mass</t></is></c><c r="B1" t="inlineStr"><is><t>paid</t></is></c></row>'
    '<row r="2"><c r="A2"><v>3.5</v></c><c r="B2" t="inlineStr"><is><t>$1,200</t></is></c></row>'
)
CELLS = HEAD + ('<row r="3"><c r="A3"><v>4</v></c><c r="B3" t="inlineStr"><is><t>$80</t></is></c></row>')
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def workbook(cells: str = CELLS) -> bytes:
    """Two sheets, the second of which has one row less; the first may have other cells."""
    return packed(f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'.encode())


def packed(sheet: bytes) -> bytes:
    """A workbook with this for its first sheet."""
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
        "xl/worksheets/sheet2.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{HEAD}</sheetData></worksheet>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return buffer.getvalue()
