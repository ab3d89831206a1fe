package oneowner;

import java.io.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.Pattern;

/** What rules.btm calls in a broker, and who answers the tool: passages of points are held, let go, answered, traced. */
public class Gates {
    /** One call of a method at a point: held until it is let go; done once the method has ended. */
    static final class Passage {
        final long id; final String point; final String text;
        final CompletableFuture<String> go = new CompletableFuture<>();
        final CompletableFuture<String> done = new CompletableFuture<>();
        Passage(long id, String point, String text) { this.id = id; this.point = point; this.text = text; }
    }

    static final Map<String, Pattern> HOLDS = new ConcurrentHashMap<>();
    static final Map<String, String[]> ANSWERS = new ConcurrentHashMap<>();
    static final Passage NONE = new Passage(0, "", "");
    static final Map<Long, Passage> PASSAGES = new ConcurrentSkipListMap<>();
    static final ThreadLocal<Deque<Passage>> INSIDE = ThreadLocal.withInitial(ArrayDeque::new);
    static final ThreadLocal<Boolean> OURS = ThreadLocal.withInitial(() -> false);
    static final ExecutorService CALLS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "gate");
        thread.setDaemon(true);
        return thread;
    });
    static volatile String age = "";
    static volatile Passage run;
    static volatile Object table, pulsar;
    static long last;

    static {
        CALLS.execute(Gates::serve);
    }

    /** Remember the view of the channel and the broker around it. */
    public void remember(Object view, Object broker) { table = view; pulsar = broker; }

    /** Hold the thread until the call is let go; {@link #passed} ends the passage. */
    public void passes(String point, String text) {
        Passage passage = text.isEmpty() ? NONE : arrives(point, text);
        INSIDE.get().push(passage);
        if (passage == NONE) return;
        passage.go.join();
        note("goes", passage, "");
    }

    public void passed() {
        Passage passage = INSIDE.get().poll();
        if (passage != null && passage != NONE) ends(passage, "");
    }

    /** Return a future for a call that another thread makes once it is let go; null: make it now. */
    public CompletableFuture<Object> later(String point, String text, Object[] call, Class<?> of, String method) {
        if (OURS.get()) { OURS.set(false); return null; }
        Passage passage = arrives(point, text);
        if (passage.go.isDone()) return null;
        CompletableFuture<Object> result = new CompletableFuture<>();
        passage.go.thenRunAsync(() -> {
            note("goes", passage, "");
            try {
                Object made = invoke(of, method, call);
                CompletableFuture<?> ended =
                        made instanceof CompletableFuture<?> f ? f : CompletableFuture.completedFuture(made);
                ended.whenComplete((value, error) -> {
                    ends(passage, error == null ? "" : String.valueOf(error));
                    if (error != null) result.completeExceptionally(error);
                    else if (point.equals("boundaries")) ends(arrives("divided", text), result, value);
                    else result.complete(value);
                });
            } catch (Throwable error) {
                ends(passage, String.valueOf(error));
                result.completeExceptionally(error);
            }
        }, CALLS);
        return result;
    }

    /** A clean-up of another broker is made later; who stops waits for its own: hold that thread. */
    public CompletableFuture<Object> cleanUp(String broker, boolean own, Object[] call, Class<?> of) {
        if (!own) return later("clean-up", broker + " false", call, of, "doCleanup");
        passes("clean-up", broker + " true");
        return null;
    }

    /** Return a future that has the value of *ended* once that is there and the passage is let go, or its answer. */
    @SuppressWarnings("unchecked")
    public CompletableFuture<Object> after(String point, String text, Object ended) {
        Passage passage = arrives(point, text);
        return ((CompletableFuture<Object>) ended).handle((value, error) -> new Object[] {value, error})
                .thenCombine(passage.go, (got, answer) -> {
                    note("goes", passage, answer);
                    ends(passage, got[1] == null ? "" : String.valueOf(got[1]));
                    if (!answer.isEmpty()) return Optional.ofNullable(answer.equals("nobody") ? null : answer);
                    if (got[1] != null) throw new CompletionException((Throwable) got[1]);
                    return got[0];
                });
    }

    /** Say whether a run of the monitor goes: none does while the point is held, but one that was asked for. */
    public boolean monitor(Object channel) throws Exception {
        if (!HOLDS.containsKey("monitor")) return true;
        String asked = age;
        if (asked.isEmpty()) return false;
        age = "";
        run = arrives("monitor", asked);
        set(channel, asked, -1L);
        note("goes", run, "");
        return true;
    }

    public void monitored(Object channel) throws Exception {
        Passage ending = run;
        run = null;
        if (ending == null) return;
        set(channel, ending.text, 3_600_000L);
        ends(ending, "");
    }

    static void set(Object channel, String field, long value) throws Exception {
        Field found = channel.getClass().getDeclaredField(field);
        found.setAccessible(true);
        found.set(channel, value);
    }

    static Object invoke(Class<?> of, String method, Object[] call) throws Throwable {
        for (Method one : of.getDeclaredMethods()) {
            if (one.getName().equals(method) && one.getParameterCount() == call.length - 1 && !one.isBridge()) {
                one.setAccessible(true);
                OURS.set(true);
                try {
                    return one.invoke(call[0], Arrays.copyOfRange(call, 1, call.length));
                } catch (InvocationTargetException error) {
                    throw error.getCause();
                } finally {
                    OURS.set(false);
                }
            }
        }
        throw new NoSuchMethodException(method);
    }

    /** Return what a message of the channel says; of another topic, nothing. */
    public String message(Object message) throws Exception {
        if (!String.valueOf(call(message, "getTopicName")).contains("loadbalancer-service-unit-state")) return "";
        byte[] data = (byte[]) call(message, "getData"); // null, or empty: a tombstone
        Object value = data == null || data.length == 0 ? null : call(message, "getValue");
        return call(message, "getKey") + " " + value + " @" + call(message, "getMessageId");
    }

    /** Return which node an election is about. */
    public String path(Object election) throws Exception { return String.valueOf(read(election, "path")); }

    static Object call(Object on, String name, Object... arguments) throws Exception {
        for (Class<?> of = on.getClass(); of != null; of = of.getSuperclass()) {
            for (Method one : of.getDeclaredMethods()) {
                if (one.getName().equals(name) && one.getParameterCount() == arguments.length) {
                    one.setAccessible(true);
                    return one.invoke(on, arguments);
                }
            }
        }
        throw new NoSuchMethodException(name);
    }

    /** Return a field, of which not every release has a getter. */
    static Object read(Object on, String name) throws Exception {
        for (Class<?> of = on.getClass(); of != null; of = of.getSuperclass()) {
            for (Field one : of.getDeclaredFields()) {
                if (!one.getName().equals(name)) continue;
                one.setAccessible(true);
                return one.get(on);
            }
        }
        throw new NoSuchFieldException(name);
    }

    static Passage arrives(String point, String text) {
        Passage passage;
        synchronized (PASSAGES) {
            passage = new Passage(++last, point, text);
            PASSAGES.put(passage.id, passage);
            note("arrives", passage, "");
            Pattern hold = HOLDS.get(point);
            String[] answer = ANSWERS.getOrDefault(point, new String[] {"", ""});
            if (text.contains(answer[0]) && !answer[1].isEmpty()) passage.go.complete(answer[1]);
            else if (hold == null || !hold.matcher(text).find()) passage.go.complete("");
            PASSAGES.notifyAll();
        }
        return passage;
    }

    /** End a passage, and what waits for its result, once it is let go. */
    static void ends(Passage passage, CompletableFuture<Object> result, Object value) {
        passage.go.thenRunAsync(() -> { result.complete(value); ends(passage, ""); }, CALLS);
    }

    static void ends(Passage passage, String error) {
        note("ends", passage, error);
        passage.done.complete(error);
    }

    static synchronized void note(String event, Passage passage, String more) {
        String line = "{\"t\":" + System.currentTimeMillis() + ",\"event\":" + quoted(event) + ",\"point\":"
                + quoted(passage.point) + ",\"id\":" + passage.id + ",\"thread\":"
                + quoted(Thread.currentThread().getName()) + ",\"text\":" + quoted(passage.text)
                + (more.isEmpty() ? "" : ",\"more\":" + quoted(more)) + "}\n";
        try {
            Files.writeString(Path.of(System.getProperty("oneowner.trace")), line, StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException error) { System.err.println("gates: " + error); }
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char one : text.toCharArray()) {
            if (one == '"' || one == '\\') out.append('\\').append(one);
            else if (one < ' ') out.append(String.format("\\u%04x", (int) one));
            else out.append(one);
        }
        return out.append('"').toString();
    }

    static void serve() {
        int port = Integer.getInteger("oneowner.port");
        try (ServerSocket server = new ServerSocket(port, 20, InetAddress.getByName("127.0.0.1"))) {
            while (true) {
                Socket line = server.accept();
                CALLS.execute(() -> answer(line));
            }
        } catch (IOException error) { System.err.println("gates: " + error); }
    }

    static void answer(Socket line) {
        try (line; BufferedReader in = new BufferedReader(
                        new InputStreamReader(line.getInputStream(), StandardCharsets.UTF_8));
                Writer out = new OutputStreamWriter(line.getOutputStream(), StandardCharsets.UTF_8)) {
            String asked;
            while ((asked = in.readLine()) != null) {
                String said;
                try {
                    said = "{\"is\":" + quoted(request(asked.split("\t", -1))) + "}";
                } catch (Throwable error) {
                    said = "{\"refused\":" + quoted(String.valueOf(error)) + "}";
                }
                out.write(said + "\n");
                out.flush();
            }
        } catch (IOException gone) { /* who asked has gone */ }
    }

    static String request(String[] asked) throws Exception {
        switch (asked[0]) {
            case "hold": HOLDS.put(asked[1], Pattern.compile(asked[2])); return "";
            case "open":
                HOLDS.remove(asked[1]);
                for (Passage one : PASSAGES.values()) if (one.point.equals(asked[1])) one.go.complete("");
                return "";
            case "answer": ANSWERS.put(asked[1], new String[] {asked[2], asked[3]}); return "";
            case "monitor": age = asked[1]; return "";
            case "await": return await(asked[1], Pattern.compile(asked[2]), Long.parseLong(asked[3]));
            case "go": PASSAGES.get(Long.parseLong(asked[1])).go.complete(asked[2]); return "";
            case "done":
                return PASSAGES.get(Long.parseLong(asked[1])).done.get(Long.parseLong(asked[2]), TimeUnit.MILLISECONDS);
            case "ended": return String.valueOf(PASSAGES.get(Long.parseLong(asked[1])).done.isDone());
            case "held": {
                StringBuilder all = new StringBuilder();
                for (Passage one : PASSAGES.values())
                    if (!one.go.isDone()) all.append(one.point).append(": ").append(one.text).append("\n");
                return all.toString();
            }
            case "view": return String.valueOf(call(table, "get", asked[1]));
            case "topics": return topics(asked[1]);
            case "role": return String.valueOf(read(Commands.manager(), "role"));
            case "command": return String.valueOf(Commands.ask(asked[1], asked[2], asked[3]));
            default: throw new IllegalArgumentException(asked[0]);
        }
    }

    /** Return the first passage of a point that waits, as its number and text; wait for it. */
    static String await(String point, Pattern text, long milliseconds) throws Exception {
        long until = System.currentTimeMillis() + milliseconds;
        synchronized (PASSAGES) {
            while (true) {
                for (Passage one : PASSAGES.values())
                    if (one.point.equals(point) && !one.go.isDone() && text.matcher(one.text).find())
                        return one.id + " " + one.text;
                long left = until - System.currentTimeMillis();
                if (left <= 0) return "";
                PASSAGES.wait(left);
            }
        }
    }

    /** Return the topics of a namespace that this broker has, each with how many clients, and whether it is fenced. */
    static String topics(String prefix) throws Exception {
        Object all = call(call(pulsar, "getBrokerService"), "getTopics");
        List<?> names = all instanceof Map<?, ?> map ? new ArrayList<>(map.keySet()) : (List<?>) call(all, "keys");
        StringBuilder found = new StringBuilder();
        for (Object name : names) {
            if (!name.toString().startsWith(prefix)) continue;
            Object future = all instanceof Map<?, ?> map ? map.get(name) : call(all, "get", name);
            Object topic = future == null ? null : ((CompletableFuture<?>) future).getNow(null);
            if (!(topic instanceof Optional<?> there) || there.isEmpty()) continue;
            int clients = ((Map<?, ?>) call(there.get(), "getProducers")).size();
            found.append(name).append(' ').append(clients).append(' ');
            found.append((boolean) read(there.get(), "isFenced") ? "fenced" : "open").append('\n');
        }
        return found.toString();
    }
}
