package org.apache.pulsar.broker.loadbalance.impl;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pulsar.broker.PulsarService;
import org.apache.pulsar.broker.loadbalance.LeaderElectionService;
import org.apache.pulsar.broker.loadbalance.LoadData;
import org.apache.pulsar.broker.namespace.NamespaceService;
import org.apache.pulsar.common.naming.NamespaceBundle;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;

/** Prints whether ModularLoadManagerImpl.updateBundleData forgets a preallocated bundle, for each of 16 situations. */
public class Promises {
    static final String BUNDLE = "shop/cart/0x00000000_0xffffffff";
    static final String[] NAMES = {"known", "reported", "measured", "owned"};
    static boolean owned;

    static class Bundle extends NamespaceBundle {
        Bundle() {
            super(null, null, null);
        }

        @Override
        public String toString() {
            return BUNDLE;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static class Namespaces extends NamespaceService {
        Namespaces() {
            super(null);
        }

        @Override
        public Set<NamespaceBundle> getOwnedServiceUnits() {
            return owned ? Set.of(made(Bundle.class)) : Set.of();
        }
    }

    static class Pulsar extends PulsarService {
        Pulsar() {
            super(null);
        }

        @Override
        public NamespaceService getNamespaceService() {
            return made(Namespaces.class);
        }

        @Override
        public LeaderElectionService getLeaderElectionService() {
            try {
                LeaderElectionService leads = made(LeaderElectionService.class);
                Field election = field(LeaderElectionService.class, "leaderElection");
                election.set(leads, Proxy.newProxyInstance(Promises.class.getClassLoader(),
                        new Class<?>[] {election.getType()}, (proxy, method, given) -> null));
                return leads;
            } catch (ReflectiveOperationException thrown) {
                throw new IllegalStateException(thrown);
            }
        }
    }

    /** An object without a run of its constructor. */
    static <T> T made(Class<T> type) {
        try {
            Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return type.cast(((sun.misc.Unsafe) field.get(null)).allocateInstance(type));
        } catch (ReflectiveOperationException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    static Object empty(Class<?> type) throws Exception {
        try {
            Object builder = type.getMethod("newBuilder").invoke(null);
            Method build = builder.getClass().getMethod("build");
            return build.invoke(builder);
        } catch (NoSuchMethodException thrown) {
            return type.isInterface() ? new ConcurrentHashMap<>() : type.getDeclaredConstructor().newInstance();
        }
    }

    static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        for (int situation = 0; situation < 16; situation++) {
            boolean[] is = new boolean[4];
            for (int bit = 0; bit < 4; bit++) {
                is[bit] = (situation >> bit & 1) == 1;
            }
            owned = is[3];
            ModularLoadManagerImpl manager = made(ModularLoadManagerImpl.class);
            LoadData loads = new LoadData();
            LocalBrokerData local = new LocalBrokerData();
            field(LocalBrokerData.class, "bundles").set(local, new HashSet<>(is[1] ? Set.of(BUNDLE) : Set.of()));
            local.setLastStats(new HashMap<>(is[2] ? Map.of(BUNDLE, new NamespaceBundleStats()) : Map.of()));
            Class<?> brokers = Class.forName(field(LoadData.class, "brokerData").getGenericType().getTypeName()
                    .replaceAll(".*, *|>", ""));
            Class<?> bundles = Class.forName(field(LoadData.class, "bundleData").getGenericType().getTypeName()
                    .replaceAll(".*, *|>", ""));
            Object data = brokers.getConstructor(LocalBrokerData.class).newInstance(local);
            Object bundle = bundles.getConstructor(int.class, int.class).newInstance(10, 1000);
            Map<String, Object> preallocated = (Map<String, Object>) field(brokers, "preallocatedBundleData").get(data);
            preallocated.put(BUNDLE, bundle);
            if (is[0]) {
                ((Map<String, Object>) (Map<?, ?>) loads.getBrokerData()).put("2", data);
            }
            if (is[2]) {
                ((Map<String, Object>) (Map<?, ?>) loads.getBundleData()).put(BUNDLE, bundle);
            }
            Map<String, String> promised = new ConcurrentHashMap<>(Map.of(BUNDLE, "2"));
            Field ranges = field(ModularLoadManagerImpl.class, "brokerToNamespaceToBundleRange");
            ranges.set(manager, empty(ranges.getType()));
            field(ModularLoadManagerImpl.class, "defaultStats").set(manager, new NamespaceBundleStats());
            field(ModularLoadManagerImpl.class, "loadData").set(manager, loads);
            field(ModularLoadManagerImpl.class, "preallocatedBundleToBroker").set(manager, promised);
            field(ModularLoadManagerImpl.class, "pulsar").set(manager, made(Pulsar.class));
            Method update = ModularLoadManagerImpl.class.getDeclaredMethod("updateBundleData");
            update.setAccessible(true);
            update.invoke(manager);
            StringBuilder line = new StringBuilder("{");
            for (int bit = 0; bit < 4; bit++) {
                line.append('"').append(NAMES[bit]).append("\": ").append(is[bit]).append(", ");
            }
            System.out.println(line.append("\"forgotten\": ").append(promised.isEmpty()).append('}'));
        }
    }
}
