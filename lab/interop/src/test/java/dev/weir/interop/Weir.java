package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command {@code weir}, run as a process from the classes under test. */
final class Weir {
    private Weir() {}

    /** Returns the command line that runs {@code weir} with arguments. */
    static List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                "dev.weir.cli.Main"));
        command.addAll(arguments);
        return command;
    }

    static Programs.Result run(Path scratch, String... arguments) throws IOException, InterruptedException {
        return Programs.run(scratch, command(List.of(arguments)).toArray(String[]::new));
    }
}
