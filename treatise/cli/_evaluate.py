"""``treatise evaluate``: what a policy is worth, from a log of another one's decisions."""

from pathlib import Path
from typing import Annotated

import typer

from treatise.cli._compare import Header, Seed
from treatise.cli._console import Column, Json, counted, print_json, print_table, remark, say


def _role(what: str) -> typer.models.OptionInfo:
    return typer.Option(metavar="COL", help=what)


def evaluate(
    data: Annotated[str, typer.Argument(metavar="LOG", help="CSV, TSV or Parquet: a row for each decision.")],
    discount: Annotated[float, typer.Option(help="What a reward is worth one step later, from 0 to 1.")],
    features: Annotated[
        str | None,
        typer.Option(metavar="COLS", help="Columns that describe a state, by commas; all other numbers if not given."),
    ] = None,
    episode: Annotated[str | None, _role("The column of episodes; 'episode' if not given.")] = None,
    step: Annotated[str | None, _role("Their order within an episode; 'step' if there is one.")] = None,
    action: Annotated[str | None, _role("What was done, which is no feature; 'action' if there is one.")] = None,
    reward: Annotated[str | None, _role("What it earned; 'reward' if not given.")] = None,
    behaviour: Annotated[
        str | None, _role("The action's probability under the policy that acted; 'behaviour' if not given.")
    ] = None,
    target: Annotated[
        str | None, _role("Its probability under the policy to be judged; 'target' if not given.")
    ] = None,
    cut_off: Annotated[
        bool, typer.Option("--cut-off", help="Episodes were only cut off, and would have gone on.")
    ] = False,
    method: Annotated[
        str, typer.Option(help="auto, 'doubly robust', LSTD or 'importance sampling'.")
    ] = "auto",
    level: Annotated[float, typer.Option(help="Share of the intervals that are to hold the true value.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Samples of the episodes for the intervals.", min=20)] = 1000,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where the picture and the table go.")
    ] = None,
    seed: Seed = 0,
    header: Header = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Judge a policy before it acts: its value with an interval, from a log of another policy's decisions."""
    from treatise.compare import evaluate_policy

    chosen = [name.strip() for name in features.split(",") if name.strip()] if features is not None else None
    evaluated = evaluate_policy(
        data, discount=discount, features=chosen, episode=episode, step=step, action=action, reward=reward,
        behaviour=behaviour, target=target, cut_off=cut_off, method=method, level=level, resamples=resamples,
        header=header, seed=seed,
    )  # fmt: skip
    folder = output or Path(f"{Path(data).name.partition('.')[0]}-value")
    files = {name: str(path) for name, path in evaluated.write(folder).items()}
    found = evaluated.found
    if as_json:
        told = {name: getattr(found, name) for name in found._fields if name not in ("estimates", "notes")}
        print_json({
            **told, "discount": discount, "estimates": evaluated.table.to_dicts(), "features": evaluated.features,
            "notes": evaluated.notes, "files": files,
        })  # fmt: skip
        return
    for note in evaluated.notes:
        remark(note)
    rows = [
        [row["method"], f"{row['value']:.5g}", f"{row['low']:.5g} to {row['high']:.5g}"]
        for row in evaluated.table.iter_rows(named=True)
    ]
    print_table([Column("method"), Column("value", right=True), Column("interval", right=True)], rows)
    say(f"Value: {found.value:.5g}, {100 * level:g}% interval {found.low:.5g} to {found.high:.5g} ({found.method})")
    say(
        f"Log:   {counted(found.n_episodes, 'episode')}, {counted(found.n_steps, 'step')}; for the target policy they "
        f"amount to {found.effective_episodes:.1f} episodes by whole weights, {found.effective_steps:.0f} steps by "
        "single ones"
    )
    say(f"Picture: {files['picture']}")
    say(f"Table:   {files['table']}")
