"""Arithmetic as Java has it, where Python's differs: floats and ints of 32 bits, sums, division by zero, order."""

import math
import struct
from collections.abc import Iterable


def float32(number: float) -> float:
    """
    Return ``(float) number``.

    >>> float32(0.1), float32(1e39)
    (0.10000000149011612, inf)
    """
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def divide(number: float, by: float) -> float:
    """
    Return ``number / by`` of doubles, which throws nothing.

    >>> divide(1, 0), divide(-1, 0), divide(0, 0)
    (inf, -inf, nan)
    """
    if by != 0:
        return number / by
    if number == 0 or math.isnan(number):
        return math.nan
    return math.copysign(math.inf, number) * math.copysign(1, by)


def added(numbers: Iterable[float]) -> float:
    """
    Return the sum of doubles from left to right; from Python 3.12 on, ``sum`` makes up for rounding.

    >>> added([0.1] * 10)
    0.9999999999999999
    """
    found = 0.0
    for number in numbers:
        found += number
    return found


def root(number: float) -> float:
    """
    Return ``Math.sqrt(number)``: of a negative number it is NaN.

    >>> root(4), root(-1e-17)
    (2.0, nan)
    """
    return math.sqrt(number) if number >= 0 else math.nan


def order(number: float) -> tuple[bool, float, bool]:
    """
    Return a key by which ``Double.compare`` orders: -0.0 before 0.0, NaN behind all others.

    >>> sorted([math.nan, 0.0, -0.0, -1.0], key=order)
    [-1.0, -0.0, 0.0, nan]
    """
    if math.isnan(number):
        return True, 0, False
    return False, number, math.copysign(1, number) > 0


def percent(usage: float, limit: float) -> float:
    """
    Return ``ResourceUsage.percentUsage``, a float of 32 bits; it may exceed 100.

    >>> percent(30, 100), percent(5, 0)
    (30.000001907348633, 0.0)
    """
    if limit <= 0:
        return 0.0
    return float32(float32(divide(float32(usage), float32(limit))) * 100)


def rounded(number: float) -> int:
    """
    Return ``Math.round(number)``, a long: halves go up.

    >>> rounded(2.5), rounded(-2.5), rounded(0.49999999999999994), rounded(math.inf)
    (3, -2, 0, 9223372036854775807)
    """
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return 2**63 - 1 if number > 0 else -(2**63)
    below = math.floor(number)
    return min(max(below + (number - below >= 0.5), -(2**63)), 2**63 - 1)


def whole(number: float) -> int:
    """
    Return ``(int) number``: cut off, held within 32 bits, and 0 for NaN.

    >>> whole(-1.9), whole(1e10), whole(math.nan)
    (-1, 2147483647, 0)
    """
    if math.isnan(number):
        return 0
    return int(max(-(2.0**31), min(2.0**31 - 1, number)))


def wrapped(number: int) -> int:
    """
    Return a sum of ints as 32 bits hold it.

    >>> wrapped(2**31 - 1 + 1)
    -2147483648
    """
    return (number + 2**31) % 2**32 - 2**31
