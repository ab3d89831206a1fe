"""``MODULES`` lists all modules that the lemmas of the balancer trace."""

from oneowner.model.balancer.splitting import policies, split_algorithms, split_bundles
from oneowner.model.pulsar import boundaries, bundles
from oneowner.spec.balancer.splitting import concurrent_split_lemmas, many_split_lemmas, ring_lemmas, split_lemmas

MODULES = (
    bundles,
    boundaries,
    split_bundles,
    split_algorithms,
    policies,
    ring_lemmas,
    split_lemmas,
    many_split_lemmas,
    concurrent_split_lemmas,
)
