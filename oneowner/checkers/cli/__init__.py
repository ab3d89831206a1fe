"""The verbs of the command line. Ctrl-C is quiet from here on, while the verbs are still being imported."""

import os
import sys
from types import TracebackType

from oneowner.checkers.verdict import INTERRUPTED

_before = sys.excepthook


def _end_quietly(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """End with the exit code of an interruption; print any other exception as before."""
    if not issubclass(kind, KeyboardInterrupt):
        _before(kind, error, trace)
        return
    sys.stderr.write("interrupted: no verdict\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


sys.excepthook = _end_quietly
