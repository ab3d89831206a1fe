"""The order in which Java's ``ConcurrentHashMap`` lists texts, which sums of doubles follow."""

from collections.abc import Iterable
from itertools import chain


def hash_code(text: str) -> int:
    """
    Return ``String.hashCode``, without its sign.

    >>> hash_code("t/n"), hash_code("polygenelubricants") == 1 << 31
    (113043, True)
    """
    units = text.encode("utf-16-be")
    found = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + 256 * high + low) % (1 << 32)
    return found


def listed(names: Iterable[str]) -> list[str]:
    """
    Return different texts, put into a new map one after another, as the map lists them.

    A full table is doubled, and what a bin holds is divided as ``transfer`` does: its last run stays as it is, what
    was before comes before it, turned round. (A bin of eight becomes a tree, which is not followed.)

    >>> listed(["a", "q", "A", "b"])
    ['a', 'q', 'A', 'b']
    >>> listed(["c", "b", "a"])
    ['a', 'b', 'c']
    """
    bins: list[list[str]] = [[] for _ in range(16)]
    for count, name in enumerate(names, 1):
        bins[spread(name) % len(bins)].append(name)
        if count >= len(bins) * 3 // 4:
            halves = [divided(names_of_bin, len(bins)) for names_of_bin in bins]
            bins = [low for low, _ in halves] + [high for _, high in halves]
    return list(chain.from_iterable(bins))


def spread(name: str) -> int:
    """Return the hash by which the map finds a bin."""
    code = hash_code(name)
    return (code ^ code >> 16) & 0x7FFFFFFF


def divided(names: list[str], bit: int) -> tuple[list[str], list[str]]:
    """Return the part of a bin that stays at its place, and the part that moves to the new half."""
    last = len(names)
    while last and spread(names[last - 1]) & bit == spread(names[-1]) & bit:
        last -= 1
    halves: tuple[list[str], list[str]] = ([], [])
    for name in names[:last]:
        halves[bool(spread(name) & bit)].insert(0, name)
    for name in names[last:]:
        halves[bool(spread(name) & bit)].append(name)
    return halves
