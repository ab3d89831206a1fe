"""
The jars of a Pulsar release, from Maven Central: its own ones before those of a server distribution.

A distribution has every third-party jar, and few releases have one there. So the jars of another release replace those
of the same names in the distribution of the nearest of two.
"""

import os
import shutil
import zipfile
import zlib
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.lab.cluster.distribution import RELEASE, copied, distribution
from oneowner.checkers.verdict import Misuse

BASE: Final = "4.0.6"
NEWER: Final = "4.2.4"
"""The distribution whose third-party jars go with the releases from 4.1 on."""
OWN: Final = (
    "pulsar-broker", "pulsar-broker-common", "pulsar-common", "pulsar-client-original", "pulsar-client-api",
    "pulsar-client-admin-api", "pulsar-metadata", "managed-ledger",
)  # fmt: skip
"""The jars with classes that the channel and its surroundings need."""
COMPARED: Final = frozenset({"pulsar-broker", "pulsar-common", "pulsar-client-original", "pulsar-metadata"})
"""Those of them with the classes that are judged: another release's would be judged in their place."""
SINCE_5: Final = ("io.github.merlimat.slog:slog:0.10.1", "jakarta.ws.rs:jakarta.ws.rs-api:3.1.0")
"""Artifacts that the classes of 5.x need beside those of the distribution."""
BROKER: Final = "org/apache/pulsar/broker/loadbalance/extensions/channel/ServiceUnitStateChannelImpl.class"
JDK: Final = "a JDK, 17 or later"


class Missing(Exception):
    """Something to install, without which no real class can run: the message names it."""


class Jars(NamedTuple):
    """The jars in which classes are looked for, in this order; our harness is compiled against *base*."""

    name: str
    path: tuple[Path, ...]
    base: tuple[Path, ...]


def jars_of(release: str, home: Path, jar: Path | None = None, lib: Path | None = None) -> Jars:
    """
    Return the jars of *release*; *jar* comes before them, and the jars in the folder *lib* are in place of them.

    :raises Missing: a program, or what Maven Central does not have.
    :raises Misuse: a file that is no jar of a broker, or a folder without jars.
    """
    first = () if jar is None else (_with_channel(jar),)
    for program in ("java", "javac"):
        found_program(program, JDK)
    if lib is not None:
        found = _in_folder(lib)
        return Jars(str(lib) if jar is None else jar.name, (*first, *found), found)
    name = f"Pulsar {release}" if jar is None else jar.name
    if not RELEASE.fullmatch(release):
        raise Misuse(f"{release}: no release of Pulsar; one reads {BASE}")
    nearest = _nearest(release)
    base = _fetched(nearest, home)
    if release == nearest:
        return Jars(name, (*first, *base), base)
    own = _own(release, home)
    replaced = {path.name.removesuffix(f"-{release}.jar") for path in own}
    lacking = [artifact for artifact in OWN if artifact not in replaced]
    if compared := sorted(COMPARED.intersection(lacking)):
        raise Missing(
            f"Maven Central has no {', '.join(compared)} of Pulsar {release}; --lib DIR names a folder with its jars"
        )
    if lacking:
        name += f" with {', '.join(lacking)} of {nearest}"
    kept = (path for path in base if _artifact(path, nearest) not in replaced)
    return Jars(name, (*first, *own, *kept), base)


def not_at_hand(release: str, home: Path) -> str:
    """Return the first thing that is missing to run a release without a fetch, or an empty string."""
    for program in ("java", "javac"):
        try:
            found_program(program, JDK)
        except Missing as missing:
            return str(missing)
    nearest = _nearest(release)
    own = home / "own" / release / f"pulsar-broker-{release}.jar"
    if (home / f"apache-pulsar-{nearest}" / "lib").is_dir() and (release == nearest or own.is_file()):
        return ""
    return f"no jars of {release}; oneowner conform removal --pulsar {release} fetches them"


def _nearest(release: str) -> str:
    """Return the release whose distribution has the third-party jars."""
    return BASE if line_of(release) <= (4, 0) else NEWER


def line_of(release: str) -> tuple[int, int]:
    """
    Return the line of a release.

    >>> line_of("5.0.0-M1")
    (5, 0)
    """
    major, minor, _ = release.split(".", 2)
    return int(major), int(minor)


def _artifact(path: Path, release: str) -> str:
    """Return the artifact of a jar of Pulsar in a distribution, whose names may begin with their group."""
    return path.name.removeprefix("org.apache.pulsar-").removesuffix(f"-{release}.jar")


def found_program(name: str, package: str) -> str:
    """Return the path of a program: that of ``JAVA_HOME``, or the one on the path; raise Missing without either."""
    own = Path(os.environ.get("JAVA_HOME", "")) / "bin" / name
    if "JAVA_HOME" in os.environ and own.is_file():
        return str(own)
    if (path := shutil.which(name)) is None:
        raise Missing(f"{name} is not on the path; install {package}")
    return path


def _with_channel(jar: Path) -> Path:
    """Return a jar that holds the channel; raise Misuse for another file."""
    if BROKER not in entries_of(jar, BROKER):
        raise Misuse(f"{jar}: it holds no {BROKER.rpartition('/')[2]}; --jar takes a pulsar-broker-VERSION.jar")
    return jar.absolute()


def entries_of(jar: Path, prefix: str) -> dict[str, bytes]:
    """Return the classes of a jar whose names begin so; raise Misuse for a file that is none, or that is damaged."""
    try:
        with zipfile.ZipFile(jar) as archive:
            wanted = (name for name in archive.namelist() if name.startswith(prefix) and name.endswith(".class"))
            return {name: archive.read(name) for name in wanted}
    except OSError as error:
        raise Misuse(f"{jar}: it cannot be read as a jar: {error.strerror}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise Misuse(f"{jar}: it cannot be read as a jar: {error}") from None


def _in_folder(lib: Path) -> tuple[Path, ...]:
    found = tuple(sorted(path.absolute() for path in lib.glob("*.jar")))
    if not found:
        raise Misuse(f"{lib}: no jars there; --lib takes the folder lib of a Pulsar distribution")
    return found


def _fetched(release: str, home: Path) -> tuple[Path, ...]:
    """Return the jars of a server distribution, fetched if they are not there yet."""
    if not (home / f"apache-pulsar-{release}" / "lib").is_dir():
        found_program("mvn", "Maven")
    try:
        return _in_folder(distribution(release, home) / "lib")
    except Misuse as error:
        raise Missing(f"no jars of Pulsar {release}: {error}; --lib names a folder with them") from None


def _own(release: str, home: Path) -> tuple[Path, ...]:
    folder = home / "own" / release
    wanted = [f"org.apache.pulsar:{artifact}:{release}" for artifact in OWN]
    broker = folder / f"pulsar-broker-{release}.jar"
    if not broker.exists():
        found_program("mvn", "Maven")
        more = SINCE_5 if line_of(release) >= (5, 0) else ()
        try:
            for artifact in (*more, *reversed(wanted)):  # the broker comes last: then all is there
                copied(artifact, folder)
        except Misuse as error:
            raise Missing(f"no jars of Pulsar {release}: {error}; --lib names a folder with them") from None
    if not broker.exists():
        raise Missing(f"Maven Central has no {broker.name}; --jar FILE --lib DIR names jars of your own")
    return tuple(sorted(folder.glob("*.jar")))
