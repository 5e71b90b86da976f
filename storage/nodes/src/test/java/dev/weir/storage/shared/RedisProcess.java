package dev.weir.storage.shared;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.weir.testkit.Installed;
import dev.weir.testkit.RedisServer;
import redis.clients.jedis.Jedis;

/** A real Redis on loopback in a folder, which can be killed, stopped for a time and started again. */
final class RedisProcess implements AutoCloseable {
    private final Path folder;
    private final RedisServer server;

    private RedisProcess(Path folder, RedisServer server) {
        this.folder = folder;
        this.server = server;
    }

    /** Starts a server; skips the test where there is none. */
    static RedisProcess start(Path scratch, String... options) throws IOException {
        Installed.require("redis-server", "redis-server");
        return startProgram("redis-server", scratch, options);
    }

    /** Starts a relative of Redis. */
    static RedisProcess startProgram(String program, Path scratch, String... options) throws IOException {
        Path folder = Files.createTempDirectory(scratch, "redis");
        return new RedisProcess(folder, RedisServer.start(ProcessBuilder::start, List.of(program), folder, options));
    }

    int port() {
        return server.port();
    }

    Path folder() {
        return folder;
    }

    RedisAddress address() {
        return new RedisAddress("127.0.0.1", server.port());
    }

    Jedis client() {
        return new Jedis("127.0.0.1", server.port());
    }

    /** Ends the process at once, as a crash would. */
    void kill() {
        server.kill();
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
        server.restart();
    }

    /** Stops or continues the process without ending it. */
    void signal(String name) throws IOException, InterruptedException {
        Process sent = new ProcessBuilder("kill", "-" + name, Long.toString(server.process().pid())).start();
        if (!sent.waitFor(10, TimeUnit.SECONDS) || sent.exitValue() != 0) {
            throw new IOException("kill -" + name + " failed");
        }
    }

    @Override
    public void close() {
        kill();
    }
}
