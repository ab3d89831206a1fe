"""The command: ``python -m tools.mutation [FILE.py]... [--only NUMBER] [--every N]``."""

from __future__ import annotations

import sys

from tools.mutation.running import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
