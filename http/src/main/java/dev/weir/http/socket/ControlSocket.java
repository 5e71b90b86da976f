package dev.weir.http.socket;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import dev.weir.net.UnixSocketFile;
import dev.weir.storage.server.Bind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a Unix-domain socket and does commands. Each connection has a virtual thread, a time after which it is cut off
 * where it does not send or does not read, and one request; there are never more than {@value #MAX_CLIENTS}.
 */
public final class ControlSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
    private static final int MAX_CLIENTS = 32;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private final UnixSocketFile file;
    private final ServerSocketChannel channel;
    private final Accepting accepting;
    private volatile Map<String, ControlAction> commands = Map.of();
    /** Only for the thread that accepts. */
    private boolean failing;
    private final Semaphore clients = new Semaphore(MAX_CLIENTS);
    private final ScheduledThreadPoolExecutor deadlines = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("weir-control-timer").factory());

    private ControlSocket(UnixSocketFile file, ServerSocketChannel channel, Accepting accepting) {
        this.file = file;
        this.channel = channel;
        this.accepting = accepting;
        deadlines.setRemoveOnCancelPolicy(true);
    }

    /** Clients whose time runs. For tests. */
    int deadlines() {
        return deadlines.getQueue().size();
    }

    /** How the next client is taken. */
    @FunctionalInterface
    interface Accepting {
        SocketChannel accept() throws IOException;
    }

    /**
     * Begins to listen; clients wait until {@link #serve}.
     *
     * @throws IOException if the system refuses, or another program listens there
     */
    public static ControlSocket bind(Bind.Unix place) throws IOException {
        return bind(place, UnaryOperator.identity());
    }

    /** The same where clients are taken in another way. */
    static ControlSocket bind(Bind.Unix place, UnaryOperator<Accepting> way) throws IOException {
        UnixSocketFile file = new UnixSocketFile(place.path(), place.mode());
        ServerSocketChannel channel = file.open();
        boolean done = false;
        try {
            file.bind(channel, MAX_CLIENTS);
            done = true;
            return new ControlSocket(file, channel, way.apply(channel::accept));
        } finally {
            if (!done) {
                channel.close();
            }
        }
    }

    /**
     * Begins to do commands; to be called once.
     *
     * @param known by path, such as {@code /fuzzystat}
     */
    public void serve(Map<String, ControlAction> known) {
        commands = Map.copyOf(known);
        Thread.ofVirtual().name("weir-control").start(this::accept);
    }

    private void accept() {
        while (channel.isOpen()) {
            clients.acquireUninterruptibly();
            boolean taken = false;
            try {
                SocketChannel client = accepting.accept();
                Thread.ofVirtual().name("weir-control-client").start(() -> serve(client));
                taken = true;
            } catch (ClosedChannelException e) {
                LOG.debug("the control socket {} is closed, or a client was gone at once", file, e);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // Such as too many open files: that passes, and the operator needs this socket then.
                if (!failing) {
                    failing = true;
                    LOG.error("the control socket {} cannot take clients at the moment: {}", file, e.toString());
                }
                LockSupport.parkNanos(this, PAUSE);
            } finally {
                if (!taken) {
                    clients.release();
                }
            }
            if (taken && failing) {
                failing = false;
                LOG.info("the control socket {} takes clients again", file);
            }
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            String answer = limited(client, () -> request(client)).answer();
            ByteBuffer bytes = ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8));
            limited(client, () -> {
                while (bytes.hasRemaining()) {
                    client.write(bytes);
                }
                return bytes;
            });
        } catch (IOException | RejectedExecutionException e) {
            LOG.debug("a client of the control socket went away", e);
        } finally {
            clients.release();
        }
    }

    private interface Step<T> {
        T take() throws IOException;
    }

    /** A client has its time for each thing it does; a command may take longer, such as one that waits for the database. */
    private <T> T limited(SocketChannel client, Step<T> step) throws IOException {
        ScheduledFuture<?> deadline = deadlines.schedule(() -> cut(client), PATIENCE.toMillis(),
                TimeUnit.MILLISECONDS);
        try {
            return step.take();
        } finally {
            deadline.cancel(false);
        }
    }

    private static void cut(SocketChannel client) {
        try {
            client.close();
        } catch (IOException e) {
            LOG.debug("a client of the control socket", e);
        }
    }

    /** What is to be done for a client. */
    private interface Work {
        ControlReply run();

        default String answer() {
            ControlReply reply = run();
            return "HTTP/1.1 " + reply.status() + ' ' + reply.reason()
                    + "\r\nConnection: close\r\nServer: weir\r\nDate: "
                    + DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC))
                    + "\r\nContent-Length: " + reply.json().getBytes(StandardCharsets.UTF_8).length
                    + "\r\nContent-Type: application/json\r\n\r\n" + reply.json();
        }
    }

    private Work request(SocketChannel client) throws IOException {
        try {
            ControlRequest request = ControlRequest.read(new BufferedInputStream(Channels.newInputStream(client)));
            ControlAction command = commands.get(request.path());
            return command == null
                    ? () -> ControlReply.error(404, "Command not defined")
                    : () -> run(request, command);
        } catch (ControlRequest.Malformed e) {
            return () -> ControlReply.error(400, String.valueOf(e.getMessage()));
        }
    }

    private static ControlReply run(ControlRequest request, ControlAction command) {
        try {
            return command.run(request.query());
        } catch (RuntimeException e) {
            LOG.error("the control command {} failed", request.path(), e);
            return ControlReply.error(500, "the command failed; the log of the storage has the reason");
        }
    }

    /** Stops listening and removes the file. */
    @Override
    public void close() throws IOException {
        deadlines.shutdownNow();
        channel.close();
        file.delete();
    }
}
