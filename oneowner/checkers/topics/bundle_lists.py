"""The boundaries of bundles, as ``pulsar-admin`` and recordings have them."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.verdict import Misuse
from oneowner.model.pulsar.bundles import RING_END

Boundaries = tuple[int, ...]
MOST: Final = 2**20
"""Bytes of a file of boundaries."""
ALLOWED: Final = "the output of `pulsar-admin namespaces bundles` or `namespaces policies`, or a bundles.json, is read"


def read_boundaries(path: Path) -> dict[str, Boundaries]:
    """
    Return the boundaries of the bundles of each namespace in a file; raise Misuse if there are none.

    The only list of a file without names of namespaces stands under an empty name.
    """
    try:
        data = path.read_bytes()
        found = _in(json.loads(data[:MOST]), "")
    except OSError as error:
        raise Misuse(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{path}:{getattr(error, 'lineno', 1)}: no boundaries of bundles: not JSON; {ALLOWED}") from None
    if not found:
        raise Misuse(f"{path}:1: no boundaries of bundles; {ALLOWED}")
    return {name: _checked(cuts, str(path)) for name, cuts in found.items()}


def _in(value: Any, name: str) -> dict[str, Any]:
    """Return the lists below a value; of several of one namespace, the last one."""
    if not isinstance(value, dict):
        return {}
    if "boundaries" in value:
        return {name: value["boundaries"]}
    found: dict[str, Any] = {}
    for key, part in value.items():
        found |= _in(part, key if key.count("/") in (1, 2) else name)
    return found


def _checked(cuts: Any, where: str) -> Boundaries:
    try:
        numbers = tuple(int(text, 16) for text in cuts)
    except (TypeError, ValueError):
        raise Misuse(f"{where}:1: boundaries refused: {cuts!r}; numbers such as 0x40000000 are allowed") from None
    is_sorted = all(low < high for low, high in pairwise(numbers))
    if len(numbers) < 2 or numbers[0] != 0 or numbers[-1] != RING_END or not is_sorted:
        raise Misuse(f"{where}:1: boundaries refused: they must rise from 0x00000000 to 0xffffffff: {cuts}")
    return numbers
