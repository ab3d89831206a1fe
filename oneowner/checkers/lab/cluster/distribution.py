"""
A Pulsar release as a folder of jars, from Maven Central. ``mvn`` finds the registry.

Where there is a server distribution of a release it is that (4.0.4, 4.0.6, 4.0.8). Else it is the broker with all that
it depends on (4.2.4, 5.0.0-M1), and settings start from the defaults of the code. What a server needs beside the broker
has the version that the release's parent names; that of 5.0.0-M1 names none, so it has those of 4.2.4.
"""

import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from oneowner.checkers.documents import shown
from oneowner.checkers.verdict import Misuse

RELEASE: Final = re.compile(r"\d+\.\d+\.\d+(-[A-Za-z0-9.]+)?")
POM: Final = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>lab</groupId><artifactId>jars</artifactId><version>1</version>
  {managed}
  <dependencies>
    <dependency>
      <groupId>org.apache.pulsar</groupId><artifactId>pulsar-broker</artifactId><version>{release}</version>
    </dependency>
    {beside}
  </dependencies>
</project>
"""
MANAGED: Final = """\
<dependencyManagement><dependencies><dependency>
    <groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>
    <type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>"""
JACKSON: Final = "com.fasterxml.jackson", "jackson-bom", "2.21.3"
"""Artifacts whose versions fit each other without a parent project, as in the broker of 5.0.0-M1."""
ABSENT: Final = "Could not find artifact", "was not found in"
"""Words of Maven about an artifact that the registry does not have, unlike one that was not transferred."""
MOST: Final = 1_000
"""Characters of an error of Maven that are printed."""
BESIDE: Final = {
    "org.apache.logging.log4j:log4j-core": "2.25.4",
    "org.apache.logging.log4j:log4j-slf4j2-impl": "2.25.4",
    "io.dropwizard.metrics:metrics-core": "4.1.12.1",
    "org.xerial.snappy:snappy-java": "1.1.10.8",
}
"""The artifacts of a server distribution beside the broker, by 4.2.4: a logger, and those of ZooKeeper's server."""


def pom(release: str, is_managed: bool) -> str:
    """Return a project that depends on the broker and those artifacts, in versions of its parent if *is_managed*."""
    beside = []
    for artifact, version in BESIDE.items():
        group, _, name = artifact.partition(":")
        of = "" if is_managed else f"<version>{version}</version>"
        beside.append(f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>{of}</dependency>")
    group, name, version = ("org.apache.pulsar", "pulsar", release) if is_managed else JACKSON
    managed = MANAGED.format(group=group, name=name, version=version)
    return POM.format(release=release, managed=managed, beside="\n    ".join(beside))


def distribution(release: str, home: Path) -> Path:
    """
    Return the folder ``apache-pulsar-RELEASE`` below *home*; fetch it if it is not there yet, whole or not at all.

    :raises Misuse: Maven or Java is missing, or Maven cannot resolve that release; its own error is named.
    """
    if not RELEASE.fullmatch(release):
        raise Misuse(f"lab: {shown(release)} is no release of Pulsar; one reads 4.0.6")
    programs(("java", "a Java runtime, 17 or later"))
    folder = home / f"apache-pulsar-{release}"
    if not (folder / "lib").is_dir():
        programs(("mvn", "Maven"))
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as place:
            found = _served(release, Path(place)) or _resolved(release, Path(place))
            found.rename(folder)
    return folder


def programs(*needed: tuple[str, str]) -> None:
    """Raise Misuse unless each program is on the path; the second of each pair is the package to install."""
    for program, package in needed:
        if shutil.which(program) is None:
            raise Misuse(f"lab: {program} is not on the path; install {package}")


def copied(artifact: str, to: Path) -> bool:
    """
    Return whether Maven Central has *artifact*, ``group:name:version[:type[:classifier]]``; copy it into *to*.

    :raises Misuse: it was not asked, or not to the end: its answer would be another one the next time.
    """
    error = _maven("dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={to}")
    if error and not any(words in error for words in ABSENT):
        raise Misuse(f"Maven did not fetch {artifact}: {error}")
    return not error


def _served(release: str, place: Path) -> Path | None:
    if not copied(f"org.apache.pulsar:pulsar-server-distribution:{release}:tar.gz:bin", place):
        return None
    with tarfile.open(place / f"pulsar-server-distribution-{release}-bin.tar.gz") as archive:
        archive.extractall(place, filter="data")
    return place / f"apache-pulsar-{release}"


def _resolved(release: str, place: Path) -> Path:
    folder, project = place / "jars", place / "pom.xml"
    lib = f"-DoutputDirectory={folder / 'lib'}"
    for is_managed in (True, False):
        project.write_text(pom(release, is_managed), encoding="utf-8")
        error = _maven("-f", str(project), "dependency:copy-dependencies", "-DincludeScope=runtime", lib)
        if not error:
            break
    else:
        raise Misuse(f"lab: Maven cannot resolve the broker of Pulsar {release}, unlike that of 4.2.4: {error}")
    (folder / "conf").mkdir()
    (folder / "conf" / "broker.conf").write_text("", encoding="utf-8")
    return folder


def _maven(*arguments: str) -> str:
    """Run Maven, and return its first error; empty: it succeeded."""
    done = subprocess.run(["mvn", "-q", "-B", *arguments], capture_output=True, text=True, check=False)
    if not done.returncode:
        return ""
    errors = [line.partition("[ERROR]")[2].strip() for line in done.stdout.splitlines()]  # a colour can stand before
    return shown(next(filter(None, errors), f"mvn ended with exit code {done.returncode}"), MOST)
