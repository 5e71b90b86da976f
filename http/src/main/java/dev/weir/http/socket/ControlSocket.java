package dev.weir.http.socket;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.server.Bind;
import dev.weir.storage.server.UnixSocketFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a socket in the file system and does commands. Each connection has a virtual thread, a time after which it is
 * cut off, and one request; there are never more than {@value #MAX_CLIENTS}.
 */
public final class ControlSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
    private static final int MAX_CLIENTS = 32;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final UnixSocketFile file;
    private final ServerSocketChannel channel;
    private final Map<String, ControlCommand> commands;
    private final Semaphore clients = new Semaphore(MAX_CLIENTS);
    private final ScheduledExecutorService deadlines = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("weir-control-timer").factory());

    private ControlSocket(UnixSocketFile file, ServerSocketChannel channel, Map<String, ControlCommand> commands) {
        this.file = file;
        this.channel = channel;
        this.commands = Map.copyOf(commands);
    }

    /**
     * Begins to listen.
     *
     * @param commands by path, such as {@code /fuzzystat}
     * @throws IOException if the system refuses, or somebody listens there
     */
    public static ControlSocket open(Bind.Unix place, Map<String, ControlCommand> commands) throws IOException {
        UnixSocketFile file = new UnixSocketFile(place);
        ServerSocketChannel channel = file.open();
        boolean done = false;
        try {
            file.bind(channel, MAX_CLIENTS);
            ControlSocket socket = new ControlSocket(file, channel, commands);
            Thread.ofVirtual().name("weir-control").start(socket::accept);
            done = true;
            return socket;
        } finally {
            if (!done) {
                channel.close();
            }
        }
    }

    private void accept() {
        try {
            while (true) {
                clients.acquireUninterruptibly();
                SocketChannel client = channel.accept();
                Thread.ofVirtual().name("weir-control-client").start(() -> serve(client));
            }
        } catch (IOException e) {
            if (channel.isOpen()) {
                LOG.error("the control socket {} no longer works", file, e);
            }
        }
    }

    private void serve(SocketChannel client) {
        ScheduledFuture<?> deadline = null;
        try (client) {
            deadline = deadlines.schedule(() -> cut(client), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            ByteBuffer bytes = ByteBuffer.wrap(answer(client).getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                client.write(bytes);
            }
        } catch (IOException e) {
            LOG.debug("a client of the control socket went away", e);
        } finally {
            clients.release();
            if (deadline != null) {
                deadline.cancel(false);
            }
        }
    }

    private static void cut(SocketChannel client) {
        try {
            client.close();
        } catch (IOException e) {
            LOG.debug("a client of the control socket", e);
        }
    }

    private String answer(SocketChannel client) throws IOException {
        ControlReply reply;
        try {
            ControlRequest request = ControlRequest.read(new BufferedInputStream(Channels.newInputStream(client)));
            ControlCommand command = commands.get(request.path());
            reply = command == null
                    ? ControlReply.error(404, "Command not defined")
                    : run(request, command);
        } catch (ControlRequest.Malformed e) {
            reply = ControlReply.error(400, String.valueOf(e.getMessage()));
        }
        return "HTTP/1.1 " + reply.status() + ' ' + reply.reason() + "\r\nConnection: close\r\nServer: weir\r\nDate: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC))
                + "\r\nContent-Length: " + reply.json().getBytes(StandardCharsets.UTF_8).length
                + "\r\nContent-Type: application/json\r\n\r\n" + reply.json();
    }

    private static ControlReply run(ControlRequest request, ControlCommand command) {
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
