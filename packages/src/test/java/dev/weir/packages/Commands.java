package dev.weir.packages;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs programs for the tests, and finds what the build wrote. */
final class Commands {
    static final Path TARGET = Path.of("target").toAbsolutePath();

    /** A busy machine takes some minutes to make a system. */
    private static final int LIMIT_MINUTES = 20;

    private Commands() {}

    /** The result of a program. */
    record Result(int status, String output) {
        /** Returns the output if the program succeeded. */
        String succeeded() {
            assertThat(status).as(output).isZero();
            return output;
        }
    }

    /** Runs a program with standard output and standard error together. */
    static Result run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
        Path output = Files.createTempFile("weir-packages-", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError(command + " does not end: " + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.delete(output);
        }
    }

    static Result run(String... command) throws IOException, InterruptedException {
        return run(List.of(command), Map.of());
    }

    /** Returns the only file or folder in {@code target} with this beginning and end. */
    static Path built(String start, String end) throws IOException {
        try (Stream<Path> files = Files.list(TARGET)) {
            List<Path> fitting = files.filter(file -> file.getFileName().toString().startsWith(start)
                    && file.getFileName().toString().endsWith(end)).toList();
            assertThat(fitting).as("target/" + start + "*" + end).hasSize(1);
            return fitting.getFirst();
        }
    }
}
