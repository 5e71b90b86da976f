package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

import dev.weir.storage.StorageException;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter;

/** The process that {@link CrashTest} kills: a storage on a free port, which it prints. */
public final class CrashTestServer {
    private static final long MOST = 64L << 20;
    private static final long RESERVE = 2L << 20;

    private CrashTestServer() {}

    /**
     * Serves a folder until it is killed. Prints "port" and a number, or "failed" and a reason.
     *
     * @param args the folder; milliseconds between two transactions of the mirror; bytes of a segment of the log;
     *            when a learn is acknowledged
     */
    public static void main(String[] args) throws Exception {
        int segment = Integer.parseInt(args[2]);
        StorageConfig config = StorageConfig.of(Path.of(args[0])).withAllowUpdate(StorageConfig.loopback())
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withBackend(BackendKind.valueOf(args[4]))
                .withAcknowledge(UpdateWriter.Acknowledge.valueOf(args[3]))
                .withSync(Duration.ofMillis(Long.parseLong(args[1])))
                // The same room for every round: what one left behind must not be too much for the next.
                .withLog(new LogLimits(segment, MOST, RESERVE, Duration.ZERO, 0,
                        LogLimits.DEFAULT.repeats()));
        StorageServer server = new StorageServer(config);
        try {
            System.out.println("port " + server.start().getPort());
        } catch (StorageException e) {
            System.out.println("failed " + e.getMessage());
            return;
        }
        // Checkpoints come after minutes, or when they are asked for.
        checkpointAgainAndAgain(server, Long.parseLong(args[1]));
    }

    private static void checkpointAgainAndAgain(StorageServer server, long pauseMillis) throws InterruptedException {
        while (true) {
            Thread.sleep(pauseMillis);
            server.sync().join();
        }
    }
}
