"""
Classes, methods and fields of Pulsar that our texts cite, and the members of those classes in a release.

``python -m tools.citations RELEASE JAR...`` writes ``tests/vectors/pulsar-members/RELEASE.txt`` from the jars of
that release (Maven Central, ``org.apache.pulsar``): the declarations of ``javap -p`` for every class that a text
cites of it. No network is used, and only names are kept. ``tests/tools/test_citations.py`` holds the texts against
that file.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import NamedTuple
from zipfile import ZipFile

from oneowner.checkers.places import PACKAGE, TOP
from oneowner.checkers.report.rule_texts import declared_laws
from oneowner.checkers.settings.lint import laws as setting_laws
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.law import Declaration
from oneowner.spec.systems import decisions, lemmas, systems

MEMBERS = TOP / "tests" / "vectors" / "pulsar-members"
RELEASE = "4.0.6"
"""The release that a text speaks of, unless ``of 3.1.0`` follows the name."""
CHANNEL = "ServiceUnitStateChannelImpl"
"""The class of a method that is named without one, if no class that the text names has it."""

NAME = re.compile(r"(?<![\w./-])(?P<head>[A-Za-z]\w*)(?:\.(?P<member>\w+))?(?:``)?(?: of (?P<release>\d+\.\d+\.\d+))?")
CLASS = re.compile(r"[A-Z]\w*[a-z]\w*[A-Z]\w*|[A-Z]{2,}[a-z]\w*")
METHOD = re.compile(r"[a-z]+[A-Z]\w*")
SPAN = re.compile(r"(``[\w.]+)(?:\(\w*\))?(``(?: of \d+\.\d+\.\d+)?)")
MIRRORS = re.compile(r"\bMirrors\b.*?(?=\n\s*\n|\Z)", re.DOTALL)
NOT_OF_A_JAR = ("ZooKeeper", "Test")
"""Endings of names that no jar of a release has: another project's, a test's."""

OF_ANOTHER = ("elasticsearch", "kafka", "streams_group", "redis", "allocation")
"""Systems that are not Pulsar's, so that no jar of it has what they cite."""

SETTINGS = ("loadBalancer", "keepAlive")
"""Beginnings of settings of broker.conf: they are no members."""

ENTRY = re.compile(r"^([\w.$]+)\n((?: .*\n)*)", re.MULTILINE)
"""A class in a file, and its members."""

Members = dict[str, frozenset[str]]
"""The declarations of each class, by its simple name."""


class Citation(NamedTuple):
    """A name in a text. *cls* is empty for a method that is named without its class."""

    cls: str
    member: str
    release: str


def citations(text: str) -> list[Citation]:
    """
    Return the citations of *text*, in order.

    >>> citations("follows from PIP-192; TableViewImpl.handleMessage, apache/pulsar#26190")
    [Citation(cls='TableViewImpl', member='handleMessage', release='4.0.6')]
    """
    cited = []
    for found in NAME.finditer(text):
        head, member, release = found["head"], found["member"] or "", found["release"] or RELEASE
        if CLASS.fullmatch(head) and not head.endswith(NOT_OF_A_JAR):
            cited.append(Citation(head, member, release))
        elif METHOD.fullmatch(head) and not head.startswith(SETTINGS):
            cited.append(Citation("", head, release))
    return cited


def unknown(text: str, members: dict[str, Members]) -> list[Citation]:
    """Return the citations of *text* that its release, by *members*, does not declare."""
    cited = citations(text)
    named = {CHANNEL, *(one.cls for one in cited)}

    def is_known(one: Citation) -> bool:
        classes = members.get(one.release, {})
        if one.cls:
            return one.cls in classes and (not one.member or one.member in classes[one.cls])
        return any(one.member in classes.get(cls, ()) for cls in named)

    return [one for one in cited if not is_known(one)]


def texts() -> Iterator[tuple[str, str]]:
    """Yield the place of a text, and its citations: sources of laws, upstreams of faults, ``Mirrors`` of docstrings."""
    others: list[Declaration] = []
    for name, system in systems().items():
        others += (*system.laws, *system.liveness) if name in OF_ANOTHER else ()
    for name, decision in decisions().items():
        others += decision.laws if name.partition("/")[0] in OF_ANOTHER else ()
    yield from ((law.name, law.source) for law in declared_laws() if law not in others)
    for name, system in systems().items():
        yield from ((one.name, one.source) for one in system.witnesses if name not in OF_ANOTHER)
    for decision in decisions().values():
        yield from ((law.name, law.source) for law in decision.laws if law not in others)
    for lemma, _ in lemmas().values():
        yield lemma.name, lemma.source
    yield from ((law.name, law.source) for law in setting_laws())
    for path in ours("spec", "*/faults.yaml"):
        for fault in data_of(path.read_text(encoding="utf-8")):
            yield fault["fault"], str(fault["upstream"])
    for path in ours("model", "**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for mirrors in MIRRORS.findall(ast.get_docstring(node) or ""):
                    where = f"{path.relative_to(TOP)}:{getattr(node, 'name', '')}"
                    yield where, ", ".join(map("".join, SPAN.findall(mirrors)))


def ours(room: str, pattern: str) -> list[Path]:
    """Return the files of a room that speak of Pulsar, in order."""
    found = sorted((PACKAGE / room).glob(pattern))
    return [path for path in found if path.relative_to(PACKAGE / room).parts[0] not in OF_ANOTHER]


def read_members() -> dict[str, Members]:
    """Return the members in the files, by release."""
    return {path.stem: members_in(path.read_text("utf-8")) for path in MEMBERS.glob("*.txt")}


def members_in(text: str) -> Members:
    """
    Return the members in the text of a file; classes of one name have those of all of them.

    >>> sorted(members_in("a.Filter\\n    one\\nb.Filter\\n    two\\n")["Filter"])
    ['one', 'two']
    """
    found: Members = {}
    for cls, names in ENTRY.findall(text):
        found[simple(cls)] = found.get(simple(cls), frozenset()) | frozenset(names.split())
    return found


def simple(name: str) -> str:
    """Return the last part of the name of a class."""
    return re.split(r"[.$]", name)[-1]


def write_members(release: str, jars: list[Path]) -> None:
    """Write the declarations of the cited classes of *release*; every one must be in *jars*."""
    wanted: set[str] = set()
    for _, text in texts():
        cited = [one.cls for one in citations(text) if one.release == release]
        wanted |= {cls for cls in cited if cls} or {CHANNEL for _ in cited}
    lines, missing = [f"# {jar.name}" for jar in jars], set(wanted)
    for jar in jars:
        for file in sorted(ZipFile(jar).namelist()):
            name = file.removesuffix(".class").replace("/", ".")
            if file.endswith(".class") and simple(name) in wanted:
                missing.discard(simple(name))  # both load managers may have a class of that name
                lines += [
                    name,
                    fill(" ".join(declared(jar, name)), 120, initial_indent="    ", subsequent_indent="    "),
                ]
    if missing:
        sys.exit(f"not in these jars: {', '.join(sorted(missing))}")
    (MEMBERS / f"{release}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def declared(jar: Path, name: str) -> list[str]:
    """Return the methods and fields that a class of *jar* declares, except constants and the compiler's additions."""
    printed = subprocess.run(["javap", "-p", "-cp", jar, name], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^  .*?([\w.$]+)(?:\(.*\).*)?;$", printed, re.MULTILINE)
    return sorted({one for one in found if "$" not in one and "." not in one and not one.isupper()})


if __name__ == "__main__":
    write_members(sys.argv[1], [Path(jar) for jar in sys.argv[2:]])
