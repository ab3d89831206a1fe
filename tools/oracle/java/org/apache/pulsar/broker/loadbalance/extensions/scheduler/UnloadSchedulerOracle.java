package org.apache.pulsar.broker.loadbalance.extensions.scheduler;

import static oneowner.oracle.PoliciesOracle.neighbour;
import static oneowner.oracle.Rows.configuration;
import static oneowner.oracle.Rows.get;
import static oneowner.oracle.Rows.texts;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import oneowner.oracle.PoliciesOracle;
import oneowner.oracle.Rows;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.LoadManagerContext;
import org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannel;
import org.apache.pulsar.broker.loadbalance.extensions.manager.UnloadManager;
import org.apache.pulsar.broker.loadbalance.extensions.models.Unload;
import org.apache.pulsar.broker.loadbalance.extensions.models.UnloadCounter;
import org.apache.pulsar.broker.loadbalance.extensions.models.UnloadDecision;

/** UnloadScheduler.execute; what the channel, the registry and the shedder answer is told by the line. */
public class UnloadSchedulerOracle {
    static JsonNode row;
    static List<String> asked;

    @SuppressWarnings("unchecked")
    static <T> T proxy(Class<T> type, InvocationHandler answers) {
        return (T) Proxy.newProxyInstance(UnloadSchedulerOracle.class.getClassLoader(), new Class<?>[] {type}, answers);
    }

    /** An answer, or none in time. */
    static CompletableFuture<Object> answered(String neighbour, JsonNode told, Object answer) {
        asked.add(neighbour);
        return told.isNull() ? new CompletableFuture<>() : CompletableFuture.completedFuture(answer);
    }

    public static void main(String[] args) throws Exception {
        Rows.answer(Map.of("unload_scheduler", UnloadSchedulerOracle::execute));
    }

    @SuppressWarnings("unchecked")
    static void execute(JsonNode told, ObjectNode answer) throws Exception {
        row = PoliciesOracle.asked = told;
        asked = new ArrayList<>();
        ServiceConfiguration conf = configuration(row);
        conf.setNamespaceBundleUnloadingTimeoutMs(1);
        Set<String> published = new TreeSet<>();
        ServiceUnitStateChannel channel = proxy(ServiceUnitStateChannel.class, (self, method, call) -> {
            if (method.getName().equals("isChannelOwnerAsync")) {
                return answered("owner", row.get("owner"), row.get("owner").asBoolean());
            }
            String bundle = ((Unload) call[0]).serviceUnit();
            published.add(bundle);
            return texts(row.get("refused")).contains(bundle)
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                    : CompletableFuture.completedFuture(null);
        });
        BrokerRegistry registry = proxy(BrokerRegistry.class, (self, method, call) ->
                answered("brokers", row.get("available"), new ArrayList<>(texts(row.get("available")))));
        LoadManagerContext context = proxy(LoadManagerContext.class, (self, method, call) ->
                method.getName().equals("brokerConfiguration") ? conf : registry);
        UnloadManager waits = neighbour(UnloadManager.class);
        when(waits.waitAsync(any(), any(), any(), anyLong(), any())).thenAnswer(call ->
                texts(row.get("late")).contains((String) call.getArgument(1))
                        ? new CompletableFuture<>() : call.getArgument(0));
        answer.putNull("told");
        NamespaceUnloadStrategy shedder = proxy(NamespaceUnloadStrategy.class, (self, method, call) -> {
            asked.add("shedder");
            list(answer, "told", new TreeSet<>(((Map<String, Long>) call[1]).keySet()));
            if (row.get("unload").isNull()) {
                throw new IllegalStateException("the shedder throws");
            }
            Set<UnloadDecision> found = new HashSet<>();
            row.get("unload").fields().forEachRemaining(entry -> entry.getValue().forEach(one ->
                    found.add(new UnloadDecision(new Unload(entry.getKey(), one.asText()),
                            UnloadDecision.Label.Success, UnloadDecision.Reason.Overloaded))));
            return found;
        });
        UnloadScheduler scheduler = new UnloadScheduler(PoliciesOracle.PULSAR, null, waits, context, channel, shedder,
                new UnloadCounter(), new AtomicReference<>());
        Map<String, Long> recent = (Map<String, Long>) get(scheduler, "recentlyUnloadedBundles");
        row.get("recent").fields().forEachRemaining(entry -> recent.put(entry.getKey(),
                System.currentTimeMillis() - (long) (entry.getValue().asDouble() * 60_000)));
        scheduler.execute();
        list(answer, "recent", new TreeSet<>(recent.keySet()));
        list(answer, "asked", asked);
        list(answer, "published", published);
    }

    static void list(ObjectNode answer, String name, Iterable<String> names) {
        ArrayNode listed = answer.putArray(name);
        names.forEach(listed::add);
    }
}
