"""The cases, and their right answers by verb."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers.yaml_text import data_of

HERE = Path(__file__).parent


class Answer(NamedTuple):
    """The right answer of one command."""

    command: str
    """Without ``oneowner``; the folder of the case is INPUT."""
    code: int
    line: str
    """A part of a line of the output."""


class Case(NamedTuple):
    """One public report."""

    name: str
    input: Path
    release: str
    right: dict[str, Any]
    """The right answer, by verb."""

    @property
    def answers(self) -> list[Answer]:
        """Return the right answers, that of the first door first."""
        bugs = self.right["bugs"]
        others = [Answer(one["run"], one["code"], one["line"]) for one in self.right.get("answers", ())]
        return [*others, Answer("bugs --like INPUT", bugs["code"], bugs.get("first") or bugs["lines"][0])]

    def arguments(self, answer: Answer) -> list[str]:
        """Return the words of a command, with the files of this case."""
        return [word.replace("INPUT", str(self.input)) for word in shlex.split(answer.command)]


def cases(verb: str) -> list[Case]:
    """Return the cases that have a right answer of a verb."""
    rows = data_of((HERE / "right.yaml").read_text(encoding="utf-8"))
    return [Case(name, HERE / "inputs" / name, row["release"], row) for name, row in rows.items() if verb in row]


def table() -> Iterator[str]:
    """Yield the lines of the table in docs/reference/public-reports.md."""
    yield "| case | source | release | before | now | command | answer |"
    yield "|---|---|---|---|---|---|---|"
    for case in cases("now"):
        answer, right = case.answers[0], case.right
        cells = [case.name[:2], right["source"], case.release, right["then"], right["now"],
                 f"`{answer.command}`", f"`{answer.line}`"]  # fmt: skip
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(*table(), sep="\n")
