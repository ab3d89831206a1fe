"""``SYSTEM`` describes Pulsar's bundle state channel (PIP-192) to the engines."""

from typing import Any

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import forget_first, is_forgettable
from oneowner.model.channel.readings import known
from oneowner.model.channel.releases import METADATA_STORE_SINCE, RELEASES, has_metadata_store
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.channel.start import initial_states
from oneowner.model.channel.state import State
from oneowner.model.channel.story import STORY
from oneowner.model.channel.system import DECLARED, STATE_CLASS
from oneowner.model.kernel.system import System
from oneowner.spec.channel import registry
from oneowner.spec.channel.refinement import ownership


def refuse_release(bounds: Any, release: str) -> str:
    """Return why a release cannot have these bounds, or an empty string."""
    is_new = bounds.storage == Storage.METADATA_STORE or bounds.synced > 0
    if is_new and not has_metadata_store(release):
        return f"the metadata store came with {METADATA_STORE_SINCE}"
    return ""


SYSTEM = System(
    name="channel",
    title="Pulsar's bundle state channel (PIP-192): brokers, channel, compaction, sessions, recovery",
    bounds=Bounds,
    state=State,
    initial_states=initial_states,
    declared=DECLARED,
    modules=(*registry.MODEL, *registry.SPEC),
    story=STORY,
    laws=registry.PROPERTIES,
    liveness=registry.LIVENESS,
    witnesses=registry.WITNESSES,
    lemmas=registry.LEMMAS,
    refinements=registry.REFINEMENTS,
    rules=Rules,
    releases=RELEASES,
    known=known,
    default_release="4.0.6",
    refuse_release=refuse_release,
    needs_normalising=is_forgettable,
    normalise=forget_first,
    state_class=STATE_CLASS,
    observe=ownership,
)
