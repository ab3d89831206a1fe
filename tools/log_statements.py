"""
Log statements of Pulsar's releases, and those of them that the table of log lines reads.

``python -m tools.log_statements 4.0.6=pulsar-broker-4.0.6-sources.jar,pulsar-metadata-4.0.6-sources.jar ...`` reads
source jars (of pulsar-broker, pulsar-metadata and pulsar-client-original on Maven Central), or jars of classes where a
release has no sources, prints the statements that nothing reads, and writes ``tests/vectors/log-statements.yaml``;
without arguments it prints the same of that file. Both write the shares to ``docs/reference/log-statements.md``.
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
from tools.source_statements import VALUE, Statement, statements_of

ROOT = Path(__file__).resolve().parent.parent
STATEMENTS: Final = ROOT / "tests" / "vectors" / "log-statements.yaml"
EXCEPTIONS: Final = ROOT / "tools" / "log_statements_exceptions.yaml"

PAGE: Final = ROOT / "docs" / "reference" / "log-statements.md"
HEADING: Final = """# Log statements that are read

Each cell gives the number of log statements of a class, at all levels, that a pattern of the audit reads, and the total
in that release. The last row is the whole package of the extensible load manager, which begins with 3.0: every
statement is read except one, whose text is built elsewhere. Of a broker's other classes only some statements are read.

`python -m tools.log_statements` writes this page. Releases without sources on Maven Central (5.0.1) are read from class
files, which hide a text that is built before its statement.

"""

BALANCER: Final = "`loadbalance.extensions`"
"""The name of the load balancer's package on the page."""
DECIDING: Final = frozenset(
    f"org.apache.pulsar.{name}"
    for name in (
        "broker.PulsarService", "broker.loadbalance.LeaderElectionService", "broker.loadbalance.LoadManager",
        "broker.loadbalance.impl.AvgShedder", "broker.loadbalance.impl.ModularLoadManagerImpl",
        "broker.loadbalance.impl.OverloadShedder", "broker.loadbalance.impl.ThresholdShedder",
        "broker.loadbalance.impl.UniformLoadShedder", "broker.lookup.TopicLookupBase",
        "broker.namespace.NamespaceService", "broker.namespace.OwnedBundle", "broker.namespace.OwnershipCache",
        "broker.service.BrokerService", "broker.service.SystemTopicBasedTopicPoliciesService",
        "metadata.coordination.impl.LeaderElectionImpl", "metadata.coordination.impl.LockManagerImpl",
        "metadata.coordination.impl.ResourceLockImpl", "metadata.impl.ZKSessionWatcher",
    )
)  # fmt: skip
"""Classes beside the load balancer's package that decide which broker serves a bundle, or print the decision."""


def is_balancers(statement: Statement) -> bool:
    """Return whether a statement is of the load balancer's packages: it must be read, or be listed as irrelevant."""
    return statement.logger.startswith(EXTENSIONS)


def is_deciding(statement: Statement) -> bool:
    """Return whether it is of a class that decides about owners: the share of its statements is reported."""
    return is_balancers(statement) or statement.logger in DECIDING


_EXTENDS = re.compile(r"\bclass \w+ extends (\w+)")


def read_jars(paths: Sequence[str], patterns: Table) -> Iterator[Statement]:
    """Yield the statements of the classes that decide, and of others those that a pattern reads."""
    for path in paths:
        for statement in _of_sources(path, patterns) if path.endswith("-sources.jar") else _of_classes(path, patterns):
            if is_deciding(statement) or any(reads(one, statement) for one in patterns):
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

    by_class: dict[str, dict[str, tuple[int, int]]]
    """By class, the load balancer's package being one, and release: how many a pattern reads, how many there are."""
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
    by_class: dict[str, dict[str, tuple[int, int]]] = {}
    heard, unread = set[Form](), list[Statement]()
    for statement, releases in found.items():
        readers = [form for one in patterns for form in forms_of(one, statement) if _prints(statement, form)]
        heard.update(readers)
        if is_deciding(statement):
            name = BALANCER if is_balancers(statement) else class_of(statement.logger)
            for release in releases:
                read, there = by_class.setdefault(name, {}).get(release, (0, 0))
                by_class[name][release] = read + bool(readers), there + 1
        if not is_balancers(statement):
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
    return Compared(by_class, shares, unread, unheard, needless)


def page_of(compared: Compared) -> str:
    """Return the page of the shares by class and release."""
    releases = sorted({one for shares in compared.by_class.values() for one in shares}, key=_by_number)
    rows = [f"| class | {' | '.join(releases)} |", "|---" * (len(releases) + 1) + "|"]
    for name, shares in sorted(compared.by_class.items()):
        cells = [f"{shares[one][0]} of {shares[one][1]}" if one in shares else "-" for one in releases]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return HEADING + "\n".join(rows) + "\n"


def _by_number(release: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"[.-]", release)]


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
    PAGE.write_text(page_of(compared), encoding="utf-8")
    print(page_of(compared).partition("\n| ")[2])
    for release, (read, irrelevant, there) in compared.shares.items():
        share = 100 * (read + irrelevant) / there
        print(f"{release}: {there} statements of the balancer, {read} read, {irrelevant} irrelevant: {share:.1f} %")
    return 1 if compared.unread or compared.unheard or compared.needless else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
