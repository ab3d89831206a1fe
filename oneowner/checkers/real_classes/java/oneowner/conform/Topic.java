package oneowner.conform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.TableView;
import org.apache.pulsar.client.api.TableViewBuilder;
import org.apache.pulsar.client.api.TypedMessageBuilder;
import org.apache.pulsar.common.topics.TopicCompactionStrategy;

/**
 * The channel's topic for one broker: a producer whose publishes wait in the outbox, and a table view.
 *
 * <p>The table view folds as TableViewImpl of Pulsar's client does: what the real resolver keeps left is skipped.
 */
final class Topic {
    /** The end of a refresh for which the script does not wait. */
    static final class Refresh extends CompletableFuture<Void> { }

    private record Message(String key, ServiceUnitStateData value) { }

    private static final List<Message> log = new ArrayList<>();
    /** The entries at the start of a run. */
    private static final Map<String, ServiceUnitStateData> first = new HashMap<>();

    final Map<String, ServiceUnitStateData> held = new LinkedHashMap<>();
    private final Broker broker;
    private final List<BiConsumer<String, ServiceUnitStateData>> listeners = new ArrayList<>();
    private final TopicCompactionStrategy<ServiceUnitStateData> resolver = Resolver.make();
    private int cursor = log.size();

    /** The broker starts now: its view is what the topic holds. */
    Topic(Broker broker) {
        this.broker = broker;
        held.putAll(first);
        log.forEach(message -> fold(message));
    }

    static void reset(Map<String, ServiceUnitStateData> entries) {
        log.clear();
        first.clear();
        first.putAll(entries);
    }

    static void append(String key, ServiceUnitStateData value) {
        log.add(new Message(key, value));
    }

    static int length() {
        return log.size();
    }

    /** Hand over the records after the first *horizon* ones. */
    static void after(int horizon, BiConsumer<String, ServiceUnitStateData> reader) {
        log.subList(horizon, log.size()).forEach(message -> reader.accept(message.key, message.value));
    }

    int behind() {
        return log.size() - cursor;
    }

    void listen(BiConsumer<String, ServiceUnitStateData> listener) {
        listeners.add(listener);
    }

    void consume() {
        take(log.get(cursor++));
    }

    /** Take what a compaction has kept, and go on after its horizon. */
    void jump() {
        cursor = Compaction.shown.horizon();
        Compaction.shown.kept().forEach((key, value) -> take(new Message(key, value)));
    }

    private void take(Message message) {
        if (fold(message)) {
            listeners.forEach(listener -> listener.accept(message.key, message.value));
        } else {
            Resolver.skip(resolver, message.key, message.value);
        }
    }

    private boolean fold(Message message) {
        if (resolver.shouldKeepLeft(held.get(message.key), message.value)) {
            return false;
        }
        if (message.value == null) {
            held.remove(message.key);
        } else {
            held.put(message.key, message.value);
        }
        return true;
    }

    PulsarClient client() {
        return Reflect.proxy(PulsarClient.class, (method, given) -> switch (method) {
            case "newProducer" -> built(ProducerBuilder.class, producer());
            case "newTableViewBuilder", "newTableView" -> built(TableViewBuilder.class, tableView());
            default -> throw Reflect.unknown("PulsarClient", method);
        });
    }

    private static <T> T built(Class<T> type, Object result) {
        Object[] self = new Object[1];
        T builder = Reflect.proxy(type, (method, given) -> method.equals("create") ? result : self[0]);
        self[0] = builder;
        return builder;
    }

    Producer<?> producer() {
        return Reflect.proxy(Producer.class, (method, given) -> switch (method) {
            case "newMessage" -> message();
            case "flushAsync" -> CompletableFuture.completedFuture(null);
            case "flush", "close" -> null;
            default -> throw Reflect.unknown("Producer", method);
        });
    }

    private TypedMessageBuilder<?> message() {
        Object[] parts = new Object[3];
        TypedMessageBuilder<?> builder = Reflect.proxy(TypedMessageBuilder.class, (method, given) -> {
            switch (method) {
                case "key" -> parts[0] = given[0];
                case "value" -> parts[1] = given[0];
                case "sendAsync" -> {
                    return broker.outbox.add((String) parts[0], (ServiceUnitStateData) parts[1], broker);
                }
                default -> throw Reflect.unknown("TypedMessageBuilder", method);
            }
            return parts[2];
        });
        parts[2] = builder;
        return builder;
    }

    @SuppressWarnings("unchecked")
    TableView<?> tableView() {
        return Reflect.proxy(TableView.class, (method, given) -> {
            switch (method) {
                case "get" -> {
                    return held.get(given[0]);
                }
                case "entrySet" -> {
                    return broker.seen(held.entrySet());
                }
                case "values" -> {
                    return held.values();
                }
                case "listen" -> listeners.add((BiConsumer<String, ServiceUnitStateData>) given[0]);
                case "forEach" -> held.forEach((BiConsumer<String, ServiceUnitStateData>) given[0]);
                case "forEachAndListen" -> {
                    held.forEach((BiConsumer<String, ServiceUnitStateData>) given[0]);
                    listeners.add((BiConsumer<String, ServiceUnitStateData>) given[0]);
                }
                case "refreshAsync" -> {
                    return behind() == 0 ? CompletableFuture.completedFuture(null) : new Refresh();
                }
                case "close" -> { }
                default -> throw Reflect.unknown("TableView", method);
            }
            return null;
        });
    }
}
