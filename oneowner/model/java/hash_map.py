"""The order in which ``HashMap`` and ``HashSet`` of the JDK list keys, and the hashes of some."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def listed(keys: Iterable[T], hash_code: Callable[[T], int], room_for: int | None = None) -> list[T]:
    """
    Return different keys, put into a new map one after another, as the map lists them.

    *hash_code* answers with 32 bits, without sign or with one. *room_for* is the number of elements of the collection
    that a set is copied from: its table is as large from the start. A full table is doubled; keys of one bin keep their
    order. (A bin of more than eight becomes a tree, which is not followed.)

    >>> listed([17, 1, 16, 0], lambda number: number)
    [16, 0, 17, 1]
    >>> listed([17, 1, 16, 0], lambda number: number, room_for=13)
    [0, 1, 16, 17]
    """
    found = list(keys)
    bins = 16
    if room_for is not None:
        while bins < int(room_for / 0.75) + 1:
            bins *= 2
    while len(found) > bins * 3 // 4:
        bins *= 2
    return sorted(found, key=lambda key: spread(hash_code(key)) % bins)


def spread(code: int) -> int:
    """Return the hash by which the map finds a bin."""
    code %= 1 << 32
    return code ^ code >> 16


def combined(*codes: int) -> int:
    """
    Return ``Objects.hash`` of objects with these hashes, without its sign; null has 0.

    >>> combined(0, 1, 0), combined()
    (29822, 1)
    """
    found = 1
    for code in codes:
        found = (31 * found + code) % (1 << 32)
    return found


def of_long(number: int) -> int:
    """
    Return ``Long.hashCode`` of 64 bits, without its sign: also that of a ``UUID`` whose high half is 0.

    >>> of_long(7), of_long(1 << 32)
    (7, 1)
    """
    return (number ^ number >> 32) % (1 << 32)
