import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Consumer;
import org.apache.pulsar.metadata.api.*;
import org.apache.pulsar.metadata.api.coordination.*;
import org.apache.pulsar.metadata.api.extended.*;

/**
 * Random schedules of the unmodified ResourceLockImpl and LockManagerImpl of one release, as JSON lines.
 *
 * One node of a fake store that answers as ZooKeeper does; nothing happens but by a step. See README.md for the fields.
 * Usage: Schedules RELEASE COUNT SEED CLIENTS STEPS [option...]; or Schedules RELEASE - to run "step client" lines from stdin.
 */
public class Schedules {
    static final String PATH = "/lock";
    static final String[] STEPS = {"acquire", "release", "carry_out", "answer", "lose", "notify", "expire", "reestablish",
        "reconnect", "timer"};

    record Owner(String value, Client client, int session, long version) {}

    static class Request {
        final String kind;
        final Object[] arguments;
        final CompletableFuture<Object> future = new CompletableFuture<>();
        Object result;          // an answer, or a MetadataStoreException
        boolean done, lateFor;  // carried out; in a session that has since been replaced

        Request(String kind, Object[] arguments) {
            this.kind = kind;
            this.arguments = arguments;
        }
    }

    static class Client {
        final World world;
        final int number;
        final String value;
        final StepExecutor executor = new StepExecutor(true);
        final List<Request> requests = new ArrayList<>();
        final List<Consumer<Notification>> listeners = new ArrayList<>();
        final List<Consumer<SessionEvent>> sessionListeners = new ArrayList<>();
        final LockManager<String> manager;
        int session = 1;
        final Deque<NotificationType> notifications = new ArrayDeque<>();
        boolean live = true;
        Object lock;                                        // the ResourceLockImpl of the last acquire
        CompletableFuture<ResourceLock<String>> acquiring;  // what that acquire returned

        @SuppressWarnings("unchecked")
        Client(World world, int number, String value) throws Exception {
            this.world = world;
            this.number = number;
            this.value = value;
            Object store = Proxy.newProxyInstance(Schedules.class.getClassLoader(),
                new Class<?>[] {MetadataStoreExtended.class}, this::call);
            Class<?> type = Class.forName("org.apache.pulsar.metadata.coordination.impl.LockManagerImpl");
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (constructor.getParameterTypes()[1] == MetadataSerde.class) {
                    constructor.setAccessible(true);
                    manager = (LockManager<String>) constructor.newInstance(store, SERDE, executor);
                    return;
                }
            }
            throw new IllegalStateException("no constructor");
        }

        Object call(Object proxy, Method method, Object[] arguments) {
            switch (method.getName()) {
                case "put": case "get": case "delete":
                    Request request = new Request(method.getName(), arguments);
                    requests.add(request);
                    return request.future;
                case "registerListener":
                    listeners.add((Consumer<Notification>) arguments[0]);
                    return null;
                case "registerSessionListener":
                    sessionListeners.add((Consumer<SessionEvent>) arguments[0]);
                    return null;
                case "getMetadataCache":
                    return null;
                default:
                    throw new UnsupportedOperationException(method.getName());
            }
        }

        Request first(boolean done) {
            for (Request request : requests) {
                if (request.done == done) {
                    return request;
                }
            }
            return null;
        }

        boolean acquired() {
            return acquiring != null && acquiring.isDone() && !acquiring.isCompletedExceptionally();
        }

        boolean failed() {
            return acquiring != null && acquiring.isCompletedExceptionally();
        }

        String state() throws Exception {
            return lock == null ? null : StepExecutor.field(lock.getClass(), "state").get(lock).toString();
        }

        boolean expired() {
            return lock != null && ((ResourceLock<?>) lock).getLockExpiredFuture().isDone();
        }

        boolean registered() throws Exception {
            return lock != null && ((Map<?, ?>) StepExecutor.field(manager.getClass(), "locks").get(manager)).get(PATH) == lock;
        }

        boolean idle() {
            return requests.isEmpty() && executor.timers.isEmpty() && executor.running == null && executor.queue.isEmpty();
        }

        boolean believes() throws Exception {
            return acquired() && !expired() && !state().equals("Releasing");
        }
    }

    static final MetadataSerde<String> SERDE = new MetadataSerde<>() {
        public byte[] serialize(String path, String value) {
            return value.getBytes(StandardCharsets.UTF_8);
        }

        public String deserialize(String path, byte[] content, Stat stat) {
            return new String(content, StandardCharsets.UTF_8);
        }
    };

    /** Find the lock behind the request that its acquire has just sent: the callbacks of the future hold it. */
    static Object lockBehind(CompletableFuture<?> future) throws Exception {
        Deque<Object> open = new ArrayDeque<>(List.of(future));
        while (!open.isEmpty()) {
            Object at = open.poll();
            Class<?> type = at.getClass();
            if (type.getName().endsWith(".ResourceLockImpl")) {
                return at;
            }
            if (type.getName().contains("CompletableFuture") || type.isHidden()) {
                for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
                    for (Field part : each.getDeclaredFields()) {
                        if (!Modifier.isStatic(part.getModifiers()) && !part.getType().isPrimitive()) {
                            part.setAccessible(true);
                            Object value = part.get(at);
                            if (value != null && (value.getClass().isHidden() || part.getName().matches("stack|next|dep|fn")
                                    || value.getClass().getName().endsWith(".ResourceLockImpl"))) {
                                open.add(value);
                            }
                        }
                    }
                }
            }
        }
        throw new IllegalStateException("no lock found");
    }

    static class World {
        final List<Client> clients = new ArrayList<>();
        final boolean late, strict, again, survive, any, created;
        Owner node;

        World(int count, Set<String> options) throws Exception {
            late = options.contains("late");        // answers of a session that was replaced may arrive
            strict = options.contains("strict");    // delete(-1) of a node of version 0 is refused, unlike in ZooKeeper
            again = options.contains("again");      // a client whose lock is gone, or was not got, may acquire again
            created = options.contains("created");  // creations are notified too
            survive = options.contains("survive");  // a session may be told re-established that had not ended
            any = options.contains("any");          // release is not only asked of a lock that its client believes to hold
            for (int number = 1; number <= count; number++) {
                clients.add(new Client(this, number, options.contains("same") ? "v" : "v" + number));
            }
        }

        boolean enabled(String step, Client c) throws Exception {
            switch (step) {
                case "acquire": return c.acquiring == null
                    || again && c.idle() && c.acquiring.isDone() && (c.failed() || c.expired());
                case "release": return any ? c.acquired() : c.believes();
                case "carry_out": return c.live && c.first(false) != null;
                case "answer": return c.first(true) != null && (late || !c.first(true).lateFor);
                case "lose": return !c.requests.isEmpty();
                case "notify": return !c.notifications.isEmpty();
                case "expire": return c.live;
                case "reestablish": return !c.live || survive;
                case "reconnect": return c.live;
                default: return !c.executor.timers.isEmpty();
            }
        }

        void take(String step, Client c) throws Exception {
            switch (step) {
                case "acquire": {
                    c.acquiring = c.manager.acquireLock(PATH, c.value);
                    c.lock = lockBehind(c.requests.get(c.requests.size() - 1).future);
                    break;
                }
                case "release": ((ResourceLock<?>) c.lock).release(); break;
                case "carry_out": carryOut(c, c.first(false)); break;
                case "answer": {
                    Request request = c.first(true);
                    c.requests.remove(request);
                    if (request.result instanceof MetadataStoreException) {
                        request.future.completeExceptionally((MetadataStoreException) request.result);
                    } else {
                        request.future.complete(request.result);
                    }
                    break;
                }
                case "lose": c.requests.remove(0).future.completeExceptionally(
                    new MetadataStoreException("connection lost")); break;
                case "notify": {
                    NotificationType type = c.notifications.poll();
                    for (Consumer<Notification> listener : c.listeners) {
                        listener.accept(new Notification(type, PATH));
                    }
                    break;
                }
                case "expire": {
                    c.live = false;
                    if (node != null && node.client() == c && node.session() == c.session) {
                        deleted();
                    }
                    break;
                }
                case "reestablish": {
                    if (!c.live) {
                        c.live = true;
                        c.session++;
                        for (Request request : c.requests) {
                            request.lateFor = request.done;
                        }
                    }
                    tell(c, SessionEvent.SessionReestablished);
                    break;
                }
                case "reconnect": tell(c, SessionEvent.Reconnected); break;
                default: c.executor.timers.remove(0).run();
            }
            c.executor.settle();
        }

        void tell(Client c, SessionEvent event) {
            for (Consumer<SessionEvent> listener : c.sessionListeners) {
                listener.accept(event);
            }
        }

        void deleted() {
            node = null;
            announce(NotificationType.Deleted);
        }

        void announce(NotificationType type) {
            for (Client other : clients) {
                if (other.live) {
                    other.notifications.add(type);
                }
            }
        }

        @SuppressWarnings("unchecked")
        void carryOut(Client c, Request r) {
            r.done = true;
            switch (r.kind) {
                case "put": {
                    long expected = ((Optional<Long>) r.arguments[2]).orElse(-2L);
                    if (expected == -1 ? node != null : node == null || node.version() != expected) {
                        r.result = new MetadataStoreException.BadVersionException("bad version");
                    } else {
                        String value = new String((byte[]) r.arguments[1], StandardCharsets.UTF_8);
                        node = node == null ? new Owner(value, c, c.session, 0)
                            : new Owner(value, node.client(), node.session(), node.version() + 1);
                        r.result = new Stat(PATH, node.version(), 0, 0, true, true);
                        if (created) {
                            announce(NotificationType.Created);
                        }
                    }
                    break;
                }
                case "get": {
                    r.result = node == null ? Optional.empty() : Optional.of(new GetResult(
                        node.value().getBytes(StandardCharsets.UTF_8), new Stat(PATH, node.version(), 0, 0, true,
                            node.client() == c && node.session() == c.session)));
                    break;
                }
                default: {
                    long expected = ((Optional<Long>) r.arguments[1]).orElse(-1L);
                    if (node == null) {
                        r.result = new MetadataStoreException.NotFoundException("no node");
                    } else if (node.version() != expected && (strict || expected != -1)) {
                        r.result = new MetadataStoreException.BadVersionException("bad version");
                    } else {
                        deleted();
                    }
                }
            }
        }

        /** Say whether two believe to hold the lock, and only a user's wish or a new fault could change that. */
        boolean forGood() throws Exception {
            int believers = 0;
            for (Client c : clients) {
                if (!c.live || !c.idle() || !c.notifications.isEmpty()) {
                    return false;
                }
                believers += c.believes() ? 1 : 0;
            }
            return believers > 1;
        }

        String json(String step, Client c) throws Exception {
            StringBuilder out = new StringBuilder("{\"step\":[\"" + step + "\"," + c.number + "],\"node\":");
            out.append(node == null ? "null" : "{\"value\":\"" + node.value() + "\",\"session\":\""
                + node.client().number + "." + node.session() + "\",\"version\":" + node.version() + "}");
            String separator = ",\"clients\":[";
            for (Client each : clients) {
                StringBuilder requests = new StringBuilder();
                for (Request r : each.requests) {
                    requests.append(requests.length() > 0 ? "," : "").append("{\"kind\":\"" + r.kind
                        + "\",\"carried_out\":" + r.done + "}");
                }
                out.append(separator).append("{\"session\":\"" + each.number + "." + each.session + "\",\"live\":" + each.live
                    + ",\"state\":" + (each.lock == null ? "null" : "\"" + each.state() + "\"")
                    + ",\"acquired\":" + (each.acquiring == null ? "null" : each.acquired() ? "true"
                        : each.failed() ? "\"failed\"" : "false")
                    + ",\"registered\":" + each.registered()
                    + ",\"version\":" + (each.lock == null ? "null" : StepExecutor.field(each.lock.getClass(), "version").get(each.lock))
                    + ",\"expired\":" + each.expired() + ",\"notifications\":" + each.notifications.size()
                    + ",\"timers\":" + each.executor.timers.size() + ",\"requests\":[" + requests + "]}");
                separator = ",";
            }
            return out.append("]}").toString();
        }
    }

    public static void main(String[] arguments) throws Exception {
        String release = arguments[0];
        if (arguments[1].equals("-")) {
            World world = new World(Integer.parseInt(arguments[2]), Set.of(arguments).contains("x") ? Set.of()
                : new HashSet<>(Arrays.asList(arguments)));
            Scanner in = new Scanner(System.in);
            while (in.hasNext()) {
                String step = in.next();
                Client c = world.clients.get(in.nextInt() - 1);
                if (!world.enabled(step, c)) {
                    System.out.println("refused: " + step + " " + c.number);
                    return;
                }
                world.take(step, c);
                System.out.println(world.json(step, c));
            }
            System.out.println("for good: " + world.forGood());
            return;
        }
        int count = Integer.parseInt(arguments[1]), number = Integer.parseInt(arguments[3]), length = Integer.parseInt(arguments[4]);
        Random random = new Random(Long.parseLong(arguments[2]));
        Set<String> options = new HashSet<>(Arrays.asList(arguments).subList(5, arguments.length));
        // The weights of the steps, in the order of STEPS.
        int[] weights = {6, 1, 12, 12, 2, 8, 2, 6, 1, 4};
        int good = 0;
        for (int id = 1; id <= count; id++) {
            World world = new World(number, options);
            StringBuilder out = new StringBuilder();
            boolean lasting = false;
            for (int at = 0; at < length; at++) {
                List<Object[]> choices = new ArrayList<>();
                for (int step = 0; step < STEPS.length; step++) {
                    for (Client c : world.clients) {
                        if (world.enabled(STEPS[step], c)) {
                            for (int times = 0; times < weights[step]; times++) {
                                choices.add(new Object[] {STEPS[step], c});
                            }
                        }
                    }
                }
                if (choices.isEmpty()) {
                    break;
                }
                Object[] choice = choices.get(random.nextInt(choices.size()));
                world.take((String) choice[0], (Client) choice[1]);
                out.append(at > 0 ? "," : "").append(world.json((String) choice[0], (Client) choice[1]));
                lasting |= world.forGood();
            }
            good += lasting ? 1 : 0;
            System.out.println("{\"id\":\"" + release + "-" + id + "\",\"release\":\"" + release + "\",\"for_good\":" + lasting
                + ",\"steps\":[" + out + "]}");
            for (Client c : world.clients) {  // let a thread that waits for ever go
                if (c.executor.running != null) {
                    c.executor.queue.clear();
                    c.executor.running.interrupt();
                }
            }
        }
        System.err.println(release + ": " + good + " of " + count + " for good");
    }
}
