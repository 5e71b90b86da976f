package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.testkit.WeirProgram;

/** {@code weir serve} in a separate process, on a port that the system chooses. */
final class WeirStorage implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready on 127\\.0\\.0\\.1:(\\d+)");

    private final Process process;
    private final int port;
    private final Path err;

    private WeirStorage(Process process, int port, Path err) {
        this.process = process;
        this.port = port;
        this.err = err;
    }

    /** Starts a storage on a folder and waits for the line that reports readiness. */
    static WeirStorage start(Path data, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("serve", "--data", data.toString(), "--bind", "127.0.0.1:0"));
        arguments.addAll(List.of(options));
        // All storages have the same HTTP port, and only the tests of HTTP need it.
        arguments.add("--no-http");
        return start(arguments, data.resolveSibling("."));
    }

    /** Starts a storage with a configuration, which must use port 0 of 127.0.0.1. */
    static WeirStorage configured(Path configuration) throws IOException {
        return start(List.of("serve", "--no-http", "-c", configuration.toString()), configuration.resolveSibling("."));
    }

    private static WeirStorage start(List<String> arguments, Path scratch) throws IOException {
        Path err = Files.createTempFile(scratch, "serve", ".log");
        Process process = new ProcessBuilder(WeirProgram.command(arguments)).redirectError(err.toFile()).start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ready = READY.matcher(line);
            if (ready.find()) {
                return new WeirStorage(process, Integer.parseInt(ready.group(1)), err);
            }
            seen.append(line).append('\n');
        }
        process.destroyForcibly();
        throw new IOException("weir serve did not become ready:\n" + seen + Programs.read(err));
    }

    int port() {
        return port;
    }

    /** Returns the log of the program so far. */
    String log() throws IOException {
        return Programs.read(err);
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Sets how many files the process may have open. Those that it has stay open. */
    void limitFiles(int atMost) throws IOException, InterruptedException {
        Programs.run(err.resolveSibling("."), "prlimit", "--pid", String.valueOf(process.pid()),
                "--nofile=" + atMost + ":").succeeded();
    }

    /** Ends the process at once, as a crash would. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Stops the storage with SIGTERM and waits for its end. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError("weir serve did not end within 30 s of SIGTERM");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
