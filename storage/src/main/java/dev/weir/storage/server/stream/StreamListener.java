package dev.weir.storage.server.stream;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import dev.weir.net.ListenAddress;
import dev.weir.net.UnixSocketFile;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stats.Tally;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections, and the one thread that serves all of them: takes what arrives, has the frames handled, sends the
 * replies.
 *
 * <p><b>Why one thread.</b> A handler has buffers and a cache of keys of its own; one for each of thousands of
 * connections would cost more than the connections, and a pool of them would need locks. A frame takes as long as a
 * datagram, a few microseconds, so the thread has time for some hundred thousand a second. What a connection costs is
 * then known: an empty one has no buffers, since bytes go through those of the thread, and {@link Leftover} keeps only
 * what has to wait.
 *
 * <p>Each connection gets one buffer's length at a time, then the next one has its turn; {@link FramePump} says what
 * bounds the memory.
 */
public final class StreamListener implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamListener.class);

    private static final AtomicBoolean DEFECT_LOGGED = new AtomicBoolean();

    /** How often the thread looks for connections whose time is over. */
    private static final long TICK_MILLIS = 200;

    /** Connections that are taken before others have their turn. */
    private static final int ACCEPTED_AT_ONCE = 64;

    /** What the system keeps for us to accept. */
    private static final int BACKLOG = 1_024;

    /** How long an end waits for clients to take their last replies. */
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A reply that was made by another thread. */
    private record LateFrame(Connection connection, ByteBuffer bytes) {}

    private enum Phase {
        SERVING,
        /** Nothing is accepted or read any more; replies still go out. */
        ANSWERING,
        /** What is there goes out, and that is the end. */
        ENDING
    }

    private final Selector selector;
    private final StreamLimits limits;
    private final Predicate<InetAddress> admitted;
    private final LongSupplier nanos;
    private final Tally tally;
    private final ConnectionTable table;
    private final Leftover.Budget budget;
    private final Queue<LateFrame> late = new ConcurrentLinkedQueue<>();
    private final CountDownLatch quiet = new CountDownLatch(1);
    private volatile Phase phase = Phase.SERVING;
    private volatile int open;
    private volatile int held;
    private int number;
    private boolean acceptPaused;
    private boolean acceptFailureLogged;

    private StreamListener(Selector selector, StreamLimits limits, Predicate<InetAddress> admitted, LongSupplier nanos,
            Counters counters) {
        this.selector = selector;
        this.limits = limits;
        this.admitted = admitted;
        this.nanos = nanos;
        this.tally = counters.newTally();
        this.table = new ConnectionTable(limits.connections(), limits.perAddress());
        this.budget = new Leftover.Budget(limits.bytes());
    }

    /**
     * Returns a listener that listens nowhere yet.
     *
     * @param admitted whose connections are taken at all
     * @param nanos a clock as {@link System#nanoTime}
     * @throws IOException if the system refuses, with its reason
     */
    public static StreamListener open(StreamLimits limits, Predicate<InetAddress> admitted, LongSupplier nanos,
            Counters counters) throws IOException {
        return new StreamListener(Selector.open(), limits, admitted, nanos, counters);
    }

    /** Takes connections to an address too, and gives that with its true port. Before {@link #run}. */
    public InetSocketAddress listen(InetSocketAddress address) throws IOException {
        ServerSocketChannel server = ListenAddress.channelFor(address);
        register(server, channel -> channel.bind(address, BACKLOG));
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** Takes connections to a Unix-domain socket too. Before {@link #run}. */
    public void listen(UnixSocketFile file) throws IOException {
        register(file.open(), channel -> file.bind(channel, BACKLOG));
    }

    private interface Binding {
        void bind(ServerSocketChannel channel) throws IOException;
    }

    private void register(ServerSocketChannel channel, Binding binding) throws IOException {
        try {
            binding.bind(channel);
            channel.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    /** Serves connections until {@link #finish}. */
    public void run(DatagramHandler handler) {
        FramePump pump = new FramePump(handler, table, tally, nanos);
        try {
            long looked = nanos.getAsLong();
            while (phase != Phase.ENDING) {
                selector.select(key -> ready(key, pump), TICK_MILLIS);
                if (phase != Phase.SERVING && isTaking()) {
                    stopTaking();
                }
                sendLate(pump);
                long now = nanos.getAsLong();
                if (now - looked >= TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)) {
                    looked = now;
                    look(now);
                }
                held = budget.used();
            }
            sayFarewell(pump);
        } catch (IOException e) {
            throw new IllegalStateException("waiting for connections failed", e);
        } finally {
            quiet.countDown();
            table.snapshot().forEach(connection -> close(connection, null));
        }
    }

    /** Connections that there are. Any thread may ask. */
    public int connections() {
        return open;
    }

    /** Bytes that wait in all connections. Any thread may ask. */
    public int heldBytes() {
        return held;
    }

    // ---- taking connections ----

    private void ready(SelectionKey key, FramePump pump) {
        if (!key.isValid()) {
            return;
        }
        if (key.attachment() instanceof Connection connection) {
            serve(connection, pump, key.isReadable());
        } else {
            accept((ServerSocketChannel) key.channel());
        }
    }

    private void accept(ServerSocketChannel server) {
        try {
            for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
                SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                take(channel);
            }
        } catch (IOException e) {
            // Out of descriptors, most likely; waiting connections would wake this thread at once again.
            tally.increment(Counter.ACCEPT_FAILED);
            if (!acceptFailureLogged) {
                acceptFailureLogged = true;
                LOG.warn("a connection could not be taken: {}; further failures are only counted", e.getMessage());
            }
            pauseAccepting(true);
        }
    }

    private void pauseAccepting(boolean pause) {
        if (acceptPaused != pause) {
            acceptPaused = pause;
            for (SelectionKey key : selector.keys()) {
                if (key.isValid() && key.channel() instanceof ServerSocketChannel) {
                    key.interestOps(pause ? 0 : SelectionKey.OP_ACCEPT);
                }
            }
        }
    }

    private void take(SocketChannel channel) throws IOException {
        try {
            InetSocketAddress remote = channel.getRemoteAddress() instanceof InetSocketAddress inet ? inet : null;
            if (!makeRoom(remote)) {
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            if (remote != null) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            Connection connection = new Connection(channel, key, remote, number++, budget,
                    (to, frame) -> late.add(new LateFrame(to, ByteBuffer.wrap(frame))), nanos.getAsLong());
            key.attach(connection);
            table.add(connection);
            open = table.size();
            tally.increment(Counter.CONNECTIONS);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    private boolean makeRoom(@Nullable InetSocketAddress remote) {
        if (remote != null && !admitted.test(remote.getAddress())) {
            tally.increment(Counter.CONNECTION_BLOCKED);
            return false;
        }
        ConnectionTable.Source source = remote == null ? null : ConnectionTable.Source.of(remote.getAddress());
        if (table.isFull(source)) {
            return displace(table.oldestUnproven(source), Counter.CONNECTION_TOO_MANY);
        }
        return !table.isFull() || displace(table.oldestUnproven(), Counter.CONNECTION_NO_ROOM);
    }

    private boolean displace(@Nullable Connection victim, Counter otherwise) {
        if (victim == null) {
            tally.increment(otherwise);
            return false;
        }
        close(victim, Counter.CONNECTION_DISPLACED);
        return true;
    }

    // ---- serving them ----

    private void serve(Connection connection, FramePump pump, boolean readable) {
        if (connection.isClosed()) {
            return;
        }
        try {
            if (!pump.serve(connection, readable, isTaking())) {
                close(connection, null);
            }
        } catch (IOException e) {
            close(connection, Counter.CONNECTION_LOST);
        } catch (RuntimeException e) {
            // A defect: it must not end the other connections, and what triggers it must not fill the log.
            tally.increment(Counter.DROPPED_INTERNAL);
            if (DEFECT_LOGGED.compareAndSet(false, true)) {
                LOG.error("a connection could not be served; further ones are only counted", e);
            }
            close(connection, Counter.CONNECTION_LOST);
        }
    }

    private boolean isTaking() {
        return quiet.getCount() > 0;
    }

    private void close(Connection connection, @Nullable Counter reason) {
        if (connection.isClosed()) {
            return;
        }
        // Before the other end can know of it.
        if (reason != null) {
            tally.increment(reason);
        }
        table.remove(connection);
        open = table.size();
        connection.close();
        held = budget.used();
    }

    /** Closes what is overdue, and takes connections again where that had failed. */
    private void look(long now) {
        for (Connection connection : table.snapshot()) {
            Counter reason = connection.overdue(limits, now);
            if (reason != null) {
                close(connection, reason);
            }
        }
        if (phase == Phase.SERVING) {
            pauseAccepting(false);
        }
    }

    // ---- replies that come later ----

    /** Has the replies sent that other threads made; for those threads. */
    public void flushLate() {
        if (!late.isEmpty()) {
            selector.wakeup();
        }
    }

    private void sendLate(FramePump pump) {
        LateFrame frame = late.poll();
        if (frame == null) {
            return;
        }
        Set<Connection> touched = new LinkedHashSet<>();
        for (; frame != null; frame = late.poll()) {
            Connection connection = frame.connection();
            if (connection.isClosed()) {
                tally.increment(Counter.LATE_DISCARDED);
                continue;
            }
            connection.answeredLate();
            if (pump.append(connection, frame.bytes())) {
                touched.add(connection);
            } else {
                close(connection, null);
            }
        }
        touched.forEach(connection -> serve(connection, pump, false));
    }

    // ---- the end ----

    /**
     * Takes no connection and no request any more; returns when that is so. Replies still go out. For the thread that
     * will call {@link #finish}, after {@link #run} was started.
     */
    public void stop() {
        phase = Phase.ANSWERING;
        selector.wakeup();
        boolean interrupted = false;
        while (isTaking()) {
            try {
                quiet.await();
            } catch (InterruptedException e) {
                // Leaving now would leave a handler at work.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void stopTaking() throws IOException {
        quiet.countDown();
        for (SelectionKey key : selector.keys()) {
            if (key.channel() instanceof ServerSocketChannel server) {
                key.cancel();
                server.close();
            }
        }
        table.snapshot().forEach(connection -> connection.await(false));
    }

    /** Makes {@link #run} return when all replies are taken that there are, or soon. Any thread may call it. */
    public void finish() {
        phase = Phase.ENDING;
        selector.wakeup();
    }

    private void sayFarewell(FramePump pump) throws IOException {
        long until = System.nanoTime() + FAREWELL_NANOS;
        if (isTaking()) {
            stopTaking();
        }
        sendLate(pump);
        while (System.nanoTime() - until < 0) {
            for (Connection connection : table.snapshot()) {
                if (connection.unsent.isEmpty()) {
                    close(connection, null);
                }
            }
            if (table.size() == 0) {
                return;
            }
            selector.select(key -> ready(key, pump), TICK_MILLIS);
        }
    }

    /** Closes the addresses; after {@link #run} has returned, or instead of it. */
    @Override
    public void close() {
        try (selector) {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
        } catch (IOException e) {
            LOG.warn("closing failed: {}", e.getMessage());
        }
    }
}
