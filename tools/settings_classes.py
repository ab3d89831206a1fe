"""
Facts of the load balancer's settings in a release of which Maven Central has classes and no sources, such as 5.0.1.

``python -m tools.settings_classes BROKER_JAR COMMON_JAR`` adds the release, which must be younger than those there, to
``spec/settings/settings.yaml``. ``javap`` of a JDK prints ``ServiceConfiguration``: its fields with the annotation
``FieldContext``, and in the constructor the defaults. Readers of a setting are the classes whose constants name its
getter. For 4.2.4 both tools find the same.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import yaml

from oneowner.model.kernel.releases import version
from tools.settings_facts import ELSEWHERE, FACTS, HEAD, ROLES, Facts, short

CONFIGURATION = "org.apache.pulsar.broker.ServiceConfiguration"
CATEGORY = "Load Balancer"
JAR = re.compile(r"pulsar-broker-common-(\d[\w.-]*)\.jar")
MEMBER = re.compile(
    r"^  private (?:final )?(?P<type>[\w.$<>, ]+) (?P<key>\w+);\n(?P<about>(?:    .*\n)*)", re.MULTILINE
)
NUMBER = re.compile(r"(?:[bs]ipush +|[ild]const_|(?:int|long|double|float) )(?P<number>m1|-?[\d.E-]+)[dfl]?$")
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""Bytes of each kind of constant in a class file, but for texts (kind 1)."""


class ClassFile(NamedTuple):
    """A class, as far as its header tells."""

    called: frozenset[str]
    """The names of the methods that it calls."""
    interfaces: tuple[str, ...]


def class_file(data: bytes) -> ClassFile:
    """Return the names of the methods that a class calls, and the interfaces that it declares."""
    count, at = int.from_bytes(data[8:10]), 10
    texts, classes, named, calls = dict[int, str](), dict[int, int](), dict[int, int](), list[int]()
    number = 1
    while number < count:
        kind = data[at]
        if kind == 1:
            size = int.from_bytes(data[at + 1 : at + 3])
            texts[number] = data[at + 3 : at + 3 + size].decode(errors="replace")
            at += 3 + size
        else:
            if kind == 7:
                classes[number] = int.from_bytes(data[at + 1 : at + 3])
            elif kind == 12:
                named[number] = int.from_bytes(data[at + 1 : at + 3])
            elif kind in (10, 11):
                calls.append(int.from_bytes(data[at + 3 : at + 5]))
            at += 1 + SIZES[kind]
        number += 2 if kind in (5, 6) else 1  # a long and a double take two places
    many = int.from_bytes(data[at + 6 : at + 8])
    places = [int.from_bytes(data[at + 8 + 2 * one : at + 10 + 2 * one]) for one in range(many)]
    called = frozenset(texts[named[call]] for call in calls)
    return ClassFile(called, tuple(texts[classes[place]].rpartition("/")[2] for place in places))


def printed(jar: Path) -> str:
    """Return ``ServiceConfiguration`` as javap prints it, with code and annotations."""
    command = ["javap", "-p", "-v", "-cp", str(jar), CONFIGURATION]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def defaults(text: str) -> dict[str, list[str]]:
    """Return the constants that the constructor puts into each field."""
    body = re.search(rf"public {re.escape(CONFIGURATION)}\(\);\n(.*?)\n\n", text, re.DOTALL)
    found, last = dict[str, list[str]](), list[str]()
    for line in body[1].splitlines() if body is not None else ():
        code = re.match(r"\s+\d+: (.*)", line)
        if code is None:
            continue
        what = code[1].split("// ")[-1].strip() if "//" in code[1] else code[1].strip()
        if code[1].startswith("putfield"):
            found[what.split()[1].partition(":")[0]] = last
        last = [] if code[1].startswith(("aload_0", "putfield")) else [*last, what]
    return found


def default_of(constants: list[str], kind: str) -> str:
    """
    Return a default as broker.conf would have it.

    >>> default_of(["bipush        32"], "int"), default_of(["iconst_0"], "boolean")
    ('32', 'false')
    """
    if strings := [one.removeprefix("String").strip() for one in constants if one.startswith("String")]:
        return ",".join(strings)
    if kind.endswith("Type") and constants:
        return constants[-1].partition(":")[0].rpartition(".")[2]
    numbers = [found["number"] for one in constants if (found := NUMBER.match(one)) is not None]
    if not numbers or not kind.startswith(("int", "long", "double", "boolean", "Double")):
        return ""
    number = numbers[-1].replace("m1", "-1")
    if kind == "boolean":
        return "true" if number == "1" else "false"
    return f"{float(number)}" if "ouble" in kind else number


def fields(text: str) -> Iterator[tuple[str, Facts]]:
    """Yield the settings of the load balancer with their types, defaults and limits."""
    known = defaults(text)
    for member in MEMBER.finditer(text):
        key, about = member["key"], member["about"]
        if f'category="{CATEGORY}"' not in about and key not in ELSEWHERE:
            continue
        kind = re.sub(r"[\w.]+[.$]", "", member["type"])
        limits = {name: int(n) for name, n in re.findall(r"(minValue|maxValue)=(\d+)l?", about)}
        yield key, {"type": kind, "default": default_of(known.get(key, []), kind), **limits}


def getters(text: str, keys: Mapping[str, Facts]) -> dict[str, set[str]]:
    """Return the names of the methods that read each field."""
    found = {key: {f"get{key[0].upper()}{key[1:]}", f"is{key[0].upper()}{key[1:]}"} for key in keys}
    for name, body in re.findall(r"^  public [\w.$<>, ]+ (\w+)\(\);\n((?:    .*\n)*)", text, re.MULTILINE):
        for key in re.findall(r"getfield .*// Field (\w+):", body):
            if key in found:
                found[key].add(name)
    return found


def release_facts(broker: Path, common: Path) -> tuple[dict[str, Facts], dict[str, list[str]]]:
    """Return the settings of a release with the readers of each, and its classes by kind."""
    text = printed(common)
    keys = dict(fields(text))
    methods, readers = getters(text, keys), {key: set[str]() for key in keys}
    classes: dict[str, set[str]] = {}
    jar = ZipFile(broker)
    for name in jar.namelist():
        if not name.endswith(".class") or "module-info" in name:
            continue
        read, cls = class_file(jar.read(name)), short(name.removesuffix(".class").partition("$")[0].replace("/", "."))
        for key in keys:
            if read.called & methods[key] and name != f"{CONFIGURATION.replace('.', '/')}.class":
                readers[key].add(cls)
        for role in {ROLES[one] for one in read.interfaces if one in ROLES}:
            if "$" not in name and not cls.endswith("Wrapper"):
                classes.setdefault(role, set()).add(cls)
    for key, read_by in readers.items():
        keys[key]["read_by"] = sorted(read_by)
    return keys, {role: sorted(some) for role, some in classes.items()}


def added(known: dict[str, object], release: str, keys: dict[str, Facts], classes: dict[str, list[str]]) -> None:
    """Add a release to the facts: what changed since the last one."""
    there = known["releases"]
    assert isinstance(there, list)
    assert all(version(one) < version(release) for one in there), release  # type: ignore[operator]
    there.append(release)
    told: dict[str, dict[str, dict[str, object]]] = known["keys"]  # type: ignore[assignment]
    for key in sorted({*told, *keys}, key=str.lower):
        own = told.setdefault(key, {})
        for fact in ("type", "default", "minValue", "maxValue", "read_by"):
            was, now = last(own.get(fact, {})), keys.get(key, {}).get(fact)
            if not is_same(was, now):
                own.setdefault(fact, {})[release] = now
    known["keys"] = dict(sorted(told.items(), key=lambda pair: pair[0].lower()))
    roles: dict[str, dict[str, object]] = known["classes"]  # type: ignore[assignment]
    for role, by_release in roles.items():
        if last(by_release) != classes.get(role, []):
            by_release[release] = classes.get(role, [])


def last(by_release: Mapping[str, object]) -> object:
    return list(by_release.values())[-1] if by_release else None


def is_same(one: object, other: object) -> bool:
    """Return whether two values are one, however a number is written."""
    try:
        return one == other or float(str(one)) == float(str(other))
    except ValueError:
        return False


if __name__ == "__main__":
    broker_jar, common_jar = map(Path, sys.argv[1:])
    named = JAR.fullmatch(common_jar.name)
    assert named is not None, common_jar
    facts = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    added(facts, named[1], *release_facts(broker_jar, common_jar))
    text = yaml.safe_dump(facts, sort_keys=False, width=118, default_flow_style=None)
    FACTS.write_text(HEAD + text, encoding="utf-8")
