"""The schema of a run's record, read from the records themselves."""

from pathlib import Path

from treatise.report.record import FoldRecord, RecordRows, RunRecord, schema
from treatise_pages.rst import table, title


def pages(docs: Path) -> dict[str, str]:
    return {
        "_generated/run_record.inc": "\n".join(_section(part) for part in schema(RunRecord)),
        "_generated/fold_record.inc": _section(next(schema(FoldRecord))),
    }


def _section(part: RecordRows) -> str:
    rows = [[f"``{field.name}``", field.type, field.meaning.replace("`", "``")] for field in part.fields]
    text = f".. _record-{part.name}:\n\n" + title(part.name, "~")
    return f"{text}\n{part.meaning}\n\n" + table(["Field", "JSON", "Meaning"], rows, widths="22 28 50")
