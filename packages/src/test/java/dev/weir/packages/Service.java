package dev.weir.packages;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A running {@code weir serve}.
 *
 * @param output the file with its output
 */
record Service(Process process, Path output) implements AutoCloseable {
    /** Generous, because the machine may be busy. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Pattern PLACE = Pattern.compile("storage ready on ([^,\\s]+)");

    /** Waits until a started service is ready. */
    static Service await(Process process, Path output) throws IOException, InterruptedException {
        Service service = new Service(process, output);
        Instant end = Instant.now().plus(PATIENCE);
        while (!Files.readString(output).contains("http ready")) {
            if (!process.isAlive() || Instant.now().isAfter(end)) {
                service.close();
                throw new AssertionError(Files.readString(output));
            }
            process.waitFor(50, TimeUnit.MILLISECONDS);
        }
        return service;
    }

    /** Returns the address of the storage. */
    String place() throws IOException {
        return PLACE.matcher(Files.readString(output)).results().map((MatchResult found) -> found.group(1)).findFirst()
                .orElseThrow();
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the service was stopping");
        }
    }
}
