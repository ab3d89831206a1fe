"""``SteppedRun`` is a run of a model that a person takes step by step: choose, undo, go back, keep it as a scenario."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from oneowner.checkers.scenarios.replay import Replay, Step, begin, enabled, take
from oneowner.checkers.scenarios.scenario import Expectation, Scenario, briefly, find_action
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import actions, step


class SteppedRun:
    """A run that begins with the steps of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        """Take the steps of *scenario*; raise ``Disabled`` or ``BoundReached`` at one that is not enabled."""
        self._bare = replace(scenario, title="", story="", note="", steps=(), lines=(), expect=None, loop=None)
        self._words = briefly(scenario.bounds)
        self._undone: list[tuple[Action, ...]] = []
        """The runs before each command that changed it."""
        self.replayed: Replay = self._run(scenario.steps)

    @property
    def taken(self) -> tuple[Action, ...]:
        """The steps so far."""
        return tuple(taken.action for taken in self.replayed.steps)

    def enabled(self) -> dict[str, Action]:
        """Return the enabled actions by their words, in the order of the model."""
        return {self._words(action): action for action in enabled(self.replayed.states[-1])}

    def every(self) -> list[str]:
        """Return the words for every action that these bounds have, enabled or not."""
        return [self._words(action) for action in actions(self._bare.bounds)]

    def named(self, text: str) -> Action:
        """
        Return the action that *text* means: its number among the enabled ones, its words, or how one of these begins.

        Raise Misuse if there is none, or several.
        """
        there = self.enabled()
        if text.isdecimal():
            number = int(text)
            if not 1 <= number <= len(there):
                allowed = f"1 to {len(there)}" if there else "nothing: no action is enabled"
                raise Misuse(f"number refused: {text}; allowed is {allowed}")
            return list(there.values())[number - 1]
        found = [words for words in there if _close(words).startswith(_close(text))]
        exact = [words for words in found if _close(words) in (_close(text), _close(f"{text}()"))]
        if len(found) > 1 and not exact:
            raise Misuse(f"several actions begin so: {text}; {', '.join(found)}")
        return there[(exact or found)[0]] if found else find_action(self._bare.bounds, text)

    def take(self, action: Action) -> Step:
        """Take a step; raise Misuse with the guard that refuses it."""
        before = self.taken
        refusal = self.refusal(action)
        if refusal:
            raise Misuse(f"{self._words(action)} is not enabled: {refusal}")
        taken = take(self.replayed, action)
        self._undone.append(before)
        return taken

    def words(self, action: Action) -> str:
        """Return an action without the arguments that have one possible value."""
        return str(self._words(action))

    def refusal(self, action: Action) -> str:
        """Return the reason that an action is not enabled, or an empty string."""
        try:
            step(self.replayed.states[-1], action)
        except Disabled as refused:
            return f"it needs: {refused.guard}"
        except BoundReached as refused:
            return f"it goes beyond what the bounds can hold: {refused}"
        return ""

    def back(self, number: int) -> None:
        """Return to the state after step *number* and give up the later ones; raise Misuse if there is no such step."""
        if not 0 <= number < len(self.replayed.states):
            raise Misuse(f"back refused: {number}; allowed is 0 to {len(self.replayed.steps)}, the steps so far")
        before = self.taken
        self.replayed = self._run(before[:number])
        self._undone.append(before)

    def undo(self) -> None:
        """Undo the last step, or the last return to an earlier one; raise Misuse if there is none."""
        if not self._undone:
            raise Misuse("undo refused: nothing was chosen yet; back N returns to an earlier step")
        self.replayed = self._run(self._undone.pop())

    def scenario(self, path: Path, expects: bool = True) -> Scenario:
        """Return the run as a scenario for *path*, which *expects* its last step to break the law that it does."""
        last, statuses = self.replayed.steps[-1:], self.replayed.system.statuses
        broken = [law.name for taken in last for law in taken.broken]
        hard = [name for name in broken if not statuses[name].is_violated]
        law = next(iter([*hard, *broken]), None)
        expect = Expectation(law, Verdict.INVALID, len(self.replayed.steps)) if law and expects else None
        return replace(self._bare, path=path, steps=self.taken, expect=expect)

    def _run(self, steps: Sequence[Action]) -> Replay:
        run = begin(self._bare)
        for action in steps:
            take(run, action)
        return run


def _close(text: str) -> str:
    """Return *text* without spaces, which nobody counts."""
    return "".join(text.split())
