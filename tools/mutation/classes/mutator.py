"""``mutator`` lists the mutants of compiled classes, and writes the changed class files (``Mutator.java``)."""

import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from oneowner.checkers.real_classes.jars import JDK, found_program
from oneowner.checkers.verdict import EngineError

SOURCE: Final = Path(__file__).with_name("Mutator.java")


class Mutant(NamedTuple):
    """One change of one class."""

    name: str
    """``CLASS.METHOD OPERATOR NUMBER``; a lambda counts to its method."""
    line: int
    """Of the source of the class."""
    change: str

    @property
    def method(self) -> str:
        """
        Return the class and the method.

        >>> Mutant("ServiceUnitState.isActiveState return 1", 95, "it returns false").method
        'ServiceUnitState.isActiveState'
        """
        return self.name.split()[0]


class Mutator:
    """Changes classes of some jars; the changed files lie in folders of its own, until it is closed."""

    def __init__(self, jars: Sequence[Path], classes: Iterable[str]) -> None:
        self._place = tempfile.TemporaryDirectory()
        self.folder = Path(self._place.name)
        self._path = ":".join([str(self.folder / "mutator"), *map(str, jars)])
        self._classes = {name.rpartition("/")[2]: name for name in classes}
        asm = ":".join(str(jar) for jar in jars if "byte-buddy" in jar.name)
        run([found_program("javac", JDK), "-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none", "-cp", asm,
             "-d", str(self.folder / "mutator"), str(SOURCE)])  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._place.cleanup()

    def original(self) -> Path:
        """Write the class files as they are; return their folder."""
        folder = self.folder / "original"
        for path in self._classes.values():
            self._run("write", str(self.folder), path, given="\toriginal\n")
        return folder

    def mutants(self) -> list[Mutant]:
        """Return every mutant of the classes, in the order of their code."""
        rows = [line.split("\t") for line in self._run("list", *self._classes.values()).splitlines()]
        return [Mutant(name, int(line), change) for name, line, change in rows]

    def written(self, names: Sequence[str]) -> Mapping[str, Path]:
        """Write the class file of each mutant; return the folders that come first on the class path."""
        folders = {name: self.folder / str(number) for number, name in enumerate(names)}
        for simple, path in self._classes.items():
            own = [name for name in names if name.startswith(simple + ".")]
            lines = "".join(f"{name.partition('.')[2]}\t{folders[name].name}\n" for name in own)
            if own:
                self._run("write", str(self.folder), path, given=lines)
        return folders

    def _run(self, *words: str, given: str = "") -> str:
        return run([found_program("java", JDK), "-XX:TieredStopAtLevel=1", "-cp", self._path, "Mutator", *words], given)


def run(command: Sequence[str], given: str = "") -> str:
    """Return what a program prints; raise EngineError with its complaint if it fails."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EngineError(f"{Path(command[0]).name}: {done.stderr.strip()[:300]}")
    return done.stdout
