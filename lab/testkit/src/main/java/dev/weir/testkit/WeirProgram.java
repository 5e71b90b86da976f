package dev.weir.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The command {@code weir}, for tests that run it as a process from the classes under test. A process of a test lives
 * for seconds, in which the second compiler and the threads of a collector would take most of the processor.
 */
public final class WeirProgram {
    private static final String MAIN = "dev.weir.cli.Main";
    /**
     * Has the first server that ends leave its classes in the archive, so that each later process starts in two thirds
     * of the processor time. Other commands have fewer classes.
     */
    private static final String CREATE = "-XX:+AutoCreateSharedArchive";
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final List<String> CLASS_PATH = List.of(System.getProperty("java.class.path")
            .split(File.pathSeparator));

    private WeirProgram() {}

    /** Returns the command line that runs {@code weir} with arguments. */
    public static List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>(options());
        if (isOfJars() && !arguments.isEmpty() && arguments.getFirst().equals("serve")) {
            command.add(CREATE);
        }
        command.add(MAIN);
        command.addAll(arguments);
        return command;
    }

    /**
     * Writes a launcher of {@code weir}, which adds the options of {@code WEIR_JAVA_OPTS} as that of the checkout does.
     *
     * @return its file, the same for all test JVMs of a module
     * @throws IOException if it cannot be written
     */
    public static Path launcher() throws IOException {
        String command = options().stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Path written = Files.createTempFile(TARGET, "weir", null);
        Files.writeString(written, """
                #!/bin/sh
                create=
                [ "$1" = serve ] && create=%s
                exec %s $create ${WEIR_JAVA_OPTS:-} %s "$@"
                """.formatted(isOfJars() ? CREATE : "", command, MAIN));
        Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Files.move(written, TARGET.resolve("weir"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static List<String> options() {
        List<String> options = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        if (isOfJars()) {
            // An archive has classes of jars only, and the folders have those of the tests.
            options.addAll(List.of("-XX:SharedArchiveFile=" + TARGET.resolve("weir.jsa"), "-Xlog:disable", "-cp",
                    CLASS_PATH.stream().filter(entry -> entry.endsWith(".jar"))
                            .collect(Collectors.joining(File.pathSeparator))));
        } else {
            options.addAll(List.of("-cp", String.join(File.pathSeparator, CLASS_PATH)));
        }
        return options;
    }

    /** Returns whether the classes of {@code weir} come from jars, as in a build with Maven. */
    public static boolean isOfJars() {
        return CLASS_PATH.stream().map(entry -> String.valueOf(Path.of(entry).getFileName()))
                .anyMatch(name -> name.startsWith("weir-cli-") && name.endsWith(".jar"));
    }
}
