"""``python -m oneowner.checkers VERB`` is ``oneowner VERB``."""

from oneowner.checkers.cli import main

main(prog_name="oneowner")
