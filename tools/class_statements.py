"""
Log statements of class files, for releases of which Maven Central has no sources.

``javap`` prints the code of a class. A statement of the structured logger is a chain of calls there: the level, the
names of the attributes, each loaded before the call that takes it, the text. One of SLF4J is a text that is loaded
behind the logger, and the call of the level. A text that is put together before is not seen.
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from typing import Final

from tools.source_statements import VALUE

_METHOD = re.compile(r"^  \S.*\(.*\).*;$|^  static \{\};$")
_LOADED = re.compile(r"\bldc(?:_w)?\s+#\d+\s+// String (.*)$")
_CALLED = re.compile(r"\binvoke\w+\s+#\d+.*// (?:Interface)?Method (?:(\S+)\.)?\"?([\w<>]+)\"?:")
_JOINED = re.compile(r"\binvokedynamic\s+#\d+.*// InvokeDynamic #(\d+):makeConcatWithConstants")
_RECIPE = re.compile(r"^  (\d+): #\d+ REF_invokeStatic java/lang/invoke/StringConcatFactory")
_LOGGER = re.compile(r"\bget(?:static|field)\s+#\d+\s+// Field \S*:L(?:io/github/merlimat/slog|org/slf4j)/Logger;")
_FORMAT = re.compile(r"%(?:[-#+ 0,(]*\d*(?:\.\d+)?[a-zA-Z])")
_LEVELS: Final = ("debug", "info", "warn", "error")


def code_of(jar: str, names: Sequence[str]) -> dict[str, str]:
    """Return the code of some classes of a jar, by their names."""
    command = ["javap", "-c", "-p", "-v", "-cp", jar, *names]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"(?m)^Classfile .*$", text)[1:]
    return dict(zip(names, parts, strict=True))


def statements_in(code: str, above: Sequence[str] = ()) -> Iterator[tuple[str, str, tuple[str, ...] | None]]:
    """
    Yield level, text and attributes of each statement in the code of a class, as javap prints it.

    *above* are attributes that the logger of the class that it extends adds to each.

    >>> code = '''
    ...   void f();
    ...       0: getstatic     #1   // Field log:Lio/github/merlimat/slog/Logger;
    ...       3: invokeinterface #2,  1  // InterfaceMethod io/github/merlimat/slog/Logger.info:()Lio/github/slog/Event;
    ...       8: ldc           #3   // String bundle
    ...       11: invokeinterface #4,  3  // InterfaceMethod io/github/merlimat/slog/Event.attr:(Ljava/lang/String;)
    ...       16: ldc           #5   // String Trying
    ...       18: invokeinterface #6,  2  // InterfaceMethod io/github/merlimat/slog/Event.log:(Ljava/lang/String;)V
    ...       24: getstatic     #1   // Field log:Lorg/slf4j/Logger;
    ...       27: ldc           #7   // String Disabling {}
    ...       30: invokeinterface #8,  3  // InterfaceMethod org/slf4j/Logger.warn:(Ljava/lang/String;)V
    ... '''
    >>> list(statements_in(code))
    [('INFO', 'Trying', ('bundle',)), ('WARN', 'Disabling {}', None)]
    """
    recipes = _recipes(code)
    context = context_of(code) | set(above)
    level, text, first, names = "", "", "", set[str]()
    for line in code.split("\n"):
        if _METHOD.match(line):
            level, text, first = "", "", ""
        elif _LOGGER.search(line):
            level, text, first, names = "", "", "", set[str]()
        elif (loaded := _LOADED.search(line)) is not None:
            text = _unescaped(loaded[1])
            first = first or text
        elif (joined := _JOINED.search(line)) is not None:
            text = recipes.get(joined[1], VALUE)
            first = first if VALUE not in first and first else text
        elif (called := _CALLED.search(line)) is not None:
            owner, name = called[1] or "", called[2]
            if owner.endswith("slf4j/Logger") and name in _LEVELS:
                if first:
                    yield name.upper(), first.rstrip(), None
            elif owner.endswith("slog/Logger") and name in _LEVELS:
                level, names = name.upper(), set(context)
                if ":(Ljava/lang/String;" in line and text:
                    yield level, text.rstrip(), tuple(sorted(context)) or None
            elif owner.endswith("slog/Event") and level:
                if name == "attr":
                    names.add(first)
                elif name == "exceptionMessage":
                    names.add("exception")
                elif name in ("log", "logf"):
                    if first:
                        yield level, _FORMAT.sub(VALUE, first).rstrip(), tuple(sorted(names))
                    level = ""
                first = ""


def context_of(code: str) -> set[str]:
    """Return the names of the attributes that a structured logger adds to every line of a class."""
    names, first = set[str](), ""
    for line in code.split("\n"):
        if (loaded := _LOADED.search(line)) is not None:
            first = first or loaded[1]
        elif (called := _CALLED.search(line)) is not None:
            if (called[1] or "").endswith("slog/LoggerBuilder") and called[2] == "attr":
                names.add(first)
            first = ""
    return names - {""}


def _recipes(code: str) -> dict[str, str]:
    """Return the texts that are joined from parts, by the numbers of their bootstrap methods."""
    found, lines = dict[str, str](), code.split("\n")
    for at, line in enumerate(lines):
        if (recipe := _RECIPE.match(line)) is not None and at + 2 < len(lines):
            text = re.sub(r"^\s*#\d+ ", "", lines[at + 2])
            found[recipe[1]] = _unescaped(text).replace("\1", VALUE)
    return found


def _unescaped(text: str) -> str:
    return (
        text.replace("\\u0001", "\1").replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\")
    )
