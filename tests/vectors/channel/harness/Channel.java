package org.apache.pulsar.broker.loadbalance.extensions.channel;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.ServiceConfiguration;
import org.apache.pulsar.broker.loadbalance.LeaderElectionService;
import org.apache.pulsar.broker.loadbalance.extensions.BrokerRegistry;
import org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl;
import org.apache.pulsar.metadata.api.extended.SessionEvent;

/**
 * What the unmodified ServiceUnitStateChannelImpl of one release does with one entry: README.md says what a line is.
 *
 * The object is made without its constructor. Who it works with are the stubs beside this file; the table of the
 * channel holds one entry, and what is published there is printed.
 */
public class Channel {
    static final String UNIT = "tenant/ns/0x00000000_0xffffffff";
    static final String[] BROKERS = {null, "a", "b"};
    static final long HOUR = 3_600_000;
    static final Class<?> IMPL = ServiceUnitStateChannelImpl.class;

    static ServiceUnitStateData held;
    static boolean visible = true, registered, inStore;
    static Set<String> known = Set.of();
    public static final List<String> effects = new ArrayList<>();

    static Object proxy(Class<?> of, java.lang.reflect.InvocationHandler handler) {
        return Proxy.newProxyInstance(Channel.class.getClassLoader(), new Class<?>[] {of}, handler);
    }

    static String written(Object broker) {
        return broker == null ? "-" : broker.toString();
    }

    static String written(ServiceUnitStateData data) {
        return data.state() + " " + written(data.dstBroker()) + " " + written(data.sourceBroker())
            + (data.force() ? " force" : "") + " v" + data.versionId();
    }

    static Object table(Object self, java.lang.reflect.Method method, Object[] its) {
        switch (method.getName()) {
            case "get":
                return held;
            case "put":
                effects.add("put " + written((ServiceUnitStateData) its[1]));
                return CompletableFuture.completedFuture(null);
            case "delete":
                effects.add("tombstone");
                return CompletableFuture.completedFuture(null);
            case "entrySet": // once: a clean-up then waits until nothing is left
                Map<String, ServiceUnitStateData> all = new HashMap<>();
                if (visible && held != null) {
                    all.put(UNIT, held);
                }
                visible = false;
                return all.entrySet();
            case "isMetadataStoreBased":
                return inStore;
            default:
                return null;
        }
    }

    static Object registry(Object self, java.lang.reflect.Method method, Object[] its) throws Exception {
        switch (method.getName()) {
            case "isRegistered":
                return registered;
            case "lookupAsync":
                Class<?> found = Class.forName("org.apache.pulsar.broker.loadbalance.extensions.data.BrokerLookupData");
                return CompletableFuture.completedFuture(
                    known.contains(its[0]) ? Optional.of(unsafe().allocateInstance(found)) : Optional.empty());
            default:
                return null;
        }
    }

    static sun.misc.Unsafe unsafe() {
        try {
            Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(error);
        }
    }

    static void set(Object object, String name, Class<?> type, Object value) throws ReflectiveOperationException {
        var field = MethodHandles.privateLookupIn(IMPL, MethodHandles.lookup()).findVarHandle(IMPL, name, type);
        unsafeSet(object, name, value, field);
    }

    static void unsafeSet(Object object, String name, Object value, java.lang.invoke.VarHandle field)
            throws ReflectiveOperationException {
        try {
            field.set(object, value);
        } catch (UnsupportedOperationException isFinal) {
            sun.misc.Unsafe unsafe = unsafe();
            unsafe.putObject(object, unsafe.objectFieldOffset(IMPL.getDeclaredField(name)), value);
        }
    }

    static ServiceUnitStateChannelImpl channel(String broker) throws Exception {
        var it = (ServiceUnitStateChannelImpl) unsafe().allocateInstance(IMPL);
        Map<ServiceUnitState, ServiceUnitStateChannelImpl.Counters> counted = new EnumMap<>(ServiceUnitState.class);
        for (var state : ServiceUnitState.values()) {
            counted.put(state, new ServiceUnitStateChannelImpl.Counters());
        }
        Map<ServiceUnitStateChannelImpl.EventType, ServiceUnitStateChannelImpl.Counters> events =
            new EnumMap<>(ServiceUnitStateChannelImpl.EventType.class);
        for (var event : ServiceUnitStateChannelImpl.EventType.values()) {
            events.put(event, new ServiceUnitStateChannelImpl.Counters());
        }
        set(it, "pulsar", PulsarService.class, new PulsarService());
        set(it, "config", ServiceConfiguration.class, new ServiceConfiguration());
        set(it, "brokerId", String.class, broker);
        set(it, "getOwnerRequests", Map.class, new ConcurrentHashMap<>());
        set(it, "cleanupJobs", Map.class, new ConcurrentHashMap<>());
        set(it, "stateChangeListeners", StateChangeListeners.class, new StateChangeListeners());
        set(it, "ownerLookUpCounters", Map.class, counted);
        set(it, "handlerCounters", Map.class, counted);
        set(it, "eventCounters", Map.class, events);
        set(it, "totalCleanupErrorCnt", AtomicLong.class, new AtomicLong());
        set(it, "channelState", ServiceUnitStateChannelImpl.ChannelState.class,
            ServiceUnitStateChannelImpl.ChannelState.Started);
        set(it, "tableview", ServiceUnitStateTableView.class, proxy(ServiceUnitStateTableView.class, Channel::table));
        set(it, "brokerRegistry", BrokerRegistry.class, proxy(BrokerRegistry.class, Channel::registry));
        set(it, "leaderElectionService", LeaderElectionService.class, new LeaderElectionService());
        set(it, "lastMetadataSessionEvent", SessionEvent.class, SessionEvent.SessionReestablished);
        set(it, "inFlightStateWaitingTimeInMillis", long.class, 30_000L);
        set(it, "stateTombstoneDelayTimeInMillis", long.class, HOUR);
        set(it, "maxCleanupDelayTimeInSecs", long.class, 180L);
        effects.clear();
        visible = true;
        return it;
    }

    static MethodHandle method(String name, Class<?> result, Class<?>... parameters) throws ReflectiveOperationException {
        return MethodHandles.privateLookupIn(IMPL, MethodHandles.lookup())
            .findVirtual(IMPL, name, MethodType.methodType(result, parameters));
    }

    static List<ServiceUnitStateData> records(boolean force, long age) {
        List<ServiceUnitStateData> found = new ArrayList<>();
        long time = System.currentTimeMillis() - age;
        for (var state : ServiceUnitState.values()) {
            for (String destination : BROKERS) {
                for (String source : BROKERS) {
                    try {
                        found.add(new ServiceUnitStateData(state, destination, source, Map.of(), force, time, 7));
                    } catch (IllegalArgumentException refused) {
                        // two blank brokers
                    }
                }
            }
        }
        return found;
    }

    static String told(CompletableFuture<?> future) {
        if (!future.isDone()) {
            return "waits";
        }
        try {
            Object answer = future.join();
            return answer instanceof Optional<?> owner ? written(owner.orElse(null)) : written(answer);
        } catch (Exception error) {
            return "fails";
        }
    }

    static String done() {
        return effects.isEmpty() ? "nothing" : String.join("; ", effects);
    }

    static void entries() throws Throwable {
        MethodHandle now = method("getOwnerNow", Optional.class, String.class);
        MethodHandle next = method("getNextVersionId", long.class, ServiceUnitStateData.class);
        var it = channel("a");
        List<ServiceUnitStateData> all = new ArrayList<>(records(false, 0));
        all.add(0, null);
        for (var one : all) {
            held = one;
            String named, assigned;
            try {
                Optional<?> owner = (Optional<?>) now.invoke(it, UNIT);
                named = owner == null ? "unknown" : written(owner.orElse(null));
            } catch (NullPointerException error) {
                named = "!";
            }
            try {
                assigned = written(it.getAssigned(UNIT).orElse(null));
            } catch (NullPointerException error) {
                assigned = "!";
            }
            System.out.println("entry " + (one == null ? "nothing" : written(one)) + ": now " + named
                + ", assigned " + assigned);
        }
        for (long version : new long[] {Long.MIN_VALUE, -1, 0, 1, 7, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            var one = new ServiceUnitStateData(ServiceUnitState.Owned, "a", version);
            System.out.println("version " + version + ": " + (long) next.invoke(it, one));
        }
        System.out.println("version nothing: " + (long) next.invoke(it, (ServiceUnitStateData) null));
    }

    static void lookups() throws Throwable {
        List<ServiceUnitStateData> all = new ArrayList<>(records(false, 0));
        all.add(0, null);
        for (var one : all) {
            held = one;
            for (boolean store : new boolean[] {false, true}) {
                for (boolean itself : new boolean[] {true, false}) {
                    for (Set<String> listed : List.of(Set.of("a", "b"), Set.of("a"), Set.of("b"), Set.<String>of())) {
                        inStore = store;
                        registered = itself;
                        known = listed;
                        String answer;
                        try {
                            answer = told(channel("a").getOwnerAsync(UNIT));
                        } catch (NullPointerException error) {
                            answer = "!";
                        }
                        System.out.println("lookup " + (store ? "metadata-store" : "system-topic")
                            + (itself ? " registered " : " unregistered ")
                            + (listed.isEmpty() ? "-" : listed.stream().sorted().collect(Collectors.joining("")))
                            + " " + (one == null ? "nothing" : written(one)) + ": " + answer);
                    }
                }
            }
        }
    }

    static void events() throws Throwable {
        MethodHandle handle = method("handleEvent", void.class, String.class, ServiceUnitStateData.class);
        for (boolean disabled : new boolean[] {false, true}) {
            for (boolean force : new boolean[] {false, true}) {
                for (var one : records(force, 0)) {
                    if (one.state() == ServiceUnitState.Splitting || one.state() == ServiceUnitState.Init) {
                        continue; // a split asks for more than stubs answer; Init is written by nobody
                    }
                    held = one;
                    var it = channel("a");
                    if (disabled) {
                        set(it, "channelState", ServiceUnitStateChannelImpl.ChannelState.class,
                            ServiceUnitStateChannelImpl.ChannelState.Disabled);
                    }
                    handle.invoke(it, UNIT, one);
                    System.out.println("event " + (disabled ? "disabled " : "started ") + written(one) + ": " + done());
                }
            }
        }
    }

    static void overrides() throws Throwable {
        MethodHandle override = method("overrideOwnership", CompletableFuture.class, String.class,
            ServiceUnitStateData.class, String.class, boolean.class);
        for (boolean gracefully : new boolean[] {false, true}) {
            for (String selected : new String[] {"a", "b", "c", null}) {
                for (var one : records(false, 0)) {
                    ExtensibleLoadManagerImpl.selected = Optional.ofNullable(selected);
                    var it = channel("a");
                    String answer = told((CompletableFuture<?>) override.invoke(it, UNIT, one, "b", gracefully));
                    System.out.println("override " + (gracefully ? "gracefully " : "at-once ") + written(selected) + " "
                        + written(one) + ": " + (answer.equals("fails") ? "fails" : done()));
                }
            }
        }
    }

    /** The pass of the monitor over one entry, of some age, while some brokers are registered. */
    static void monitor() throws Throwable {
        ExtensibleLoadManagerImpl.selected = Optional.of("c");
        for (long age : new long[] {0, 60_000, 2 * HOUR}) {
            for (List<String> active : List.of(List.of("a", "b", "c"), List.of("a", "c"), List.of("b", "c"), List.of("c"))) {
                for (var one : records(false, age)) {
                    held = one;
                    var it = channel("c");
                    LeaderElectionService.leader = "c";
                    try {
                        it.monitorOwnerships(active);
                    } catch (NullPointerException noBroker) {
                        effects.add("!");
                    }
                    jobs(it).keySet().stream().sorted(Comparator.naturalOrder()).forEach(gone -> effects.add("clean up " + gone));
                    System.out.println("monitor " + age / 1000 + "s " + String.join("", active) + " " + written(one)
                        + ": " + done());
                }
            }
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, CompletableFuture<Void>> jobs(ServiceUnitStateChannelImpl it) throws ReflectiveOperationException {
        return (Map<String, CompletableFuture<Void>>) MethodHandles.privateLookupIn(IMPL, MethodHandles.lookup())
            .findVarHandle(IMPL, "cleanupJobs", Map.class).get(it);
    }

    /** The clean-up of b by c, which finds one entry. */
    static void cleanups() throws Throwable {
        MethodHandle clean = method("doCleanup", void.class, String.class, boolean.class);
        ExtensibleLoadManagerImpl.selected = Optional.of("c");
        LeaderElectionService.leader = "c";
        for (var one : records(false, 0)) {
            held = one;
            var it = channel("c");
            try {
                clean.invoke(it, "b", false);
            } catch (NullPointerException noLoadData) {
                // after all overrides: the load data of b is removed
            }
            System.out.println("clean-up " + written(one) + ": " + done());
        }
    }

    /** What the leader, or another, makes of the news that b is not registered any more. */
    static void deletions() throws Throwable {
        MethodHandle deleted = method("handleBrokerDeletionEvent", void.class, String.class);
        for (String leader : new String[] {"c", "a"}) {
            for (SessionEvent event : new SessionEvent[] {SessionEvent.SessionReestablished, SessionEvent.SessionLost}) {
                for (long since : new long[] {0, HOUR}) {
                    var it = channel("c");
                    LeaderElectionService.leader = leader;
                    set(it, "lastMetadataSessionEvent", SessionEvent.class, event);
                    set(it, "lastMetadataSessionEventTimestamp", long.class, System.currentTimeMillis() - since);
                    deleted.invoke(it, "b");
                    System.out.println("deleted leader " + leader + " " + event + " " + since / 1000 + "s ago: "
                        + (jobs(it).isEmpty() ? "nothing" : "clean up " + String.join("", jobs(it).keySet())));
                }
            }
        }
    }

    public static void main(String[] what) throws Throwable {
        entries();
        lookups();
        events();
        overrides();
        monitor();
        cleanups();
        deletions();
        System.exit(0); // time-outs of lookups wait
    }
}
