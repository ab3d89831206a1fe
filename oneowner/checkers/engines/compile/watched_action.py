"""A watched action notes what a law asks of it: laws that see no difference between actions are traced once for all."""

from typing import Any

from oneowner.model.kernel.action import Action


class Watched:
    """
    An action that notes what is asked of it: *seen* is 0 for nothing, 1 for its name, 2 for more.

    >>> watched = Watched(Action("crash", (("broker", 2),), print))
    >>> watched.seen, watched.name, watched.seen, watched.argument("broker"), watched.seen
    (0, 'crash', 1, 2, 2)
    """

    def __init__(self, action: Action) -> None:
        self._action = action
        self.seen = 0

    @property
    def name(self) -> str:
        self.seen = max(self.seen, 1)
        return self._action.name

    def __getattr__(self, name: str) -> Any:
        self.seen = 2
        return getattr(self._action, name)
