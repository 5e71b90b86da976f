package dev.weir.http.server;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Accepts connections from a listener until it is closed. Failures do not end that. Thread-safe. */
public final class AcceptLoop {
    /** The pause after a failure to accept, such as too many open files. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private final Arrival arrival;
    private final Runnable lost;
    private final Consumer<Throwable> failed;

    /** What is done with a connection. */
    @FunctionalInterface
    public interface Arrival {
        /** Takes an accepted connection, and closes it if that fails. */
        void arrive(SocketChannel channel) throws IOException;
    }

    /**
     * Creates a loop that does not run yet.
     *
     * @param lost called when a client closed its connection before it was accepted
     * @param failed called when a connection could not be accepted or taken
     */
    public AcceptLoop(Arrival arrival, Runnable lost, Consumer<Throwable> failed) {
        this.arrival = arrival;
        this.lost = lost;
        this.failed = failed;
    }

    /** Runs until the listener is closed. */
    public void run(ServerSocketChannel listener) {
        while (listener.isOpen()) {
            try {
                arrival.arrive(listener.accept());
            } catch (ClosedChannelException e) {
                if (listener.isOpen()) {
                    lost.run();
                }
            } catch (IOException | RuntimeException | Error e) {
                failed.accept(e);
                LockSupport.parkNanos(this, PAUSE);
            }
        }
    }
}
