"""The command: ``python -m tools.random_recordings [--runs N]``."""

import sys

from tools.random_recordings.auditing import main

if __name__ == "__main__":
    sys.exit(main())
