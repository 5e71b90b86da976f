package dev.weir.bench.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

/** A process of {@code weir serve}, started as a user starts it. */
public final class WeirProcess implements PeerProcess {
    private static final Pattern READY = Pattern.compile("ready on 127\\.0\\.0\\.1:(\\d+)");

    /** Includes the time to apply accepted updates. */
    private static final int END_SECONDS = 300;

    private final Workspace workspace;
    private final Path data;
    private final Process process;
    private final Path log;
    private final InetSocketAddress address;

    private WeirProcess(Workspace workspace, Path data, Process process, Path log, int port) {
        this.log = log;
        this.workspace = workspace;
        this.data = data;
        this.process = process;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /**
     * Starts a storage and waits until it is ready.
     *
     * @param command the command line that runs {@code weir}
     * @param data the data folder
     */
    public static WeirProcess start(Workspace workspace, List<String> command, Path data) throws IOException {
        return start(workspace, command, data, List.of(), Map.of());
    }

    /**
     * Starts a storage with further options and waits until it is ready.
     *
     * @param options options of {@code weir serve}
     * @param environment additional environment variables
     */
    public static WeirProcess start(Workspace workspace, List<String> command, Path data, List<String> options,
            Map<String, String> environment) throws IOException {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("serve", "--no-http", "--data", data.toString(), "--bind", "127.0.0.1:0"));
        words.addAll(options);
        return launch(workspace, words, data, environment);
    }

    /**
     * Starts a storage with a configuration and waits until it is ready.
     *
     * @param configuration a file that names the data folder, and 127.0.0.1:0 as the only address
     */
    public static WeirProcess configured(Workspace workspace, List<String> command, Path configuration, Path data)
            throws IOException {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("serve", "--no-http", "-c", configuration.toString()));
        return launch(workspace, words, data, Map.of());
    }

    private static WeirProcess launch(Workspace workspace, List<String> words, Path data,
            Map<String, String> environment) throws IOException {
        Path log = Files.createTempFile(workspace.folder(), "weir", ".log");
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(log.toFile());
        builder.environment().putAll(environment);
        Process process = workspace.start(builder);
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ready = READY.matcher(line);
            if (ready.find()) {
                return new WeirProcess(workspace, data, process, log, Integer.parseInt(ready.group(1)));
            }
        }
        workspace.kill(process);
        throw new IOException("weir serve did not become ready:\n" + Files.readString(log));
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Contents contents() {
        return new SqliteContents(data.resolve("fuzzy.db"));
    }

    /** Returns the data folder, for a successor. */
    public Path data() {
        return data;
    }

    /** Returns the file with its standard error, which is its log. */
    public Path log() {
        return log;
    }

    /** Returns the process id. */
    @Override
    public long pid() {
        return process.pid();
    }

    /**
     * Sends a command to the control socket, and returns what the worker answers.
     *
     * @param target such as {@code /status}
     */
    public JsonNode control(String target) throws IOException {
        return ControlAsker.ask(data.resolve("control.sock"), target);
    }

    /** Suspends the process until the result is closed. */
    public Contents.Outage pause() throws IOException {
        return workspace.pause(process);
    }

    /** Sends SIGTERM, waits while the storage drains, and returns the exit status. */
    @Override
    public int terminate() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("weir serve did not exit within " + END_SECONDS + " s of SIGTERM");
        }
        return process.exitValue();
    }

    /** Sends SIGKILL. */
    @Override
    public void close() {
        workspace.kill(process);
    }
}
