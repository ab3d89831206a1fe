package oneowner.conform;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;

/** What the real objects show of a state, in the order and words of projection.py. */
final class Projection {
    private Projection() { }

    static String state() {
        StringBuilder text = new StringBuilder();
        for (int number = 1; number <= Cluster.size; number++) {
            Broker broker = Cluster.broker(number);
            if (broker.isAlive && !broker.isPaused) {
                process(text, broker);
            }
            text.append(broker.outbox).append('|');
            text.append(registration(broker)).append('|');
        }
        text.append(Ephemerals.leader().map(node -> node.session().of().number).orElse(0)).append('|');
        if (Cluster.isCompacted) {
            text.append(Compaction.shown.horizon()).append('|');
            for (int unit = 1; unit <= Cluster.units; unit++) {
                text.append(record(Compaction.result.kept().get(Cluster.name(unit)))).append('|');
                text.append(record(Compaction.shown.kept().get(Cluster.name(unit)))).append('|');
            }
        }
        return text.append(String.join("; ", Cluster.complaints())).toString();
    }

    private static void process(StringBuilder text, Broker broker) {
        for (int unit = 1; unit <= Cluster.units; unit++) {
            text.append(record(broker.entry(unit))).append('|');
            text.append(broker.topics.open[unit] ? "open" : "").append('|');
            text.append(broker.lookups.progress(unit)).append('|');
            if (Cluster.followsLookups && Cluster.isHeldToRules) {
                text.append(broker.lookups.answer(unit)).append('|');
            }
            if (Cluster.isInStore) {
                text.append(broker.store.changed[unit] ? "notified" : "").append('|');
            }
        }
        text.append(broker.topics.closing.stream().map(close -> String.valueOf(close.unit()))
                .collect(Collectors.joining(" "))).append('|');
        if (!Cluster.isInStore) {
            text.append(broker.topic.behind()).append('|');
        }
        if (Cluster.haveSplits) {
            Boundaries.Ring known = broker.boundaries.known;
            text.append(known.isSplit() ? "split " : "").append(known.isNested() ? "nested " : "");
            text.append(known.others()).append('|');
        }
        text.append(registry(broker.membership)).append('|');
        if (broker.ephemerals.hasSession() || Cluster.haveLeaderCaches) {
            text.append(broker.membership.leader()).append('|');
        }
        if (Cluster.haveRoles) {
            text.append(broker.membership.role()).append('|');
        }
        if (Cluster.haveShutdowns) {
            text.append(Shutdown.isDisabled(broker) ? "disabled" : "").append('|');
        }
        if (Cluster.hasSafeMode) {
            text.append(SafeMode.trust(broker)).append('|').append(SafeMode.scheduled(broker)).append('|');
        }
        if (Cluster.holdsHealthChecks) {
            text.append(broker.checks).append('|');
        }
        if (Cluster.emptiesViews) {
            text.append(SafeMode.listed(broker)).append('|').append(broker.store.filling()).append('|');
        }
    }

    /** Return the brokers that a registry lists, and those that it finds; and whether it takes itself for registered. */
    private static String registry(Membership membership) {
        List<String> ids = membership.listed();
        StringBuilder listed = new StringBuilder(), found = new StringBuilder();
        for (int number = 1; number <= Cluster.size; number++) {
            listed.append(ids.contains("b" + number) ? 1 : 0);
            found.append(membership.finds("b" + number) ? 1 : 0);
        }
        return listed + (found.compareTo(listed) == 0 ? "" : ", finds " + found) + "|"
                + (membership.isRegistered() ? "" : "unregistered");
    }

    private static String registration(Broker broker) {
        return Ephemerals.node(Ephemerals.path(broker.number))
                .map(node -> broker.isAlive && node.session().of() == broker ? "present" : "left over").orElse("absent");
    }

    /** Return a record as the model prints it: {@code Owned(2, from 1) v5 forced}. */
    static String record(ServiceUnitStateData value) {
        if (value == null) {
            return "nothing";
        }
        int destination = Cluster.number(value.dstBroker()), source = Cluster.number(value.sourceBroker());
        String to = destination == 0 ? "" : String.valueOf(destination);
        String from = source == 0 ? "" : "from " + source;
        String comma = destination != 0 && source != 0 ? ", " : "";
        return value.state() + "(" + to + comma + from + ") v" + value.versionId() + (value.force() ? " forced" : "");
    }
}
