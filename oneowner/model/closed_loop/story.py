"""The story of a closed loop gives reports the words for owners of bundles, usage, and bundles in flight."""

from typing import Any

from oneowner.model.closed_loop.bounds import Bounds
from oneowner.model.closed_loop.state import State, brokers, bundles, is_in_flight
from oneowner.model.closed_loop.table import table_of
from oneowner.model.kernel.story import Narrator


class Story(Narrator):
    """The words in which reports tell of a closed loop."""

    actors = ("broker",)

    def start(self, bounds: Bounds) -> str:
        return f"start: {bounds.brokers} brokers, {bounds.bundles} bundles of constant load; {bounds.shedder} decides"

    def standing(self, state: State) -> list[str]:
        return [*(self.has(state, broker) for broker in brokers(state)), self.flying(state)]

    def has(self, state: State, broker: int) -> str:
        """Return which bundles a broker has, and how much of it they use."""
        owned = self.owned(state, broker)
        used = sum(state.bounds.heavy if one <= state.heavies else state.bounds.light for one in owned)
        return f"broker {broker} has bundles {', '.join(map(str, owned)) or '-'}: {used} % used"

    def owned(self, state: State, broker: int) -> list[int]:
        return [one for one in bundles(state) if state.owner[one] == broker and one <= state.placed]

    def flying(self, state: State) -> str:
        return f"in flight: {', '.join(str(one) for one in bundles(state) if is_in_flight(state, one)) or 'nothing'}"

    def alarms(self, state: State) -> list[int]:
        return []

    def life(self, state: State, actor: int) -> str:
        return "up"

    def setting(self, bounds: Bounds) -> dict[str, Any]:
        lanes = {"actor": "broker", "lanes": bounds.brokers, "verbs": ["has bundles", "has none"]}
        return {**lanes, "place": "the reports that the leader reads"}

    def owners(self, state: State) -> list[int]:
        return [broker for broker in brokers(state) if self.owned(state, broker)]

    def held(self, state: State, actor: int) -> dict[str, str]:
        rows = {f"bundle {one}": self.of_bundle(state, one) for one in self.owned(state, actor)}
        memory = table_of(state.bounds).memories[state.memory]
        return {**rows, "the shedder remembers": "" if memory is None or actor > 1 else str(memory)}

    def of_bundle(self, state: State, bundle: int) -> str:
        """Return how much a bundle takes, and whether it flies or rests."""
        weight = "heavy" if bundle <= state.heavies else "light"
        if is_in_flight(state, bundle):
            to = [str(broker) for broker in brokers(state) if state.may[bundle, broker]]
            return f"{weight}, in flight to {' or '.join(to)}"
        return f"{weight}, rests for {state.rest[bundle]}" if state.rest[bundle] else weight


STORY = Story()
