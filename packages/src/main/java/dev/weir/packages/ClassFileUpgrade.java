package dev.weir.packages;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.ConstantInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Writes the class files of a jar again in the format of Java 8 if they are older than Java 6. A class archive of the
 * JVM leaves such classes out (JVMS 4.10.2: their verifier infers types), and picocli, which every command needs, has
 * 228 of them. The classes get stack map frames. The code of the methods stays the same, except that picocli no longer
 * asks for Groovy, which is not there: a class that is not there makes the JVM open every jar.
 */
final class ClassFileUpgrade {
    /** The first version whose classes have stack map frames. */
    private static final int WITH_FRAMES = ClassFile.JAVA_6_VERSION;

    private static final String ABSENT = "groovy.lang.Closure";

    private static final CodeTransform WITHOUT_ABSENT = (code, element) -> {
        if (element instanceof ConstantInstruction constant && ABSENT.equals(constant.constantValue())) {
            // No command is one, either.
            code.loadConstant("java.lang.Void");
        } else {
            code.with(element);
        }
    };

    private static final ClassTransform UPGRADE = ClassTransform.transformingMethodBodies(WITHOUT_ABSENT)
            .andThen(ClassTransform.dropping(ClassFileVersion.class::isInstance))
            .andThen(ClassTransform.endHandler(next -> next.withVersion(ClassFile.JAVA_8_VERSION, 0)));

    private ClassFileUpgrade() {}

    /**
     * Upgrades jars in place. The superclasses of their classes must be on the class path.
     *
     * @param args the jars
     */
    static void main(String... args) throws IOException {
        for (String jar : args) {
            upgrade(Path.of(jar));
        }
    }

    /** Returns the number of classes that were upgraded. With none, the jar stays as it is. */
    static int upgrade(Path jar) throws IOException {
        // A new constant pool makes the library write the methods again instead of copying them.
        ClassFile format = ClassFile.of(StackMapsOption.GENERATE_STACK_MAPS, ConstantPoolSharingOption.NEW_POOL);
        Path upgraded = Files.createTempFile(jar.toAbsolutePath().getParent(), "upgrade", ".jar");
        int count = 0;
        try (ZipFile from = new ZipFile(jar.toFile());
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(upgraded))) {
            for (ZipEntry entry : Collections.list(from.entries())) {
                byte[] content = from.getInputStream(entry).readAllBytes();
                if (entry.getName().endsWith(".class")) {
                    ClassModel parsed = format.parse(content);
                    if (parsed.majorVersion() < WITH_FRAMES) {
                        content = format.transformClass(parsed, UPGRADE);
                        count++;
                    }
                }
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                to.putNextEntry(copy);
                to.write(content);
                to.closeEntry();
            }
        } catch (Throwable e) {
            Files.delete(upgraded);
            throw e;
        }
        if (count == 0) {
            Files.delete(upgraded);
        } else {
            Files.move(upgraded, jar, StandardCopyOption.REPLACE_EXISTING);
        }
        return count;
    }
}
