import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Consumer;
import org.apache.pulsar.metadata.api.*;
import org.apache.pulsar.metadata.api.coordination.*;
import org.apache.pulsar.metadata.api.extended.*;

/**
 * Random or given schedules of the unmodified LeaderElectionImpl, MetadataCacheImpl and AbstractMetadataStore of one
 * release, as JSON lines.
 *
 * One node that answers as ZooKeeper does; nothing happens but by a step. See README.md for the fields.
 */
public class Schedules {
    static final String PATH = "/leader";
    static boolean blocking;  // whether the release waits within tasks: 2.9 and 2.10
    static final String[] STEPS = {"elect", "close", "carry_out", "answer", "lose", "notify", "expire", "reestablish",
        "reconnect", "timer", "read_value", "restart", "expire_earlier"};
    static final int[] WILD = {8, 2, 24, 24, 3, 16, 2, 10, 2, 8, 2, 1, 4};
    static final int[] CALM = {8, 0, 24, 24, 2, 16, 2, 10, 1, 8, 0, 0, 4};

    record Owner(Broker broker, int session) {
        boolean earlier() {
            return broker.session != session;
        }
    }

    record Notice(NotificationType type, long place) {}

    static class Broker {
        final int number;
        StepExecutor executor;
        Store store;
        LeaderElection<String> election;
        int session;
        boolean live;
        final Deque<Notice> notices = new ArrayDeque<>();
        final List<String> heard = new ArrayList<>();
        CompletableFuture<LeaderElectionState> electing;
        CompletableFuture<Void> closing;

        Broker(int number) throws Exception {
            this.number = number;
            begin();
        }

        /** A process begins, with a session. */
        @SuppressWarnings("unchecked")
        void begin() throws Exception {
            release();
            executor = new StepExecutor(blocking);
            store = new Store();
            session++;
            live = true;
            notices.clear();
            electing = null;
            closing = null;
            Class<?> type = Class.forName("org.apache.pulsar.metadata.coordination.impl.LeaderElectionImpl");
            Constructor<?> constructor = type.getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            Consumer<LeaderElectionState> listener = state -> heard.add("\"" + state + "\"");
            election = (LeaderElection<String>) constructor.newInstance(store, String.class, PATH, listener, executor);
        }

        /** Let a thread that waits for ever go. */
        void release() throws Exception {
            if (executor != null) {
                executor.shutdownNow();
                if (executor.running != null) {
                    executor.running.join();
                }
            }
        }

        Store.Request first(boolean done) {
            for (Store.Request request : store.requests) {
                if (request.done == done) {
                    return request;
                }
            }
            return null;
        }

        String internal() throws Exception {
            return StepExecutor.field(election.getClass(), "internalState").get(election).toString();
        }

        boolean isBlocked() {
            return executor.running != null || !executor.queue.isEmpty();
        }
    }

    static boolean isPending(CompletableFuture<?> future) {
        return future != null && !future.isDone();
    }

    static class World {
        final List<Broker> brokers = new ArrayList<>();
        final boolean unordered;
        final boolean cached;
        Owner node;
        long place;

        World(int count, Set<String> options) throws Exception {
            unordered = options.contains("unordered");  // notifications and answers overtake each other
            for (int number = 1; number <= count; number++) {
                brokers.add(new Broker(number));
            }
            boolean found = false;
            for (Field each : brokers.get(0).election.getClass().getDeclaredFields()) {
                found |= each.getName().equals("cache");
            }
            cached = found;
        }

        void end() throws Exception {
            for (Broker broker : brokers) {
                broker.release();
            }
        }

        boolean isNext(long place, long other) {
            return unordered || place < other;
        }

        boolean enabled(String step, Broker b) throws Exception {
            if (step.equals("expire_earlier")) {
                return b == null && node != null && node.earlier();
            }
            if (b == null) {
                return false;
            }
            Store.Request answered = b.first(true);
            long answer = answered == null ? Long.MAX_VALUE : answered.place;
            long notice = b.notices.isEmpty() ? Long.MAX_VALUE : b.notices.peek().place();
            switch (step) {
                case "elect": return !isPending(b.electing) && !isPending(b.closing);
                case "close": return !b.internal().equals("Closed") && !isPending(b.closing);
                case "carry_out": return b.live && b.first(false) != null;
                case "answer": return answered != null && isNext(answer, notice);
                case "lose": return !b.store.requests.isEmpty();
                case "notify": return !b.notices.isEmpty() && isNext(notice, answer);
                case "expire": case "reconnect": return b.live;
                case "timer": return !b.executor.timers.isEmpty() && !b.isBlocked();
                case "read_value": return cached;
                default: return true;  // reestablish, restart
            }
        }

        void take(String step, Broker b) throws Exception {
            for (Broker each : brokers) {
                each.heard.clear();
            }
            switch (step) {
                case "elect":
                    b.closing = null;
                    b.electing = b.election.elect("v" + b.number);
                    break;
                case "close": b.closing = b.election.asyncClose(); break;
                case "carry_out": carryOut(b, b.first(false)); break;
                case "answer": answer(b, b.first(true)); break;
                case "lose": {
                    Store.Request oldest = b.store.requests.get(0);
                    oldest.result = new MetadataStoreException("connection lost");
                    answer(b, oldest);
                    break;
                }
                case "notify": b.store.notified(b.notices.poll().type(), PATH); break;
                case "expire":
                    b.live = false;
                    if (node != null && node.broker() == b && !node.earlier()) {
                        deleted();
                    }
                    break;
                case "reestablish":
                    if (!b.live) {
                        b.live = true;
                        b.session++;
                        for (Store.Request request : b.store.requests) {
                            if (request.done) {
                                request.result = new MetadataStoreException("connection lost");
                            }
                        }
                    }
                    b.store.told(SessionEvent.Reconnected);
                    b.executor.settle();
                    b.store.told(SessionEvent.SessionReestablished);
                    break;
                case "reconnect": b.store.told(SessionEvent.Reconnected); break;
                case "timer": b.executor.timers.remove(0).run(); break;
                case "read_value": b.election.getLeaderValue(); break;
                case "restart": b.begin(); break;
                default: deleted();  // expire_earlier
            }
            if (b != null) {
                b.executor.settle();
            }
        }

        void answer(Broker b, Store.Request request) {
            b.store.requests.remove(request);
            if (request.result instanceof MetadataStoreException) {
                request.future.completeExceptionally((MetadataStoreException) request.result);
            } else {
                request.future.complete(request.result);
            }
        }

        void deleted() {
            node = null;
            announce(NotificationType.Deleted);
        }

        void announce(NotificationType type) {
            for (Broker other : brokers) {
                if (other.live) {
                    other.notices.add(new Notice(type, ++place));
                }
            }
        }

        @SuppressWarnings("unchecked")
        void carryOut(Broker b, Store.Request r) {
            r.done = true;
            switch (r.kind) {
                case "put": {
                    if (!r.arguments[2].equals(Optional.of(-1L)) || !r.arguments[3].equals(EnumSet.of(CreateOption.Ephemeral))
                            || !new String((byte[]) r.arguments[1], StandardCharsets.UTF_8).equals("\"v" + b.number + "\"")) {
                        throw new IllegalStateException("another put than that of an election");
                    }
                    if (node != null) {
                        r.result = new MetadataStoreException.BadVersionException("bad version");
                    } else {
                        node = new Owner(b, b.session);
                        announce(NotificationType.Created);
                        r.result = new Stat(PATH, 0, 0, 0, true, true);
                    }
                    break;
                }
                case "get":
                    r.result = node == null ? Optional.empty() : Optional.of(new GetResult(
                        ("\"v" + node.broker().number + "\"").getBytes(StandardCharsets.UTF_8),
                        new Stat(PATH, 0, 0, 0, true, node.broker() == b && !node.earlier())));
                    break;
                default: {
                    long expected = ((Optional<Long>) r.arguments[1]).orElse(-1L);
                    if (node == null) {
                        r.result = new MetadataStoreException.NotFoundException("no node");
                    } else if (expected == 0 || expected == -1) {
                        deleted();
                    } else {
                        throw new IllegalStateException("another deletion than that of an election");
                    }
                }
            }
            r.place = ++place;
        }

        static String outcome(CompletableFuture<?> future, String done) {
            if (future == null) {
                return "null";
            }
            return !future.isDone() ? "\"pending\"" : future.isCompletedExceptionally() ? "\"failed\""
                : "\"" + (done == null ? future.join() : done) + "\"";
        }

        String json(String step, Broker b) throws Exception {
            StringBuilder out = new StringBuilder("{\"step\":[\"" + step + "\"," + (b == null ? 0 : b.number) + "],\"node\":");
            out.append(node == null ? "null" : "[" + node.broker().number + "," + node.earlier() + "]");
            String separator = ",\"brokers\":[";
            for (Broker each : brokers) {
                StringJoiner requests = new StringJoiner(",");
                for (Store.Request r : each.store.requests) {
                    requests.add("[\"" + r.kind + "\"," + r.done + "]");
                }
                StringJoiner notices = new StringJoiner(",");
                for (Notice notice : each.notices) {
                    notices.add("\"" + notice.type() + "\"");
                }
                Optional<String> value = each.election.getLeaderValueIfPresent();
                out.append(separator).append("{\"live\":" + each.live + ",\"internal\":\"" + each.internal()
                    + "\",\"state\":\"" + each.election.getState() + "\",\"value\":"
                    + (value.isPresent() ? value.get().substring(1) : "null")
                    + ",\"elected\":" + outcome(each.electing, null) + ",\"closed\":" + outcome(each.closing, "closed")
                    + ",\"heard\":[" + String.join(",", each.heard) + "],\"timers\":" + each.executor.timers.size()
                    + ",\"notifications\":[" + notices + "],\"requests\":[" + requests + "]}");
                separator = ",";
            }
            return out.append("]}").toString();
        }
    }

    static String head(String id, String release, int brokers, Set<String> options) {
        return "{\"id\":\"" + id + "\",\"release\":\"" + release + "\",\"brokers\":" + brokers + ",\"options\":["
            + (options.isEmpty() ? "" : "\"" + String.join("\",\"", options) + "\"") + "],\"steps\":[";
    }

    /** Take the steps of a line "ID BROKERS OPTIONS|- STEP:BROKER STEP:BROKER ..". */
    static String given(String release, String line) throws Exception {
        String[] words = line.split(" ");
        Set<String> options = words[2].equals("-") ? Set.of() : new TreeSet<>(Arrays.asList(words[2].split(",")));
        World world = new World(Integer.parseInt(words[1]), options);
        StringBuilder out = new StringBuilder();
        for (int at = 3; at < words.length; at++) {
            String[] step = words[at].split(":");
            int number = Integer.parseInt(step[1]);
            Broker b = number == 0 ? null : world.brokers.get(number - 1);
            if (!world.enabled(step[0], b)) {
                out.append(at > 3 ? "," : "").append("{\"refused\":\"" + words[at] + "\"}");
                break;
            }
            world.take(step[0], b);
            out.append(at > 3 ? "," : "").append(world.json(step[0], b));
        }
        world.end();
        return head(words[0], release, world.brokers.size(), options) + out + "]}";
    }

    static String drawn(String id, String release, int number, int length, int[] weights, Set<String> options, Random random)
            throws Exception {
        World world = new World(number, options);
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < length; at++) {
            List<Object[]> choices = new ArrayList<>();
            for (int step = 0; step < STEPS.length; step++) {
                for (int who = 0; who <= number; who++) {
                    Broker b = who == 0 ? null : world.brokers.get(who - 1);
                    if (world.enabled(STEPS[step], b)) {
                        int weight = STEPS[step].equals("reestablish") && b.live ? Math.min(1, weights[1]) : weights[step];
                        for (int times = 0; times < weight; times++) {
                            choices.add(new Object[] {STEPS[step], b});
                        }
                    }
                }
            }
            Object[] choice = choices.get(random.nextInt(choices.size()));
            world.take((String) choice[0], (Broker) choice[1]);
            out.append(at > 0 ? "," : "").append(world.json((String) choice[0], (Broker) choice[1]));
        }
        world.end();
        return head(id, release, number, options) + out + "]}";
    }

    public static void main(String[] arguments) throws Exception {
        String release = arguments[0];
        blocking = release.startsWith("2.");
        if (arguments[1].equals("given")) {
            Scanner in = new Scanner(System.in);
            while (in.hasNextLine()) {
                System.out.println(given(release, in.nextLine().trim()));
            }
            return;
        }
        int count = Integer.parseInt(arguments[2]), number = Integer.parseInt(arguments[4]);
        int length = Integer.parseInt(arguments[5]);
        Set<String> options = new TreeSet<>(Arrays.asList(arguments).subList(7, arguments.length));
        Random random = new Random(Long.parseLong(arguments[3]));
        for (int id = 1; id <= count; id++) {
            System.out.println(drawn(release + "-" + id, release, number, length, arguments[6].equals("calm") ? CALM : WILD, options, random));
        }
    }
}
