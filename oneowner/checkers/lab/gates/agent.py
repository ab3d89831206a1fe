"""Byteman with our rules as arguments of a broker's Java; a rule that a release has no method for is refused."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.lab.cluster.distribution import copied, programs
from oneowner.checkers.lab.gates.repair import Repair
from oneowner.checkers.verdict import Misuse

BYTEMAN: Final = "4.0.27"
"""Of Maven Central, under the LGPL: a tool beside the project, fetched where it is used."""
RULES: Final = Path(__file__).with_name("rules.btm")
HELPERS: Final = tuple(Path(__file__).with_name(name) for name in ("Gates.java", "Commands.java"))
_RULE = re.compile(r"^CLASS (?P<type>\S+)\nMETHOD (?P<method>\w+)", re.MULTILINE)


def methods(rules: Iterable[Path] = (RULES,)) -> dict[str, set[str]]:
    """Return the methods that files of rules name, by class."""
    found: dict[str, set[str]] = {}
    for path in rules:
        for match in _RULE.finditer(path.read_text(encoding="utf-8")):
            found.setdefault(match["type"], set()).add(match["method"])
    return found


def prepared(pulsar: Path, home: Path, repairs: Sequence[Repair] = ()) -> tuple[Path, Path]:
    """
    Return Byteman's jar and the folder of our compiled helpers, for the release in the folder *pulsar*.

    :raises Misuse: no JDK, no Byteman, a helper that does not compile, or the release lacks a method that a rule names.
    """
    programs(("javac", "a JDK, 17 or later"), ("javap", "a JDK, 17 or later"))
    home.mkdir(parents=True, exist_ok=True)
    jar = home / f"byteman-{BYTEMAN}.jar"
    if not jar.exists() and not copied(f"org.jboss.byteman:byteman:{BYTEMAN}", home):
        raise Misuse(f"gates: Maven Central does not answer with Byteman {BYTEMAN}")
    check(pulsar, [RULES, *(repair.path for repair in repairs)])
    sources = [*HELPERS, *(source for repair in repairs for source in repair.sources)]
    text = b"".join(source.read_bytes() for source in sources) + (pulsar.name.encode() if repairs else b"")
    classes = home / f"gates-{hashlib.sha256(text).hexdigest()[:16]}"
    if not classes.exists():
        part = classes.with_suffix(".part")
        command = ["javac", "-nowarn", "-cp", f"{pulsar / 'lib'}/*", "-d", str(part), *map(str, sources)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Misuse(f"gates: a helper does not compile with {pulsar.name}: {done.stderr.splitlines()[0]}")
        shutil.rmtree(classes, ignore_errors=True)
        part.rename(classes)
    return jar, classes


def check(pulsar: Path, rules: Iterable[Path] = (RULES,)) -> None:
    """Raise Misuse if a class of the release lacks a method that a rule names: it would never be applied."""
    wanted = methods(rules)
    command = ["javap", "-p", "-cp", f"{pulsar / 'lib'}/*", *wanted]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for name, missing in unmatched(told, wanted).items():
        of = f"{pulsar.name}: {name} has no method {', '.join(sorted(missing))}"
        raise Misuse(f"gates: a rule does not match {of}; this release needs another one")


def unmatched(told: str, wanted: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the *wanted* methods that the output of ``javap`` lacks, by class."""
    parts = re.split(r"^(?:public |final |abstract )*class ([\w.$]+)", told, flags=re.MULTILINE)
    has = {name: set(re.findall(r"(\w+)\(", text)) for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    return {name: lacking for name, of in wanted.items() if (lacking := of - has.get(name, set()))}


def told_to_cluster(
    jar: Path, classes: Path, traces: list[Path], ports: list[int], repairs: Sequence[Repair] = ()
) -> Mapping[str, Any]:
    """Return the settings of `Cluster` that give each broker gates: one trace and one port a broker."""
    scripts = ",".join(f"script:{path}" for path in (RULES, *(repair.path for repair in repairs)))
    agents = [
        [f"-javaagent:{jar}={scripts}", f"-Doneowner.port={port}", f"-Doneowner.trace={trace}"]
        for trace, port in zip(traces, ports, strict=True)
    ]
    return {"agents": agents, "beside": str(classes)}
