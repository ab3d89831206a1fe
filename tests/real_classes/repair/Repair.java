import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Writes a broker's jar whose channel calls ReturnedUnit: {@code Repair OLD.jar NEW.jar FOLDER-OF-CLASSES}. */
public final class Repair {
    private static final String PLACE = "org/apache/pulsar/broker/loadbalance/extensions/channel/";
    private static final String CHANNEL = PLACE + "ServiceUnitStateChannelImpl.class";
    private static final String ADDED = PLACE + "ReturnedUnit", DATA = "L" + PLACE + "ServiceUnitStateData;";
    private static final String UNIT = "(Ljava/lang/Object;Ljava/lang/String;";

    public static void main(String[] names) throws Exception {
        try (ZipFile old = new ZipFile(names[0]); OutputStream file = Files.newOutputStream(Path.of(names[1]));
                ZipOutputStream made = new ZipOutputStream(file)) {
            for (Enumeration<? extends ZipEntry> all = old.entries(); all.hasMoreElements();) {
                ZipEntry one = all.nextElement();
                if (one.getName().startsWith("org/apache/pulsar/broker/loadbalance/") && !one.isDirectory()) {
                    try (InputStream in = old.getInputStream(one)) {
                        byte[] code = in.readAllBytes();
                        write(made, one.getName(), one.getName().equals(CHANNEL) ? repaired(code) : code);
                    }
                }
            }
            write(made, ADDED + ".class", Files.readAllBytes(Path.of(names[2], ADDED + ".class")));
        }
    }

    private static void write(ZipOutputStream made, String name, byte[] code) throws Exception {
        made.putNextEntry(new ZipEntry(name));
        made.write(code);
    }

    private static byte[] repaired(byte[] code) {
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String form, String generic, String[] thrown) {
                MethodVisitor method = super.visitMethod(access, name, form, generic, thrown);
                return switch (name) {
                    case "handleEvent" -> atReturn(method);
                    case "closeServiceUnit" -> atEntry(method);
                    default -> method;
                };
            }
        }, 0);
        return writer.toByteArray();
    }

    private static MethodVisitor atReturn(MethodVisitor method) {
        return new MethodVisitor(Opcodes.ASM9, method) {
            @Override
            public void visitInsn(int code) {
                if (code == Opcodes.RETURN) {
                    call(this, Opcodes.ALOAD, "handled", UNIT + DATA + ")V");
                }
                super.visitInsn(code);
            }
        };
    }

    private static MethodVisitor atEntry(MethodVisitor method) {
        return new MethodVisitor(Opcodes.ASM9, method) {
            @Override
            public void visitCode() {
                super.visitCode();
                call(this, Opcodes.ILOAD, "closes", UNIT + "Z)V");
            }
        };
    }

    /** Call a method of ReturnedUnit with the channel and the first two arguments. */
    private static void call(MethodVisitor method, int second, String name, String form) {
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitVarInsn(Opcodes.ALOAD, 1);
        method.visitVarInsn(second, 2);
        method.visitMethodInsn(Opcodes.INVOKESTATIC, ADDED, name, form, false);
    }
}
