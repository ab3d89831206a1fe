"""
Log statements in the sources of Java classes.

A statement is a call ``log.info("text {}", value)``, or, of the 5.0 line, a chain ``log.info().attr("name",
value).log("text")``. A text that is put together or formatted has ``{}`` where a value stands.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

VALUE: Final = "{}"


class Statement(NamedTuple):
    """One log statement of one class."""

    logger: str
    """The class, with its package."""
    level: str
    text: str
    """With ``{}`` for each value."""
    attributes: tuple[str, ...] | None
    """Their names, sorted, in the structured logger of the 5.0 line; None: no such statement."""


_TOKEN = re.compile(
    r'(?P<block>"""[ \t]*\n.*?(?<!\\)""")|(?P<text>"(?:[^"\\\n]|\\.)*")|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL,
)
_CALL = re.compile(r"\b(?:log|LOG|logger)\s*\.\s*(debug|info|warn|error)(f?)\s*\(")
_CHAINED = re.compile(r"\s*\.\s*(\w+)\s*\(")
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
