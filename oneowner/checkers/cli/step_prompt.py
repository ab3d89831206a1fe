"""
The prompt of ``oneowner step``: a command a line, from a person or from a script.

A person is told of a bad line and goes on; a script ends there, so that it never takes other steps than it means.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from oneowner.checkers.documents import suggestion
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.json import write_text
from oneowner.checkers.report.run_text import print_standing, print_start, print_step
from oneowner.checkers.report.text import table
from oneowner.checkers.scenarios.scenario import write_scenario
from oneowner.checkers.scenarios.stepping import SteppedRun
from oneowner.checkers.verdict import Misuse

COMMANDS = {
    "N or ACTION": "take an enabled action, by its number, its name, or the beginning of its name",
    "undo": "undo the last step, or the last return to an earlier one",
    "back [N]": "return to the state after step N; without N, one step back",
    "next": "list the enabled actions",
    "why ACTION": "report the guard that refuses an action",
    "show": "print what each actor holds",
    "run": "print the steps so far",
    "save FILE": "write the run as a scenario, for oneowner replay",
    "help or ?": "list the commands",
    "quit": "end",
}
WORDS = tuple(usage.split()[0] for usage in COMMANDS if usage[0].islower())
HELP = ("help", "h", "?")

WIDEST = 120
"""Columns of a line of actions."""


def in_columns(items: Sequence[str], width: int) -> list[str]:
    """
    Return lines with *items* in columns, one below the other.

    >>> in_columns(["a", "bb", "c"], 8)
    ['a   c', 'bb']
    """
    each = max(map(len, items), default=0) + 2
    many = max(1, (width + 2) // each)
    lines = -(-len(items) // many)
    return ["".join(f"{item:{each}}" for item in items[first::lines]).rstrip() for first in range(lines)]


class Prompt:
    """A conversation about one run."""

    def __init__(self, out: Console, run: SteppedRun) -> None:
        self.out = out
        self.run = run

    def talk(self) -> None:
        """Obey commands until *quit*, or until there are no more; raise Misuse for a bad line of a script."""
        print_start(self.out, self.run.replayed)
        for taken in self.run.replayed.steps:
            print_step(self.out, self.run.replayed, taken)
        self._list()
        is_script = not sys.stdin.isatty()
        for number, line in enumerate(self._scripted() if is_script else self._typed(), 1):
            if not line or line.startswith("#"):
                continue
            try:
                if line in ("quit", "q", "exit"):
                    return
                self._obey(line)
            except Misuse as error:
                if is_script:
                    raise Misuse(f"standard input:{number}: {error}") from None
                sys.stderr.write(f"error: {visible(str(error))}\n")

    def _prompt(self) -> str:
        return f"step {len(self.run.taken) + 1}> "

    def _scripted(self) -> Iterator[str]:
        for number, read in enumerate(sys.stdin.buffer, 1):
            try:
                line = read.decode().strip()
            except UnicodeDecodeError:
                raise Misuse(f"standard input:{number}: not UTF-8") from None
            self.out.print(f"{self._prompt()}{line}", style="bold")
            yield line

    def _typed(self) -> Iterator[str]:
        self._complete()
        with suppress(EOFError):
            while True:
                yield input(self._prompt()).strip()
        self.out.print()

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        with_argument: dict[str, Callable[[str], None]] = {"why": self._why, "save": self._save, "back": self._back}
        alone: dict[str, Callable[[], None]] = {
            "undo": self._undo, "next": self._list, "show": self._show, "run": self._print_run,
        }  # fmt: skip
        if word in with_argument:
            with_argument[word](rest)
        elif line in HELP:
            self._help()
        elif word in alone:
            if rest:
                raise Misuse(f"{word} refused: {rest}; it stands alone")
            alone[word]()
        else:
            self._take(line)

    def _take(self, text: str) -> None:
        try:
            action = self.run.named(text)
        except Misuse as error:
            if "no such action" in str(error):
                words = {*WORDS, *(action.name for action in self.run.enabled().values())}
                raise Misuse(f"no such action or command: {text}; {suggestion(text, words)}") from None
            raise
        print_step(self.out, self.run.replayed, self.run.take(action))
        self._list()

    def _undo(self) -> None:
        self.run.undo()
        self._moved()

    def _back(self, text: str) -> None:
        if text and not text.isdecimal():
            raise Misuse(f"back refused: {text}; it takes the number of a step")
        self.run.back(int(text) if text else len(self.run.taken) - 1)
        self._moved()

    def _moved(self) -> None:
        self.out.print(f"after step {len(self.run.taken)}:")
        print_standing(self.out, self.run.replayed.states[-1])
        self._list()

    def _list(self) -> None:
        there = [f"{number:>4} {words}" for number, words in enumerate(self.run.enabled(), 1)]
        for line in in_columns(there, min(self.out.width, WIDEST)) or ["     nothing is enabled"]:
            self.out.print(line)

    def _why(self, text: str) -> None:
        if not text:
            raise Misuse("why refused: it takes an action, such as consume(broker=1)")
        action = self.run.named(text)
        refusal = self.run.refusal(action)
        self.out.print(f"{self.run.words(action)} is {f'not enabled: {refusal}' if refusal else 'enabled'}")

    def _show(self) -> None:
        state = self.run.replayed.states[-1]
        story = state.bounds.system.story
        setting = story.setting(state.bounds)
        held = [story.held(state, actor) for actor in range(1, setting["lanes"] + 1)]
        rows = table("", *(f"{setting['actor']} {number}" for number in range(1, len(held) + 1)))
        for kind in dict.fromkeys(kind for one in held for kind in one):
            if any(one.get(kind) for one in held):
                rows.add_row(kind, *(one.get(kind) or "-" for one in held))
        self.out.print(rows)

    def _print_run(self) -> None:
        print_start(self.out, self.run.replayed)
        for taken in self.run.replayed.steps:
            print_step(self.out, self.run.replayed, taken)

    def _save(self, text: str) -> None:
        if not text:
            raise Misuse("save refused: it takes the name of a file")
        if not self.run.taken:
            raise Misuse("save refused: no step was taken")
        write_text(Path(text), write_scenario(self.run.scenario(Path(text))))
        self.out.print(f"saved: {text}; replay it with: oneowner replay {text}")

    def _help(self) -> None:
        rows = table("", "")
        rows.show_header = False
        for usage, meaning in COMMANDS.items():
            rows.add_row(usage, meaning)
        self.out.print(rows)

    def _complete(self) -> None:
        """Let the tab key complete commands and enabled actions, where Python has readline."""
        with suppress(ImportError):
            import readline

            readline.set_completer_delims("")
            readline.set_completer(self._completion)
            readline.parse_and_bind("tab: complete")

    def _completion(self, begun: str, number: int) -> str | None:
        return next(iter(self.completions(begun)[number : number + 1]), None)

    def completions(self, begun: str) -> list[str]:
        """Return the lines that begin as *begun*: commands, and the actions that are enabled."""
        if begun.startswith("why "):
            return [line for name in self.run.every() if (line := f"why {name}").startswith(begun)]
        return [line for line in (*WORDS, *self.run.enabled()) if line.startswith(begun)]
