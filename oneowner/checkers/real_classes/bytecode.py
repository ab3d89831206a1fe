"""
``methods_of`` reads the methods of a class file: their instructions, without debug information and numbers of javac's.

A lambda is a method of javac's, whose number shifts with every lambda before it. It is a piece of the method that it
stands in, found again by its instructions.
"""

import hashlib
import re
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

MAGIC: Final = 0xCAFEBABE
LAMBDA: Final = re.compile(r"lambda\$(.+)\$\d+")
"""The name of a lambda: that of the method in which it stands, and a number."""
_CONSTANTS: Final = {3: ">i", 4: ">f", 5: ">q", 6: ">d", 7: ">H", 8: ">H", 9: ">HH", 10: ">HH", 11: ">HH", 12: ">HH",
                     15: ">BH", 16: ">H", 17: ">HH", 18: ">HH", 19: ">H", 20: ">H"}  # fmt: skip
"""The form of each kind of constant but texts (JVMS 4.4)."""
_LDC, _LDC_W, _IINC, _GOTO_W, _WIDE = 18, 19, 132, 200, 196
_TABLE, _LOOKUP = 170, 171
_BRANCHES: Final = {*range(153, 169), 198, 199}
_CONSTANT: Final = {19, 20, *range(178, 188), 189, 192, 193, 197}
"""Instructions with the number of a constant, in two bytes."""
_LENGTHS: Final = {16: 2, 17: 3, _LDC: 2, **dict.fromkeys(range(21, 26), 2), **dict.fromkeys(range(54, 59), 2),
                   169: 2, _IINC: 3, 188: 2, **dict.fromkeys(_BRANCHES | _CONSTANT, 3), 185: 5, 186: 5, 197: 4,
                   _GOTO_W: 5, 201: 5}  # fmt: skip
"""The bytes of each instruction that takes more than one, but switches and ``wide`` (JVMS 6.5)."""


class Piece(NamedTuple):
    """Code that is entered by itself: the body of a method, or a lambda in it."""

    name: str
    """As a trace of entries has it: ``name(form)``."""
    digest: str


class Method(NamedTuple):
    """A method of a class."""

    name: str
    form: str
    """Its descriptor."""
    body: Piece
    lambdas: tuple[Piece, ...]

    @property
    def digest(self) -> tuple[str, ...]:
        """Return what is equal for equal code."""
        return self.body.digest, *(one.digest for one in self.lambdas)


def methods_of(data: bytes) -> dict[str, Method]:
    """Return the methods of a class file, by name and descriptor; raise ValueError if it is none."""
    try:
        read = _ClassFile(data)
    except (struct.error, IndexError, KeyError, TypeError, UnicodeDecodeError):
        raise ValueError("no class file, or a damaged one") from None
    lambdas: dict[str, list[Piece]] = {}
    for name, words in read.codes.items():
        if found := LAMBDA.match(name):
            lambdas.setdefault(found[1], []).append(Piece(name, _digest(words)))
    made = {}
    for name, words in read.codes.items():
        if not LAMBDA.match(name):
            short, _, form = name.partition("(")
            own = lambdas.get(_LAMBDAS_OF.get(short, short), ())  # of all its overloads: javac does not part them
            made[name] = Method(short, f"({form}", Piece(name, _digest(words)), tuple(own))
    return made


_LAMBDAS_OF: Final = {"<init>": "new", "<clinit>": "static"}
"""The words by which javac names the lambdas of constructors."""


def changed_pieces(before: Method | None, after: Method) -> tuple[Piece, ...]:
    """Return the pieces of a method that are not in an older one; none if the two are equal."""
    if before is None:
        return (after.body, *after.lambdas)
    known = [one.digest for one in before.lambdas]
    found = [after.body] if after.body.digest != before.body.digest else []
    for piece in after.lambdas:
        if piece.digest in known:
            known.remove(piece.digest)
        else:
            found.append(piece)
    if not found and sorted(after.digest[1:]) != sorted(before.digest[1:]):
        found.append(after.body)  # it has lost a lambda
    return tuple(found)


def _digest(words: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()


class _ClassFile:
    """A class file (JVMS 4): the instructions of each method in words, by name and descriptor."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 8
        if self._taken(">I", 0)[0] != MAGIC:
            raise ValueError("no class file, which begins with CAFEBABE")
        self._constants = self._read_constants()
        self._at += 6
        interfaces = self._next(">H")
        self._at += 2 * interfaces
        self._handles: list[str] = []
        for _ in range(self._next(">H")):  # fields
            self._member()
        members = [self._member() for _ in range(self._next(">H"))]
        own = self._attributes()
        if "BootstrapMethods" in own:
            self._handles = list(self._bootstraps(own["BootstrapMethods"]))
        self.codes: Mapping[str, tuple[str, ...]] = {
            name: tuple(self._in_words(attributes["Code"])) for name, attributes in members if "Code" in attributes
        }

    def _taken(self, form: str, at: int) -> tuple[Any, ...]:
        return struct.unpack_from(form, self._data, at)

    def _next(self, form: str) -> Any:
        (value,) = self._taken(form, self._at)
        self._at += struct.calcsize(form)
        return value

    def _read_constants(self) -> dict[int, tuple[Any, ...]]:
        """Return the constants by number, each with its kind first; a long one takes two numbers."""
        count, number, found = self._next(">H"), 1, {}
        while number < count:
            kind = self._next(">B")
            if kind == 1:
                size = self._next(">H")
                found[number] = kind, self._data[self._at : self._at + size].decode("utf-8", "surrogatepass")
                self._at += size
            else:
                found[number] = kind, *self._taken(_CONSTANTS[kind], self._at)
                self._at += struct.calcsize(_CONSTANTS[kind])
            number += 2 if kind in (5, 6) else 1
        return found

    def _member(self) -> tuple[str, dict[str, tuple[int, int]]]:
        self._at += 2
        name, form = (self._constants[self._next(">H")][1] for _ in range(2))
        return f"{name}{form}", self._attributes()

    def _attributes(self) -> dict[str, tuple[int, int]]:
        """Return the place and the length of each attribute, by name."""
        found = {}
        for _ in range(self._next(">H")):
            name, size = self._constants[self._next(">H")][1], self._next(">I")
            found[name] = self._at, size
            self._at += size
        return found

    def _bootstraps(self, place: tuple[int, int]) -> Iterator[str]:
        at = place[0] + 2
        for _ in range(self._taken(">H", place[0])[0]):
            handle, count = self._taken(">HH", at)
            numbers = self._taken(f">{count}H", at + 4)
            yield " ".join(self._word(number) for number in (handle, *numbers))
            at += 4 + 2 * count

    def _word(self, number: int) -> str:
        """Return a constant in words, without numbers that another constant could shift."""
        kind, *parts = self._constants[number]
        if kind == 1:
            return "lambda" if LAMBDA.fullmatch(parts[0]) else str(parts[0])
        if kind in (17, 18):
            return f"{self._handles[parts[0]]} {self._word(parts[1])}"
        if kind == 15:
            return f"{parts[0]} {self._word(parts[1])}"
        if kind in (3, 4, 5, 6):
            return f"{kind} {parts[0]!r}"
        return " ".join(self._word(part) for part in parts)

    def _in_words(self, place: tuple[int, int]) -> Iterator[str]:
        """Yield the instructions of a method, then its handlers; a place in it is the number of its instruction."""
        size = self._taken(">I", place[0] + 4)[0]
        start = place[0] + 8
        starts = list(self._starts(start, start + size))
        numbers = {at - start: number for number, at in enumerate(starts)} | {size: len(starts)}
        for at, end in zip(starts, [*starts[1:], start + size], strict=True):
            yield self._instruction(at, end, start, numbers)
        count = self._taken(">H", start + size)[0]
        for number in range(count):
            first, last, handler, kind = self._taken(">4H", start + size + 2 + 8 * number)
            what = self._word(kind) if kind else "any"
            yield f"handler {numbers[first]} {numbers[last]} {numbers[handler]} {what}"

    def _starts(self, start: int, end: int) -> Iterator[int]:
        at = start
        while at < end:
            yield at
            code = self._data[at]
            if code == _WIDE:
                at += 6 if self._data[at + 1] == _IINC else 4
            elif code in (_TABLE, _LOOKUP):
                _, count, first = self._switch(at, start)
                at = first + count * (4 if code == _TABLE else 8)
            else:
                at += _LENGTHS.get(code, 1)

    def _switch(self, at: int, start: int) -> tuple[int, int, int]:
        """Return the default of a switch, the number of its cases, and their place."""
        first = at + 1 + -(at + 1 - start) % 4
        if self._data[at] == _LOOKUP:
            default, count = self._taken(">ii", first)
            return default, count, first + 8
        default, low, high = self._taken(">iii", first)
        return default, high - low + 1, first + 12

    def _instruction(self, at: int, end: int, start: int, numbers: Mapping[int, int]) -> str:
        code, here = self._data[at], at - start
        if code in (_LDC, _LDC_W):
            number = self._data[at + 1] if code == _LDC else self._taken(">H", at + 1)[0]
            return f"{_LDC} {self._word(number)}"
        if code in _CONSTANT:
            return f"{code} {self._word(self._taken('>H', at + 1)[0])} {self._data[at + 3 : end].hex()}"
        if code in _BRANCHES:
            return f"{code} {numbers[here + self._taken('>h', at + 1)[0]]}"
        if code in (_GOTO_W, _GOTO_W + 1):
            return f"{code - 33} {numbers[here + self._taken('>i', at + 1)[0]]}"
        if code in (_TABLE, _LOOKUP):
            default, count, first = self._switch(at, start)
            if code == _TABLE:
                low = self._taken(">i", first - 8)[0]
                cases = list(enumerate(self._taken(f">{count}i", first), low))
            else:
                flat = self._taken(f">{2 * count}i", first)
                cases = list(zip(flat[::2], flat[1::2], strict=True))
            ends = [f"{value}:{numbers[here + offset]}" for value, offset in cases]
            return f"{code} {' '.join(ends)} default:{numbers[here + default]}"
        return self._data[at:end].hex()
