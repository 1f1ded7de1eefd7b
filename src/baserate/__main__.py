"""`python -m baserate` is the program `baserate`."""

from baserate.cli import main

if __name__ == "__main__":
    main()
