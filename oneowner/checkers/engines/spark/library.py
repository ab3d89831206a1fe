"""
``Library`` is a model compiled to a shared library, and travels: a task loads it, or compiles it where it runs.

It travels with the C that it was made of and the name of the machine that it was made for. Another machine makes it
of that C again, by a compiler of its own.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneowner.checkers.engines.explore.building import Build
from oneowner.checkers.native_code import cache, compiler
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law, Witness

SOURCE = Path(__file__).with_name("task.c")
FLAGS = ("-O1", "-w", "-fPIC", "-shared")
WORD = 8
"""Bytes of a word."""
NO_MEMORY = NONE = 2**64 - 1

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class LibraryBuild(Build):
    """A model compiled to a shared library; its C is kept beside it, for machines that it does not run on."""

    def _compile(self, model: str, laws: str, names_of: str) -> None:
        for name, text in (("model.h", model), ("laws.c", laws)):
            with tempfile.NamedTemporaryFile("w", dir=self._folder, delete=False, encoding="utf-8") as file:
                file.write(text)
            os.replace(file.name, self._folder / name)
        super()._compile(model, laws, names_of)


def library_build(bounds: Bounds, laws: Sequence[Law], witnesses: Sequence[Witness]) -> LibraryBuild:
    """Return the command that compiles a model and its search to a shared library."""
    return LibraryBuild(bounds, laws, witnesses, source=SOURCE, flags=FLAGS)


@dataclass(frozen=True)
class Library:
    """A shared library as it is sent to tasks."""

    digest: str
    """Of its C and its flags."""
    machine: str
    """The target of the binary."""
    binary: bytes
    model: str
    laws: str
    source: str

    @classmethod
    def of(cls, build: LibraryBuild) -> Library:
        """Return what was built, to be sent."""
        texts = [(build.program.parent / name).read_text(encoding="utf-8") for name in ("model.h", "laws.c")]
        model, laws, source = (*texts, SOURCE.read_text(encoding="utf-8"))
        digest = hashlib.sha256(repr((model, laws, source, FLAGS)).encode()).hexdigest()
        return cls(digest, machine(), build.program.read_bytes(), model, laws, source)


def machine() -> str:
    """Return the kind of machine that a library is built for here: it runs where this is the same."""
    return " ".join((platform.system(), platform.machine(), *platform.libc_ver()))


def _placed(library: Library) -> Path:
    """Return where the library lies on this machine: as it came, or compiled here."""
    try:
        folder = cache() / f"task-{library.digest[:32]}"
        made = folder / f"{hashlib.sha256(machine().encode()).hexdigest()[:16]}.so"
        if not made.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as place:
                binary = Path(place, "task.so")
                if library.machine == machine():
                    binary.write_bytes(library.binary)
                else:
                    _compile(library, Path(place), binary)
                os.replace(binary, made)  # several tasks may do so at once
    except OSError as error:
        raise EngineError(f"{platform.node()}: the model cannot be placed there: {error.strerror}") from None
    except Misuse as error:
        raise EngineError(f"{platform.node()}: {error}") from None
    return made


def _compile(library: Library, place: Path, binary: Path) -> None:
    compile_by = compiler()
    if compile_by is None:
        raise EngineError(
            f"{platform.node()} is another kind of machine ({machine()}, not {library.machine}) without a C compiler"
        )
    for name, text in (("model.h", library.model), ("laws.c", library.laws), ("task.c", library.source)):
        (place / name).write_text(text, encoding="utf-8")
    files = [str(place / name) for name in ("task.c", "laws.c")]
    command = [compile_by, *FLAGS, f'-DMODEL="{place / "model.h"}"', *files, "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = " ".join(done.stderr.split())[:300]
        raise EngineError(f"{platform.node()}: the C compiler refuses the model: {words}")


_models: dict[str, Model] = {}


def model_of(library: Library) -> Model:
    """Return the model that a library holds, loaded once in a process; raise EngineError where it cannot be."""
    if library.digest not in _models:
        _models[library.digest] = Model(ctypes.CDLL(str(_placed(library))))
    return _models[library.digest]


class Model:
    """The functions of a library on arrays of words; a record is a key of two words and a packed state."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._c = library
        for name in ("begin", "expand", "ordered_once", "subtract", "without_known", "merged", "below"):
            getattr(library, name).restype = ctypes.c_uint64
        library.bound_name.restype = ctypes.c_char_p
        numbers = np.zeros(7, np.uint64)
        library.shape(_at(numbers))
        self.words, self.actions, self.state_laws, step_checks, self.bounds, self.initial, exact = map(int, numbers)
        self.checks = self.state_laws + step_checks
        self.is_exact = bool(exact)
        self.record = 2 + self.words
        """Words of a record."""
        parts = [4, self.bounds, self.actions + 1, self.checks + 1, self.checks + 1]
        ends = np.cumsum(parts)
        self.places = [slice(int(end - size), int(end)) for size, end in zip(parts, ends, strict=True)]
        """The offsets of a tally's parts: counts, steps beyond bounds, fired, exercised, least perturbations."""

    def bound_name(self, number: int) -> str:
        name: bytes = self._c.bound_name(number)
        return name.decode()

    def empty_tally(self) -> Words:
        tally = np.zeros(self.places[-1].stop, np.uint64)
        tally[self.places[-1]] = NONE
        return tally

    def add(self, tally: Words, more: Words) -> None:
        """Add what another task has counted; of perturbations the least counts."""
        counts, least = slice(0, self.places[-1].start), self.places[-1]
        tally[counts] += more[counts]
        tally[least] = np.minimum(tally[least], more[least])

    def begin(self) -> Words:
        """Return records of the initial states, in their order."""
        out = np.zeros((self.initial, self.record), np.uint64)
        self._c.begin(_at(out))
        return out

    def expand(self, keys: Words, states: Words, most: int | None, out: Words, tally: Words) -> tuple[int, int]:
        """Fill *out* with records of where states lead; return how many records there are, and of how many states."""
        expanded = ctypes.c_uint64()
        count = self._c.expand(
            _at(keys), _at(states), _number(len(keys)), _signed(most), _at(out), _number(len(out)),
            ctypes.byref(expanded), _at(tally),
        )  # fmt: skip
        return int(count), expanded.value

    def judge(self, records: Words, tally: Words) -> None:
        self._c.judge_all(_at(records), _number(len(records)), _at(tally))

    def ordered_once(self, records: Words) -> Words:
        """Return records in the order of their keys, each once."""
        out = np.empty_like(records)
        count = int(self._c.ordered_once(_at(records), _number(len(records)), _at(out)))
        if count == NO_MEMORY:
            raise MemoryError
        return out[:count]

    def mark_known(self, records: Words, keys: Words, is_known: NDArray[np.uint8], at: int) -> int:
        """Mark those of ordered records whose keys are known, from *at* on; return how far that went."""
        sizes = _number(len(records)), _at(keys), _number(len(keys))
        return int(self._c.subtract(_at(records), *sizes, _at(is_known), _number(at)))

    def without_known(self, records: Words, is_known: NDArray[np.uint8]) -> Words:
        """Return the records that are not marked, in the place of them all."""
        return records[: int(self._c.without_known(_at(records), _number(len(records)), _at(is_known)))]

    def merged(self, one: Words, other: Words) -> tuple[Words, int, int]:
        """Merge ordered keys as far as one of them goes; return them, and how far each went."""
        out, taken = np.empty((len(one) + len(other), 2), np.uint64), np.zeros(2, np.uint64)
        sizes = _at(one), _number(len(one)), _at(other), _number(len(other))
        count = int(self._c.merged(*sizes, _at(out), _at(taken)))
        return out[:count], int(taken[0]), int(taken[1])

    def is_ordered(self, keys: Words) -> bool:
        return bool(self._c.is_ordered(_at(keys), _number(len(keys))))

    def split(self, records: Words) -> tuple[Words, Words]:
        """Return keys and states of records."""
        keys, states = np.empty((len(records), 2), np.uint64), np.empty((len(records), self.words), np.uint64)
        self._c.split(_at(records), _number(len(records)), _at(keys), _at(states))
        return keys, states

    def below(self, records: Words, end: int) -> int:
        """Return how many of ordered records have a key whose first word is below *end*."""
        return len(records) if end > NONE else int(self._c.below(_at(records), _number(len(records)), _number(end)))

    def leading(self, states: Words, most: int | None, question: Words, ahead: Words, masks: Words) -> Words:
        """Return for which laws each state is on a shortest way."""
        out = np.empty(len(states), np.uint64)
        self._c.leading(
            _at(states), _number(len(states)), _signed(most), _at(question), _at(ahead), _at(masks),
            _number(len(ahead)), _at(out),
        )  # fmt: skip
        return out

    def breaking(self, state: Words, most: int | None, question: Words) -> tuple[int, int]:
        """Return the first action that breaks what is asked for, and the bound that it goes beyond; -1 for none."""
        bound = ctypes.c_int()
        action = int(self._c.breaking(_at(state), _signed(most), _at(question), ctypes.byref(bound)))
        return action, bound.value

    def follow(self, state: Words, most: int | None, ahead: Words, masks: Words, bit: int) -> tuple[int, Words]:
        """Return the first action that leads to one of *ahead* that has this bit, and the state there."""
        after = np.empty(self.words, np.uint64)
        size = _number(len(ahead))
        action = self._c.follow(_at(state), _signed(most), _at(ahead), _at(masks), size, _number(bit), _at(after))
        return int(action), after


def _at(array: NDArray[Any]) -> ctypes.c_void_p:
    assert array.flags.c_contiguous, "the library takes whole arrays"
    return ctypes.c_void_p(array.ctypes.data)


def _number(number: int) -> ctypes.c_uint64:
    return ctypes.c_uint64(number)


def _signed(limit: int | None) -> ctypes.c_int64:
    return ctypes.c_int64(-1 if limit is None else limit)
