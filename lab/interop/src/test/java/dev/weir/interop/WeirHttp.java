package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.testkit.WeirProgram;

/** A process {@code weir serve} with a storage and its HTTP interface, on ports that the system chooses. */
final class WeirHttp implements AutoCloseable {
    private static final Pattern HTTP = Pattern.compile("http ready on 127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern STORAGE = Pattern.compile("storage ready on 127\\.0\\.0\\.1:(\\d+)");

    private final Path scratch;
    private final Path data;
    private final Process process;
    private final int port;
    private final int storage;

    private WeirHttp(Path scratch, Path data, Process process, int port, int storage) {
        this.scratch = scratch;
        this.data = data;
        this.process = process;
        this.port = port;
        this.storage = storage;
    }

    /** Starts it with the built-in rule. */
    static WeirHttp start(Path scratch) throws IOException {
        Path data = Files.createTempDirectory(scratch, "data");
        return await(scratch, data, List.of("serve", "--data", data.toString(), "--bind", "127.0.0.1:0", "--http",
                "127.0.0.1:0"), Map.of());
    }

    /** Starts it with a configuration. */
    static WeirHttp configured(Path scratch, Path configuration) throws IOException {
        return configured(scratch, configuration, Map.of());
    }

    /** Starts it with a configuration and further environment variables. */
    static WeirHttp configured(Path scratch, Path configuration, Map<String, String> environment) throws IOException {
        return await(scratch, scratch, List.of("serve", "-c", configuration.toString()), environment);
    }

    private static WeirHttp await(Path scratch, Path data, List<String> arguments, Map<String, String> environment)
            throws IOException {
        Path err = Files.createTempFile(scratch, "http", ".log");
        ProcessBuilder builder = new ProcessBuilder(WeirProgram.command(arguments)).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            seen.append(line).append('\n');
            Matcher http = HTTP.matcher(line);
            if (http.find()) {
                Matcher storage = STORAGE.matcher(seen);
                return new WeirHttp(scratch, data, process, Integer.parseInt(http.group(1)),
                        storage.find() ? Integer.parseInt(storage.group(1)) : 0);
            }
        }
        process.destroyForcibly();
        throw new IOException("weir serve did not become ready:\n" + seen + Programs.read(err));
    }

    /** Returns the data folder, if it was started without a configuration. */
    Path data() {
        return data;
    }

    /** Returns the UDP port of the storage. */
    int storage() {
        return storage;
    }

    /** Returns the port of HTTP. */
    int port() {
        return port;
    }

    /** Runs the real {@code rspamc} against it. */
    Programs.Result rspamc(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("rspamc", "-h", "127.0.0.1:" + port));
        command.addAll(List.of(arguments));
        return Programs.run(scratch, command.toArray(String[]::new));
    }

    /** Runs the real {@code rspamc} with a mail as its standard input. */
    Programs.Result piped(Path mail, String... arguments) throws IOException, InterruptedException {
        return Programs.run(scratch, "sh", "-c", "exec rspamc -h 127.0.0.1:" + port + " " + String.join(" ", arguments)
                + " < '" + mail + "'");
    }

    /** Ends the process at once, as a crash would. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

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
