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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import dev.weir.model.failure.Reason;
import dev.weir.net.ListenAddress;
import dev.weir.net.UnixSocketFile;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stats.ThreadCounters;
import dev.weir.storage.server.stats.WorkClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener that serves all connections with one thread: it accepts them, handles their frames, and sends the
 * replies.
 *
 * <p><b>Why one thread.</b> Each handler has buffers and a key cache. A handler for each of thousands of connections
 * would cost more than the connections themselves, and a pool of handlers would need locks. A frame takes no longer
 * than a datagram, so one thread is enough. One thread also keeps empty connections cheap: bytes pass through the
 * buffers of the thread, and {@link Leftover} stores only unprocessed data.
 *
 * <p>The thread processes one buffer length of each connection in turn. {@link FramePump} explains how memory is
 * bounded.
 */
public final class StreamListener implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamListener.class);

    private static final AtomicBoolean DEFECT_LOGGED = new AtomicBoolean();

    /** The interval between searches for overdue connections. */
    private static final long TICK_MILLIS = 200;

    /** The most connections to accept before serving others. */
    private static final int ACCEPTED_AT_ONCE = 64;

    /** The length of the kernel's accept queue. */
    private static final int BACKLOG = 1_024;

    /** How long to wait at the end for clients to read their last replies. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A reply from another thread. */
    private record LateFrame(Connection connection, ByteBuffer bytes) {}

    /** A connection that goes on elsewhere. */
    // Made once and never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Leaving(SocketChannel channel, InetAddress remote, byte[] begun) {}

    private enum Phase {
        SERVING,
        /** Accepts and reads nothing more, but still sends replies. */
        ANSWERING,
        /** Sends the remaining replies, then ends. */
        ENDING
    }

    private final Selector selector;
    private final StreamLimits limits;
    private final Predicate<InetAddress> admitted;
    private final LongSupplier nanos;
    private final ThreadCounters tally;
    private final ConnectionTable table;
    private final Leftover.Budget budget;
    private final Queue<LateFrame> late = new ConcurrentLinkedQueue<>();
    private final WorkClock work = new WorkClock();
    private final CountDownLatch quiet = new CountDownLatch(1);
    private volatile Phase phase = Phase.SERVING;
    private volatile int open;
    private volatile int held;
    private int number;
    private final List<Leaving> leaving = new ArrayList<>();
    private volatile @Nullable HttpHandoff door;
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
     * Returns a listener without addresses.
     *
     * @param admitted which addresses may connect
     * @param nanos a clock such as {@link System#nanoTime}
     * @throws IOException if the system refuses
     */
    public static StreamListener open(StreamLimits limits, Predicate<InetAddress> admitted, LongSupplier nanos,
            Counters counters) throws IOException {
        return new StreamListener(Selector.open(), limits, admitted, nanos, counters);
    }

    /** Adds an address to listen on and returns it with its actual port. Call this before {@link #run}. */
    public InetSocketAddress listen(InetSocketAddress address) throws IOException {
        ServerSocketChannel server = ListenAddress.channelFor(address);
        register(server, channel -> channel.bind(address, BACKLOG));
        return (InetSocketAddress) server.getLocalAddress();
    }

    /** Adds a Unix-domain socket to listen on. Call this before {@link #run}. */
    public void listen(UnixSocketFile file) throws IOException {
        register(file.open(), channel -> file.bind(channel, BACKLOG));
    }

    /** Sets where connections go that begin with HTTP; without it, they are closed. Any thread may call this. */
    public void passHttpTo(HttpHandoff place) {
        door = place;
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
        FramePump pump = new FramePump(handler, table, tally, nanos, () -> door != null);
        try {
            long lastTick = nanos.getAsLong();
            while (phase != Phase.ENDING) {
                work.begin(System.nanoTime());
                selector.select(key -> ready(key, pump), TICK_MILLIS);
                passOn(pump);
                if (phase != Phase.SERVING && isReceiving()) {
                    stopReceiving();
                }
                sendLate(pump);
                long now = nanos.getAsLong();
                if (now - lastTick >= TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)) {
                    lastTick = now;
                    closeOverdue(now);
                }
                held = budget.used();
            }
            drain(pump);
        } catch (IOException e) {
            throw new IllegalStateException("cannot wait for connections", e);
        } finally {
            work.end();
            quiet.countDown();
            table.snapshot().forEach(connection -> close(connection, null));
            leaving.forEach(each -> closeQuietly(each.channel()));
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection failed", e);
        }
    }

    /** Returns the number of open connections. Any thread may call this. */
    public int connections() {
        return open;
    }

    /**
     * Returns for how many nanoseconds {@link #run} has been in its turn, which includes a wait of up to a fifth of a
     * second; 0 if it does not run. Any thread may call this.
     */
    public long working(long now) {
        return work.working(now);
    }

    /** Returns the number of bytes buffered for all connections. Any thread may call this. */
    public int heldBytes() {
        return held;
    }

    // ---- accepting connections ----

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
                register(channel);
            }
        } catch (IOException e) {
            // The process is probably out of file descriptors. Without a pause, waiting connections would wake this
            // thread in a loop.
            tally.increment(Counter.ACCEPT_FAILED);
            if (!acceptFailureLogged) {
                acceptFailureLogged = true;
                LOG.warn("cannot accept a connection: {}; further failures are only counted", Reason.of(e));
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

    private void register(SocketChannel channel) throws IOException {
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

    // ---- serving connections ----

    private void serve(Connection connection, FramePump pump, boolean readable) {
        if (connection.isClosed()) {
            return;
        }
        try {
            if (!pump.serve(connection, readable, isReceiving())) {
                close(connection, null);
            }
            part(connection);
        } catch (IOException e) {
            close(connection, Counter.CONNECTION_LOST);
        } catch (RuntimeException e) {
            // A defect must not affect other connections, and requests that trigger it must not fill the log.
            tally.increment(Counter.DROPPED_INTERNAL);
            if (DEFECT_LOGGED.compareAndSet(false, true)) {
                LOG.error("cannot serve a connection; further failures are only counted", e);
            }
            close(connection, Counter.CONNECTION_LOST);
        }
    }

    private void part(Connection connection) {
        byte[] begun = connection.begun();
        InetSocketAddress remote = connection.remote();
        if (begun != null && remote != null && !connection.isClosed()) {
            tally.increment(Counter.CONNECTION_PUSH);
            table.remove(connection);
            open = table.size();
            connection.detach();
            held = budget.used();
            leaving.add(new Leaving(connection.channel(), remote.getAddress(), begun));
        }
    }

    /** Passes on connections whose registration has ended, which takes another selection. */
    private void passOn(FramePump pump) throws IOException {
        if (leaving.isEmpty()) {
            return;
        }
        List<Leaving> parted = List.copyOf(leaving);
        leaving.clear();
        selector.selectNow(key -> ready(key, pump));
        HttpHandoff place = door;
        for (Leaving each : parted) {
            try {
                each.channel().configureBlocking(true);
                if (place == null) {
                    each.channel().close();
                } else {
                    place.take(each.channel(), each.remote(), each.begun());
                }
            } catch (IOException e) {
                tally.increment(Counter.CONNECTION_LOST);
                each.channel().close();
            }
        }
    }

    private boolean isReceiving() {
        return quiet.getCount() > 0;
    }

    private void close(Connection connection, @Nullable Counter reason) {
        if (connection.isClosed()) {
            return;
        }
        // Count before the client can notice the end, so that counters are never behind.
        if (reason != null) {
            tally.increment(reason);
        }
        table.remove(connection);
        open = table.size();
        connection.close();
        held = budget.used();
    }

    /** Closes overdue connections and resumes accepting after a failure. */
    private void closeOverdue(long now) {
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

    // ---- late replies ----

    /** Wakes the listener to send late replies. Called by the thread that creates them. */
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

    // ---- shutdown ----

    /**
     * Stops accepting connections and requests and waits until that has taken effect. Replies are still sent. For the
     * thread that will call {@link #finish}; call this only after {@link #run} has started.
     */
    public void stop() {
        phase = Phase.ANSWERING;
        selector.wakeup();
        boolean interrupted = false;
        while (isReceiving()) {
            try {
                quiet.await();
            } catch (InterruptedException e) {
                // A handler may still be running, so keep waiting.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void stopReceiving() throws IOException {
        quiet.countDown();
        for (SelectionKey key : selector.keys()) {
            if (key.channel() instanceof ServerSocketChannel server) {
                key.cancel();
                server.close();
            }
        }
        table.snapshot().forEach(connection -> connection.await(false));
    }

    /**
     * Makes {@link #run} return after clients have read all replies, or after a short timeout. Any thread may call
     * this.
     */
    public void finish() {
        phase = Phase.ENDING;
        selector.wakeup();
    }

    private void drain(FramePump pump) throws IOException {
        long until = System.nanoTime() + DRAIN_NANOS;
        if (isReceiving()) {
            stopReceiving();
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

    /** Closes all sockets. Call this after {@link #run} has returned, or instead of it. */
    @Override
    public void close() {
        try (selector) {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
        } catch (IOException e) {
            LOG.warn("cannot close the listening sockets: {}", Reason.of(e));
        }
    }
}
