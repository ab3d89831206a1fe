"""The command: ``python -m tools.mutation [FILE.py]... [--only NUMBER] [--every N]``, ``... protocol [NAME]...``,
``... classes [NAME]...``."""

import sys

from tools.mutation import protocol_run, running
from tools.mutation.classes import run as classes_run

if __name__ == "__main__":
    if sys.argv[1:2] == ["protocol"]:
        sys.exit(protocol_run.main(sys.argv[2:]))
    if sys.argv[1:2] == ["classes"]:
        sys.exit(classes_run.main(sys.argv[2:]))
    sys.exit(running.main(sys.argv[1:]))
