"""
Actions whose log statements stand in the brokers' logs of a recording.

The docstring of an action quotes its statements (*Log*), with ``..`` for a value. A statement that several actions
print counts for each of them.
"""

import gzip
import re
from collections import Counter
from functools import cache
from pathlib import Path

from oneowner.checkers.report.action_texts import action_text
from oneowner.spec.channel.system import SYSTEM

_QUOTED = re.compile(r"``([^`]+)``")
_WORDS = {r"(\w+)\|(\w+)": r"(?:\1|\2)", r"\bn topics": r"\\d+ topics", r"\bt ms": r"\\d+ ms", r"\b\d+\b": r"\\d+"}
"""Patterns for the parts of a quoted statement that stand for several words, or for a number."""


def logged_actions(run: Path) -> Counter[str]:
    """Return how many lines of the brokers' logs in a folder show each action."""
    found: Counter[str] = Counter()
    for path in sorted(run.glob("broker*.log*")):
        text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
        for action, patterns in statements().items():
            found[action] += sum(len(pattern.findall(text)) for pattern in patterns)
    return +found


@cache
def statements() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of the statements that each action prints."""
    logs: dict[str, str] = {}
    for one in SYSTEM.declared:
        logs[one.name] = f"{logs.get(one.name, '')} {action_text(one).parts['Log']}"
    return {name: tuple(re.compile(one) for one in _patterns(name, logs)) for name in logs}


def _patterns(action: str, logs: dict[str, str]) -> list[str]:
    """Return the patterns of an action; of one that prints as another does, those of the other."""
    found: list[str] = []
    for quoted in _QUOTED.findall(logs[action]):
        if quoted in logs:
            found += _patterns(quoted, logs)
        elif " " in quoted:
            found.append(pattern_of(quoted))
    return list(dict.fromkeys(found))


def pattern_of(statement: str) -> str:
    """
    Return the pattern of a quoted statement.

    >>> pattern_of("The registry of .. has been created|deleted")
    'The registry of .*? has been (?:created|deleted)'
    >>> re.findall(pattern_of("with n topics completed in t ms"), "with 12 topics completed in 7 ms")
    ['with 12 topics completed in 7 ms']
    """
    escaped = re.escape(statement.strip(".")).replace("\\ ", " ").replace(r"\.\.", ".*?").replace(r"\|", "|")
    for words, pattern in _WORDS.items():
        escaped = re.sub(words, pattern, escaped)
    return escaped
