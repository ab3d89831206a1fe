"""
The check of sources prints what no engine but the native one could follow, by file and line (``make check``).

``python -m oneowner.checkers.cli.check``: exit code 0 if there is nothing, else 1.
"""

from __future__ import annotations

import sys

from oneowner.checkers.engines.compile.traceable import Complaint, check_modules
from oneowner.spec.systems import subjects


def check_systems() -> list[Complaint]:
    """Check the source of every system and decision."""
    modules = {module.__name__: module for subject in subjects() for module in subject.modules}
    return check_modules(modules.values())


if __name__ == "__main__":
    found = check_systems()
    sys.stdout.writelines(f"{complaint}\n" for complaint in found)
    sys.exit(1 if found else 0)
