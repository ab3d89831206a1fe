"""The command: ``python -m tests.mutation [FILE.py]... [--only NUMBER] [--every N]``."""

from __future__ import annotations

import sys

from tests.mutation.running import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
