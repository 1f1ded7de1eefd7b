"""Run the command-line program as `python -m baserate`."""

from baserate.cli import main

if __name__ == "__main__":
    main()
