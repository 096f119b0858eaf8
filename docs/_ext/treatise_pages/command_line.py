"""The options of each command, read from the command line itself, and one real answer of it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.main import get_command

from treatise.catalog import load_catalogue
from treatise.cli import app
from treatise_pages.catalogue import is_running
from treatise_pages.rst import block, escaped


def pages(docs: Path) -> dict[str, str]:
    return {
        **{f"_generated/cli/{name}.inc": _options(name, command) for name, command in commands().items()},
        "_generated/cli/answer.inc": _answer(),
    }


def commands() -> dict[str, Any]:
    """Every command by its name."""
    return get_command(app).commands


def _options(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([f"treatise {name}", *map(_placeholder, arguments), "[options]"])
    text = block("code-block:: text", usage) + f"\n.. program:: treatise {name}\n\n"
    for argument in arguments:
        text += block(f"option:: {argument.metavar or argument.name.upper()}", escaped(argument.help or "")) + "\n"
    for option in options:
        value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
        names = ", ".join(f"{opt}{value}" for opt in (*option.opts, *option.secondary_opts))
        shown = option.default not in (None, False, [], ())
        text += block(f"option:: {names}", escaped(option.help or "") + (f" Default: ``{option.default}``." * shown))
        text += "\n"
    return text


def _placeholder(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def _answer() -> str:
    """What ``treatise show`` says of one method: the first that runs, so that it is always there."""
    names = [paper.estimators[0].name for paper in load_catalogue() if is_running(paper)]
    if not names:
        return ""
    command = [sys.executable, "-m", "treatise", "show", names[0]]
    environment = {**os.environ, "COLUMNS": "92", "NO_COLOR": "1"}
    answer = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return block("code-block:: console", f"$ treatise show {names[0]}\n{answer.stdout.rstrip()}")
