"""The command line: parses, calls the layer below, prints.

A command imports the layer that it needs inside its function, so that ``treatise list`` answers at once.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from treatise._core.files import is_of_a_full_disk
from treatise.cli import (
    _catalogue,
    _compare,
    _console,
    _data,
    _depend,
    _doctor,
    _evaluate,
    _events,
    _graph,
    _minimize,
    _models,
    _network,
    _rate,
    _reproduce,
    _stream,
)

INTERRUPTED = 130  # what a shell reports for a program that Ctrl-C ended


class Frame(TyperGroup):
    """The group of all commands: the manners that they share.

    Exit status 0 is success, 1 a failure, 2 wrong usage. An error is one sentence on standard error; its
    traceback shows only with ``--debug``, which may stand anywhere on the command line.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        debug = next(parameter for parameter in self.params if parameter.name == "debug")
        for command in self.commands.values():
            command.params.append(debug)

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> NoReturn:
        """Run a command line and exit with its status."""
        words = sys.argv[1:] if args is None else list(args)
        _console.open_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal that cannot show a letter shows its code instead
                stream.reconfigure(errors="backslashreplace")
        try:
            status = self._answer(words)
            sys.stdout.flush()
        except BrokenPipeError:
            _console.silence_stdout()
            status = 1
        except OSError as error:  # the answer goes to a file on a full disk
            _console.silence_stdout()
            _console.complain_of(error, debug="--debug" in words)
            status = 1
        sys.exit(status)

    def _answer(self, words: list[str]) -> int:
        debug = "--debug" in words[: words.index("--")] if "--" in words else "--debug" in words
        try:
            return super().main(words, prog_name="treatise", standalone_mode=False, obj=debug) or 0
        except typer.TyperException as error:
            _console.complain(_usage(error, words))
            return error.exit_code
        except (KeyboardInterrupt, typer.Abort):
            return INTERRUPTED
        except BrokenPipeError:
            raise
        except Exception as error:
            if is_of_a_full_disk(error):
                raise
            _console.complain_of(error, debug=debug)
            return 1


def _usage(error: typer.TyperException, words: list[str]) -> str:
    """What was wrong with the command line, and which help page tells more."""
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    sentence = _forgotten_value(context, words) or (message[:1].lower() + message[1:]).rstrip(".")
    if context is None or any(hint in sentence for hint in ("`", "id you mean", "Possible options")):
        return sentence
    return f"{sentence}; `{context.command_path} --help` tells more"


def _forgotten_value(context: typer.Context | None, words: list[str]) -> str | None:
    """An option without its value, which took the option that follows for it."""
    if context is None:
        return None
    options = {name: option for option in context.command.params for name in option.opts if name.startswith("-")}
    for word, following in pairwise(words):
        if word in options and not getattr(options[word], "is_flag", False) and following in options:
            return f"{word} needs a value, and {following} follows it"
    return None


app = typer.Typer(cls=Frame, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})
app.command("compare")(_compare.compare)
app.command("fit")(_models.fit)
app.command("predict")(_models.predict)
app.command("label")(_models.predict)
app.command("graph")(_graph.graph)
app.command("depend")(_depend.depend)
app.command("network")(_network.network)
app.command("events")(_events.events)
app.command("minimize")(_minimize.minimize)
app.command("rate")(_rate.rate)
app.command("aggregate")(_rate.aggregate)
app.command("evaluate")(_evaluate.evaluate)
app.command("stream")(_stream.stream)
app.command("list")(_catalogue.list_papers)
app.command("show")(_catalogue.show_paper)
app.command("reproduce")(_reproduce.reproduce_papers)
app.command("data")(_data.data)
app.command("doctor")(_doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        from treatise._core.version import __version__

        print(f"treatise {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def treatise(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", expose_value=False, help="Show the traceback of an error.")] = False,
) -> None:
    """What would a hundred papers do with my data?

    Published learning methods, working, proven and fast.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Answer the command line that this process was started with, and end it."""
    # A request to end, as systems make it before they shut down, leaves what Ctrl-C leaves.
    _on_requests_to_end(signal.default_int_handler)
    sys.unraisablehook = _repeat_request
    try:
        app()
    except KeyboardInterrupt:  # one more, while the first was being answered
        sys.exit(INTERRUPTED)
    finally:
        # All that is worth keeping is kept: a further request need not wait for libraries to take their leave.
        _on_requests_to_end(signal.SIG_DFL)


def _on_requests_to_end(handler: Any) -> None:
    """Meet Ctrl-C and SIGTERM with a handler, unless the parent has them ignored, as nohup does."""
    for request in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(request) is not signal.SIG_IGN:
            signal.signal(request, handler)


def _repeat_request(lost: "sys.UnraisableHookArgs") -> None:
    """Make a request to end once more that came in the midst of what cannot be ended, such as a finalizer.

    Python would write that it was ignored, and go on.
    """
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(0.05, _thread.interrupt_main, (signal.SIGTERM,)).start()  # when that is over
    else:
        sys.__unraisablehook__(lost)
