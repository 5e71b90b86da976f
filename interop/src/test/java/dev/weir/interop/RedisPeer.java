package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.FreePort;

/** A real Redis on loopback that keeps nothing on disk. */
final class RedisPeer implements AutoCloseable {
    private final Process process;
    private final int port;

    private RedisPeer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @param options further options of redis-server
     */
    static RedisPeer start(Path scratch, String... options) throws IOException {
        int port = FreePort.find();
        List<String> command = new ArrayList<>(List.of("redis-server", "--port", Integer.toString(port), "--bind",
                "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", scratch.toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains("Ready to accept connections")) {
                // A server that cannot write its log stands still.
                Thread.ofVirtual().start(() -> out.lines().forEach(_ -> {}));
                return new RedisPeer(process, port);
            }
            seen.append(line).append('\n');
        }
        throw new IOException("redis-server did not start:\n" + seen);
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
