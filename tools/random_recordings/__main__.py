"""The command: ``python -m tools.random_recordings [--runs N]``."""

from __future__ import annotations

import sys

from tools.random_recordings.auditing import main

if __name__ == "__main__":
    sys.exit(main())
