package oneowner.conform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.apache.pulsar.metadata.api.GetResult;
import org.apache.pulsar.metadata.api.MetadataStoreConfig;
import org.apache.pulsar.metadata.api.MetadataStoreException;
import org.apache.pulsar.metadata.api.Notification;
import org.apache.pulsar.metadata.api.NotificationType;
import org.apache.pulsar.metadata.api.Stat;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;
import org.apache.pulsar.metadata.api.extended.SessionEvent;
import org.apache.pulsar.metadata.impl.LocalMemoryMetadataStore;

/**
 * A broker's client of the metadata store, over nodes that all brokers share.
 *
 * <p>Caches, compare-and-set and its retries are Pulsar's (AbstractMetadataStore); the methods of a store proper are
 * seams. A read is answered at once; a write waits in the outbox with the version that it expects; a notification waits
 * for its step.
 */
final class Store {
    private static final String FOLDER = "/service_unit_state/";
    private static final Map<String, Node> nodes = new TreeMap<>();

    private record Node(byte[] value, long version) { }

    /** By unit: a notification waits. */
    final boolean[] changed = new boolean[Cluster.units + 1];
    final MetadataStoreExtended real;
    private final Broker broker;
    private Write write;
    /** By unit: the list of its node's children in a new session, upon which the node is read; it waits for the script. */
    private final CompletableFuture<List<String>>[] fills = fills();
    private boolean isReconnecting;

    /** A write that waits: it arrives, or fails. */
    record Write(Runnable arrive, Runnable fail) { }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<List<String>>[] fills() {
        return new CompletableFuture[Cluster.units + 1];
    }

    Store(Broker broker) {
        this.broker = broker;
        try {
            real = Seams.bind(new LocalMemoryMetadataStore("memory:local", MetadataStoreConfig.builder().build()),
                    broker);
        } catch (MetadataStoreException error) {
            throw new IllegalStateException(error);
        }
        ScriptedExecutor.replaceIn(real, "store");
    }

    static void reset(Map<String, ServiceUnitStateData> entries) {
        nodes.clear();
        if (Cluster.isInStore) {
            entries.forEach((key, value) -> nodes.put(FOLDER + key, new Node(json(value), 1)));
        }
    }

    private static byte[] json(Object value) {
        try {
            return ObjectMapperFactory.getMapper().writer().writeValueAsBytes(value);
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Return the write that the last call of the view has led to, or null if the view refused at once. */
    Write taken() {
        Write found = write;
        write = null;
        return found;
    }

    /** Run a write, and its retries. */
    void run(Write first) {
        for (Write next = first; next != null; next = taken()) {
            next.arrive.run();
        }
    }

    /** Deliver a notification of a node, or of the session. */
    void receive(Object event) {
        Reflect.call(real, event instanceof Notification ? "receivedNotification" : "receivedSessionEvent", event);
    }

    /** The session is lost, and with it the watches. */
    void loseSession() {
        Arrays.fill(changed, false);
        receive(SessionEvent.SessionLost);
    }

    /** A session is there again; what the view reads in it waits for *fill*. */
    void reconnect() {
        Arrays.fill(fills, null);
        isReconnecting = true;
        try {
            receive(SessionEvent.SessionReestablished);
        } finally {
            isReconnecting = false;
        }
    }

    /** Return the units whose node is still to be read in a new session. */
    String filling() {
        return IntStream.rangeClosed(1, Cluster.units).filter(unit -> fills[unit] != null).mapToObj(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    void fill(int unit) {
        CompletableFuture<List<String>> list = fills[unit];
        fills[unit] = null;
        list.complete(List.of());
    }

    void tell(int unit) {
        changed[unit] = false;
        String path = FOLDER + Cluster.name(unit);
        Node node = nodes.get(path);
        NotificationType type = node == null ? NotificationType.Deleted
                : node.version == 0 ? NotificationType.Created : NotificationType.Modified;
        receive(new Notification(type, path));
    }

    private void announce(String path) {
        int unit = Cluster.unit(path.substring(FOLDER.length()));
        for (Broker other : Cluster.living()) {
            if (other.ephemerals.hasSession()) {
                other.store.changed[unit] = other != broker;
            }
        }
    }

    private static Stat stat(String path, long version) {
        long now = Time.currentTimeMillis();
        return new Stat(path, version, now, now, false, true, version == 0);
    }

    CompletableFuture<Stat> put(String path, byte[] value, Optional<Long> expected) {
        var end = new CompletableFuture<Stat>();
        write = new Write(() -> {
            long version = nodes.containsKey(path) ? nodes.get(path).version : -1;
            if (expected.isPresent() && expected.get() != version) {
                fail(end, new MetadataStoreException.BadVersionException("it is " + version));
                return;
            }
            nodes.put(path, new Node(value, version + 1));
            announce(path);
            if (broker.isAlive) {
                end.complete(stat(path, version + 1));
            }
        }, () -> fail(end, new MetadataStoreException("the session is lost")));
        return end;
    }

    CompletableFuture<Void> delete(String path) {
        var end = new CompletableFuture<Void>();
        write = new Write(() -> {
            if (nodes.remove(path) == null) {
                fail(end, new MetadataStoreException.NotFoundException("no node"));
                return;
            }
            announce(path);
            if (broker.isAlive) {
                end.complete(null);
            }
        }, () -> fail(end, new MetadataStoreException("the session is lost")));
        return end;
    }

    private void fail(CompletableFuture<?> end, Exception error) {
        if (broker.isAlive) {
            end.completeExceptionally(error);
        }
    }

    CompletableFuture<Optional<GetResult>> get(String path) {
        return CompletableFuture.completedFuture(Optional.ofNullable(nodes.get(path))
                .map(node -> new GetResult(node.value, stat(path, node.version))));
    }

    CompletableFuture<Boolean> exists(String path) {
        return CompletableFuture.completedFuture(nodes.containsKey(path));
    }

    CompletableFuture<List<String>> children(String path) {
        TreeSet<String> children = new TreeSet<>();
        List<String> paths = new ArrayList<>(nodes.keySet());
        for (int unit = 1; isReconnecting && unit <= Cluster.units; unit++) {
            if (path.equals(FOLDER + Cluster.name(unit))) {
                return fills[unit] = new CompletableFuture<>();
            }
            paths.add(FOLDER + Cluster.name(unit)); // a list that is as late as the read of the node
        }
        for (String node : paths) {
            if (node.startsWith(path + "/")) {
                children.add(node.substring(path.length() + 1).split("/")[0]);
            }
        }
        return CompletableFuture.completedFuture(List.copyOf(children));
    }
}
