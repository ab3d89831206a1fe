"""
Settings stand in a broker.conf, or where Kubernetes keeps them: a ConfigMap, Helm values, the environment of a pod.

The scripts of Pulsar's image (``apply-config-from-env-with-prefix.py``) copy variables of the environment into
broker.conf: first those with the name of a setting, then those with ``PULSAR_PREFIX_`` before it. A ConfigMap, and
``configData`` of Helm values, become variables.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.documents import YAML_ERRORS, yaml_words
from oneowner.checkers.inputs.beginning import LOOKED_AT, Beginning
from oneowner.checkers.inputs.content import content_of
from oneowner.checkers.inputs.kinds import COMMAND, ENVIRONMENT, LINT, InputKind, kind_of_text
from oneowner.checkers.inputs.signs import OPTION
from oneowner.checkers.settings.facts import is_setting
from oneowner.checkers.settings.properties import LARGEST, Property, logical_lines, properties_of, property_of
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import Branch, Leaf, Sequence, Tree, trees_of

BROKER_CONF: Final = "a broker.conf"
PREFIX: Final = "PULSAR_PREFIX_"
ALLOWED: Final = (
    "lint reads a broker.conf, the data of a ConfigMap, configData of Helm values, or the environment of a pod"
)
FORMS: Final = {
    "data": "a ConfigMap",
    "configData": "Helm values",
    "env": "the environment of a pod",
    "environment": "the environment of a service",
    "Env": "the environment of a container",
}
"""The form of the settings that stand below a key of YAML or JSON; any other key is a mapping of settings."""
NESTED: Final = re.compile(r"^[\w.-]+:[ \t]*(?:[|>][-+]?)?[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+\S", re.MULTILINE)
"""A key of YAML with something below it."""
PAIR: Final = re.compile(r"^\s*[\w.]+:\s", re.MULTILINE)
DESCRIBED: Final = re.compile(rf"\s+((?:{PREFIX})?[a-z]\w+|{PREFIX}\w+):\s+(\S.*)")
QUOTES: Final = "\"'"
"""Around the value of a variable; a shell and most readers of such files take them away."""
SECRET: Final = "Secret"


class Settings(NamedTuple):
    """Settings that stand together."""

    form: str
    properties: list[Property]
    missing: tuple[str, ...] = ()
    """The sources of more settings, which the file does not hold."""


def read_settings(path: Path) -> list[Settings]:
    """Return the settings in a file, each place of them apart; raise Misuse for a file in none of the forms."""
    data = content_of(path, LARGEST, "broker.conf")
    kind = kind_of_text(Beginning(data[:LOOKED_AT], path.name))
    refuse_binary(path, data, kind)
    text = data.decode("latin-1")
    if kind is ENVIRONMENT:
        return [Settings(kind.name, in_order(variables(text.splitlines())))]
    if kind is COMMAND:
        return [Settings("the variables of a command line", in_order(optional(text.splitlines())))]
    if is_yaml(path.name, text):
        return in_yaml(path, data, kind)
    if kind.verb != LINT and any(logical_lines(text)):
        raise Misuse(f"{path}:1: {kind.name}, which has no settings of a broker; {kind.hint or ALLOWED}")
    return [Settings(BROKER_CONF, properties_of(text, str(path)))]


def refuse_binary(path: Path, data: bytes, kind: InputKind) -> None:
    """Raise Misuse for bytes that are no text."""
    if (at := data.find(0)) >= 0:
        words = kind.name if kind.name.startswith("a") else "no broker.conf"
        raise Misuse(f"{path}:{data[:at].count(10) + 1}: {words}: it contains a zero byte")


def is_yaml(name: str, text: str) -> bool:
    """Return whether a text is YAML or JSON: by its name, a brace, a key with something below it, or pairs alone."""
    if name.endswith((".yaml", ".yml", ".json")) or text.lstrip()[:1] in ("{", "["):
        return True
    lines = [line for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "#!"]
    if any(re.match(r"\s*[\w.]+\s*=", line) for line in lines):
        return False
    return NESTED.search(text) is not None or (not name.endswith(".conf") and bool(lines) and _are_pairs(lines))


def _are_pairs(lines: Iterable[str]) -> bool:
    return all(map(PAIR.match, lines))


def in_yaml(path: Path, data: bytes, kind: InputKind) -> list[Settings]:
    """Return the places of settings in YAML or JSON; of several those with a setting of the load balancer."""
    text = data.decode("utf-8", "replace")
    is_another = kind.verb not in ((), LINT) or kind.hint
    try:
        trees = trees_of(text)
    except YAML_ERRORS as error:
        if shown := described(text):
            return [Settings(FORMS["env"], in_order(shown))]
        line, words = yaml_words(error, text)
        hint = "; it is a template: lint what `helm template` prints" if "{{" in text else ""
        what = f"{kind.name}, which has no settings of a broker" if is_another else f"not YAML: {words}{hint}"
        raise Misuse(f"{path}:{1 if is_another else line}: {what}") from None
    seen, found = set[int](), list[Settings]()
    for tree in trees:
        found += [one for one in places(tree, "", seen) if one.properties]
    if not found:
        what = kind.name if is_another else "YAML"
        raise Misuse(f"{path}:1: {what} refused: it has no settings of a broker; {kind.hint or ALLOWED}")
    ours = [one for one in found if any(is_setting(told.key) for told in one.properties)]
    once = {tuple((told.key, told.value) for told in one.properties): one for one in reversed(ours)}
    return list(reversed(once.values())) or found[:1]


def places(tree: Tree, key: str, seen: set[int]) -> Iterator[Settings]:
    """Yield the settings of every place below a key."""
    if isinstance(tree, Leaf) or id(tree) in seen:
        return
    seen.add(id(tree))
    if isinstance(tree, Sequence):
        if key in ("env", "environment", "Env"):
            yield Settings(FORMS[key], in_order(listed(tree)))
        for item in tree.items:
            yield from places(item.value, key, seen)
        return
    kind = tree.get("kind")
    if isinstance(kind, Leaf) and kind.text == SECRET:
        return
    leaves = [(one.key, one.line, one.value) for one in tree.entries if isinstance(one.value, Leaf)]
    if key in FORMS or any(is_setting(name.removeprefix(PREFIX)) for name, _, _ in leaves):
        yield Settings(FORMS.get(key, "a mapping of settings"), in_order(mapped(leaves)))
        yield from inside_files(leaves)
    missing = sources(tree)
    for entry in tree.entries:
        for found in places(entry.value, entry.key, seen):
            yield found._replace(missing=found.missing + missing) if entry.key == "env" else found


def described(text: str) -> list[Property]:
    """Return the variables that ``kubectl describe pod`` prints, which is no YAML."""
    lines = text.splitlines() if "Environment:" in text else []
    found = [(number, DESCRIBED.match(line)) for number, line in enumerate(lines, 1)]
    return [Property(pair[1], pair[2].strip(), number) for number, pair in found if pair is not None]


def mapped(leaves: Iterable[tuple[str, int, Leaf]]) -> Iterator[Property]:
    """Yield the settings of a mapping."""
    for key, line, leaf in leaves:
        yield Property(key, leaf.text.strip("[]"), line)  # a running broker prints its lists in brackets


def inside_files(leaves: Iterable[tuple[str, int, Leaf]]) -> Iterator[Settings]:
    """Yield the settings of whole files that stand under a key, such as ``broker.conf: |``."""
    for key, line, leaf in leaves:
        if key.endswith((".conf", ".properties")):
            lines = logical_lines(leaf.text)
            yield Settings(f"{key} in a ConfigMap", [
                property_of(text, f"{key}:{at}", line + at if leaf.is_block else line) for at, text in lines
            ])  # fmt: skip


def listed(items: Sequence) -> Iterator[Property]:
    """Yield the settings of a list of variables: pairs of name and value, or texts ``NAME=VALUE``."""
    for item in items.items:
        if isinstance(item.value, Leaf):
            yield from variables([item.value.text], item.line)
        elif isinstance(item.value, Branch):
            name, value = item.value.get("name"), item.value.get("value")
            if isinstance(name, Leaf) and isinstance(value, Leaf):
                yield Property(name.text, value.text, item.line)


def variables(lines: Iterable[str], first: int = 1) -> Iterator[Property]:
    """
    Yield the settings of lines ``NAME=VALUE``, as ``env`` prints them or a file for a container has them.

    >>> list(variables(["# ours", "export A='b c'"]))
    [Property(key='A', value='b c', line=2)]
    """
    for number, line in enumerate(lines, first):
        key, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not key.startswith("#"):
            value = value.strip()
            is_quoted = len(value) > 1 and value[0] in QUOTES and value[0] == value[-1]
            yield Property(key.strip(), value[1:-1] if is_quoted else value, number)


def optional(lines: Iterable[str]) -> Iterator[Property]:
    """
    Yield the settings of options such as ``-e NAME=VALUE`` and ``--set NAME=VALUE``.

    >>> list(optional(["docker run -e A='b' --env 'C=d' image"]))
    [Property(key='A', value='b', line=1), Property(key='C', value='d', line=1)]
    """
    for number, line in enumerate(lines, 1):
        for found in OPTION.finditer(line):
            yield Property(found["key"], found["value"].strip(QUOTES), number)


def sources(container: Branch) -> tuple[str, ...]:
    """Return the sources of a container's variables that stand elsewhere."""
    names = list[str]()
    below = container.get("envFrom")
    for item in below.items if isinstance(below, Sequence) else ():
        for entry in item.value.entries if isinstance(item.value, Branch) else ():
            name = entry.value.get("name") if isinstance(entry.value, Branch) else None
            names.append(f"{entry.key.removesuffix('Ref')} {name.text if isinstance(name, Leaf) else '?'}")
    return tuple(names)


def in_order(told: Iterable[Property]) -> list[Property]:
    """Return variables by the names of settings, those with the prefix last: they are copied last."""
    there = list(told)
    plain = [one for one in there if not one.key.startswith(PREFIX)]
    return plain + [one._replace(key=one.key.removeprefix(PREFIX)) for one in there if one.key.startswith(PREFIX)]
