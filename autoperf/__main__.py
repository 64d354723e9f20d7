"""`python -m autoperf`."""

from autoperf.cli.main import main

if __name__ == "__main__":
    main()
