"""
Java's regular expressions, as far as Python's can stand for them.

Classes of letters and digits are those of ASCII. What differs is written otherwise; what Python has no word for, such
as ``[a-z&&[^b]]``, is refused.
"""

import re
from functools import lru_cache
from typing import Final

POSIX: Final = {
    "Lower": "a-z", "Upper": "A-Z", "Alpha": "a-zA-Z", "Digit": "0-9", "Alnum": "a-zA-Z0-9", "XDigit": "0-9a-fA-F",
    "Punct": "!-/:-@\\[-`{-~", "Graph": "!-~", "Print": " -~", "Blank": " \\t", "Space": "\\s", "ASCII": "\\x00-\\x7f",
}  # fmt: skip
TOKEN: Final = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)"
    r"|\\(?P<negated>[pP])\{(?P<posix>\w+)\}"
    r"|\\(?P<escaped>.)"
    r"|\(\?<(?P<name>[a-zA-Z]\w*)>"
    r"|\(\?(?P<flags>[ims]*(?:-[ims]+)?)\)"
    r"|(?P<other>.)",
    re.DOTALL,
)
KNOWN: Final = frozenset("dDsSwWbBAZz0123456789xutnrfa")
"""Letters and digits that mean the same after a backslash, but for the end of the input."""


class NoPattern(ValueError):
    """A text that is no pattern: the class throws ``PatternSyntaxException``."""


def matches(pattern: str, text: str) -> bool:
    r"""
    Return ``text.matches(pattern)``: whether the whole of it matches.

    Raises NoPattern, and another ValueError for a pattern that is not followed.

    >>> matches(r"\Qb1.x\E", "b1.x"), matches("b1|(?i)B2", "b2"), matches("b[0-9]", "b1.x")
    (True, True, False)
    """
    return compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=2**12)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern as Python has it."""
    parts: list[str] = []
    flags: list[list[str]] = [[]]
    """The flags that were switched on within each open group, each the beginning of a group of its own."""
    within = False
    for token in TOKEN.finditer(pattern):
        if token["quoted"] is not None:
            parts.append(re.escape(token["quoted"]))
        elif token["posix"] is not None:
            parts.append(posix(token["posix"], token["negated"] == "P", within))
        elif token["escaped"] is not None:
            parts.append(escaped(token["escaped"]))
        elif within:
            if token.group() in ("[", "&&") or (token.group() == "&" and parts[-1] == "&"):
                raise NoPattern(f"{pattern}: classes within classes are not followed")
            parts.append(token.group())
            within = token.group() != "]"
        elif token["name"] is not None:
            parts.append(f"(?P<{token['name']}>")
            flags.append([])
        elif token["flags"] is not None:
            flags[-1].append(f"(?{token['flags']}:")
            parts.append(flags[-1][-1])
        else:
            within = token["other"] == "["
            parts.append(structure(token["other"], flags))
    try:
        return re.compile("".join(parts) + ")" * len(flags[0]), re.ASCII)
    except re.error as wrong:
        raise NoPattern(f"{pattern}: {wrong}") from None


def structure(text: str, flags: list[list[str]]) -> str:
    """Return a character outside of classes; a flag's group ends with the one around it, and goes on behind ``|``."""
    if text == "(":
        flags.append([])
    elif text == ")" and len(flags) > 1:
        return ")" * len(flags.pop()) + text
    elif text == "|":
        return ")" * len(flags[-1]) + text + "".join(flags[-1])
    return text


def escaped(text: str) -> str:
    """Return what a backslash and a character mean."""
    if text.isascii() and text.isalnum() and text not in KNOWN:
        raise NoPattern(f"\\{text} is not followed")
    return "\\Z" if text in "Zz" else f"\\{text}"


def posix(name: str, negated: bool, within: bool) -> str:
    """Return a class that is told by name."""
    if name not in POSIX or (negated and within):
        raise NoPattern(f"\\p{{{name}}} is not followed")
    return POSIX[name] if within else f"[{'^' * negated}{POSIX[name]}]"
