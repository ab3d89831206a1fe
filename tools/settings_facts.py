"""
Facts of the load balancer's settings in Pulsar's releases: types, ranges, defaults, and the classes that read them.

``python -m tools.settings_facts JAR...`` writes ``spec/settings/settings.yaml`` from the sources of
``pulsar-broker`` and ``pulsar-broker-common`` (Maven Central, ``org.apache.pulsar``), two jars a release. A fact stands
once, under the first release that has it.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from zipfile import ZipFile

import yaml

from oneowner.checkers.places import PACKAGE
from oneowner.model.kernel.releases import version

FACTS = PACKAGE / "spec" / "settings" / "settings.yaml"
JAR = re.compile(r"pulsar-broker(-common)?-(\d[\w.-]*)-sources\.jar")
FIELD = re.compile(
    r"@FieldContext\((?P<about>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?)\)\s*(?:@\w+\s*)*"
    r"private (?P<type>[\w<>]+) (?P<key>\w+)\s*(?:=\s*(?P<default>[^;]*))?;"
)
DOC = re.compile(r'doc\s*=\s*(?:"(?:[^"\\]|\\.)*"\s*\+?\s*)+')
METHOD = re.compile(r"public [\w<>]+ (\w+)\(\) \{\n(.*?)\n    \}", re.DOTALL)
CLASS = re.compile(r"^public class (\w+)(?:\s+extends \w+)?\s+implements ([^{]+)\{", re.MULTILINE)
CATEGORY = "CATEGORY_LOAD_BALANCER"
ELSEWHERE = (
    "defaultNumberOfNamespaceBundles", "defaultNumberOfSystemNamespaceBundles", "failureDomainsEnabled",
    "preferLaterVersions",
)  # fmt: skip
"""Settings of the load balancer that stand in another category."""
ROLES = {
    "LoadSheddingStrategy": "shedder",
    "NamespaceUnloadStrategy": "extensible shedder",
    "ModularLoadManagerStrategy": "placement",
    "LoadManager": "manager",
    "ModularLoadManager": "manager",
    "ExtensibleLoadManager": "manager",
}
PARENTS = {"ServiceUnitStateTableViewBase": "table view"}
"""The kinds of classes that inherit their interface."""

Facts = dict[str, object]


def default_of(written: str | None, kind: str) -> str:
    """
    Return a default as broker.conf would have it.

    >>> default_of("30 * 1000", "long"), default_of('Lists.newArrayList("a", "b")', "List<String>")
    ('30000', 'a,b')
    """
    text = re.sub(r"//.*", "", written or "").strip()
    if texts := re.findall(r'"([^"]*)"', text):
        return ",".join(texts)
    if re.fullmatch(r"[\d\s*]+", text):
        product = 1
        for factor in text.split("*"):
            product *= int(factor)
        return str(product)
    return "" if kind.startswith(("Optional", "Set", "List")) else text.rpartition(".")[2] if "Type" in text else text


def fields_of(source: str) -> dict[str, Facts]:
    """Return the facts of ``ServiceConfiguration`` on each setting of the load balancer."""
    found: dict[str, Facts] = {}
    for field in FIELD.finditer(DOC.sub("", source)):
        if CATEGORY not in field["about"] and field["key"] not in ELSEWHERE:
            continue
        limits = {name: int(n) for name, n in re.findall(r"(minValue|maxValue) = (\d+)", field["about"])}
        found[field["key"]] = {
            "type": field["type"], "default": default_of(field["default"], field["type"]), **limits
        }  # fmt: skip
    return found


def getters_of(source: str, key: str) -> set[str]:
    """Return the names of the methods by which a setting is read."""
    name = key[0].upper() + key[1:]
    others = {method for method, body in METHOD.findall(source) if re.search(rf"\b{key}\b", body)}
    return {f"get{name}", f"is{name}"} | others


def release_facts(broker: ZipFile, common: ZipFile) -> tuple[dict[str, Facts], dict[str, list[str]]]:
    """Return the settings of a release with the readers of each, and its classes by kind."""
    configuration = common.read("org/apache/pulsar/broker/ServiceConfiguration.java").decode()
    fields = fields_of(configuration)
    getters = {key: getters_of(configuration, key) for key in fields}
    readers: dict[str, set[str]] = {key: set() for key in fields}
    classes: dict[str, list[str]] = {}
    for name in broker.namelist():
        if not name.endswith(".java"):
            continue
        text, cls = broker.read(name).decode(), name.removesuffix(".java").replace("/", ".")
        called = set(re.findall(r"\.(\w+)\(\)", text))
        for key in (key for key in fields if called & getters[key]):
            readers[key].add(short(cls))
        for parent in re.findall(rf"^public class \w+ extends ({'|'.join(PARENTS)})\b", text, re.MULTILINE):
            classes.setdefault(PARENTS[parent], []).append(short(cls))
        for _, interfaces in CLASS.findall(text):
            for role in {ROLES[one] for one in re.findall(r"\w+", interfaces) if one in ROLES}:
                if not cls.endswith("Wrapper"):
                    classes.setdefault(role, []).append(short(cls))
    for key, read_by in readers.items():
        fields[key]["read_by"] = sorted(read_by)
    return fields, classes


def short(cls: str) -> str:
    """Return the name of a class without what all have in common."""
    return re.sub(r"^org\.apache\.pulsar\.(broker\.(loadbalance\.)?)?", "", cls)


def changes(by_release: Mapping[str, object]) -> dict[str, object]:
    """
    Return a fact under each release that changed it.

    >>> changes({"2.9": None, "3.0": 4, "3.3": 4, "4.0": 5})
    {'3.0': 4, '4.0': 5}
    """
    found: dict[str, object] = {}
    last: object = None
    for release, value in by_release.items():
        if value != last:
            found[release] = last = value
    return found


def facts_of(jars: Iterable[Path]) -> dict[str, object]:
    """Return all facts, as the file has them."""
    paths: dict[str, dict[str, Path]] = {}
    for jar in jars:
        if named := JAR.fullmatch(jar.name):
            paths.setdefault(named[2], {})["common" if named[1] else "broker"] = jar
    releases = sorted(paths, key=lambda release: version(release) or ())
    read = {
        release: release_facts(ZipFile(paths[release]["broker"]), ZipFile(paths[release]["common"]))
        for release in releases
    }
    keys = sorted({key for fields, _ in read.values() for key in fields}, key=str.lower)
    roles = sorted({role for _, classes in read.values() for role in classes})
    return {
        "releases": releases,
        "classes": {
            role: changes({release: sorted(classes.get(role, [])) for release, (_, classes) in read.items()})
            for role in roles
        },
        "keys": {
            key: {
                fact: changes({release: fields.get(key, {}).get(fact) for release, (fields, _) in read.items()})
                for fact in ("type", "default", "minValue", "maxValue", "read_by")
                if any(fact in fields.get(key, {}) for fields, _ in read.values())
            }
            for key in keys
        },
    }


HEAD = """\
# Settings of Pulsar's load balancer: `python -m tools.settings_facts JAR...` writes them from ServiceConfiguration and
# from the classes that read it, of Apache Pulsar (Apache-2.0). A fact holds from the release that it stands under;
# before it there is no such setting. Classes are named without what the names of most begin with,
# org.apache.pulsar.broker.loadbalance.
"""

if __name__ == "__main__":
    written = yaml.safe_dump(facts_of(map(Path, sys.argv[1:])), sort_keys=False, width=118, default_flow_style=None)
    FACTS.write_text(HEAD + written, encoding="utf-8")
