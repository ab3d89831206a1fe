package oneowner.conform;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;

/** The publishes of a broker that have not arrived; they outlive its process. */
final class Outbox {
    /** On the topic *write* is null; in the metadata store it is the write, and null for one that was refused before. */
    private record Publish(
            String key, ServiceUnitStateData value, Broker by, CompletableFuture<Object> arrival, Runnable write) { }

    private final Deque<Publish> waiting = new ArrayDeque<>();
    private long added;

    int size() {
        return waiting.size();
    }

    /** Return the number of the newest publish; the first one ever is 1. */
    long added() {
        return added;
    }

    /** Return the number of the last publish that has left. */
    long arrived() {
        return added - waiting.size();
    }

    CompletableFuture<Object> add(String key, ServiceUnitStateData value, Broker by) {
        var arrival = new CompletableFuture<Object>();
        waiting.add(new Publish(key, value, by, arrival, null));
        note(key, value, by);
        return arrival;
    }

    void addWrite(String key, ServiceUnitStateData value, Broker by, Runnable write) {
        waiting.add(new Publish(key, value, by, null, write));
        note(key, value, by);
    }

    private void note(String key, ServiceUnitStateData value, Broker by) {
        added++;
        by.boundaries.published();
        Trace.note("a publish: unit " + Cluster.unit(key) + ", " + Projection.record(value));
    }

    /** Let the oldest publish reach the channel; a process that has ended does not hear of it. */
    void append() {
        Publish publish = waiting.remove();
        if (publish.arrival == null) {
            publish.by.store.run(publish.write);
            return;
        }
        Topic.append(publish.key, publish.value);
        if (publish.by.isAlive) {
            publish.arrival.complete(null);
        }
    }

    boolean holds(int unit) {
        return waiting.stream().anyMatch(one -> Cluster.unit(one.key) == unit);
    }

    void lose() {
        waiting.remove();
    }

    @Override
    public String toString() {
        return waiting.stream().map(one -> Cluster.unit(one.key) + ":" + Projection.record(one.value))
                .collect(Collectors.joining("; "));
    }
}
