"""
``Build`` compiles a model with its laws and a search: traced, written as C, kept in the user's cache.

It is compiled again whenever something changes that shapes it: our source, the compiler, bounds, laws, symmetry.
"""

import hashlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache as cached
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from oneowner.checkers.engines.compile.c import checks_of, emit, emit_laws
from oneowner.checkers.engines.compile.c_orbits import emit_orbits
from oneowner.checkers.engines.compile.exchange import Interchangeable
from oneowner.checkers.engines.compile.frames import framed
from oneowner.checkers.engines.compile.program import Traced, trace
from oneowner.checkers.engines.compile.watched import At, unheard
from oneowner.checkers.extras import need
from oneowner.checkers.native_code import HINT, cache, compiler
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.model import kernel
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import Law, Witness
from oneowner.model.kernel.system import System

SEARCH = Path(__file__).with_name("search.c")
TRACERS = (Path(__file__).parent.parent / "compile", PACKAGE / "checkers" / "trace")
FLAGS = ("-O1", "-w", "-pthread")
"""-O2 takes twice as long to compile and searches no faster: the time goes to memory."""
QUICK = ("-O0", "-w", "-pthread")
"""For a search of a moment: compiling takes less than half as long, and searching twice as long."""


@dataclass(frozen=True)
class Build:
    """A program to be compiled: a model, what it is put to, and the program that visits its states."""

    bounds: Bounds
    laws: Sequence[Law]
    witnesses: Sequence[Witness] = ()
    symmetry: tuple[str, ...] = ()
    """The kinds of things that may change places (``symmetry.py``); none: every state is visited."""
    source: Path = SEARCH
    flags: tuple[str, ...] = FLAGS

    @property
    def _options(self) -> tuple[str, ...]:
        """The options of the compiler; those of the environment come last, and so win."""
        return *self.flags, *os.environ.get("CFLAGS", "").split()

    @property
    def program(self) -> Path:
        return self._folder / "search"

    @property
    def is_made(self) -> bool:
        """True if it is compiled already."""
        return compiler() is not None and self.program.exists()

    @cached_property
    def checks(self) -> tuple[list[str], list[str]]:
        """The names of the state laws and of the step checks, in the order of the program."""
        state_laws, step_checks = self._names["checks"]
        return state_laws, step_checks

    @cached_property
    def classes(self) -> list[Interchangeable]:
        """The interchangeable things; proved when it was compiled."""
        return [Interchangeable(kind, tuple(members)) for kind, members in self._names["classes"]]

    def make(self, at: At = unheard, traced: Traced | None = None) -> None:
        """
        Compile it, unless that is done; raise Misuse if it cannot be, EngineError if the compiler fails.

        What is *traced* is this model with these laws and witnesses. *at* hears what is being done.
        """
        if compiler() is None:
            raise Misuse(f"no C compiler is found; {HINT}, or use --engine native")
        if self.program.exists():
            return
        model = traced() if traced else trace(self.bounds, self.laws, self.witnesses, at=at)
        classes: list[Interchangeable] = []
        if self.symmetry:
            need("prove", "--symmetry")
            from oneowner.checkers.engines.explore.symmetry import proved  # z3 takes long to load

            classes = proved(model, self.symmetry, at)
        at("writing C")
        model = framed(model)
        text = emit(model) + (emit_orbits(model, classes) if classes else "")
        alike = [(same.kind, same.members) for same in classes]
        at("compiling")
        try:
            cache().mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.mkdir(exist_ok=True)
            self._compile(text, emit_laws(model), json.dumps({"checks": checks_of(model), "classes": alike}))
        except OSError as error:
            where = f"{self._folder}: cannot be written: {error.strerror}"
            raise Misuse(f"{where}; XDG_CACHE_HOME names another place") from None

    def _compile(self, model: str, laws: str, names_of: str) -> None:
        """Write names.json and search, each as a whole: several processes may do so at once."""
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            header, judge, names, made = (Path(place, name) for name in ("model.h", "laws.c", "names.json", "search"))
            header.write_text(model, encoding="utf-8")
            judge.write_text(laws, encoding="utf-8")
            names.write_text(names_of, encoding="utf-8")
            objects = [str(Path(place, name)) for name in ("search.o", "laws.o")]
            of_model, of_laws = [f'-DMODEL="{header}"', str(self.source)], [str(judge)]
            _run_all(
                [[*self._options, "-c", *what, "-o", at] for what, at in zip((of_model, of_laws), objects, strict=True)]
            )  # at once
            _run_all([[*self._options, *objects, "-o", str(made)]])
            for path in (names, made):  # the program last: it says that all is there
                os.replace(path, self._folder / path.name)

    @cached_property
    def _names(self) -> dict[str, Any]:
        names: dict[str, Any] = json.loads((self._folder / "names.json").read_text(encoding="utf-8"))
        return names

    @cached_property
    def _folder(self) -> Path:
        """The place of the program, named by all that shapes it."""
        by = Path(str(compiler())).resolve()
        compiled_by = f"{by}{by.stat().st_mtime if by.exists() else ''}"
        own = (*sorted(SEARCH.parent.glob("*.h")), self.source, SEARCH.with_name("symmetry.py"), Path(__file__))
        more = [compiled_by, repr((self.symmetry, self._options)), *(path.read_text(encoding="utf-8") for path in own)]
        return cache() / digest_of(self.bounds, (*self.laws, *self.witnesses), more)[:32]


def _run_all(commands: Sequence[Sequence[str]]) -> None:
    """Run the compiler several times at once; raise EngineError with its words if it refuses. None is left behind."""
    children: list[subprocess.Popen[str]] = []
    try:
        for command in commands:
            asked = [str(compiler()), *command]
            children.append(subprocess.Popen(asked, stderr=subprocess.PIPE, text=True, start_new_session=True))
        for child in children:
            words = child.communicate()[1]
            if child.returncode:
                raise EngineError(f"the C compiler refuses the model: {' '.join(words.split())[:500]}")
    finally:
        for child in children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)  # with what it has started
                child.wait()


def digest_of(bounds: Bounds, asked: Sequence[Law | Witness], more: Sequence[str] = ()) -> str:
    """Return a number, in hexadecimal digits, of all that shapes a traced model, and of *more* texts."""
    digest = hashlib.sha256()
    for path in _sources_of(bounds.system):
        digest.update(path.read_bytes())
    named = [(part.name, *map(_identity, _functions(part))) for part in asked]
    digest.update(repr((bounds, named, list(more))).encode())
    return digest.hexdigest()


@cached
def _sources_of(system: System) -> tuple[Path, ...]:
    """Return everything that shapes a traced model: its system, the kernel, the tracer and the emitter."""
    modules = [Path(str(module.__file__)) for module in system.modules]
    folders = (Path(str(kernel.__file__)).parent, *TRACERS)
    return (*modules, *(path for folder in folders for path in sorted(folder.glob("*.py"))))


def _functions(part: Law | Witness) -> list[Callable[..., bool]]:
    """Return the functions of the specification that a law or a witness is made of."""
    return [part.reached] if isinstance(part, Witness) else [part.when, part.holds]


def _identity(function: Callable[..., bool]) -> str:
    if isinstance(function, partial):
        given = ", ".join(f"{name}={_identity(one)}" for name, one in function.keywords.items())
        return f"{_identity(function.func)}({given})"
    return f"{function.__module__}.{function.__qualname__}"
