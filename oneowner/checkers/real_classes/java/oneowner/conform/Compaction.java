package oneowner.conform;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.compaction.CompactorMXBeanImpl;
import org.apache.pulsar.compaction.StrategicTwoPhaseCompactor;

/**
 * The compaction of the channel's topic: phase one is the release's own, over the real resolver.
 *
 * <p>The script stands for the ledgers and the cursor: it writes what phase one keeps, shows readers a ledger with its
 * horizon, saves both, and falls back to what is saved when another broker hosts the topic.
 */
final class Compaction {
    /** Kept records by key, in the order in which they are read, and the number of records that they represent. */
    record Ledger(Map<String, ServiceUnitStateData> kept, int horizon) { }

    private static final Ledger NONE = new Ledger(Map.of(), 0);
    static Ledger result = NONE, shown = NONE, saved = NONE;

    private Compaction() { }

    static void reset() {
        result = NONE;
        shown = NONE;
        saved = NONE;
    }

    /** Run phase one over the ledger that readers are shown and the records after its horizon. */
    static void start(Broker host) {
        List<Message<ServiceUnitStateData>> messages = new ArrayList<>();
        shown.kept.forEach((key, value) -> messages.add(message(messages.size(), key, value)));
        Topic.after(shown.horizon, (key, value) -> messages.add(message(messages.size(), key, value)));
        result = new Ledger(kept(host, messages), Topic.length());
    }

    static void show() {
        shown = result;
    }

    /** Save the ledger; the first one replaces none, and ends its compaction so. */
    static void save() {
        boolean isFirst = saved.horizon == 0;
        saved = result;
        if (isFirst && shown.horizon == saved.horizon) {
            result = NONE;
        }
    }

    /** A host loads the topic: what was not saved is gone. */
    static void load() {
        shown = saved;
        result = NONE;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ServiceUnitStateData> kept(
            Broker host, List<Message<ServiceUnitStateData>> messages) {
        StrategicTwoPhaseCompactor compactor = Reflect.blank(StrategicTwoPhaseCompactor.class);
        Reflect.set(compactor, "scheduler", host.executor);
        Reflect.set(compactor, "mxBean", new CompactorMXBeanImpl());
        Reflect.set(compactor, "phaseOneLoopReadTimeout", java.time.Duration.ofSeconds(30));
        Object phase = phaseOne();
        Reflect.set(phase, "lastId", messages.get(messages.size() - 1).getMessageId());
        var end = new CompletableFuture<>();
        Reflect.call(compactor, "phaseOneLoop", reader(messages), end, phase, Resolver.make());
        if (!end.isDone() || end.isCompletedExceptionally()) {
            Cluster.complain("phase one of the compaction does not end: " + end);
        }
        var cache = (Map<String, Message<ServiceUnitStateData>>) Reflect.get(
                Reflect.field(phase.getClass(), "cache"), phase);
        Map<String, ServiceUnitStateData> kept = new LinkedHashMap<>();
        cache.forEach((key, one) -> kept.put(key, one.getValue()));
        return kept;
    }

    private static Object phaseOne() {
        try {
            Class<?> type = Class.forName(StrategicTwoPhaseCompactor.class.getName() + "$PhaseOneResult");
            Constructor<?> constructor = type.getDeclaredConstructor(String.class);
            constructor.setAccessible(true);
            return constructor.newInstance("channel");
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Reader<?> reader(List<Message<ServiceUnitStateData>> messages) {
        Iterator<Message<ServiceUnitStateData>> next = messages.iterator();
        return Reflect.proxy(Reader.class, (method, given) -> switch (method) {
            case "readNextAsync" -> CompletableFuture.completedFuture(next.next());
            case "getTopic" -> "channel";
            case "isConnected" -> true;
            case "seek" -> null;
            default -> throw Reflect.unknown("Reader", method);
        });
    }

    @SuppressWarnings("unchecked")
    private static Message<ServiceUnitStateData> message(int number, String key, ServiceUnitStateData value) {
        var id = new MessageIdImpl(1, number, -1);
        return Reflect.proxy(Message.class, (method, given) -> switch (method) {
            case "getMessageId" -> id;
            case "getKey" -> key;
            case "getValue" -> value;
            case "size" -> value == null ? 0 : 1;
            case "release" -> null;
            default -> throw Reflect.unknown("Message", method);
        });
    }
}
