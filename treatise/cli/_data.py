"""``treatise data``: the real files that experiments read, and how to get them."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treatise.cli._console import (
    Cell,
    Column,
    Json,
    complain,
    counted,
    print_json,
    print_table,
    remark,
    say,
)

if TYPE_CHECKING:
    from treatise.datasets import DataFile

GET = "get"
NO_ADDRESS = "no public address known"
UNITS = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


def data(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[get] [ID|FILE|FOLDER|all]...", help="What to list, or after 'get' to download."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Download without asking.")] = False,
    as_json: Json = False,
) -> None:
    """List the data files that experiments read, or get them.

    `treatise data` lists them by paper, `treatise data get v15-0059` downloads what that paper lacks, after asking.
    A file that is not the right one is replaced. The exit status is 1 if one that was asked for is missing at the end.
    """
    from treatise.datasets import data_files

    asked = list(words or ())
    if asked[:1] != [GET]:
        _list(data_files(*asked), asked, as_json)
        return
    if not asked[1:]:
        context.fail("name the papers or files to get, or 'all'")
    files = data_files(*asked[1:])
    missing = [file for file in files if not file.is_verified]
    if missing and _agreed(context, missing, yes):
        for file in missing:
            _get(file, quiet=as_json)
    if as_json:
        print_json([_plain(file) for file in files])
    elif not missing:
        say(f"{counted(len(files), 'file')} asked for, all here.")
    if not all(file.is_verified for file in files):
        raise typer.Exit(1)


def _list(files: "list[DataFile]", asked: list[str], as_json: bool) -> None:
    if as_json:
        print_json([_plain(file) for file in files])
        return
    columns = [
        Column("paper", wrap=False), Column("file", wrap=False), Column("size", right=True, wrap=False),
        Column("here", wrap=False), Column("licence", widest=18, spare=True), Column("source"),
    ]  # fmt: skip
    named = {paper for file in files for paper in file.papers} & set(asked)
    by_paper = [(paper, file) for file in files for paper in named.intersection(file.papers) or file.papers or ("",)]
    # Papers in order, and at the end what tests and benchmarks alone read.
    by_paper.sort(key=lambda pair: (pair[0] == "", pair[0], pair[1].name))
    print_table(columns, [_row(paper, file) for paper, file in by_paper])
    here = [file for file in files if file.is_here]
    known = sum(file.address is not None for file in files)
    remark(f"{len(here)} of {counted(len(files), 'file')} here; `treatise data get ID` can download {known} of them")


def _row(paper: str, file: "DataFile") -> list[str | Cell]:
    here = Cell("yes", "green") if file.is_here else Cell("no", "yellow")
    source = file.source if file.address else f"{file.source} ({NO_ADDRESS})"
    return [paper or "-", file.name, in_bytes(file.size), here, file.licence, source]


def _agreed(context: typer.Context, missing: "list[DataFile]", yes: bool) -> bool:
    """Whether the user wants what can be downloaded; what cannot is told first."""
    for file in missing:
        if file.address is None:
            complain(f"{file.name}: {NO_ADDRESS}; get it from {file.source} and put it at {file.path}")
    wanted = [file for file in missing if file.address is not None]
    if not wanted or yes:
        return bool(wanted)
    for file in wanted:
        remark(f"{file.name}  {in_bytes(file.size)}  licence: {file.licence}  from {file.address}")
    total = in_bytes(sum(file.size for file in wanted))
    if not _can_ask():
        context.fail(f"{counted(len(wanted), 'file')} of about {total} would be downloaded; add --yes to do so")
    return typer.confirm(f"Download {counted(len(wanted), 'file')}, about {total}?", err=True)


def _can_ask() -> bool:
    """Whether a person sits at the other end."""
    return sys.stdin.isatty()


def _get(file: "DataFile", quiet: bool) -> None:
    from treatise._core.errors import TreatiseError
    from treatise.datasets import download

    if file.address is None:
        return
    try:
        path = download(file)
    except TreatiseError as error:
        complain(f"{file.name}: {error}")
    else:
        if not quiet:
            say(f"{file.name}: verified, in {path}")


def _plain(file: "DataFile") -> dict[str, Any]:
    return {
        "file": file.name, "papers": file.papers, "size": file.size, "licence": file.licence, "source": file.source,
        "address": file.address, "here": file.is_here, "path": str(file.path),
    }  # fmt: skip


def in_bytes(size: int) -> str:
    """A size as people say it: ``312 B``, ``1.4 MB``."""
    for unit, bytes_of_one in UNITS:
        if size >= bytes_of_one:
            return f"{size / bytes_of_one:.1f} {unit}"
    return f"{size} B"
