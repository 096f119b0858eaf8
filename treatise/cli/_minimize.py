"""``treatise minimize``: the arguments for which a program prints the least number."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from treatise.cli._compare import Seed
from treatise.cli._console import Column, Json, counted, print_json, print_table, remark, say


def minimize(
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="A program with places for numbers: 'python sim.py {x} --rate {r}'")
    ],
    bounds: Annotated[
        list[str],
        typer.Option(metavar="NAME=LOW:HIGH", help="The range of a place; ':log' or ':int' may follow. May repeat."),
    ],
    evaluations: Annotated[int, typer.Option(help="Runs of the program in all.")] = 200,
    budget: Annotated[float | None, typer.Option(metavar="SECONDS", help="No further runs after this time.")] = None,
    target: Annotated[float | None, typer.Option(help="A number that is good enough.")] = None,
    maximize: Annotated[bool, typer.Option("--maximize", help="Look for the largest number instead.")] = False,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="A run that takes longer is ended, and counts as the worst.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Runs at a time.")] = 1,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder of trials; the same one goes on with it.")
    ] = Path("treatise-minimize"),
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Find the arguments for which a program prints the least number.

    The program runs without a shell. Its number is the last one on the last line that it prints. A run that fails
    counts as the worst.
    """
    from treatise.search import minimize_command, read_argument

    arguments = [read_argument(text) for text in bounds]
    found = minimize_command(
        command, arguments, output, evaluations=evaluations, budget=budget, target=target, maximize=maximize,
        timeout=timeout, n_jobs=jobs, seed=seed,
    )  # fmt: skip
    if as_json:
        print_json({name: value for name, value in vars(found).items() if name != "folder"} | {"folder": str(output)})
    else:
        if found.n_taken_up:
            remark(f"{counted(found.n_taken_up, 'run')} of an earlier search taken up")
        if found.n_failed:
            remark(f"{counted(found.n_failed, 'run')} gave no number; {output / 'trials.csv'} says why")
        rows = [[name, f"{value:.10g}"] for name, value in found.arguments.items()]
        print_table([Column("argument"), Column("best", right=True)], rows)
        say(f"{'Largest' if maximize else 'Least'} number: {found.value:.10g}, of {counted(found.n_trials, 'run')}")
        say(f"Command: {shlex.join(found.command)}")
        say(f"Trials:  {output / 'trials.csv'}")
        say(f"Picture: {output / 'search.png'}")
        remark(f"Ended: {found.message}" + ("" if found.finished else "; the same command goes on"))
    if found.message.startswith("interrupted"):
        raise KeyboardInterrupt
