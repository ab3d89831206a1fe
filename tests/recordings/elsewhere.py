"""Work that is done as if by another process: all that goes there and comes back is a copy."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from oneowner.checkers.recordings.read.partition import in_turn


def copied(value: Any) -> Any:
    """What another process gets of a value."""
    return pickle.loads(pickle.dumps(value, 5))


def elsewhere(work: Callable[[Any], Iterator[Any]], items: Sequence[Any], files: Sequence[str] = ()) -> Iterator[Any]:
    """Do the work on copies, and give copies of what comes of it."""
    return (copied(part) for part in in_turn(copied(work), copied(list(items))))
