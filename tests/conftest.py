"""What all tests share."""

import gc
import os
import signal
import sys
from pathlib import Path

os.environ.setdefault("CFLAGS", "-O0")  # most searches of the tests are over sooner than an optimised one is compiled

os.environ["XDG_CACHE_HOME"] = str(Path(__file__).resolve().parent.parent / "build" / "test-cache")
"""What tests compile and write is none of the user's: kept from one run to the next, and gone with build/."""

# Bytecode is kept, whatever the user's own setting: else each of the many processes of the tests compiles all anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # what a shell does to work in the background, and its children
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what stays anyway, and come seldom: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
