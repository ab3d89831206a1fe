import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the unmodified classes of the bundle state channel answer, for every small input: see README.md for the lines.
 *
 * Objects are made without their constructors, and given what the methods asked for read: nothing else runs.
 */
public class Answers {
    static final String HOME = "org.apache.pulsar.broker.loadbalance.extensions.channel.";
    static final String[] BROKERS = {null, "a", "b"};
    static final long[][] VERSIONS = {
        {1, 2}, {1, 1}, {2, 1}, {1, 3}, {1, Long.MAX_VALUE}, {Long.MAX_VALUE, Long.MIN_VALUE},
        {Long.MAX_VALUE, Long.MIN_VALUE + 1}, {Long.MAX_VALUE - 1, Long.MIN_VALUE}, {Long.MIN_VALUE, Long.MAX_VALUE}};

    static final sun.misc.Unsafe UNSAFE = unsafe();
    static Class<?> state, data, storage;
    static Constructor<?> build;

    static sun.misc.Unsafe unsafe() {
        try {
            Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(error);
        }
    }

    static Class<?> known(String... names) {
        for (String name : names) {
            try {
                return Class.forName(HOME + name);
            } catch (ClassNotFoundException error) {
                // the next one
            }
        }
        return null;
    }

    /** A record, or null where the constructor refuses it. */
    static Object record(Object its, String destination, String source, boolean force, long version) {
        try {
            return build.newInstance(its, destination, source, Map.of(), force, version);
        } catch (ReflectiveOperationException error) {
            return null;
        }
    }

    static String written(String broker) {
        return broker == null ? "-" : broker;
    }

    static String written(Object record) throws ReflectiveOperationException {
        String force = (boolean) data.getMethod("force").invoke(record) ? " force" : "";
        return data.getMethod("state").invoke(record) + " " + written((String) data.getMethod("dstBroker").invoke(record))
            + " " + written((String) data.getMethod("sourceBroker").invoke(record)) + force
            + " v" + data.getMethod("versionId").invoke(record);
    }

    record Shape(Object state, String destination, String source, boolean force) {
        Object at(long version) {
            return record(state, destination, source, force, version);
        }

        @Override public String toString() {
            return state + " " + written(destination) + " " + written(source) + (force ? " force" : "");
        }
    }

    /** All that can be built, by state, destination, source and force. */
    static List<Shape> shapes(boolean... forces) {
        List<Shape> found = new ArrayList<>();
        for (Object its : state.getEnumConstants()) {
            for (String destination : BROKERS) {
                for (String source : BROKERS) {
                    for (boolean force : forces) {
                        Shape shape = new Shape(its, destination, source, force);
                        if (shape.at(1) != null) {
                            found.add(shape);
                        }
                    }
                }
            }
        }
        return found;
    }

    static MethodHandle method(Class<?> of, String name, MethodType type) throws ReflectiveOperationException {
        return MethodHandles.privateLookupIn(of, MethodHandles.lookup()).findVirtual(of, name, type);
    }

    static MethodHandle function(Class<?> of, String name, MethodType type) throws ReflectiveOperationException {
        return MethodHandles.privateLookupIn(of, MethodHandles.lookup()).findStatic(of, name, type);
    }

    static void set(Class<?> of, Object object, String name, Class<?> type, Object value) throws ReflectiveOperationException {
        VarHandle field = MethodHandles.privateLookupIn(of, MethodHandles.lookup()).findVarHandle(of, name, type);
        field.set(object, value);
    }

    /** Which states are active, in flight, and may follow which: 1 or 0. */
    static void states() throws Throwable {
        MethodHandle active = function(state, "isActiveState", MethodType.methodType(boolean.class, state));
        MethodHandle flight = function(state, "isInFlightState", MethodType.methodType(boolean.class, state));
        for (Object its : state.getEnumConstants()) {
            System.out.println("state " + its + " active " + mark((boolean) active.invoke(its))
                + " in-flight " + mark((boolean) flight.invoke(its)));
        }
    }

    static String mark(boolean is) {
        return is ? "1" : "0";
    }

    /** One line a storage, pair of versions and held record: 1 where the next record is accepted, ! where it throws. */
    static void resolver() throws Throwable {
        Class<?> resolver = known("ServiceUnitStateDataConflictResolver", "ServiceUnitStateCompactionStrategy");
        Object it = UNSAFE.allocateInstance(resolver);
        set(resolver, it, "checkBrokers", boolean.class, true);
        MethodHandle keeps = method(resolver, "shouldKeepLeft", MethodType.methodType(boolean.class, data, data));
        List<Shape> proposed = shapes(false, true);
        for (Object kept : storage == null ? new Object[] {"SystemTopic"} : storage.getEnumConstants()) {
            if (storage != null) {
                set(resolver, it, "storageType", storage, kept);
            }
            for (long[] versions : VERSIONS) {
                String place = kept + " " + versions[0] + ">" + versions[1] + " ";
                for (Shape held : shapes(false)) {
                    System.out.println(place + held + ": " + row(keeps, it, held.at(versions[0]), proposed, versions[1]));
                }
            }
            for (long version : new long[] {Long.MIN_VALUE, 1, 2, Long.MAX_VALUE}) {
                System.out.println(kept + " >" + version + " nothing: " + row(keeps, it, null, proposed, version));
            }
        }
    }

    static String row(MethodHandle keeps, Object it, Object held, List<Shape> proposed, long version) {
        StringBuilder found = new StringBuilder();
        for (Shape shape : proposed) {
            try {
                found.append((boolean) keeps.invoke(it, held, shape.at(version)) ? '0' : '1');
            } catch (Throwable error) {
                found.append('!');
            }
        }
        try {
            found.append((boolean) keeps.invoke(it, held, null) ? " 0" : " 1"); // a tombstone
        } catch (Throwable error) {
            found.append(" !");
        }
        return found.toString();
    }

    /** What a clean-up of b publishes if c or a is selected; releases before #23064 alone have this method. */
    static void overrides() throws Throwable {
        Class<?> channel = known("ServiceUnitStateChannelImpl");
        Object it = UNSAFE.allocateInstance(channel);
        MethodHandle found = null;
        int named = 0;
        for (Class<?>[] parameters : new Class<?>[][] {{data, String.class}, {data, String.class, String.class}}) {
            try {
                found = method(channel, "getOverrideInactiveBrokerStateData", MethodType.methodType(data, parameters));
                named = parameters.length;
            } catch (NoSuchMethodException error) {
                // the other one
            }
        }
        for (Shape held : found == null ? List.<Shape>of() : shapes(false)) {
            for (String selected : new String[] {"a", "c"}) {
                Object next = named == 2 ? found.invoke(it, held.at(7), selected)
                    : found.invoke(it, held.at(7), selected, "b");
                System.out.println("former-override " + selected + " " + held + " v7: put " + written(next));
            }
        }
    }

    public static void main(String[] what) throws Throwable {
        state = known("ServiceUnitState");
        data = known("ServiceUnitStateData");
        storage = known("ServiceUnitState$StorageType");
        build = data.getConstructor(state, String.class, String.class, Map.class, boolean.class, long.class);
        states();
        resolver();
        overrides();
    }
}
