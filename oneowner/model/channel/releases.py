"""
``RELEASES`` gives every release with this channel its switches, as data: each names the releases that turn it.

A switch that no release turns is as in 4.0.6 in all of them; ``readings.py`` states how that is known.

Two switches are turned by no release although upstream calls the fix by one, because what goes wrong needs something
that the model does not have: ``re_election`` (#23516, for elections that were closed everywhere; every release runs
again when the leader's node vanishes) and ``monitor_runs`` (#25132, an old session event). Nor is ``watch_set_again``:
every release before 4.0.11, 4.2.2 and 5.0.0 (#25910, #25913) runs the race, whose good outcome is the default. One is
not turned because the code contradicts its title: ``owned_orphan_by_source`` (#23064; fault ``orphan_by_source``).

Behaviour without a switch is that of 4.0.6 in every release. Known to differ, and left out: before 3.3.3 there was no
Disabled channel, so a broker that shut down went on handling what it read (``broker.handle``); from 3.3.3 to 3.3.9 a
Disabled one refused to publish Assigning (``disabled_assigns`` is turned by none of them). Until #23064 (3.0.6, 3.2.4,
3.3.1) ``monitorOwnerships`` schedules a clean-up of the missing source of any active entry, an Owned one too, and then
none of its destination. A clean-up of an Owned entry's source overrides nothing, so a leader that is elected after both
are gone leaves such an entry as it is.
"""

from dataclasses import replace
from typing import Final

from oneowner.model.channel.rules import RELEASE_4_0_6, Rules
from oneowner.model.channel.system import SWITCHES
from oneowner.model.kernel.releases import is_within, since
from oneowner.model.pulsar import releases

__traced__ = False  # facts about releases, concrete before any state exists

_CHANNEL: Final = since("3.0.0")
"""The releases with this channel (PIP-192)."""

NAMES: Final[tuple[str, ...]] = tuple(name for name in releases.RELEASES if name in _CHANNEL)
"""Every release with this channel, line by line."""

METADATA_STORE_SINCE: Final = "4.0.0"
"""The first release that can keep the channel in the metadata store (PIP-378)."""

_METADATA_STORE: Final = since(METADATA_STORE_SINCE)


def has_metadata_store(release: str) -> bool:
    """Return whether *release* can keep the channel in the metadata store."""
    return release in _METADATA_STORE


def rules_of(release: str) -> Rules:
    turned = [name for name, switch in SWITCHES.items() if is_within(release, switch.turned)]
    return replace(RELEASE_4_0_6, **{name: not getattr(RELEASE_4_0_6, name) for name in turned})


RELEASES: Final[dict[str, Rules]] = {name: rules_of(name) for name in NAMES}
"""The switches of every release."""
