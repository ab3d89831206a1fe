"""What all tests share."""

import os
import signal

os.environ.setdefault("CFLAGS", "-O0")  # most searches of the tests are over sooner than an optimised one is compiled

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # what a shell does to work in the background, and its children
    signal.signal(signal.SIGINT, signal.default_int_handler)
