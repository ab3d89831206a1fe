"""``DECISIONS`` lists the decisions of Kafka Streams about its tasks."""

from oneowner.spec.kafka.convergence import CONVERGENCE
from oneowner.spec.kafka.high_availability import HIGH_AVAILABILITY
from oneowner.spec.kafka.learners import LEARNERS
from oneowner.spec.kafka.racks import RACKS
from oneowner.spec.kafka.reconcile import RECONCILE
from oneowner.spec.kafka.sticky import FALLBACK, STICKY
from oneowner.spec.kafka.streams_sticky import STREAMS_STICKY

DECISIONS = (HIGH_AVAILABILITY, CONVERGENCE, LEARNERS, RACKS, STICKY, FALLBACK, STREAMS_STICKY, RECONCILE)
