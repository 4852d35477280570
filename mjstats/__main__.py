"""``python -m mjstats`` is the command line."""

from mjstats.cli import main

main()
