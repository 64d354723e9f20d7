"""`autoperf`, and `python -m autoperf`: starts the command line so that it can be interrupted from the beginning."""

import signal


def main() -> None:
    """Run the command line, and exit."""
    # Until it is there to end cleanly, Ctrl-C ends the process at once, without a traceback of what is being imported.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from autoperf.cli.main import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
