package dev.weir.storage.shared;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import redis.clients.jedis.Jedis;

/** A real Redis on loopback in a folder, which can be killed, stopped for a time and started again. */
final class RedisProcess implements AutoCloseable {
    private final Path folder;
    private final int port;
    private final String program;
    private final List<String> options;
    private Process process;

    private RedisProcess(String program, Path folder, int port, List<String> options) throws IOException {
        this.program = program;
        this.folder = folder;
        this.port = port;
        this.options = options;
        this.process = launch();
    }

    /** Starts a server; skips the test where there is none. */
    static RedisProcess start(Path scratch, String... options) throws IOException {
        return start(scratch, freePort(), options);
    }

    static RedisProcess start(Path scratch, int port, String... options) throws IOException {
        Assumptions.assumeTrue(isInstalled("redis-server"), "redis-server is not installed");
        return new RedisProcess("redis-server", Files.createTempDirectory(scratch, "redis"), port, List.of(options));
    }

    /** Starts a relative of Redis. */
    static RedisProcess startProgram(String program, Path scratch, String... options) throws IOException {
        return new RedisProcess(program, Files.createTempDirectory(scratch, "redis"), freePort(), List.of(options));
    }

    static boolean isInstalled(String program) {
        for (String folder : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    /** A Cluster also takes the port 10000 above. */
    static int freePort() throws IOException {
        while (true) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                int port = socket.getLocalPort();
                if (port <= 55_000) {
                    return port;
                }
            }
        }
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "--port", Integer.toString(port), "--bind",
                "127.0.0.1", "--save", "", "--dir", folder.toString()));
        command.addAll(options);
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader out = started.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains("Ready to accept connections")) {
                Thread.ofVirtual().start(() -> out.lines().forEach(ignored -> {}));
                return started;
            }
            seen.append(line).append('\n');
        }
        throw new IOException(program + " did not start:\n" + seen);
    }

    int port() {
        return port;
    }

    Path folder() {
        return folder;
    }

    EngineAddress address() {
        return new EngineAddress("127.0.0.1", port);
    }

    Jedis client() {
        return new Jedis("127.0.0.1", port);
    }

    /** Ends the process at once, as a crash would. */
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Cuts the end of the append-only log of a stopped server, as a crash in the middle of a write does. */
    void cutLog(int bytes) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("appendonlydir"))) {
            Path last = files.filter(file -> file.toString().endsWith(".incr.aof")).findFirst().orElseThrow();
            try (FileChannel channel = FileChannel.open(last, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() - bytes);
            }
        }
    }

    void restart() throws IOException {
        process = launch();
    }

    /** Stops or continues the process without ending it. */
    void signal(String name) throws IOException, InterruptedException {
        Process sent = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (!sent.waitFor(10, TimeUnit.SECONDS) || sent.exitValue() != 0) {
            throw new IOException("kill -" + name + " failed");
        }
    }

    @Override
    public void close() {
        kill();
    }
}
