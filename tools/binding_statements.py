"""
Statements of the binding tables that are named by their words, as classes of Pulsar print them.

``python -m tools.binding_statements JAR...`` reads source jars (pulsar-broker, pulsar-metadata, pulsar-common,
managed-ledger of a release) and writes ``tests/vectors/binding-statements.txt``: class, text and jar, for statements
that ``tests/vectors/log-statements.yaml`` lacks. It ends with an error if no jar has one of them.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from oneowner.checkers.ledger.binding import Words, pattern_of
from oneowner.checkers.ledger.shown_actions import every_words
from oneowner.checkers.recordings.read.log_patterns import class_of
from oneowner.spec.systems import systems
from tools.log_statements import written
from tools.source_statements import VALUE, statements_of

FOUND: Final = Path(__file__).resolve().parent.parent / "tests" / "vectors" / "binding-statements.txt"


def named_by_words() -> list[Words]:
    """Return the statements of the binding tables that have no row in the table of log lines."""
    return [one for system in systems() for one in every_words(system) if not one.event]


def prints(words: Words, cls: str, text: str) -> bool:
    """Return whether a statement of a class, with VALUE for each of its values, is one of the binding tables."""
    return class_of(words.cls) == cls and re.search(pattern_of(words.text), text.replace(VALUE, "_")) is not None


def _printed(jar: Path, classes: set[str]) -> Iterator[tuple[str, str]]:
    """Yield class and text of each statement that some classes of a jar of sources print."""
    with ZipFile(jar) as sources:
        for name in sorted(sources.namelist()):
            cls = Path(name).stem
            if name.endswith(".java") and cls in classes:
                for one in statements_of(name, sources.read(name).decode(), ""):
                    yield cls, one.text


def write(jars: list[Path]) -> None:
    """Write the statements of the binding tables that *jars* have."""
    logged = [(class_of(one.logger), one.text) for one in written()]
    wanted = [one for one in named_by_words() if not any(prints(one, *printed) for printed in logged)]
    lines = list[str]()
    classes = {class_of(one.cls) for one in wanted}
    missing = set(map(str, wanted))
    for jar in jars:
        for cls, text in _printed(jar, classes):
            shown = [one for one in wanted if prints(one, cls, text) and str(one) in missing]
            missing -= {str(one) for one in shown}
            lines += [f"{cls}\t{text}\t{jar.name}"] * bool(shown)
    if missing:
        sys.exit(f"not in these jars: {'; '.join(sorted(missing))}")
    FOUND.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write([Path(jar) for jar in sys.argv[1:]])
