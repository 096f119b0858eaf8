"""``treatise stream``: a linear model from files that are larger than memory."""

import shutil
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from treatise._core.errors import TreatiseError
from treatise.cli._console import Json, counted, print_json, remark, say

MARGIN = ("logistic", "hinge", "squared_hinge")
REGRESSION = ("squared", "quantile", "poisson")


def stream(
    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Training files, or patterns in quotes.")],
    loss: Annotated[str, typer.Option("--loss", help=f"One of {', '.join(MARGIN + REGRESSION)}.")] = "logistic",
    tau: Annotated[float, typer.Option("--tau", help="Level of the quantile loss.")] = 0.5,
    bits: Annotated[int, typer.Option("--bits", "-b", help="Features are hashed to 2**bits weights.")] = 18,
    passes: Annotated[int, typer.Option("--passes", help="Online passes.")] = 1,
    lbfgs: Annotated[int, typer.Option("--lbfgs", help="Iterations of L-BFGS at most; 0 learns online only.")] = 0,
    l2: Annotated[float, typer.Option("--l2", help="Weight of half the squared weights.")] = 1.0,
    l1: Annotated[float, typer.Option("--l1", help="Weight of the absolute weights.")] = 0.0,
    tol: Annotated[float, typer.Option("--tol", help="Largest mean gradient at which L-BFGS ends.")] = 1e-8,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Length of online steps.")] = 0.5,
    adaptive: Annotated[bool, typer.Option(help="Online steps that shrink for each feature by its gradients.")] = True,
    normalized: Annotated[bool, typer.Option(help="Online steps that allow for each feature's scale.")] = False,
    invariant: Annotated[bool, typer.Option(help="Online steps that follow the curvature of the loss.")] = True,
    constant: Annotated[bool, typer.Option(help="A constant feature.")] = True,
    quadratic: Annotated[
        list[str] | None, typer.Option("--quadratic", "-q", metavar="AB", help="Cross two namespaces; may be repeated.")
    ] = None,
    cubic: Annotated[
        list[str] | None, typer.Option("--cubic", metavar="ABC", help="Cross three namespaces; may be repeated.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="csv, tsv, libsvm, parquet, vw; else found out.")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="Name or number of the label's column.")] = None,
    weight: Annotated[str | None, typer.Option("--weight", help="Name or number of the importance's column.")] = None,
    on_error: Annotated[str, typer.Option("--on-error", help="raise or skip a line that is wrong.")] = "raise",
    cache: Annotated[bool, typer.Option(help="Keep a binary copy beside each file, for further passes.")] = True,
    shards: Annotated[int, typer.Option("--shards", help="Parts with an online learner each.")] = 1,
    threads: Annotated[int, typer.Option("--threads", help="Threads, at most one for each shard.")] = 1,
    dask: Annotated[str | None, typer.Option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster.")] = None,
    test: Annotated[list[str] | None, typer.Option("--test", metavar="FILE", help="Files to test on.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The model file.")] = Path(
        "model.skops"
    ),
    as_json: Json = False,
) -> None:
    """Fit a linear model to files of any size, online and then by L-BFGS.

    A killed run is taken up by the same command where its last pass ended, or where it stood minutes before within one.
    """
    from treatise.io import Stream, save_model

    settings: dict[str, Any] = {
        "loss": loss, "alpha": l2, "l1": l1, "fit_intercept": constant, "online_passes": passes, "max_iter": lbfgs,
        "tol": tol, "learning_rate": learning_rate, "adaptive": adaptive, "normalized": normalized,
        "invariant": invariant, "bits": bits, "quadratic": tuple(quadratic or ()), "cubic": tuple(cubic or ()),
        "n_shards": shards, "n_jobs": threads, "verbose": not as_json,
    }  # fmt: skip
    model = _learner(loss, tau, settings)
    if test:
        Stream(test)  # a name that is wrong is told now, not when the training is done
    checkpoint = output.with_name(output.name + ".checkpoint")
    began = time.perf_counter()
    try:
        model.fit_files(
            files, format=format, target=target, weight=weight, on_error=on_error, cache=cache, checkpoint=checkpoint,
            dask=dask,
        )  # fmt: skip
    except ValueError as error:
        raise TreatiseError(str(error)) from None
    except KeyboardInterrupt:
        if checkpoint.is_dir():
            remark(f"interrupted; the same command goes on from {checkpoint}")
        raise
    seconds = time.perf_counter() - began
    about = {"kind": "examples", "label": f"{type(model).__name__} ({loss})", "files": files, "seconds": seconds}
    save_model(model, output, metadata=about)
    shutil.rmtree(checkpoint, ignore_errors=True)
    tested = model.evaluate_files(test) if test else None
    if as_json:
        print_json(_summary(model, output, seconds, tested))
        return
    _say(model, passes, loss, tested)
    say(f"Model: {output} ({seconds:.1f} s)")


def _learner(loss: str, tau: float, settings: dict[str, Any]) -> Any:
    """The linear model of a loss, not fitted yet."""
    from treatise.linear import HybridLinearClassifier, HybridLinearRegressor

    if loss in MARGIN:
        return HybridLinearClassifier(**settings)
    if loss in REGRESSION:
        return HybridLinearRegressor(**settings, tau=tau)
    raise TreatiseError(f"--loss {loss} is unknown; it may be {', '.join(MARGIN + REGRESSION)}")


def _say(model: Any, passes: int, loss: str, tested: Any) -> None:
    """What became of the training and of the test, for a person."""
    if model.skipped_:
        remark(f"{counted(model.skipped_, 'line')} left out, the first: {model.complaints_[0]}")
    ending = (
        f", objective {model.objective_path_[-1]:.10g} ({_ENDINGS[model.status_]})" if model.objective_path_ else ""
    )
    say(f"{counted(passes, 'online pass' + 'e' * (passes != 1))}, {counted(model.n_iter_, 'iteration')}{ending}")
    if tested is not None:
        name = "accuracy" if loss in MARGIN else "root mean squared error"
        say(f"Test: {counted(tested.examples, 'example')}, mean loss {tested.loss:.6f}, {name} {tested.score:.6f}")


_ENDINGS = {
    "gradient": "converged",
    "decrease": "converged",
    "running": "iterations used up",
    "stalled": "no further decrease",
    "online": "online only",
}


def _summary(model: Any, output: Path, seconds: float, tested: Any) -> dict[str, Any]:
    return {
        "model": str(output), "seconds": seconds, "iterations": model.n_iter_, "status": model.status_,
        "objective": model.objective_path_, "progressive loss": model.progressive_loss_, "skipped": model.skipped_,
        "complaints": model.complaints_, "test": tested._asdict() if tested is not None else None,
    }  # fmt: skip
