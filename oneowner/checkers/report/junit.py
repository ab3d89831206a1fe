"""
``write_junit`` gives build servers a result as JUnit XML: a suite a recorded run or verb, a case a check.

The shape is that of the schema which Jenkins' xUnit plugin publishes (junit-10.xsd): what Ant wrote, and all servers
read.
"""

import re
from typing import IO
from xml.etree import ElementTree

from oneowner.checkers import VERSION
from oneowner.checkers.report.cases import Case, Outcome, Suite, suites
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.json import write_out
from oneowner.checkers.results import Result

_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, beside control characters: unpaired surrogates, which log lines may have."""


def write_junit(result: Result, target: str) -> None:
    """Write *result* to the file *target*, or to standard output for ``-``; raise Misuse if that fails."""
    write_out(target, lambda stream: write_to(stream, result))


def write_to(stream: IO[str], result: Result) -> None:
    made = suites(result)
    root = ElementTree.Element("testsuites", name=f"oneowner {result.verb}", time=_seconds(result.stats.seconds))
    root.attrib |= _counts(made)
    for suite in made:
        root.append(_suite(result.verb, suite))
    ElementTree.indent(root)
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    stream.write(ElementTree.tostring(root, encoding="unicode"))
    stream.write("\n")


def _suite(verb: str, suite: Suite) -> ElementTree.Element:
    skipped = str(suite.counted(Outcome.SKIPPED))
    element = ElementTree.Element("testsuite", {"name": _clean(suite.name), **_counts([suite]), "skipped": skipped})
    properties = ElementTree.SubElement(element, "properties")
    ElementTree.SubElement(properties, "property", name="oneowner", value=VERSION)
    for case in suite.cases:
        element.append(_case(verb, suite, case))
    return element


def _case(verb: str, suite: Suite, case: Case) -> ElementTree.Element:
    of = f"{verb}.{suite.name}.{case.kind}" if suite.name != verb else f"{verb}.{case.kind}"
    element = ElementTree.Element(
        "testcase", name=_clean(case.name), classname=_clean(of), time=_seconds(case.seconds)
    )  # a class name with dots is a folder in a server's tree
    if case.outcome != Outcome.PASSED:
        message = ElementTree.SubElement(element, case.outcome.value, message=_clean(case.message))
        if case.outcome != Outcome.SKIPPED:
            message.attrib["type"] = case.kind
            message.text = _clean("\n".join([case.message, *case.details]))
    return element


def _counts(made: list[Suite]) -> dict[str, str]:
    return {
        "tests": str(sum(len(suite.cases) for suite in made)),
        "failures": str(sum(suite.counted(Outcome.FAILED) for suite in made)),
        "errors": str(sum(suite.counted(Outcome.ERROR) for suite in made)),
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _clean(words: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", visible(words))
