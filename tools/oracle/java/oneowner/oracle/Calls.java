package oneowner.oracle;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** Calls of what a release may lack, or has in another package or with other arguments. */
public class Calls {
    static final String BALANCE = "org.apache.pulsar.broker.loadbalance.";

    /** Return the first of these classes that the release has; null if it has none. */
    public static Class<?> type(String... names) {
        for (String name : names) {
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException goOn) {
                // another release's
            }
        }
        return null;
    }

    /** Call the method of this name that takes these arguments: of a class a static one. */
    public static Object call(Object target, String name, Object... arguments) throws Exception {
        Class<?> type = target instanceof Class<?> itself ? itself : target.getClass();
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name) && takes(method.getParameterTypes(), arguments)
                    && Modifier.isStatic(method.getModifiers()) == (type == target)) {
                method.setAccessible(true);
                try {
                    return method.invoke(target, arguments);
                } catch (InvocationTargetException thrown) {
                    throw thrown.getCause() instanceof Exception cause ? cause : thrown;
                }
            }
        }
        throw new NoSuchMethodException(type.getName() + "." + name);
    }

    static boolean takes(Class<?>[] types, Object[] arguments) {
        if (types.length != arguments.length) {
            return false;
        }
        for (int place = 0; place < types.length; place++) {
            if (arguments[place] != null && !types[place].isPrimitive() && !types[place].isInstance(arguments[place])) {
                return false;
            }
        }
        return true;
    }
}
