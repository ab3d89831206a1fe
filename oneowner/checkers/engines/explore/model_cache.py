"""
The user's cache keeps what was traced: the same model need not be traced again for an engine on columns.

It is traced again whenever something changes that shapes it: our source, bounds, laws. What is kept is compiled, too,
by this version of Python: to compile a model takes as long as to search a small one.
"""

import os
import sys
import tempfile
from collections.abc import Sequence

from oneowner.checkers.engines.compile.column_program import Written, without_steps, written, written_in
from oneowner.checkers.engines.compile.program import Traced
from oneowner.checkers.engines.explore.building import digest_of
from oneowner.checkers.native_code import cache
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law, Witness

NAME = f"columns.{sys.implementation.cache_tag}"


def kept(bounds: Bounds, laws: Sequence[Law | Witness], traced: Traced, has_steps: bool = True) -> Written:
    """
    Return a model with these laws as it is kept, or as *traced*; a cache that cannot be used is none.

    A model that *has no steps* answers what is asked of them: another one takes them.
    """
    path = cache() / digest_of(bounds, laws, () if has_steps else ("no steps",))[:32] / NAME
    try:
        return written_in(path.read_bytes())
    except (OSError, EOFError, ValueError, TypeError, KeyError, AttributeError):  # not there, or not whole
        pass
    program = traced()
    model = written(program if has_steps else without_steps(program))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(model.as_bytes())
        os.replace(temporary, path)  # as a whole: several processes may do so at once
    except OSError:
        pass
    return model
