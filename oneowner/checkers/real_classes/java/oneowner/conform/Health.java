package oneowner.conform;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.admin.Brokers;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.TopicPolicies;
import org.apache.pulsar.client.admin.Topics;

/** The answers of health checks: a broker is healthy if it lives, and is registered, so that the request finds it. */
final class Health {
    private Health() { }

    static PulsarAdmin admin(Broker asker) {
        Brokers brokers = Reflect.proxy(Brokers.class, (method, given) -> {
            if (!method.equals("healthcheckAsync")) {
                throw Reflect.unknown("Brokers", method);
            }
            for (Object one : given) {
                if (one instanceof Optional<?> broker && isHealthy(Cluster.number((String) broker.get()))) {
                    return asker.checks.answer((String) broker.get());
                }
            }
            return CompletableFuture.failedFuture(
                    new PulsarAdminException.NotFoundException(new Exception("gone"), "gone", 404));
        });
        Topics topics = Reflect.proxy(Topics.class, (method, given) -> null);
        TopicPolicies policies = Reflect.proxy(TopicPolicies.class, (method, given) -> null);
        return Reflect.proxy(PulsarAdmin.class, (method, given) -> switch (method) {
            case "brokers" -> brokers;
            case "topics" -> topics;
            case "topicPolicies" -> policies;
            default -> throw Reflect.unknown("PulsarAdmin", method);
        });
    }

    static boolean isHealthy(int broker) {
        Broker process = Cluster.broker(broker);
        return process.isAlive && !process.isPaused && Ephemerals.node(Ephemerals.path(broker)).isPresent();
    }
}
