"""``python -m oneowner VERB`` is ``oneowner VERB``."""

from oneowner.checkers.cli.main import main

main(prog_name="oneowner")
