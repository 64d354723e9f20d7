"""`autoperf`, and `python -m autoperf`: starts the command line so that it can be interrupted from start to end."""

# Not `signal`, which takes its time to be imported: a Ctrl-C meanwhile would show a traceback.
import _signal as signal  # type: ignore[import-not-found]
import os
import sys


def main() -> None:
    """Run the command line, and exit."""
    # Until the command line is there to end cleanly, and once it has ended, Ctrl-C ends the process at once, without a
    # traceback of what is being imported or closed.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Rules draw no types of other packages, whose plugins (trio's imports pytest) take longer than Hypothesis.
    os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")
    from autoperf.cli.main import run  # noqa: PLC0415

    sys.exit(run())


if __name__ == "__main__":
    main()
