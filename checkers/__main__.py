"""``python -m checkers VERB`` is ``oneowner VERB``."""

from checkers.cli import main

main(prog_name="oneowner")
