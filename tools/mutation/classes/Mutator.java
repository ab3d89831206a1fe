import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Mutants of compiled classes: one instruction changed, frames and stack as before.
 *
 * <p>{@code Mutator list CLASS...} prints each mutant of some classes of the class path as a line of tab-separated words:
 * its name, the line of the source, the change. {@code Mutator write FOLDER CLASS} writes, for each line of standard
 * input that names a mutant of that class, or none, and a folder in FOLDER, the class file there. A name is {@code METHOD
 * OPERATOR NUMBER}: the mutants of an operator are numbered within a method and its lambdas, in the order of the code.
 */
public final class Mutator {
    private static final String FUTURE = "java/util/concurrent/CompletableFuture", OPTIONAL = "java/util/Optional";
    private static final String STRING = "java/lang/String", ITERATOR = "java/util/Iterator";
    /** A call whose effect is a log line or a counter, or that makes the parts of one, has no mutants. */
    private static final Set<String> SILENT = Set.of("org/slf4j/Logger", "java/lang/StringBuilder",
            "java/util/concurrent/atomic/AtomicLong", "java/lang/Boolean", "java/lang/Long", "java/lang/Integer",
            "java/lang/Double");
    /** Methods of the same form that may stand for each other. */
    private static final Map<String, String> SIBLINGS = Map.of("dstBroker", "sourceBroker", "sourceBroker", "dstBroker",
            "lowerEndpoint", "upperEndpoint", "upperEndpoint", "lowerEndpoint", "isInFlightState", "isActiveState",
            "isActiveState", "isInFlightState", "isBlank", "isNotBlank", "isNotBlank", "isBlank");
    private static final Map<Integer, Integer> NEGATED = pairs(Opcodes.IFEQ, Opcodes.IFNE, Opcodes.IFLT, Opcodes.IFGE,
            Opcodes.IFGT, Opcodes.IFLE, Opcodes.IF_ICMPEQ, Opcodes.IF_ICMPNE, Opcodes.IF_ICMPLT, Opcodes.IF_ICMPGE,
            Opcodes.IF_ICMPGT, Opcodes.IF_ICMPLE, Opcodes.IF_ACMPEQ, Opcodes.IF_ACMPNE, Opcodes.IFNULL,
            Opcodes.IFNONNULL);
    private static final Map<Integer, Integer> BOUNDARY = pairs(Opcodes.IFLT, Opcodes.IFLE, Opcodes.IFGT, Opcodes.IFGE,
            Opcodes.IF_ICMPLT, Opcodes.IF_ICMPLE, Opcodes.IF_ICMPGT, Opcodes.IF_ICMPGE);
    private static final Map<Integer, Integer> NUMBER = pairs(Opcodes.ICONST_0, Opcodes.ICONST_1, Opcodes.LCONST_0,
            Opcodes.LCONST_1, Opcodes.LADD, Opcodes.LSUB, Opcodes.IADD, Opcodes.ISUB, Opcodes.LMUL, Opcodes.LDIV,
            Opcodes.IMUL, Opcodes.IDIV);

    private Mutator() { }

    private static Map<Integer, Integer> pairs(int... codes) {
        Map<Integer, Integer> found = new HashMap<>();
        for (int at = 0; at < codes.length; at += 2) {
            found.put(codes[at], codes[at + 1]);
            found.put(codes[at + 1], codes[at]);
        }
        return found;
    }

    public static void main(String[] words) throws IOException {
        if (words[0].equals("list")) {
            for (int at = 1; at < words.length; at++) {
                Changes all = new Changes("");
                changed(words[at], all);
                String type = words[at].substring(words[at].lastIndexOf('/') + 1);
                all.found.forEach(line -> System.out.println(type + "." + line));
            }
            return;
        }
        for (String line : new String(System.in.readAllBytes()).lines().toList()) {
            String[] parts = line.split("\t");
            Changes one = new Changes(parts[0]);
            byte[] code = changed(words[2], one);
            if (!one.isDone && !parts[0].isEmpty()) {
                throw new IllegalArgumentException(words[2] + " has no mutant " + parts[0]);
            }
            Path file = Path.of(words[1], parts[1], words[2] + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, code);
        }
    }

    private static byte[] changed(String type, Changes changes) throws IOException {
        try (InputStream file = ClassLoader.getSystemResourceAsStream(type + ".class")) {
            if (file == null) {
                throw new IllegalArgumentException("no class " + type + " in these jars");
            }
            ClassReader reader = new ClassReader(file);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public MethodVisitor visitMethod(int access, String name, String form, String generic, String[] thrown) {
                    MethodVisitor method = super.visitMethod(access, name, form, generic, thrown);
                    boolean isMade = (access & Opcodes.ACC_SYNTHETIC) != 0 && !name.startsWith("lambda$")
                            || name.equals("values") || name.equals("$values") || name.equals("valueOf");
                    return isMade ? method : new Points(method, changes, type, access, name, form);
                }
            }, 0);
            return writer.toByteArray();
        }
    }

    /** The mutants that were met, and the one to make. */
    private static final class Changes {
        final List<String> found = new ArrayList<>();
        private final Map<String, Integer> numbers = new HashMap<>();
        private final String wanted;
        boolean isDone;

        Changes(String wanted) {
            this.wanted = wanted;
        }

        /** Return whether this is the mutant to make. */
        boolean isNext(String method, String operator, int line, String words) {
            String kind = method + " " + operator;
            String name = kind + " " + numbers.merge(kind, 1, Integer::sum);
            found.add(name + "\t" + line + "\t" + words);
            isDone |= name.equals(wanted);
            return name.equals(wanted);
        }
    }

    /** Meets the points of a method at which an operator applies. */
    private static final class Points extends MethodVisitor {
        private final Changes changes;
        private final String method, type;
        private final Type result;
        private final Set<Label> passed = new HashSet<>();
        private int line, local;

        Points(MethodVisitor next, Changes changes, String type, int access, String name, String form) {
            super(Opcodes.ASM9, next);
            this.changes = changes;
            this.type = type;
            String plain = name.startsWith("lambda$") ? name.split("\\$")[1] : name;
            method = switch (plain) {
                case "<init>" -> "new";
                case "<clinit>" -> "tables";
                default -> plain;
            };
            result = Type.getReturnType(form);
            local = 1000; // beyond all locals of the method
        }

        private boolean is(String operator, String words) {
            return (!method.equals("tables") || operator.equals("state")) && changes.isNext(method, operator, line, words);
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
            super.visitLineNumber(number, start);
        }

        @Override
        public void visitLabel(Label label) {
            passed.add(label);
            super.visitLabel(label);
        }

        @Override
        public void visitJumpInsn(int code, Label to) {
            if (code == Opcodes.GOTO) {
                if (passed.contains(to) && is("once", "the loop runs once")) {
                    super.visitInsn(Opcodes.NOP); // no two frames at one place
                } else {
                    super.visitJumpInsn(code, to);
                }
                return;
            }
            if (is("negate", "the condition is negated")) {
                super.visitJumpInsn(NEGATED.get(code), to);
            } else if (is("never", "the jump is never taken")) {
                drop(code);
            } else if (is("always", "the jump is always taken")) {
                drop(code);
                super.visitInsn(Opcodes.ICONST_0);
                super.visitJumpInsn(Opcodes.IFEQ, to);
            } else if (BOUNDARY.containsKey(code) && is("boundary", "the boundary is moved by one")) {
                super.visitJumpInsn(BOUNDARY.get(code), to);
            } else {
                super.visitJumpInsn(code, to);
            }
        }

        /** Drop what a conditional jump compares. */
        private void drop(int code) {
            boolean hasTwo = code >= Opcodes.IF_ICMPEQ && code <= Opcodes.IF_ACMPNE;
            super.visitInsn(hasTwo ? Opcodes.POP2 : Opcodes.POP);
        }

        @Override
        public void visitTableSwitchInsn(int low, int high, Label other, Label... cases) {
            for (int at = 0; at < cases.length; at++) {
                if (cases[at] != other && is("case", "case " + (low + at) + " of the switch is the default one")) {
                    cases[at] = other;
                }
            }
            super.visitTableSwitchInsn(low, high, other, cases);
        }

        @Override
        public void visitFieldInsn(int code, String owner, String name, String form) {
            if (code == Opcodes.GETSTATIC && owner.endsWith("/ServiceUnitState") && form.equals("L" + owner + ";")) {
                for (String state : List.of("Init", "Free", "Owned", "Assigning", "Releasing", "Splitting", "Deleted")) {
                    if (!state.equals(name) && is("state", name + " becomes " + state)) {
                        super.visitFieldInsn(code, owner, state, form);
                        return;
                    }
                }
            }
            boolean isSet = (code == Opcodes.PUTFIELD || code == Opcodes.PUTSTATIC) && !name.startsWith("total");
            if (isSet && !method.equals("new") && is("unset", name + " is not set")) {
                pop(Type.getType(form));
                if (code == Opcodes.PUTFIELD) {
                    super.visitInsn(Opcodes.POP);
                }
                return;
            }
            super.visitFieldInsn(code, owner, name, form);
        }

        @Override
        public void visitInsn(int code) {
            if (code >= Opcodes.IRETURN && code <= Opcodes.ARETURN && is("return", "it returns " + nothing(result))) {
                pop(result);
                push(result);
            } else if (code == Opcodes.IRETURN && is("one", "it returns true, or 1")) {
                super.visitInsn(Opcodes.POP);
                super.visitInsn(Opcodes.ICONST_1);
            } else if (NUMBER.containsKey(code) && is("number", "0 and 1, + and -, * and / are exchanged")) {
                super.visitInsn(NUMBER.get(code));
                return;
            }
            super.visitInsn(code);
        }

        @Override
        public void visitLdcInsn(Object value) {
            if (value instanceof Long number && is("number", number + " becomes " + number / 2)) {
                super.visitLdcInsn(number / 2);
            } else if (value instanceof Integer number && is("number", number + " becomes " + number / 2)) {
                super.visitLdcInsn(number / 2);
            } else {
                super.visitLdcInsn(value);
            }
        }

        @Override
        public void visitMethodInsn(int code, String owner, String name, String form, boolean isInterface) {
            if (SILENT.contains(owner) || owner.startsWith(type) && owner.endsWith("$Counters") || isLog(name)) {
                super.visitMethodInsn(code, owner, name, form, isInterface);
                return;
            }
            String call = owner.substring(owner.lastIndexOf('/') + 1) + "." + name;
            Type[] given = Type.getArgumentTypes(form);
            for (int at = 0; at + 1 < given.length; at++) {
                if (given[at].equals(given[at + 1]) && is("swap", "arguments " + (at + 1) + " and " + (at + 2) + " of "
                        + call + " are swapped")) {
                    swap(given, at);
                    super.visitMethodInsn(code, owner, name, form, isInterface);
                    return;
                }
            }
            if (!name.equals("<init>") && isLeftOut(code, owner, name, form, call, given)) {
                return;
            }
            super.visitMethodInsn(code, owner, name, form, isInterface);
        }

        private static boolean isLog(String name) {
            return name.equals("log") || name.equals("debug");
        }

        /** Return whether the call is replaced. */
        private boolean isLeftOut(int code, String owner, String name, String form, String call, Type[] given) {
            Type back = Type.getReturnType(form);
            boolean hasSelf = code != Opcodes.INVOKESTATIC;
            boolean hasSibling = SIBLINGS.containsKey(name)
                    && (!name.endsWith("Broker") || owner.endsWith("/ServiceUnitStateData"));
            if (hasSibling && is("sibling", call + " becomes " + SIBLINGS.get(name))) {
                super.visitMethodInsn(code, owner, SIBLINGS.get(name), form, code == Opcodes.INVOKEINTERFACE);
                return true;
            }
            if (back.getSort() == Type.VOID && is("remove", call + " is not called")) {
                popAll(given, hasSelf);
                return true;
            }
            boolean isSame = hasSelf && back.getSort() == Type.OBJECT && back.getInternalName().equals(owner);
            if (isSame && is("receiver", call + " is left out")) {
                popAll(given, false);
                return true;
            }
            if (back.getSort() != Type.VOID && canBeNothing(back) && is("nothing", call + " is not called, it is "
                    + nothing(back))) {
                popAll(given, hasSelf);
                push(back);
                return true;
            }
            if (owner.equals(ITERATOR) && name.equals("next") && is("skip", "the loop leaves one of two out")) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(code, owner, name, form, true);
                super.visitInsn(Opcodes.POP);
                super.visitMethodInsn(code, owner, name, form, true);
                return true;
            }
            return false;
        }

        private static boolean canBeNothing(Type type) {
            return type.getSort() < Type.ARRAY || Set.of(FUTURE, OPTIONAL, STRING).contains(type.getInternalName());
        }

        private static String nothing(Type type) {
            if (type.getSort() != Type.OBJECT) {
                return type.getSort() == Type.BOOLEAN ? "false" : type.getSort() == Type.ARRAY ? "null" : "0";
            }
            return type.getInternalName().equals(FUTURE) ? "a future that is done"
                    : type.getInternalName().equals(OPTIONAL) ? "empty" : "null";
        }

        private void swap(Type[] given, int at) {
            int[] places = new int[given.length];
            for (int number = given.length - 1; number >= at; number--) {
                places[number] = local += 2;
                super.visitVarInsn(given[number].getOpcode(Opcodes.ISTORE), places[number]);
            }
            for (int number = at; number < given.length; number++) {
                int from = number == at ? at + 1 : number == at + 1 ? at : number;
                super.visitVarInsn(given[from].getOpcode(Opcodes.ILOAD), places[from]);
            }
        }

        private void popAll(Type[] given, boolean hasSelf) {
            super.visitInsn(Opcodes.NOP);
            for (int number = given.length - 1; number >= 0; number--) {
                pop(given[number]);
            }
            if (hasSelf) {
                super.visitInsn(Opcodes.POP);
            }
        }

        private void pop(Type type) {
            super.visitInsn(type.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
        }

        /** Push the default of a type: false, 0, null, an empty Optional, a future that is done. */
        private void push(Type type) {
            switch (type.getSort()) {
                case Type.LONG -> super.visitInsn(Opcodes.LCONST_0);
                case Type.DOUBLE -> super.visitInsn(Opcodes.DCONST_0);
                case Type.FLOAT -> super.visitInsn(Opcodes.FCONST_0);
                case Type.OBJECT, Type.ARRAY -> {
                    String name = type.getInternalName();
                    super.visitInsn(Opcodes.ACONST_NULL);
                    if (name.equals(OPTIONAL)) {
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, OPTIONAL, "ofNullable",
                                "(Ljava/lang/Object;)Ljava/util/Optional;", false);
                    } else if (name.equals(FUTURE)) {
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, FUTURE, "completedFuture",
                                "(Ljava/lang/Object;)L" + FUTURE + ";", false);
                    }
                }
                default -> super.visitInsn(Opcodes.ICONST_0);
            }
        }
    }
}
