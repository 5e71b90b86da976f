package dev.weir.storage.server;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.weir.model.failure.Reason;
import dev.weir.net.HostPort;
import dev.weir.net.UnixSocketFile;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.StorageException;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stream.HttpHandoff;
import dev.weir.storage.server.stream.StreamListener;
import dev.weir.storage.server.udp.Receiver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of a storage: several datagram receivers for each address, and one listener for the connections to all
 * addresses and Unix-domain sockets. One thread starts and stops them, once.
 */
final class Listeners {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    /** The number of attempts to find a port that is free for both datagrams and connections. */
    private static final int PORT_ATTEMPTS = 32;

    private final List<List<Receiver>> addresses = new ArrayList<>();
    private final List<UnixSocketFile> files = new ArrayList<>();
    private final StreamListener streams;
    private final List<Thread> receiving = new ArrayList<>();
    private final List<Thread> serving = new ArrayList<>();

    private Listeners(StreamListener streams) {
        this.streams = streams;
    }

    /**
     * Binds all sockets without receiving yet.
     *
     * @param workers the number of receivers for each address
     * @param admitted which addresses may connect
     * @throws StorageException if a socket cannot be opened; none stays bound then
     */
    static Listeners open(Listen listen, int workers, Predicate<InetAddress> admitted, Counters counters)
            throws StorageException {
        StreamListener streams;
        try {
            streams = StreamListener.open(listen.streams(), admitted, System::nanoTime, counters);
        } catch (IOException e) {
            throw new StorageException("cannot accept connections (" + Reason.of(e) + ")", e);
        }
        Listeners listeners = new Listeners(streams);
        try {
            for (Bind bind : listen.binds()) {
                listeners.bind(bind, workers, counters);
            }
            return listeners;
        } catch (Throwable e) {
            listeners.close();
            throw e;
        }
    }

    private void bind(Bind bind, int workers, Counters counters) throws StorageException {
        try {
            switch (bind) {
                case Bind.Inet(InetSocketAddress address) -> bind(address, workers, counters);
                case Bind.Unix unix -> {
                    UnixSocketFile file = unix.file();
                    streams.listen(file);
                    files.add(file);
                }
            }
        } catch (IOException e) {
            throw new StorageException("cannot listen on " + bind + " (" + Reason.of(e)
                    + "); is another storage running there?", e);
        }
    }

    private void bind(InetSocketAddress address, int workers, Counters counters) throws IOException, StorageException {
        if (address.isUnresolved()) {
            throw new StorageException(HostPort.unknown(address.getHostString()));
        }
        for (int attempt = 1;; attempt++) {
            List<Receiver> receivers = Receiver.open(address, workers, counters);
            try {
                streams.listen(receivers.getFirst().address());
                addresses.add(receivers);
                return;
            } catch (Throwable e) {
                receivers.forEach(Receiver::close);
                // A port that the system chose may be free for datagrams only, so try another one.
                if (!(e instanceof BindException) || address.getPort() != 0 || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Returns the bound addresses with their actual ports. */
    List<InetSocketAddress> addresses() {
        return addresses.stream().map(receivers -> receivers.getFirst().address()).toList();
    }

    /** Sets where connections go that begin with HTTP. */
    void passHttpTo(HttpHandoff door) {
        streams.passHttpTo(door);
    }

    /** Returns the number of open connections. */
    int connections() {
        return streams.connections();
    }

    /** Returns the number of bytes buffered for connections. */
    int heldBytes() {
        return streams.heldBytes();
    }

    /**
     * Starts the threads.
     *
     * @param handlers creates a handler for each thread
     */
    void start(Supplier<DatagramHandler> handlers, Thread.UncaughtExceptionHandler died) {
        Thread.Builder receiver = Thread.ofPlatform().name("weir-receiver-", 1).uncaughtExceptionHandler(died);
        for (List<Receiver> receivers : addresses) {
            for (Receiver each : receivers) {
                DatagramHandler handler = handlers.get();
                receiving.add(receiver.start(() -> each.run(handler)));
            }
        }
        DatagramHandler handler = handlers.get();
        serving.add(Thread.ofPlatform().name("weir-streams").uncaughtExceptionHandler(died)
                .start(() -> streams.run(handler)));
    }

    /** Returns how long the slowest answering thread has been working on its current batch. */
    Duration longestWork() {
        long now = System.nanoTime();
        long longest = streams.working(now);
        for (List<Receiver> receivers : addresses) {
            for (Receiver receiver : receivers) {
                longest = Math.max(longest, receiver.working(now));
            }
        }
        return Duration.ofNanos(longest);
    }

    /** Flushes late replies. Called by the thread that creates them. */
    void flushLate() {
        for (List<Receiver> receivers : addresses) {
            receivers.forEach(Receiver::flushLate);
        }
        streams.flushLate();
    }

    /** Stops accepting requests and waits until the last one is handled. Late replies are still sent. */
    void stop() {
        addresses.forEach(receivers -> receivers.forEach(Receiver::stop));
        receiving.forEach(UninterruptibleJoin::of);
        if (!serving.isEmpty()) {
            streams.stop();
        }
    }

    /** Closes all sockets after giving clients a moment to read their replies. */
    void close() {
        streams.finish();
        serving.forEach(UninterruptibleJoin::of);
        streams.close();
        addresses.forEach(receivers -> receivers.forEach(Receiver::close));
        for (UnixSocketFile file : files) {
            try {
                file.delete();
            } catch (IOException e) {
                LOG.warn("cannot delete the socket {}: {}", file, Reason.of(e));
            }
        }
    }
}
