"""Rules that stand for a proposed fix in the brokers, and for a switch of the model's rules."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from oneowner.checkers.verdict import Misuse

REPAIRS: Final = Path(__file__).with_name("repairs")
"""The folder of the project's own repairs."""
_RULE = re.compile(r"^RULE ", re.MULTILINE)
_HELPER = re.compile(r"^HELPER oneowner\.(\w+)$", re.MULTILINE)
_SWITCH = re.compile(r"^# model: (\w+)=(\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Repair:
    """One file of rules."""

    path: Path
    switches: Mapping[str, str]
    """The switches of the model's rules that it stands for, by name."""
    sources: tuple[Path, ...]
    """The Java of its helpers."""

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return self.path.stem


def read_repair(path: Path) -> Repair:
    """Return the repair in a file of rules, with its Java; raise Misuse if it is invalid."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: cannot be read: {error}") from None
    if not _RULE.search(text):
        raise Misuse(f"{path}: holds no rule of Byteman; one begins with RULE")
    sources = tuple(path.with_name(f"{name}.java") for name in dict.fromkeys(_HELPER.findall(text)) if name != "Gates")
    if missing := [source for source in sources if not source.is_file()]:
        raise Misuse(f"{path}: its helper {missing[0].stem} is not there; {missing[0]} is where it is looked for")
    return Repair(path.resolve(), dict(_SWITCH.findall(text)), sources)
