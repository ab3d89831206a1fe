"""
Log statements of Pulsar's releases, and those of them that the table of log lines reads.

``python -m tools.log_statements 4.0.6=pulsar-broker-4.0.6-sources.jar,pulsar-metadata-4.0.6-sources.jar ...`` reads
source jars (of pulsar-broker, pulsar-metadata and pulsar-client-original on Maven Central), prints the statements that
nothing reads, and writes ``tests/vectors/log-statements.yaml``; without arguments it prints the same of that file.

A statement is a call ``log.info("text {}", value)``, or, of the 5.0 line, a chain ``log.info().attr("name",
value).log("text")``. A text that is put together or formatted has ``{}`` where a value stands.
"""

import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.log_forms import Form
from oneowner.checkers.recordings.read.log_patterns import EXTENSIONS, LEAST_STEM, Pattern, Table, class_of, table
from oneowner.checkers.yaml_text import data_of
from tools.class_statements import code_of, context_of, statements_in

ROOT = Path(__file__).resolve().parent.parent
STATEMENTS: Final = ROOT / "tests" / "vectors" / "log-statements.yaml"
EXCEPTIONS: Final = ROOT / "tools" / "log_statements_exceptions.yaml"

VALUE: Final = "{}"
DECIDING: Final = frozenset(
    f"org.apache.pulsar.{name}"
    for name in (
        "broker.PulsarService", "broker.loadbalance.LeaderElectionService", "broker.loadbalance.LoadManager",
        "broker.loadbalance.impl.ModularLoadManagerImpl", "broker.lookup.TopicLookupBase",
        "broker.namespace.NamespaceService", "broker.namespace.OwnedBundle", "broker.namespace.OwnershipCache",
        "broker.service.BrokerService", "broker.service.SystemTopicBasedTopicPoliciesService",
        "metadata.coordination.impl.LeaderElectionImpl", "metadata.coordination.impl.LockManagerImpl",
        "metadata.coordination.impl.ResourceLockImpl", "metadata.impl.ZKSessionWatcher",
    )
)  # fmt: skip
"""Classes beside the load balancer's package that decide which broker serves a bundle, or print the decision."""


class Statement(NamedTuple):
    """One log statement of one class."""

    logger: str
    """The class, with its package."""
    level: str
    text: str
    """With ``{}`` for each value."""
    attributes: tuple[str, ...] | None
    """Their names, sorted, in the structured logger of the 5.0 line; None: no such statement."""

    @property
    def is_balancers(self) -> bool:
        """True if it is of the load balancer's packages: it must be read, or be listed as irrelevant."""
        return self.logger.startswith(EXTENSIONS)

    @property
    def is_deciding(self) -> bool:
        """True if it is of a class that decides about owners: the share of its statements is reported."""
        return self.is_balancers or self.logger in DECIDING


_TOKEN = re.compile(
    r'(?P<block>"""[ \t]*\n.*?(?<!\\)""")|(?P<text>"(?:[^"\\\n]|\\.)*")|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL,
)
_CALL = re.compile(r"\b(?:log|LOG|logger)\s*\.\s*(debug|info|warn|error)(f?)\s*\(")
_CHAINED = re.compile(r"\s*\.\s*(\w+)\s*\(")
_EXTENDS = re.compile(r"\bclass \w+ extends (\w+)")
_FORMATTED = re.compile(r"(?:String\s*\.\s*)?format\s*\(")
_METHOD = re.compile(r"(.*)\.\s*formatted\s*\(", re.DOTALL)
_CONVERSION = re.compile(r"%(?:[-#+ 0,(]*\d*(?:\.\d+)?[a-zA-Z])")
_ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t"}


class _Source:
    """The text of one class, its comments gone, its string literals set apart."""

    def __init__(self, java: str) -> None:
        self.literals: list[str] = []
        self.code = _TOKEN.sub(self._token, java)

    def _token(self, found: re.Match[str]) -> str:
        if found["block"]:
            lines = found["block"][3:-3].split("\n")[1:]
            least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            return self._literal("\n".join(line[least:] for line in lines))
        if found["text"]:
            return self._literal(re.sub(r"\\.", lambda one: _ESCAPES.get(one[0], one[0]), found["text"][1:-1]))
        return "'c'" if found[0].startswith("'") else " "

    def _literal(self, text: str) -> str:
        self.literals.append(text)
        return f"§{len(self.literals) - 1}§"

    def end_of(self, opened: int) -> int:
        """Return the place behind the bracket that closes the one before *opened*."""
        depth, at = 1, opened
        while depth:
            depth += (self.code[at] in "([{") - (self.code[at] in ")]}")
            at += 1
        return at

    def template(self, expression: str, before: int) -> str:
        """Return the text of *expression*, with ``{}`` for each value; names are those bound at place *before*."""
        return "".join(self._part(part.strip(), before) for part in _split(expression, "+"))

    def _part(self, part: str, before: int) -> str:
        if re.fullmatch(r"§\d+§", part):
            return self.literals[int(part[1:-1])]
        if re.fullmatch(r"\w+", part):
            named = re.compile(rf"\b{part}\s*=\s*([^;=][^;]*);")
            known = list(named.finditer(self.code, 0, before)) or list(named.finditer(self.code))
            return self.template(known[-1][1], known[-1].start()) if known and "§" in known[-1][1] else VALUE
        formatted, method = _FORMATTED.match(part), _METHOD.match(part)
        if formatted is not None:
            return _values(self.template(_split(part[formatted.end() : -1], ",")[0], before))
        if method is not None:
            return _values(self.template(method[1], before))
        if part.startswith("(") and part.endswith(")") and "§" in part and "?" not in part:
            return self.template(part[1:-1], before)
        return VALUE


def _values(text: str) -> str:
    return _CONVERSION.sub(VALUE, text.replace("%%", "\0").replace("%n", "\n")).replace("\0", "%")


def _split(code: str, separator: str) -> list[str]:
    """Cut at a separator that stands in no bracket."""
    parts, depth = [""], 0
    for letter in code:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def statements_of(path: str, java: str, above: str = "") -> Iterator[Statement]:
    """Yield the log statements of the class at *path* of a jar; *above* is the source of the class that it extends."""
    source, name = _Source(java), path.removesuffix(".java").replace("/", ".")
    context = _context(source) | (_context(_Source(above)) if "super.log" in source.code else set())
    for call in _CALL.finditer(source.code):
        level, end = call[1].upper(), source.end_of(call.end())
        arguments = source.code[call.end() : end - 1]
        if arguments.strip():
            text, own = _first(source, arguments, call.start()), tuple(sorted(context))
            yield Statement(name, level, _values(text) if call[2] else text, own or None)
            continue
        names = set(context)
        while (chained := _CHAINED.match(source.code, end)) is not None:
            end = source.end_of(chained.end())
            arguments = source.code[chained.end() : end - 1]
            if chained[1] == "attr":
                names.add(_first(source, arguments, chained.start()))
            elif chained[1] == "exceptionMessage":
                names.add("exception")
            elif chained[1] in ("log", "logf"):
                text = _first(source, arguments, call.start())
                text = _values(text) if chained[1] == "logf" else text
                yield Statement(name, level, text, tuple(sorted(names)))
                break


def _context(source: _Source) -> set[str]:
    """Return the names of the attributes that a structured logger adds to every line of a class."""
    names = set()
    for built in re.finditer(r"\.\s*with\(\)", source.code):
        end = built.end()
        while (chained := _CHAINED.match(source.code, end)) is not None:
            end = source.end_of(chained.end())
            if chained[1] == "attr":
                names.add(_first(source, source.code[chained.end() : end - 1], built.start()))
    return names


def _first(source: _Source, arguments: str, before: int) -> str:
    return source.template(_split(arguments, ",")[0], before).rstrip()


def read_jars(paths: Sequence[str], patterns: Table) -> Iterator[Statement]:
    """Yield the statements of the classes that decide, and of others those that a pattern reads."""
    for path in paths:
        for statement in _of_sources(path, patterns) if path.endswith("-sources.jar") else _of_classes(path, patterns):
            if statement.is_deciding or any(reads(one, statement) for one in patterns):
                yield statement


def _is_read(logger: str, patterns: Table) -> bool:
    return logger in DECIDING or patterns.wanted(logger) is not None


def _of_sources(path: str, patterns: Table) -> Iterator[Statement]:
    with zipfile.ZipFile(path) as jar:
        names = set(jar.namelist())
        for name in sorted(names):
            if not name.endswith(".java") or not _is_read(name.removesuffix(".java").replace("/", "."), patterns):
                continue
            java = jar.read(name).decode()
            above = _EXTENDS.search(java)
            path = "" if above is None else f"{name.rpartition('/')[0]}/{above[1]}.java"
            path = path if path in names else path.replace("/persistent/", "/")
            yield from statements_of(name, java, jar.read(path).decode() if path in names else "")


def _of_classes(path: str, patterns: Table) -> Iterator[Statement]:
    """Yield the statements of a jar of classes; those of inner classes are their outer one's."""
    with zipfile.ZipFile(path) as jar:
        every = [name.removesuffix(".class").replace("/", ".") for name in jar.namelist() if name.endswith(".class")]
    names = sorted(name for name in every if _is_read(name.partition("$")[0], patterns))
    codes = code_of(path, names) if names else {}
    for name, code in codes.items():
        above = re.search(r"\bclass \S+ extends (\S+)", code)
        inherited = codes.get(above[1], "") if above is not None and "LoggerBuilder.ctx" in code else ""
        for level, text, attributes in statements_in(code, sorted(context_of(inherited))):
            yield Statement(name.partition("$")[0], level, text, attributes)


def reads(pattern: Pattern, statement: Statement) -> bool:
    """Return whether *pattern* reads the output of *statement*: its text, and each required attribute."""
    return any(_prints(statement, form) for form in forms_of(pattern, statement))


def forms_of(pattern: Pattern, statement: Statement) -> tuple[Form, ...]:
    """Return the forms of *pattern* in which a line of *statement* may be read."""
    if pattern.class_name != class_of(statement.logger):
        return ()
    return pattern.forms if statement.attributes is None else (*pattern.masters, *pattern.forms)


def _prints(statement: Statement, form: Form) -> bool:
    if not {name for name, _, _ in form.attributes or ()} <= set(statement.attributes or ()):
        return False
    if re.fullmatch(form.words.replace("\0", ".*"), statement.text, re.DOTALL) is not None:
        return True
    words = [re.escape(part) for part in statement.text.split(VALUE)]  # a form may know what a value looks like
    printed = re.sub(r"\\(.)", r"\1", form.words)
    return max(map(len, words)) >= LEAST_STEM and re.fullmatch(".*".join(words), printed, re.DOTALL) is not None


def written() -> dict[Statement, list[str]]:
    """Return the statements that are written down, each with the releases that have it."""
    document = data_of(STATEMENTS.read_text(encoding="utf-8"))
    return {
        Statement(name, row[0], row[1], None if row[2] is None else tuple(row[2])): row[3].split()
        for name, rows in document.items()
        for row in rows
    }


def write(found: Mapping[Statement, list[str]]) -> None:
    """Write statements down, by class: level, text, attributes, releases."""
    lines = ["# Printed by python -m tools.log_statements. Of each class: level, text, attributes, releases.\n"]
    before = ""
    for one in sorted(found, key=lambda one: (one.logger, one.text, one.attributes or (), one.level)):
        lines += [f"{one.logger}:\n"] * (one.logger != before)
        lines.append(f"- {json.dumps([one.level, one.text, one.attributes, ' '.join(found[one])])}\n")
        before = one.logger
    STATEMENTS.write_text("".join(lines), encoding="utf-8")


class Compared(NamedTuple):
    """The table held against the statements of all releases."""

    shares: dict[str, tuple[int, int, int]]
    """By release, of the balancer's statements: how many a pattern reads, are listed as irrelevant, there are."""
    unread: list[Statement]
    """Statements of the load balancer that nobody reads or lists."""
    unheard: list[str]
    """Forms of patterns that no release has, those apart that only others have than were read."""
    needless: list[str]
    """Statements that are listed as irrelevant and do not exist, or are read."""


def compare(found: Mapping[Statement, Sequence[str]], patterns: Table) -> Compared:
    """Compare *patterns*, and the list of irrelevant statements, with the statements *found*."""
    exceptions = data_of(EXCEPTIONS.read_text(encoding="utf-8"))
    listed = {(name, text): False for name, texts in exceptions["irrelevant"].items() for text in texts}
    shares: dict[str, tuple[int, int, int]] = {}
    heard, unread = set[Form](), list[Statement]()
    for statement, releases in found.items():
        readers = [form for one in patterns for form in forms_of(one, statement) if _prints(statement, form)]
        heard.update(readers)
        if not statement.is_balancers:
            continue
        is_listed = not readers and (statement.logger, statement.text) in listed
        if is_listed:
            listed[statement.logger, statement.text] = True
        elif not readers:
            unread.append(statement)
        for release in releases:
            read, irrelevant, there = shares.get(release, (0, 0, 0))
            shares[release] = read + bool(readers), irrelevant + is_listed, there + 1
    silent = {one.id: [form for form in (*one.forms, *one.masters) if form not in heard] for one in patterns}
    unheard = [
        f"{name}: {form.text.pattern}" for name, forms in silent.items() for form in forms
        if name not in exceptions["elsewhere"]
    ]  # fmt: skip
    needless = [f"{name}: {text}" for (name, text), is_used in listed.items() if not is_used]
    needless += [name for name in exceptions["elsewhere"] if not silent.get(name)]
    return Compared(shares, unread, unheard, needless)


def main(arguments: Sequence[str]) -> int:
    """Print the comparison; with jars, read them first."""
    patterns = table()
    if arguments:
        found: dict[Statement, list[str]] = {}
        for argument in arguments:
            release, _, jars = argument.partition("=")
            for statement in dict.fromkeys(read_jars(jars.split(","), patterns)):
                found.setdefault(statement, []).append(release)
        write(found)
    compared = compare(written(), patterns)
    for one in compared.unread:
        print(f"no pattern: {one.logger} {one.level} {one.text!r} {list(one.attributes or ())}")
    for name in compared.unheard:
        print(f"no release: {name}")
    for name in compared.needless:
        print(f"listed in vain: {name}")
    for release, (read, irrelevant, there) in compared.shares.items():
        share = 100 * (read + irrelevant) / there
        print(f"{release}: {there} statements, {read} read, {irrelevant} irrelevant: {share:.1f} %")
    return 1 if compared.unread or compared.unheard or compared.needless else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
