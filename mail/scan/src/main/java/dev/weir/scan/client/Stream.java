package dev.weir.scan.client;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

import dev.weir.model.failure.Reason;
import dev.weir.scan.rule.TcpOptions;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection to a storage (docs/reference/scanner.md#tcp). UDP carries the requests while the connection is not
 * open or is full, and takes over the pending ones when it breaks. Unlike in Rspamd, closing an idle connection is not
 * an error. For the event loop only.
 */
final class Stream implements EventLoop.Handler {
    private static final int OUT_BYTES = 1 << 16;

    private enum State {
        CLOSED, CONNECTING, OPEN
    }

    private final FuzzyClient client;
    private final Link link;
    private final TcpOptions options;
    private final FrameReader frames = new FrameReader();
    private final ByteBuffer in = ByteBuffer.allocate(2 * FrameReader.MAX_BYTES);
    private final ByteBuffer out = ByteBuffer.allocate(OUT_BYTES);
    private State state = State.CLOSED;
    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private EventLoop.@Nullable Timer timer;
    private boolean mayRetry = true;
    private long lastTraffic;

    Stream(FuzzyClient client, Link link, TcpOptions options) {
        this.client = client;
        this.link = link;
        this.options = options;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Begins to connect, unless the connection exists or failed recently. */
    void connect() {
        if (state != State.CLOSED || !mayRetry) {
            return;
        }
        try {
            SocketChannel fresh = SocketChannel.open();
            channel = fresh;
            fresh.configureBlocking(false);
            fresh.setOption(StandardSocketOptions.TCP_NODELAY, true);
            boolean connected = fresh.connect(link.address());
            key = client.loop().register(fresh, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
            state = State.CONNECTING;
            if (connected) {
                opened();
            } else {
                timer = client.loop().after(options.connectTimeout().toNanos(),
                        () -> failed("did not accept the connection in time"));
            }
        } catch (IOException e) {
            failed("did not accept the connection: " + Reason.of(e));
        }
    }

    private void opened() {
        cancelTimer();
        state = State.OPEN;
        in.clear();
        out.clear();
        lastTraffic = System.nanoTime();
        watchIdle();
    }

    private void watchIdle() {
        long left = lastTraffic + options.idle().toNanos() - System.nanoTime();
        if (left <= 0) {
            shut();
        } else {
            timer = client.loop().after(left, this::watchIdle);
        }
    }

    @Override
    public void ready(SelectionKey ready) throws IOException {
        try {
            if (!ready.isValid()) {
                return;
            }
            if (ready.isConnectable() && channel != null && channel.finishConnect()) {
                ready.interestOps(SelectionKey.OP_READ);
                opened();
            }
            if (ready.isValid() && ready.isReadable()) {
                read();
            }
            if (state == State.OPEN && ready.isValid() && ready.isWritable()) {
                flush();
            }
        } catch (IOException e) {
            failed(state == State.CONNECTING
                    ? "did not accept the connection: " + Reason.of(e)
                    : "broke its connection: " + Reason.of(e));
        }
    }

    private void read() throws IOException {
        SocketChannel open = channel;
        if (open == null) {
            return;
        }
        int count = open.read(in);
        if (count < 0) {
            // Most often the other side closed an idle connection.
            shut();
            link.streamLost();
            return;
        }
        lastTraffic = System.nanoTime();
        in.flip();
        while (state == State.OPEN) {
            FrameReader.Step step = frames.next(in);
            if (step == FrameReader.Step.INCOMPLETE) {
                break;
            }
            if (step == FrameReader.Step.INVALID || frames.length() > link.longestFrame()) {
                failed("sent a frame that is not a reply");
                return;
            }
            link.received(frames.bytes(), 0, frames.length());
        }
        in.compact();
    }

    /** Queues a packet. Returns false and queues nothing if there is no room. */
    boolean send(ByteBuffer packet) {
        if (state != State.OPEN || out.remaining() < packet.remaining() + FrameReader.HEADER) {
            return false;
        }
        FrameWriter.put(out, packet.array(), packet.arrayOffset() + packet.position(), packet.remaining());
        try {
            flush();
        } catch (IOException e) {
            // The failure is reported later, because the sender is still iterating. The selector reports it too.
            client.loop().after(0, () -> failed("broke its connection: " + Reason.of(e)));
        }
        return true;
    }

    private void flush() throws IOException {
        if (channel == null || key == null) {
            return;
        }
        out.flip();
        channel.write(out);
        out.compact();
        lastTraffic = System.nanoTime();
        int wanted = out.position() == 0 ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
            client.loop().channelChanged();
        }
    }

    private void failed(String how) {
        if (state == State.CLOSED && channel == null) {
            return;
        }
        boolean carried = state == State.OPEN;
        client.report(link.server().name() + " " + how + "; using UDP for the next "
                + options.retryDelay().toMillis() + " ms");
        shut();
        mayRetry = false;
        client.loop().after(options.retryDelay().toNanos(), () -> mayRetry = true);
        if (carried) {
            link.streamLost();
        }
    }

    private void shut() {
        cancelTimer();
        close();
        channel = null;
        key = null;
        state = State.CLOSED;
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    void close() {
        try {
            if (channel != null) {
                channel.close();
                client.loop().channelChanged();
            }
        } catch (IOException e) {
            // The socket is closed in any case.
        }
    }
}
