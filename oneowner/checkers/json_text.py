"""Read JSON by its standard, and describe a syntax error in terms of JSON, with its line."""

import json
from typing import Any, Final

_WORDS: Final = {
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Illegal trailing comma before end of object": "a comma stands before the end of an object",
    "Illegal trailing comma before end of array": "a comma stands before the end of an array",
    "Extra data": "more text follows its end",
    "Unterminated string starting at": "a text has no end",
    "Invalid control character at": "a text has a control character",
    "Invalid \\escape": "a text has an unknown escape",
    "Invalid \\uXXXX escape": "\\u is not followed by four hexadecimal digits",
}


class NoJson(ValueError):
    """A text that is no JSON."""

    def __init__(self, words: str, line: int = 1, is_more: bool = False) -> None:
        super().__init__(words)
        self.line = line
        self.is_more = is_more
        """True if a whole value is there, and more behind it."""


def json_of(text: str | bytes) -> Any:
    """
    Return the value of a text; raise NoJson for a text that is none, and for a key that stands in an object twice.

    >>> json_of('{"a": 1}')
    {'a': 1}
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        words = _WORDS.get(error.msg.removesuffix(": "), "it is malformed")
        raise NoJson(words, error.lineno, error.msg == "Extra data") from None
    except NoJson:
        raise
    except UnicodeDecodeError:
        raise NoJson("it is not UTF-8") from None
    except RecursionError:
        raise NoJson("it is nested too deeply") from None
    except ValueError:  # an integer of thousands of digits
        raise NoJson("a number is too long") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise NoJson(f"the key {twice[:60]} occurs twice")
    return found
