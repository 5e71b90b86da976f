package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.weir.testkit.WeirProgram;

/** The command {@code weir}, run as a process that ends. */
final class Weir {
    private Weir() {}

    static Programs.Result run(Path scratch, String... arguments) throws IOException, InterruptedException {
        return Programs.run(scratch, WeirProgram.command(List.of(arguments)).toArray(String[]::new));
    }
}
