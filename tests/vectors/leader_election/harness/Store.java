import java.lang.reflect.Field;
import java.util.*;
import java.util.concurrent.*;
import org.apache.pulsar.metadata.api.*;
import org.apache.pulsar.metadata.api.extended.*;
import org.apache.pulsar.metadata.impl.AbstractMetadataStore;

/**
 * The store of one broker: the release's own AbstractMetadataStore, with its caches, over requests that wait.
 *
 * "ARGUMENTS" stands for what the constructor of the release wants; run.sh puts it in.
 */
class Store extends AbstractMetadataStore {
    static class Request {
        final String kind;
        final Object[] arguments;
        final CompletableFuture<Object> future = new CompletableFuture<>();
        Object result;  // an answer, or a MetadataStoreException
        boolean done;   // carried out
        long place;     // among all that comes to the broker

        Request(String kind, Object... arguments) {
            this.kind = kind;
            this.arguments = arguments;
        }
    }

    final List<Request> requests = new ArrayList<>();

    /** Tasks of the store's own thread are run where they are given. */
    static class Here extends ScheduledThreadPoolExecutor {
        Here() {
            super(1);
        }

        @Override public void execute(Runnable task) {
            task.run();
        }
    }

    Store() throws Exception {
        super("ARGUMENTS");
        Field field = AbstractMetadataStore.class.getDeclaredField("executor");
        field.setAccessible(true);
        ((ExecutorService) field.get(this)).shutdownNow();
        field.set(this, new Here());
    }

    @SuppressWarnings("unchecked")
    private <V> CompletableFuture<V> send(String kind, Object... arguments) {
        Request request = new Request(kind, arguments);
        requests.add(request);
        return (CompletableFuture<V>) (CompletableFuture<?>) request.future;
    }

    void notified(NotificationType type, String path) {
        receivedNotification(new Notification(type, path));
    }

    void told(SessionEvent event) {
        receivedSessionEvent(event);
    }

    @Override public CompletableFuture<Optional<GetResult>> get(String path) {  // 2.9 has no storeGet
        return send("get", path);
    }

    public CompletableFuture<Optional<GetResult>> storeGet(String path) {
        return send("get", path);
    }

    @Override public CompletableFuture<Stat> put(String path, byte[] data, Optional<Long> expected) {
        throw new UnsupportedOperationException("put of a lasting node");
    }

    @Override protected CompletableFuture<Void> storeDelete(String path, Optional<Long> expected) {
        return send("delete", path, expected);
    }

    @Override protected CompletableFuture<Stat> storePut(String path, byte[] data, Optional<Long> expected,
            EnumSet<CreateOption> options) {
        return send("put", path, data, expected, options);
    }

    @Override protected CompletableFuture<List<String>> getChildrenFromStore(String path) {
        throw new UnsupportedOperationException("children");
    }

    public CompletableFuture<List<String>> getChildren(String path, boolean ignored) {
        throw new UnsupportedOperationException("children");
    }

    @Override protected CompletableFuture<Boolean> existsFromStore(String path) {
        throw new UnsupportedOperationException("exists");
    }
}
