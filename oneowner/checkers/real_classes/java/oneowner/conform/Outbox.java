package oneowner.conform;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.client.api.PulsarClientException;

/** The publishes of a broker that have not arrived; they outlive its process. */
final class Outbox {
    /** On the topic *write* is null; in the metadata store it is the write, and null for one that was refused before. */
    private record Publish(String key, ServiceUnitStateData value, Broker by, boolean isOfJob,
            CompletableFuture<Object> arrival, Store.Write write) {
        /** Return whether it is over already: the store's view has refused it. */
        boolean isOver() {
            return arrival == null && write == null;
        }
    }

    private record Order(Publish publish, CompletableFuture<?> end) { }

    private final Deque<Publish> waiting = new ArrayDeque<>();
    /** The commands of operators whose publishes have not arrived. */
    private final List<Order> orders = new ArrayList<>();
    private long added, waitsBefore;

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
        add(new Publish(key, value, by, by.isInJob(), arrival, null));
        return arrival;
    }

    void addWrite(String key, ServiceUnitStateData value, Broker by, Store.Write write) {
        add(new Publish(key, value, by, by.isInJob(), null, write));
    }

    private void add(Publish publish) {
        waiting.add(publish);
        added++;
        waitsBefore = Time.waits();
        publish.by.boundaries.published();
        if (!publish.isOver()) {
            publish.by.listener.begins(publish, publish.key);
        }
        Trace.note("a publish: unit " + Cluster.unit(publish.key) + ", " + Projection.record(publish.value));
    }

    /** Return whether the newest publish is of a record, not of a tombstone. */
    boolean isOverride() {
        return waiting.getLast().value != null;
    }

    /** Return whether the job that has made the newest publish waits for something after that, or need not. */
    boolean isWaitedFor() {
        return waiting.getLast().isOver() || Time.waits() > waitsBefore;
    }

    /** Demand that the end of a command, which has led to the newest publish, is that publish's arrival. */
    void awaits(CompletableFuture<?> end) {
        Publish publish = waiting.getLast();
        if (end.isDone() != publish.isOver() && Cluster.isHeldToRules) {
            Cluster.complain("the command " + (end.isDone() ? "ends before" : "outlasts") + " its publish");
        }
        if (!publish.isOver()) {
            orders.add(new Order(publish, end));
        }
    }

    /** Let the oldest publish reach the channel; a process that has ended does not hear of it. */
    void append() {
        Publish publish = waiting.remove();
        end(publish);
        orders.forEach(order -> check(order, order.publish == publish));
        orders.removeIf(order -> order.publish == publish);
    }

    /** Demand that a command is over if its publish has arrived; a broker that is gone hears of nothing. */
    private static void check(Order order, boolean isOver) {
        if (Cluster.isHeldToRules && order.publish.by.isAlive && order.end.isDone() != isOver) {
            Cluster.complain("a command " + (isOver ? "outlasts" : "ends before") + " its publish");
        }
    }

    private static void end(Publish publish) {
        if (publish.arrival == null) {
            publish.by.listener.ending(publish, "", () -> publish.by.store.run(publish.write));
            return;
        }
        arrive(publish);
    }

    private static void arrive(Publish publish) {
        Topic.append(publish.key, publish.value);
        publish.by.hear(() -> publish.by.listener.ending(publish, "", () -> publish.arrival.complete(null)));
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

    /** Return whether a publish about *unit* is under way that a job has made. */
    boolean holdsOfJob(int unit) {
        return waiting.stream().anyMatch(one -> one.isOfJob && Cluster.unit(one.key) == unit);
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
