"""The documentation's own code, and ways to take its pages apart."""

import re
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path[:0] = [str(DOCS), str(DOCS / "_ext")]


@pytest.fixture(scope="session")
def root():
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def docs():
    """The sources of the documentation."""
    return DOCS


@pytest.fixture(scope="session")
def code_blocks():
    """Of a page in reStructuredText: language, caption and content of each block of code, in their order."""

    def blocks(text):
        pattern = r"^\.\. code-block:: (\w+)\n(?:   :caption: (\S+)\n)?\n((?:   .*\n|\n)+)"
        return [(language, caption, dedent(code).strip("\n") + "\n")
                for language, caption, code in re.findall(pattern, text, re.MULTILINE)]  # fmt: skip

    return blocks


@pytest.fixture(scope="session")
def shell_lines():
    """The commands that a page tells the reader to type, without their remarks."""

    def lines(text):
        return [line.split("#")[0].strip() for line in re.findall(r"^ *\$ (.*)$", text, re.MULTILINE)]

    return lines
