"""``jacoco`` measures the branches that walks reach. JaCoCo's agent comes first: it must see Pulsar's bytes."""

import socket
import subprocess
import xml.etree.ElementTree as Xml
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from oneowner.checkers.lab.cluster.distribution import copied
from oneowner.checkers.real_classes.jars import BASE, JDK, Jars, Missing, found_program
from oneowner.checkers.real_classes.machine import Machine
from tools.class_coverage.branches import Line, Measured
from tools.mutation.classes.judging import Family

VERSION: Final = "0.8.12"
PACKAGE: Final = "org/apache/pulsar/broker/loadbalance/extensions/channel"
CLASSES: Final = ("ServiceUnitStateChannelImpl", "ServiceUnitStateDataConflictResolver", "ServiceUnitStateData",
                  "ServiceUnitStateTableViewBase", "ServiceUnitStateTableViewImpl",
                  "ServiceUnitStateMetadataStoreTableViewImpl")  # fmt: skip


def measured(jars: Jars, names: Iterable[str], budget: int, place: Path) -> Measured:
    """Walk families, at most *budget* edges of each, and return the branches of the channel classes."""
    agent, client = (_fetched(name, place) for name in ("agent:{}:jar:runtime", "cli:{}:jar:nodeps"))
    port = _free_port()
    option = f"output=tcpserver,port={port},includes={PACKAGE.replace('/', '.')}.*"
    machine: Machine | None = None
    walks = []
    for name in names:
        family = Family(name, BASE, budget)
        machine = machine or Machine(jars, family.bounds, flags=(f"-javaagent:{agent}={option}",))
        edges = family.walked(machine)
        walks.append(f"{name} ({edges:,} edges)")
    if machine is None:
        raise ValueError("no family to walk")
    found = place / "found.exec"
    _jacoco(client, "dump", "--address", "localhost", "--port", str(port), "--destfile", str(found))
    machine.__exit__(None, None, None)
    return Measured(tuple(walks), tuple(_lines(jars, client, found, place)))


def _fetched(name: str, place: Path) -> Path:
    artifact, _, rest = name.format(VERSION).partition(":")
    path = place / f"org.jacoco.{artifact}-{VERSION}-{rest.rpartition(':')[2]}.jar"
    if not path.exists() and not copied(f"org.jacoco:org.jacoco.{artifact}:{rest}", place):
        raise Missing(f"Maven Central does not serve {path.name}")
    return path


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("localhost", 0))
        return int(server.getsockname()[1])


def _jacoco(client: Path, *words: str) -> None:
    command = [found_program("java", JDK), "-jar", str(client), *words]
    subprocess.run(command, check=True, capture_output=True)


def _lines(jars: Jars, client: Path, found: Path, place: Path) -> Iterator[Line]:
    """Yield every line with branches; a lambda counts to the method around it."""
    broker = next(jar for jar in jars.path if "pulsar-broker-4" in jar.name)
    classes = place / "classes"
    subprocess.run(["unzip", "-q", "-o", str(broker), f"{PACKAGE}/*", "-d", str(classes)], check=True)
    report = place / "report.xml"
    _jacoco(client, "report", str(found), "--classfiles", str(classes), "--xml", str(report))
    package = next(one for one in Xml.parse(report).getroot().iter("package") if one.get("name") == PACKAGE)
    for name in CLASSES:
        own = next(one for one in package.iter("class") if one.get("name") == f"{PACKAGE}/{name}")
        starts = sorted(
            (int(one.get("line", 0)), one.get("name", ""))
            for one in own.iter("method")
            if not one.get("name", "").startswith("lambda$")
        )
        source = next(one for one in package.iter("sourcefile") if one.get("name") == f"{name}.java")
        for line in source.iter("line"):
            number, missed, reached = (int(line.get(key, 0)) for key in ("nr", "mb", "cb"))
            if missed or reached:
                method = [start[1] for start in starts if start[0] <= number][-1]
                yield Line(name, "new" if method == "<init>" else method, number, missed, reached)
