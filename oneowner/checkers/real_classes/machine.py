"""A JVM with the real classes and our harness, which takes runs and prints the state after each step."""

import hashlib
import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import IO, Final, Self

from oneowner.checkers.native_code import cache
from oneowner.checkers.real_classes.jars import JDK, Jars, Missing, found_program
from oneowner.checkers.verdict import EngineError

SOURCES: Final = Path(__file__).parent / "java"
MANIFEST: Final = "Manifest-Version: 1.0\nPremain-Class: oneowner.conform.Rewriter\nCan-Redefine-Classes: true\n\n"
ENTRIES: Final = "entries"
"""The word that turns a trace of entries on, and asks for it."""
FAILED: Final = "failed: "
"""The words before the reason for which our harness ends."""
VERSIONS: Final = re.compile(r"class file (?:has wrong )?version (\d+)\.0\D+(\d+)\.0")
"""The words of java and javac about a class of a later Java: its version, and their own."""
BEFORE_JAVA_1: Final = 44
"""The version of class files less that of Java."""
MODULE: Final = re.compile(r"FindException: Module (\S+) not found")
TRY: Final = "?"
"""The beginning of a step that is tried."""
PATIENCE: Final = 900
"""Seconds that a batch may take, unless a caller wants it otherwise."""
OLDEST: Final = "17"
"""The oldest Java that runs our harness; a later javac compiles for it too."""
FLAGS: Final = (
    "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
    "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
    "-Dorg.apache.logging.log4j.simplelog.level=OFF",
)  # fmt: skip


def harness(jars: Jars) -> Path:
    """Return the jar of our harness, which is an agent too; compile it once for what it is compiled against."""
    sources = sorted(SOURCES.rglob("*.java"))
    text = b"".join(source.read_bytes() for source in sources) + MANIFEST.encode()
    text += "".join(path.name for path in jars.base).encode()
    jar = cache() / "real-classes" / f"{hashlib.sha256(text).hexdigest()[:32]}.jar"
    if not jar.exists():
        jar.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=jar.parent) as place:
            _compile(sources, jars, Path(place))
            part = Path(place) / jar.name
            with zipfile.ZipFile(part, "w") as archive:
                archive.writestr("META-INF/MANIFEST.MF", MANIFEST)
                for path in sorted(Path(place).rglob("*.class")):
                    archive.write(path, path.relative_to(place).as_posix())
            os.replace(part, jar)
    return jar


def _compile(sources: Sequence[Path], jars: Jars, place: Path) -> None:
    base = ":".join(str(path) for path in jars.base)
    command = [
        found_program("javac", JDK),
        "-J-XX:TieredStopAtLevel=1",
        "-nowarn",
        "-proc:none",
        "--release",
        OLDEST,
        "-cp",
        base,
        "-d",
        str(place),
    ]
    done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
    if done.returncode:
        if f"release version {OLDEST} not supported" in done.stderr:
            raise Missing(f"javac is older than Java {OLDEST}; install {JDK}")
        if old := _too_old("javac", done.stderr):
            raise old
        errors = [line for line in done.stderr.splitlines() if ": error: " in line]
        why = errors[0].rpartition("/")[2] if errors else done.stderr.strip()
        raise Missing(f"the harness does not compile against these jars: {why}; --lib takes those of 4.0.6 or near it")


class Machine:
    """The JVM; a batch of runs is written whole before its answers are read."""

    def __init__(
        self,
        jars: Jars,
        bounds: Mapping[str, object],
        traces_entries: bool = False,
        patience: float = PATIENCE,
        flags: Sequence[str] = (),
    ) -> None:
        """Start the JVM with more *flags*, such as an agent that sees classes before ours changes them."""
        jar = harness(jars)
        self._seconds = patience
        command = [
            found_program("java", JDK),
            *FLAGS,
            *flags,
            f"-javaagent:{jar}{f'={ENTRIES}' * traces_entries}",
            "-cp",
            ":".join(map(str, (jar, *jars.path))),
            "oneowner.conform.Main",
        ]
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # open as long as the process
        self._process = subprocess.Popen(
            [*command, *_in_words(bounds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def bound(self, bounds: Mapping[str, object]) -> None:
        """Set the bounds of later runs."""
        self._write(f"bounds {' '.join(_in_words(bounds))}\n")

    def redefine(self, folder: Path) -> None:
        """Give loaded classes the bodies of the class files in *folder*."""
        self._write(f"classes {folder}\n")

    def states(self, runs: Sequence[Sequence[str]]) -> Iterator[list[str]]:
        """Yield, for each run of steps, the state after each step."""
        with self._patience():
            self._write(f"{len(runs)}\n" + "".join(f"{';'.join(run)}\n" for run in runs))
            for run in runs:
                yield [self._line() for _ in run]

    def explained(self, run: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the states of a run, and the calls of its last step, each with its stack."""
        with self._patience():
            self._write(f"1\n!{';'.join(run)}\n")
            states = [self._line() for _ in run]
            return states, list(iter(self._line, ""))

    def entered(self) -> set[str]:
        """Return the methods of the load balancer that were entered, such as ``TYPE.name(form)``."""
        with self._patience():
            self._write(f"{ENTRIES}\n")
            return set(iter(self._line, ""))

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """End the JVM if it does not answer in time: some class waits in a way that our agent does not see."""
        timer = Timer(self._seconds, self._process.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _write(self, text: str) -> None:
        try:
            self._pipe(self._process.stdin).write(text)
            self._pipe(self._process.stdin).flush()
        except BrokenPipeError:
            raise self._end() from None

    def _line(self) -> str:
        line = self._pipe(self._process.stdout).readline()
        if not line:
            raise self._end()
        return line.removesuffix("\n")

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe

    def _end(self) -> EngineError | Missing:
        code = self._process.wait()
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors if line.strip()]
        if old := _too_old("java", " ".join(lines)):
            return old
        if module := MODULE.search(" ".join(lines)):
            return Missing(f"java has no module {module[1]}; install {JDK}")
        silence = f"it printed nothing, or did not answer for {self._seconds:.0f} s"
        failed = [line for line in lines if line.startswith(FAILED)] or lines[:1] or [silence]
        return EngineError(f"java ended with exit code {code}: {failed[-1].removeprefix(FAILED)}")


def _too_old(program: str, errors: str) -> Missing | None:
    if (versions := VERSIONS.search(errors)) is None:
        return None
    needed, own = (int(version) - BEFORE_JAVA_1 for version in versions.groups())
    return Missing(
        f"a class needs Java {needed}, and {program} is of {own}; JAVA_HOME names the folder of a later Java"
    )


def _in_words(bounds: Mapping[str, object]) -> list[str]:
    return [f"{name}={value}" for name, value in bounds.items()]
