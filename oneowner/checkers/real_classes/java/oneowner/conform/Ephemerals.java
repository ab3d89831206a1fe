package oneowner.conform;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.metadata.api.GetResult;
import org.apache.pulsar.metadata.api.MetadataStoreException.BadVersionException;
import org.apache.pulsar.metadata.api.MetadataStoreException.NotFoundException;
import org.apache.pulsar.metadata.api.Notification;
import org.apache.pulsar.metadata.api.NotificationType;
import org.apache.pulsar.metadata.api.Stat;
import org.apache.pulsar.metadata.api.extended.SessionEvent;

/**
 * The nodes of the registry and of the election, as the client of one broker sees them, and its session.
 *
 * <p>As in ZooKeeper, a client reads a change by another one no earlier than it is notified of it, and a write at once,
 * except that the creation of the election's node waits: the script decides the race. A session that ends takes its nodes
 * along, and its client hears of nothing until it has a new one.
 */
final class Ephemerals {
    static final String BROKERS = "/loadbalance/brokers";
    private static final String ROOT = "/loadbalance";
    private static final Map<String, Node> nodes = new TreeMap<>();
    /** No broker reaches ZooKeeper. */
    static boolean isDown;
    private static String election;

    record Node(byte[] value, long version, Session session, boolean isEphemeral) { }

    record Session(Broker of, int number) { }

    private final Broker broker;
    private final Map<String, Node> seen = new TreeMap<>(nodes);
    private final Deque<Runnable> candidacies = new ArrayDeque<>();
    private Session session;
    private boolean hasSession = true, hasEnded;

    Ephemerals(Broker broker) {
        this.broker = broker;
        session = new Session(broker, 0);
    }

    static void reset() {
        nodes.clear();
        isDown = false;
    }

    static boolean keep(String path) {
        return path.startsWith(ROOT);
    }

    static String path(int number) {
        return BROKERS + "/b" + number;
    }

    /** Name the election's node, whose creation waits for the script. */
    static void elects(String path) {
        election = path;
    }

    static Optional<Node> node(String path) {
        return Optional.ofNullable(nodes.get(path));
    }

    static Optional<Node> leader() {
        return node(election);
    }

    boolean hasSession() {
        return hasSession && !isDown;
    }

    // What a store does.

    CompletableFuture<Stat> put(String path, byte[] value, Optional<Long> expected, Set<?> options) {
        var end = new CompletableFuture<Stat>();
        Runnable write = () -> {
            Node old = nodes.get(path);
            if (expected.isPresent() && expected.get() != (old == null ? -1 : old.version)) {
                end.completeExceptionally(new BadVersionException("the node is there, or another one"));
                return;
            }
            boolean isEphemeral = options.stream() // of CreateOption; since 5.0 of Option.Ephemeral
                    .anyMatch(option -> (option.getClass().getName() + option).contains("Ephemeral"))
                    && (expected.isPresent() || !Cluster.dropsOptions);
            Node node = old == null ? new Node(value, 0, session, isEphemeral)
                    : new Node(value, old.version + 1, old.session, old.isEphemeral);
            nodes.put(path, node);
            seen.put(path, node);
            announce(path);
            end.complete(stat(path, node));
        };
        if (path.equals(election) && !Cluster.isStarting) {
            candidacies.add(write);
        } else {
            write.run();
        }
        return end;
    }

    CompletableFuture<Void> delete(String path, Optional<Long> expected) {
        Node old = nodes.get(path);
        if (old == null) {
            return CompletableFuture.failedFuture(new NotFoundException("no node"));
        }
        if (expected.isPresent() && expected.get() != old.version) {
            return CompletableFuture.failedFuture(new BadVersionException("it is " + old.version));
        }
        nodes.remove(path);
        seen.remove(path);
        announce(path);
        return CompletableFuture.completedFuture(null);
    }

    CompletableFuture<Optional<GetResult>> get(String path) {
        return CompletableFuture.completedFuture(Optional.ofNullable(seen.get(path))
                .map(node -> new GetResult(node.value, stat(path, node))));
    }

    CompletableFuture<Boolean> exists(String path) {
        return CompletableFuture.completedFuture(seen.containsKey(path));
    }

    CompletableFuture<List<String>> children(String path) {
        List<String> found = new ArrayList<>();
        for (String node : seen.keySet()) {
            if (node.startsWith(path + "/")) {
                found.add(node.substring(path.length() + 1));
            }
        }
        return CompletableFuture.completedFuture(found);
    }

    private Stat stat(String path, Node node) {
        long now = Time.currentTimeMillis();
        return new Stat(path, node.version, now, now, node.isEphemeral, node.session == session, node.version == 0);
    }

    /** Notify all other clients at once of a change in the election, unless they read the leader from caches. */
    private void announce(String path) {
        if (path.equals(election) && !Cluster.haveLeaderCaches) {
            for (Broker other : Cluster.living()) {
                if (other != broker && other.ephemerals.hasSession()) {
                    other.hear(() -> other.ephemerals.hear(path));
                }
            }
        }
    }

    // What the script does.

    /** Deliver the notification of a node: that it is gone, and another one there, if both. */
    void hear(String path) {
        Node node = nodes.get(path), old = seen.get(path);
        if (old != null && (node == null || node.session != old.session)) {
            seen.remove(path);
            deliver(NotificationType.Deleted, path);
        }
        if (node != null && node != seen.get(path)) {
            boolean isNew = seen.put(path, node) == null;
            deliver(isNew ? NotificationType.Created : NotificationType.Modified, path);
        }
    }

    /** Hear of all registrations. */
    void hearRegistrations() {
        for (int number = 1; number <= Cluster.size; number++) {
            hear(path(number));
        }
    }

    private void deliver(NotificationType type, String path) {
        Time.run(broker.id, 0, () -> broker.store.receive(new Notification(type, path)));
    }

    /** End the session by which *number* is registered, if an older process began it, else that of its last process. */
    static void end(int number) {
        Broker broker = Cluster.broker(number);
        Node registration = nodes.get(path(number));
        boolean isOlder = broker.isAlive && registration != null && registration.session.of != broker;
        for (var node : List.copyOf(nodes.entrySet())) {
            Broker by = node.getValue().session.of;
            boolean ends = !broker.isAlive || by == broker != isOlder;
            if (by.number == number && ends && node.getValue().isEphemeral) {
                nodes.remove(node.getKey());
                broker.ephemerals.announce(node.getKey());
            }
        }
        if (isOlder) {
            broker.ephemerals.hear(path(number));
        } else {
            broker.ephemerals.hasSession = false;
            broker.ephemerals.hasEnded = true;
        }
    }

    /** Have a new session, in which all is read anew. */
    void begin() {
        broker.store.receive(SessionEvent.SessionLost);
        connect();
        broker.store.receive(SessionEvent.SessionReestablished);
    }

    /** Give the session up. */
    void disconnect() {
        hasSession = false;
        broker.store.loseSession();
    }

    /** Have a session again, a new one if the last one has ended, in which all is read anew. */
    void reconnect() {
        connect();
        broker.store.reconnect();
    }

    private void connect() {
        session = hasEnded ? new Session(broker, session.number + 1) : session;
        hasSession = true;
        hasEnded = false;
        seen.clear();
        seen.putAll(nodes);
    }

    /** Hear of the election, and let what the broker has tried to become of it arrive. */
    void hearElection() {
        hear(election);
        runForLead(false);
    }

    /** Let the creations of the election's node arrive, where *mayWin* or another one was first. */
    void runForLead(boolean mayWin) {
        if (mayWin && candidacies.isEmpty()) {
            Cluster.complain("broker " + broker.number + " does not run for the lead");
        }
        while (!candidacies.isEmpty() && (mayWin || nodes.containsKey(election))) {
            Time.run(broker.id, 0, candidacies.remove());
        }
    }

    /** Let the candidates that have lost a race learn it. */
    static void settle() {
        for (Broker broker : Cluster.living()) {
            if (broker.ephemerals.hasSession() && !broker.isPaused && !Cluster.haveLeaderCaches) {
                broker.ephemerals.runForLead(false);
            }
        }
    }
}
