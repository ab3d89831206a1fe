"""``DECISIONS`` lists the balancer's decisions."""

from oneowner.spec.balancer.filters.administration import ANTI_AFFINITY_GROUP, FAILURE_DOMAINS
from oneowner.spec.balancer.filters.anti_affinity import ANTI_AFFINITY
from oneowner.spec.balancer.filters.isolation import ISOLATION
from oneowner.spec.balancer.filters.settings import FILTERS
from oneowner.spec.balancer.load_reports import LOAD_REPORT
from oneowner.spec.balancer.placement.avg_placement import AVG_PLACEMENT
from oneowner.spec.balancer.placement.extensible_selection import EXTENSIBLE_SELECTION
from oneowner.spec.balancer.placement.least_long_term import LEAST_LONG_TERM
from oneowner.spec.balancer.placement.least_usage import LEAST_USAGE, LEAST_USAGE_EXTENSIBLE
from oneowner.spec.balancer.placement.modular_selection import MODULAR_SELECTION
from oneowner.spec.balancer.placement.round_robin import ROUND_ROBIN
from oneowner.spec.balancer.shedding.avg_shedder import AVG_SHEDDER
from oneowner.spec.balancer.shedding.load_shedding_task import LOAD_SHEDDING_TASK
from oneowner.spec.balancer.shedding.overload_shedder import OVERLOAD_SHEDDER
from oneowner.spec.balancer.shedding.threshold_shedder import THRESHOLD_SHEDDER
from oneowner.spec.balancer.shedding.transfer_shedder import TRANSFER_SHEDDER
from oneowner.spec.balancer.shedding.uniform_load_shedder import UNIFORM_LOAD_SHEDDER
from oneowner.spec.balancer.shedding.unload_scheduler import UNLOAD_SCHEDULER
from oneowner.spec.balancer.splitting.find_bundle import FIND_BUNDLE
from oneowner.spec.balancer.splitting.flow_or_qps_equally_divide import FLOW_OR_QPS_EQUALLY_DIVIDE
from oneowner.spec.balancer.splitting.initial_boundaries import INITIAL_BOUNDARIES
from oneowner.spec.balancer.splitting.range_equally_divide import RANGE_EQUALLY_DIVIDE
from oneowner.spec.balancer.splitting.specified_positions_divide import SPECIFIED_POSITIONS_DIVIDE
from oneowner.spec.balancer.splitting.split_bundles import SPLIT_BUNDLES
from oneowner.spec.balancer.splitting.split_triggers import SPLIT_TRIGGER_EXTENSIBLE, SPLIT_TRIGGER_MODULAR
from oneowner.spec.balancer.splitting.topic_count_equally_divide import TOPIC_COUNT_EQUALLY_DIVIDE
from oneowner.spec.balancer.top_bundles import TOP_BUNDLES

DECISIONS = (
    INITIAL_BOUNDARIES,
    FIND_BUNDLE,
    RANGE_EQUALLY_DIVIDE,
    TOPIC_COUNT_EQUALLY_DIVIDE,
    SPECIFIED_POSITIONS_DIVIDE,
    FLOW_OR_QPS_EQUALLY_DIVIDE,
    SPLIT_BUNDLES,
    SPLIT_TRIGGER_MODULAR,
    SPLIT_TRIGGER_EXTENSIBLE,
    TOP_BUNDLES,
    LOAD_REPORT,
    OVERLOAD_SHEDDER,
    THRESHOLD_SHEDDER,
    UNIFORM_LOAD_SHEDDER,
    AVG_SHEDDER,
    TRANSFER_SHEDDER,
    UNLOAD_SCHEDULER,
    LOAD_SHEDDING_TASK,
    FAILURE_DOMAINS,
    ANTI_AFFINITY_GROUP,
    ANTI_AFFINITY,
    ISOLATION,
    FILTERS,
    LEAST_LONG_TERM,
    LEAST_USAGE,
    LEAST_USAGE_EXTENSIBLE,
    ROUND_ROBIN,
    MODULAR_SELECTION,
    AVG_PLACEMENT,
    EXTENSIBLE_SELECTION,
)
