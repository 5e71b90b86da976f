package dev.weir.http.control;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.server.HttpServer;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.server.ServerLimits;
import dev.weir.storage.server.Bind;
import org.jspecify.annotations.Nullable;

/**
 * The control socket: an HTTP server on a Unix-domain socket, with a command for each path. The mode of the file
 * determines which users may connect. {@link #bind} it, {@link #serve} once, {@link #close} once.
 */
public final class ControlSocket implements AutoCloseable {
    private static final int MAX_CLIENTS = 32;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** The time limit of a command: none in practice, because it may wait for the database. The client has its own. */
    private static final Duration COMMAND = Duration.ofDays(365);
    /** The head has room for some 480 whole digests. */
    private static final HttpLimits REQUEST = new HttpLimits(64 << 10, 64, 64 << 10);
    private static final ServerLimits LIMITS = new ServerLimits(REQUEST, MAX_CLIENTS, MAX_CLIENTS, PATIENCE, COMMAND,
            PATIENCE);

    private final ListenSockets listener;
    private @Nullable HttpServer server;

    private ControlSocket(ListenSockets listener) {
        this.listener = listener;
    }

    /**
     * Binds the socket. Clients that connect wait until {@link #serve}.
     *
     * @throws IOException if the system refuses, or another process listens there
     */
    public static ControlSocket bind(Bind.Unix place) throws IOException {
        return new ControlSocket(ListenSockets.bind(place.file()));
    }

    /**
     * Starts to answer.
     *
     * @param commands the commands by path, such as {@code /fuzzystat}
     */
    public void serve(Map<String, ControlAction> commands) {
        serve(commands, System::nanoTime);
    }

    /**
     * Starts to answer with another clock, for tests.
     *
     * @param nanos a clock like {@link System#nanoTime}
     */
    synchronized void serve(Map<String, ControlAction> commands, LongSupplier nanos) {
        HttpServer http = new HttpServer(List.of(), LIMITS, new BodyBudget((long) MAX_CLIENTS * REQUEST.bodyBytes()),
                new ControlHandler(commands), nanos);
        http.start(listener);
        server = http;
    }

    /** Stops listening, removes the file, and closes connections that are still open after a few seconds. */
    @Override
    public synchronized void close() {
        listener.close();
        if (server != null) {
            server.close();
        }
    }
}
