"""The ``treatise`` command, also as ``python -m treatise``."""

import signal


def main() -> None:
    """Entry point of the command.

    While it is being imported there is nothing to leave in order, and Ctrl-C ends it at once, as SIGTERM does; an
    exception in the midst of an import would show a traceback, or be lost in another library's.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where the parent has it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from treatise.cli import main as answer

    answer()


if __name__ == "__main__":
    main()
