"""The command: ``python -m tools.attacks [FAMILY..]``."""

from __future__ import annotations

import sys

from tools.attacks.attacking import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
