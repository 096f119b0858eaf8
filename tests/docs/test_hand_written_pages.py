"""Pages written by hand: their programs run and their commands are real."""

import re
import shlex
import subprocess
import sys

import pytest
from treatise_pages.command_line import commands

INPUT = [
    "input/table_in_memory",
    "input/grouped_table",
    "input/table_on_disk",
    "input/sequences",
    "input/survival",
    "input/bags",
    "input/groups",
    "input/sequence_groups",
]
PAGES = ["getting_started", "model_files", "data_home", *INPUT]


@pytest.mark.parametrize("page", PAGES)
def test_the_programs_on_a_page_run(page, docs, code_blocks, tmp_path):
    programs = [code for language, _, code in code_blocks((docs / f"{page}.rst").read_text()) if language == "python"]
    assert programs
    # A comparison takes its whole budget; the engine's own tests run it.
    quick = [code for code in programs if "treatise.compare(" not in code]
    subprocess.run([sys.executable, "-c", "\n".join(quick)], check=True, cwd=tmp_path, capture_output=True)


@pytest.mark.parametrize("page", [*PAGES, "command_line", "add_a_method"])
def test_the_commands_on_a_page_are_ones_that_the_command_line_takes(page, docs, shell_lines):
    for line in shell_lines((docs / f"{page}.rst").read_text()):
        program, *words = shlex.split(line)
        if program == "treatise":
            commands()[words[0]].make_context(words[0], words[1:])


def test_every_command_has_its_section_with_its_options(docs):
    page = (docs / "command_line.rst").read_text()
    sections = re.findall(r"^(\w+)\n-+\n", page, re.MULTILINE)
    assert sections == list(commands())
    for name, body in zip(sections, re.split(r"^\w+\n-+\n", page, flags=re.MULTILINE)[1:]):
        assert f".. include:: _generated/cli/{name}.inc" in body
        prose = re.sub(r"^(\.\. .*|   .*)$", "", body, flags=re.MULTILINE).strip()
        assert len(prose.split()) >= 8, f"{name} is not described"


def test_every_page_is_reached_from_the_first(docs):
    listed = re.search(r"\.\. toctree::\n   :hidden:\n\n((?:   \S+\n)+)", (docs / "index.rst").read_text())[1].split()
    written = {path.stem for path in docs.glob("*.rst")} - {"index"}
    assert written | {"input/index"} <= set(listed)


def test_each_kind_of_input_has_a_page_that_the_table_of_kinds_links_to(docs):
    index = (docs / "input" / "index.rst").read_text()
    pages = {path.stem for path in (docs / "input").glob("*.rst")} - {"index"}
    assert pages == {name.partition("/")[2] for name in INPUT}
    for name in pages:
        assert f":doc:`{name}`" in index and index.rstrip().partition(":hidden:")[2].split().count(name) == 1
        text = (docs / "input" / f"{name}.rst").read_text()
        for part in (".. code-block:: text", "Which commands take it", "From Python"):
            assert part in text, f"{name} lacks {part}"
