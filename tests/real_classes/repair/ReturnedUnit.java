package org.apache.pulsar.broker.loadbalance.extensions.channel;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The repair of candidate 3, in the channel itself: a broker that has closed a unit and kept its clients, and hands it over
 * no more, closes it whole.
 */
public final class ReturnedUnit {
    private static final Map<Object, Set<String>> KEPT = Collections.synchronizedMap(new WeakHashMap<>());

    private ReturnedUnit() { }

    /** A close begins: at entry of closeServiceUnit. */
    public static void closes(Object channel, String unit, boolean disconnects) {
        Set<String> units = KEPT.computeIfAbsent(channel, one -> new HashSet<>());
        if (disconnects) {
            units.remove(unit);
        } else {
            units.add(unit);
        }
    }

    /** A record is handled: at the end of handleEvent. */
    public static void handled(Object channel, String unit, ServiceUnitStateData data) throws Exception {
        if (KEPT.getOrDefault(channel, Set.of()).contains(unit) && !handsOver(data, brokerOf(channel))) {
            Method close = channel.getClass().getDeclaredMethod("closeServiceUnit", String.class, boolean.class);
            close.setAccessible(true);
            close.invoke(channel, unit, true);
        }
    }

    private static String brokerOf(Object channel) throws Exception {
        Field field = channel.getClass().getDeclaredField("brokerId");
        field.setAccessible(true);
        return (String) field.get(channel);
    }

    private static boolean handsOver(ServiceUnitStateData data, String broker) {
        if (data == null || !broker.equals(data.sourceBroker()) || broker.equals(data.dstBroker())) {
            return false;
        }
        ServiceUnitState state = data.state();
        return state == ServiceUnitState.Releasing || state == ServiceUnitState.Assigning
                || state == ServiceUnitState.Owned;
    }
}
