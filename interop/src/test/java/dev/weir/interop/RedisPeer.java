package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A real Redis on loopback that keeps nothing on disk. */
final class RedisPeer implements AutoCloseable {
    private final Process process;
    private final int port;

    private RedisPeer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static RedisPeer start(Path scratch) throws IOException {
        int port = Programs.freePort();
        Process process = new ProcessBuilder("redis-server", "--port", Integer.toString(port), "--bind",
                "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", scratch.toString()).redirectErrorStream(true)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains("Ready to accept connections")) {
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
