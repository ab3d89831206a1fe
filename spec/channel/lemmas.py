"""All lemmas, in the order in which a report lists them."""

from __future__ import annotations

from oneowner.model.kernel.lemma import Lemma
from oneowner.spec.channel.compaction_lemmas import COMPACTION_LEMMAS
from oneowner.spec.channel.concurrent_split_lemmas import CONCURRENT_SPLIT_LEMMAS
from oneowner.spec.channel.many_split_lemmas import MANY_SPLIT_LEMMAS
from oneowner.spec.channel.ownership_lemmas import OWNERSHIP_LEMMAS
from oneowner.spec.channel.ownership_needs import OWNERSHIP_NEEDS
from oneowner.spec.channel.resolver_lemmas import RESOLVER_LEMMAS
from oneowner.spec.channel.ring_lemmas import RING_LEMMAS
from oneowner.spec.channel.split_lemmas import SPLIT_LEMMAS
from oneowner.spec.channel.version_lemmas import VERSION_LEMMAS

LEMMAS: tuple[Lemma, ...] = (
    *RING_LEMMAS,
    *SPLIT_LEMMAS,
    *MANY_SPLIT_LEMMAS,
    *CONCURRENT_SPLIT_LEMMAS,
    *VERSION_LEMMAS,
    *RESOLVER_LEMMAS,
    *OWNERSHIP_LEMMAS,
    *OWNERSHIP_NEEDS,
    *COMPACTION_LEMMAS,
)
