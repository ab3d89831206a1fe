package oneowner.conform;

import java.util.Map;
import java.util.Set;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateData;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateTableView;

/** The release's own view of the metadata store, whose writes are put into the outbox as they are called for. */
final class StoreView {
    private StoreView() { }

    @SuppressWarnings("unchecked")
    static ServiceUnitStateTableView of(ServiceUnitStateTableView real, Broker broker) {
        return Reflect.proxy(ServiceUnitStateTableView.class, (method, given) -> {
            Object[] arguments = given == null ? new Object[0] : given;
            Object result = Reflect.call(real, method, arguments);
            switch (method) {
                case "put" -> broker.outbox.addWrite(
                        (String) given[0], (ServiceUnitStateData) given[1], broker, broker.store.taken());
                case "delete" -> broker.outbox.addWrite((String) given[0], null, broker, broker.store.taken());
                case "entrySet" -> {
                    return broker.seen((Set<Map.Entry<String, ServiceUnitStateData>>) result);
                }
                default -> { }
            }
            return result;
        });
    }
}
