"""What all tests share."""

import os

os.environ.setdefault("CFLAGS", "-O0")  # most searches of the tests are over sooner than an optimised one is compiled
