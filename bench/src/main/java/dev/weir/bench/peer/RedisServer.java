package dev.weir.bench.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.FreePort;

/**
 * A Redis server on loopback without persistence. This favors its speed, but acknowledged data does not survive its
 * exit.
 */
public final class RedisServer implements AutoCloseable {
    private final Workspace workspace;
    private final Process process;
    private final int port;

    private RedisServer(Workspace workspace, Process process, int port) {
        this.workspace = workspace;
        this.process = process;
        this.port = port;
    }

    /** Starts a server and waits until it is ready. */
    public static RedisServer start(Workspace workspace, Path folder) throws IOException {
        return start(workspace, folder, List.of("redis-server"));
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @param program the command line that runs redis-server
     */
    public static RedisServer start(Workspace workspace, Path folder, List<String> program) throws IOException {
        int port = FreePort.find();
        List<String> words = new ArrayList<>(program);
        words.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--save", "", "--appendonly",
                "no", "--dir", folder.toString()));
        Process process = workspace.start(new ProcessBuilder(words).redirectErrorStream(true));
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains("Ready to accept connections")) {
                // A server that cannot write its log stands still.
                Thread.ofVirtual().start(() -> out.lines().forEach(_ -> {}));
                return new RedisServer(workspace, process, port);
            }
            seen.append(line).append('\n');
        }
        workspace.kill(process);
        throw new IOException("redis-server did not start:\n" + seen);
    }

    /** Returns the port. */
    public int port() {
        return port;
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Suspends the server until the result is closed, which simulates an overloaded or unreachable one. */
    Contents.Outage pause() throws IOException {
        return workspace.pause(process);
    }

    @Override
    public void close() {
        workspace.kill(process);
    }
}
