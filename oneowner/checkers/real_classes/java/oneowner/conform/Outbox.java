package oneowner.conform;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.client.api.PulsarClientException;

/** The publishes of a broker that have not arrived; they outlive its process. */
final class Outbox {
    /** On the topic *write* is null; in the metadata store it is the write, and null for one that was refused before. */
    private record Publish(
            String key, ServiceUnitStateData value, Broker by, CompletableFuture<Object> arrival,
            Store.Write write) { }

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

    void addWrite(String key, ServiceUnitStateData value, Broker by, Store.Write write) {
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
        arrive(publish);
    }

    private static void arrive(Publish publish) {
        Topic.append(publish.key, publish.value);
        publish.by.hear(() -> publish.arrival.complete(null));
    }

    /** Let the oldest publish reach the topic, whose acknowledgement is lost: it will be sent again. */
    void appendUnacknowledged() {
        Topic.append(waiting.element().key, waiting.element().value);
    }

    /** Let the second publish reach the topic before the first one. */
    void overtake() {
        Publish first = waiting.remove();
        Publish second = waiting.remove();
        waiting.addFirst(first);
        arrive(second);
    }

    /** Let the oldest publish fail: its producer gives up, or its write is refused. */
    void fail() {
        Publish publish = waiting.remove();
        if (publish.arrival != null) {
            publish.arrival.completeExceptionally(new PulsarClientException.TimeoutException("the publish fails"));
        } else if (publish.write != null) {
            publish.write.fail().run();
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
