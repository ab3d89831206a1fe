package oneowner.conform;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.loadbalance.extensions.models.Unload;

/**
 * A broker shuts down: its channel is disabled, and its clean-up by itself gives its units away.
 *
 * <p>The clean-up runs anew for each unit, of which alone it sees the entry: what it waits for between two units lies
 * between two steps.
 */
final class Shutdown {
    private Shutdown() { }

    static void disable(Broker broker) {
        if (Reflect.method(broker.channel.getClass(), "disable", 0) != null) { // 3.0.0 only unregisters
            Reflect.call(broker.channel, "disable");
        }
    }

    static boolean isDisabled(Broker broker) {
        Object state = Reflect.get(Reflect.field(broker.channel.getClass(), "channelState"), broker.channel);
        return state.toString().equals("Disabled");
    }

    /** Run the clean-up for one unit that must be given to *destination*, or to nobody, or be passed over. */
    static void drain(Broker broker, int unit, Optional<String> destination, int publishes) {
        int before = broker.outbox.size();
        cleanUp(broker, unit, destination);
        if (broker.outbox.size() != before + publishes) {
            Cluster.complain("the clean-up publishes " + (broker.outbox.size() - before) + " records");
        }
    }

    /** Run the clean-up for one unit; it selects *destination*. */
    static void cleanUp(Broker broker, int unit, Optional<String> destination) {
        Runnable cleanUp = () -> broker.lookups.choosing(destination, broker.channel::cleanOwnerships);
        if (unit == Cluster.systemUnit && broker.setAside != null) {
            broker.seeing(all -> Set.of(Map.entry(Cluster.name(unit), broker.setAside)), cleanUp);
        } else {
            broker.seeing(unit, cleanUp);
        }
    }

    /** Put the entry of a system bundle off, as the clean-up has found it. */
    static void setAside(Broker broker, int unit) {
        broker.setAside = broker.entry(unit);
    }

    static void unregister(Broker broker) {
        try {
            broker.membership.registry.unregister();
            broker.membership.election.close();
        } catch (Exception error) {
            Trace.note("disableBroker breaks off: " + error, error); // such as without a node of the election
        }
    }

    /** Unload a unit that the broker finds itself to own. */
    @SuppressWarnings("unchecked")
    static void unload(Broker broker, int unit) {
        String name = Cluster.name(unit);
        var owner = (CompletableFuture<Optional<String>>) Reflect.call(broker.channel, "getOwnerAsync", name);
        if (!owner.isDone() || owner.isCompletedExceptionally() || owner.join().isEmpty()) {
            Cluster.complain("the broker finds no owner of unit " + unit);
            return;
        }
        Unload order = Reflect.make(Unload.class, owner.join().get(), name, Optional.empty(), false);
        broker.channel.publishUnloadEventAsync(order);
    }
}
