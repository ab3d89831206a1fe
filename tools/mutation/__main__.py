"""The command: ``python -m tools.mutation [FILE.py]... [--only NUMBER] [--every N]``, or ``... protocol [NAME]...``."""

import sys

from tools.mutation import protocol_run, running

if __name__ == "__main__":
    if sys.argv[1:2] == ["protocol"]:
        sys.exit(protocol_run.main(sys.argv[2:]))
    sys.exit(running.main(sys.argv[1:]))
