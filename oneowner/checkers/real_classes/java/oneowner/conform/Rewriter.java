package oneowner.conform;

import java.io.IOException;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * A Java agent that changes Pulsar's classes while they are loaded, in two ways; no jar is changed.
 *
 * <p>A call of a clock, a timer or a wait becomes that of the method of {@link Time} of the same name and form, a receiver
 * being its first argument, so that frames stay as they are. The body of a method that {@link Seams} lists becomes one call of
 * {@link Seams#answer}: there the script answers in place of a part of the broker that is not under test.
 */
public final class Rewriter implements ClassFileTransformer {
    private static final String PULSAR = "org/apache/pulsar/", TIME = "oneowner/conform/Time";
    private static final int NOT_TRACED = -1;
    private static final String ENTRIES = "oneowner/conform/Entries";
    private static final String SEAMS = "oneowner/conform/Seams", FUTURE = "java/util/concurrent/CompletableFuture";
    private static final Set<String> TIMELY = Set.of("java/lang/System", "java/lang/Thread", "java/util/Map", FUTURE,
            "java/time/Instant", "java/util/concurrent/TimeUnit", "java/util/concurrent/atomic/AtomicInteger",
            "org/apache/pulsar/client/api/Schema",
            "org/apache/bookkeeper/common/util/OrderedExecutor$AbstractBuilder");
    private static final Map<Integer, String> BOXES = Map.of(Type.BOOLEAN, "java/lang/Boolean",
            Type.INT, "java/lang/Integer", Type.LONG, "java/lang/Long", Type.DOUBLE, "java/lang/Double");
    /** The methods of Time, by name and form. */
    private static final Set<String> OWN = Arrays.stream(Time.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .map(method -> method.getName() + Type.getMethodDescriptor(method)).collect(Collectors.toSet());

    private static Instrumentation instrumentation;

    public static void premain(String argument, Instrumentation given) {
        Entries.areTraced = Entries.ARGUMENT.equals(argument);
        instrumentation = given;
        instrumentation.addTransformer(new Rewriter());
    }

    /** Give classes other bodies: those of the class files in *folder*, which are changed as when a class is loaded. */
    static void redefine(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".class")).toList()) {
                String name = folder.relativize(file).toString().replace(".class", "").replace('/', '.');
                var loaded = Class.forName(name);
                instrumentation.redefineClasses(new ClassDefinition(loaded, Files.readAllBytes(file)));
            }
        } catch (ReflectiveOperationException | UnmodifiableClassException error) {
            throw new IllegalArgumentException("no other bodies for classes in " + folder, error);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
        if (name == null || !name.startsWith(PULSAR)) {
            return null;
        }
        try {
            return rewritten(name, code);
        } catch (Throwable error) { // a class that stays as it is would run on the machine's clock
            Main.fail(error);
            return null;
        }
    }

    private static byte[] rewritten(String type, byte[] code) {
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String form, String generic, String[] thrown) {
                MethodVisitor method = super.visitMethod(access, name, form, generic, thrown);
                boolean hasSelf = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_ABSTRACT)) == 0;
                if (hasSelf && Seams.replaces(type, name, form)) {
                    answer(method, name, form);
                    return null;
                }
                boolean isTraced = Entries.areTraced && type.startsWith(Entries.PLACE);
                return new Calls(method, isTraced ? Entries.number(type + "." + name + form) : NOT_TRACED);
            }
        }, 0);
        return writer.toByteArray();
    }

    /** Write the body {@code return Seams.answer(this, name, arguments)}. */
    private static void answer(MethodVisitor method, String name, String form) {
        Type[] arguments = Type.getArgumentTypes(form);
        Type result = Type.getReturnType(form);
        method.visitCode();
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitLdcInsn(name);
        method.visitIntInsn(Opcodes.BIPUSH, arguments.length);
        method.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
        for (int number = 0, local = 1; number < arguments.length; local += arguments[number++].getSize()) {
            method.visitInsn(Opcodes.DUP);
            method.visitIntInsn(Opcodes.BIPUSH, number);
            method.visitVarInsn(arguments[number].getOpcode(Opcodes.ILOAD), local);
            boxed(method, arguments[number]);
            method.visitInsn(Opcodes.AASTORE);
        }
        method.visitMethodInsn(Opcodes.INVOKESTATIC, SEAMS, "answer",
                "(Ljava/lang/Object;Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/Object;", false);
        if (result.getSort() == Type.VOID) {
            method.visitInsn(Opcodes.POP);
        } else {
            unboxed(method, result);
        }
        method.visitInsn(result.getOpcode(Opcodes.IRETURN));
        method.visitMaxs(0, 0);
        method.visitEnd();
    }

    private static void boxed(MethodVisitor method, Type type) {
        if (BOXES.containsKey(type.getSort())) {
            String box = BOXES.get(type.getSort());
            String form = "(" + type.getDescriptor() + ")L" + box + ";";
            method.visitMethodInsn(Opcodes.INVOKESTATIC, box, "valueOf", form, false);
        }
    }

    private static void unboxed(MethodVisitor method, Type type) {
        String box = BOXES.getOrDefault(type.getSort(), type.getInternalName());
        method.visitTypeInsn(Opcodes.CHECKCAST, box);
        if (BOXES.containsKey(type.getSort())) {
            String name = type.getClassName() + "Value";
            method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, box, name, "()" + type.getDescriptor(), false);
        }
    }

    /** Sends calls to Time, plain ones and those that a lambda or a method reference stands for; traces the entry. */
    private static final class Calls extends MethodVisitor {
        private final int traced;

        Calls(MethodVisitor method, int traced) {
            super(Opcodes.ASM9, method);
            this.traced = traced;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (traced != NOT_TRACED) {
                super.visitFieldInsn(Opcodes.GETSTATIC, ENTRIES, "ENTERED", "[Z");
                super.visitLdcInsn(traced);
                super.visitInsn(Opcodes.ICONST_1);
                super.visitInsn(Opcodes.BASTORE);
            }
        }

        @Override
        public void visitMethodInsn(int code, String owner, String name, String form, boolean isInterface) {
            String own = timely(code == Opcodes.INVOKESTATIC, owner, name, form);
            if (own == null) {
                super.visitMethodInsn(code, owner, name, form, isInterface);
            } else {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TIME, name, own, false);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String form, Handle bootstrap, Object... arguments) {
            for (int number = 0; number < arguments.length; number++) {
                if (arguments[number] instanceof Handle handle) {
                    boolean isStatic = handle.getTag() == Opcodes.H_INVOKESTATIC;
                    String own = timely(isStatic, handle.getOwner(), handle.getName(), handle.getDesc());
                    if (own != null) {
                        arguments[number] = new Handle(Opcodes.H_INVOKESTATIC, TIME, handle.getName(), own, false);
                    }
                }
            }
            super.visitInvokeDynamicInsn(name, form, bootstrap, arguments);
        }

        /** Return the form of the method of Time that takes this call's place, or null. */
        private static String timely(boolean isStatic, String owner, String name, String form) {
            String own = isStatic ? form : "(L" + owner + ";" + form.substring(1);
            return TIMELY.contains(owner) && OWN.contains(name + own) ? own : null;
        }
    }
}
