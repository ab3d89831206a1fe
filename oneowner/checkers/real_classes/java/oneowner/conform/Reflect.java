package oneowner.conform;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;

/** Objects without a constructor, private fields and methods, interfaces answered by one function. */
final class Reflect {
    private static final Map<String, Field> fields = new HashMap<>();
    private static final sun.misc.Unsafe UNSAFE = (sun.misc.Unsafe) get(field(sun.misc.Unsafe.class, "theUnsafe"), null);
    private static final Map<String, Method> methods = new HashMap<>();

    private Reflect() { }

    /** Return an object of *type* that no constructor has seen: its fields are empty. */
    static <T> T blank(Class<T> type) {
        try {
            return type.cast(UNSAFE.allocateInstance(type));
        } catch (InstantiationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Return the field of this name, or null. */
    static Field field(Class<?> type, String name) {
        return fields.computeIfAbsent(type.getName() + "." + name, key -> found(type, name));
    }

    private static Field found(Class<?> type, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        return null;
    }

    static Object get(Field field, Object object) {
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Set a field; return false if the class has none of that name. */
    static boolean set(Object object, String name, Object value) {
        Field field = field(object.getClass(), name);
        if (field == null) {
            return false;
        }
        try {
            field.set(object, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
        return true;
    }

    /** Return the method of this name and number of parameters, or null; releases differ in their types. */
    static Method method(Class<?> type, String name, int parameters) {
        return methods.computeIfAbsent(type.getName() + "." + name + "/" + parameters, key -> {
            for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                for (Method method : at.getDeclaredMethods()) {
                    if (method.getName().equals(name) && method.getParameterCount() == parameters
                            && !method.isBridge()) {
                        method.setAccessible(true);
                        return method;
                    }
                }
            }
            return null;
        });
    }

    /** Call a method; what it throws is thrown as it is. */
    static Object call(Object object, String name, Object... arguments) {
        Method method = method(object.getClass(), name, arguments.length);
        if (method == null) {
            throw new IllegalStateException(object.getClass().getName() + " has no " + name + "/" + arguments.length);
        }
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException error) {
            throw Reflect.<RuntimeException>thrown(error.getCause());
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Make an object by the public constructor that takes the most of *arguments*, counted from the first one. */
    static <T> T make(Class<T> type, Object... arguments) {
        Constructor<?> widest = null;
        for (Constructor<?> one : type.getConstructors()) {
            boolean fits = one.getParameterCount() <= arguments.length;
            for (int number = 0; fits && number < one.getParameterCount(); number++) {
                Class<?> wanted = one.getParameterTypes()[number];
                Object given = arguments[number];
                fits = wanted == boolean.class ? given instanceof Boolean : given == null || wanted.isInstance(given);
            }
            if (fits && (widest == null || widest.getParameterCount() < one.getParameterCount())) {
                widest = one;
            }
        }
        try {
            return type.cast(widest.newInstance(java.util.Arrays.copyOf(arguments, widest.getParameterCount())));
        } catch (InvocationTargetException error) {
            throw Reflect.<RuntimeException>thrown(error.getCause());
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Return an object of an interface whose methods *answer* computes, by name and arguments. */
    static <T> T proxy(Class<T> type, BiFunction<String, Object[], Object> answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) ->
                switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == given[0];
                    case "toString" -> type.getSimpleName();
                    default -> answer.apply(method.getName(), given);
                }));
    }

    /** Note a call that the script has no answer to, which Pulsar may catch, and return what is thrown. */
    static IllegalStateException unknown(String type, String method) {
        String words = type + "." + method + ": the script has no answer to this call";
        Cluster.complain(words);
        return new IllegalStateException(words);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E thrown(Throwable error) throws E {
        throw (E) error;
    }
}
