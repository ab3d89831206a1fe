"""The command: ``python -m tools.attacks [FAMILY..]``."""

import sys

from tools.attacks.attacking import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
