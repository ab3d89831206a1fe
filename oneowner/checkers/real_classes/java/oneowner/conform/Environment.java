package oneowner.conform;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.broker.loadbalance.LeaderBroker;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData;
import org.apache.pulsar.client.admin.Brokers;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.Topics;

/**
 * The cells of the model that the script gives and does not compare: the leader, registry caches, health.
 *
 * <p>One word sets them: {@code LEADER|KNOWN|HEALTHY|UNREGISTERED}, each a row of 0 and 1 by broker, KNOWN by observer
 * and broker.
 */
final class Environment {
    private static final BrokerLookupData REGISTERED = Reflect.blank(BrokerLookupData.class);
    private static String[] cells;

    private Environment() { }

    static void set(String word) {
        cells = word.split("\\|");
    }

    static Optional<LeaderBroker> leader() {
        String id = "b" + cells[0];
        return cells[0].equals("0") ? Optional.empty() : Optional.of(Reflect.make(LeaderBroker.class, id, id));
    }

    static boolean lists(int observer, int broker) {
        return cells[1].charAt((observer - 1) * Cluster.size + broker - 1) == '1';
    }

    static List<String> listed(int observer) {
        List<String> ids = new ArrayList<>();
        for (int broker = 1; broker <= Cluster.size; broker++) {
            if (lists(observer, broker)) {
                ids.add("b" + broker);
            }
        }
        return ids;
    }

    static BrokerRegistry registry(Broker broker) {
        return Reflect.proxy(BrokerRegistry.class, (method, given) -> switch (method) {
            case "isRegistered" -> cells[3].charAt(broker.number - 1) == '0';
            case "isStarted" -> true;
            case "getBrokerId" -> broker.id;
            case "addListener" -> null;
            case "getAvailableBrokersAsync" -> CompletableFuture.completedFuture(listed(broker.number));
            case "lookupAsync" -> CompletableFuture.completedFuture(
                    lists(broker.number, number((String) given[0])) ? Optional.of(REGISTERED) : Optional.empty());
            default -> throw Reflect.unknown("BrokerRegistry", method);
        });
    }

    static PulsarAdmin admin() {
        Brokers brokers = Reflect.proxy(Brokers.class, (method, given) -> {
            if (!method.equals("healthcheckAsync")) {
                throw Reflect.unknown("Brokers", method);
            }
            for (Object one : given) {
                if (one instanceof Optional<?> broker && cells[2].charAt(number((String) broker.get()) - 1) == '1') {
                    return CompletableFuture.completedFuture(null);
                }
            }
            return CompletableFuture.failedFuture(
                    new PulsarAdminException.NotFoundException(new Exception("gone"), "gone", 404));
        });
        Topics topics = Reflect.proxy(Topics.class, (method, given) -> null);
        return Reflect.proxy(PulsarAdmin.class, (method, given) -> switch (method) {
            case "brokers" -> brokers;
            case "topics" -> topics;
            default -> throw Reflect.unknown("PulsarAdmin", method);
        });
    }

    static int number(String id) {
        return id == null ? 0 : Integer.parseInt(id.substring(1));
    }
}
