"""Byteman with our rules as arguments of a broker's Java; a rule that a release has no method for is refused."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.lab.cluster.distribution import copied, programs
from oneowner.checkers.verdict import Misuse

BYTEMAN: Final = "4.0.27"
"""Of Maven Central, under the LGPL: a tool beside the project, fetched where it is used."""
RULES: Final = Path(__file__).with_name("rules.btm")
HELPER: Final = Path(__file__).with_name("Gates.java")
_RULE = re.compile(r"^CLASS (?P<type>\S+)\nMETHOD (?P<method>\w+)", re.MULTILINE)


def methods() -> dict[str, set[str]]:
    """Return the methods that the rules name, by class."""
    found: dict[str, set[str]] = {}
    for match in _RULE.finditer(RULES.read_text(encoding="utf-8")):
        found.setdefault(match["type"], set()).add(match["method"])
    return found


def prepared(pulsar: Path, home: Path) -> tuple[Path, Path]:
    """
    Return Byteman's jar and the folder of our compiled helper, for the release in the folder *pulsar*.

    :raises Misuse: no JDK, no Byteman, or the release lacks a method at which a rule has a gate.
    """
    programs(("javac", "a JDK, 17 or later"), ("javap", "a JDK, 17 or later"))
    home.mkdir(parents=True, exist_ok=True)
    jar = home / f"byteman-{BYTEMAN}.jar"
    if not jar.exists() and not copied(f"org.jboss.byteman:byteman:{BYTEMAN}", home):
        raise Misuse(f"gates: Maven Central does not answer with Byteman {BYTEMAN}")
    check(pulsar)
    classes = home / f"gates-{hashlib.sha256(HELPER.read_bytes()).hexdigest()[:16]}"
    if not classes.exists():
        part = classes.with_suffix(".part")
        done = subprocess.run(["javac", "-d", part, HELPER], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Misuse(f"gates: the helper does not compile: {done.stderr.splitlines()[0]}")
        shutil.rmtree(classes, ignore_errors=True)
        part.rename(classes)
    return jar, classes


def check(pulsar: Path) -> None:
    """Raise Misuse if a class of the release lacks a method that a rule names: the gate would never shut."""
    wanted = methods()
    command = ["javap", "-p", "-cp", f"{pulsar / 'lib'}/*", *wanted]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for name, missing in unmatched(told).items():
        of = f"{pulsar.name}: {name} has no method {', '.join(sorted(missing))}"
        raise Misuse(f"gates: a rule does not match {of}; rules.btm needs another for this release")


def unmatched(told: str) -> dict[str, set[str]]:
    """Return the methods of the rules that are not in what ``javap`` has told, by class."""
    parts = re.split(r"^(?:public |final |abstract )*class ([\w.$]+)", told, flags=re.MULTILINE)
    has = {name: set(re.findall(r"(\w+)\(", text)) for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    return {name: lacking for name, of in methods().items() if (lacking := of - has.get(name, set()))}


def told_to_cluster(jar: Path, classes: Path, traces: list[Path], ports: list[int]) -> Mapping[str, Any]:
    """Return what `Cluster` is told so that each broker has gates: one trace and one port a broker."""
    agents = [
        [f"-javaagent:{jar}=script:{RULES}", f"-Doneowner.port={port}", f"-Doneowner.trace={trace}"]
        for trace, port in zip(traces, ports, strict=True)
    ]
    return {"agents": agents, "beside": str(classes)}
