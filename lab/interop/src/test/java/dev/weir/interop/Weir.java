package dev.weir.interop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import dev.weir.cli.Main;

/** The command {@code weir}, run as a process from the classes under test. */
final class Weir {
    /** An archive has classes of jars only, and the folders have those of the tests. */
    private static final String JARS = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.endsWith(".jar")).collect(Collectors.joining(File.pathSeparator));

    private Weir() {}

    /** Returns the command line that runs {@code weir} with arguments. */
    static List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        if (isOfJars()) {
            // The first process leaves its classes in the archive, so that each later one starts in two thirds of the
            // processor time.
            command.addAll(List.of("-XX:+AutoCreateSharedArchive",
                    "-XX:SharedArchiveFile=" + Path.of("target", "weir.jsa").toAbsolutePath(), "-Xlog:disable",
                    "-cp", JARS));
        } else {
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        }
        command.add(Main.class.getName());
        command.addAll(arguments);
        return command;
    }

    /** Returns whether the classes come from jars, as in a build with Maven. */
    static boolean isOfJars() {
        return Main.class.getProtectionDomain().getCodeSource().getLocation().getPath().endsWith(".jar");
    }

    static Programs.Result run(Path scratch, String... arguments) throws IOException, InterruptedException {
        return Programs.run(scratch, command(List.of(arguments)).toArray(String[]::new));
    }
}
