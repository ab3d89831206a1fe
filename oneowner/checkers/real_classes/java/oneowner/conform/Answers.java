package oneowner.conform;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;

/** The answers of a broker's channel that change nothing, which must follow from its view; since 4.0. */
final class Answers {
    private Answers() { }

    /** Complain of each answer that does not follow. */
    static void check(Broker broker) {
        if (!Channels.HAS_OWN_VIEWS || !Cluster.isHeldToRules) {
            return;
        }
        List<Integer> owned = new ArrayList<>(), claimed = new ArrayList<>();
        var bundles = broker.channel.getOwnedServiceUnits().stream().map(Object::toString).toList();
        for (int unit = 1; unit <= Cluster.units; unit++) {
            ServiceUnitStateData entry = broker.entry(unit);
            Optional<String> assigned = broker.channel.getAssigned(Cluster.name(unit));
            if (!assigned.equals(assigned(entry))) {
                Cluster.complain("getAssigned at " + broker.id + " is " + assigned + " by " + Projection.record(entry));
            }
            if (owner(entry).equals(Optional.of(broker.id))) {
                owned.add(unit);
            }
            if (bundles.contains(Cluster.name(unit))) {
                claimed.add(unit);
            }
        }
        if (!owned.equals(claimed)) {
            Cluster.complain(broker.id + " owns the units " + owned + ", and getOwnedServiceUnits are " + claimed);
        }
    }

    private static Optional<String> assigned(ServiceUnitStateData entry) {
        return entry == null ? Optional.empty() : switch (entry.state()) {
            case Assigning, Releasing -> Optional.ofNullable(entry.dstBroker());
            default -> owner(entry);
        };
    }

    private static Optional<String> owner(ServiceUnitStateData entry) {
        return entry == null ? Optional.empty() : switch (entry.state()) {
            case Owned -> Optional.of(entry.dstBroker());
            case Splitting -> Optional.of(entry.sourceBroker());
            default -> Optional.empty();
        };
    }
}
