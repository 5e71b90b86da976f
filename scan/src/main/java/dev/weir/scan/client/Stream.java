package dev.weir.scan.client;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

import dev.weir.scan.rule.TcpOptions;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a storage (docs/reference/scanner.md#tcp). While there is none, and when it is full, UDP is used;
 * when it breaks, what it carried goes out over UDP. A connection that either side closes because nothing went over it
 * is no error, which Rspamd makes of it. For the loop.
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

    /** Begins to connect, unless that was done or failed just now. */
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
                        () -> failed("cannot be connected in time"));
            }
        } catch (IOException e) {
            failed("cannot be connected: " + e.getMessage());
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
                    ? "cannot be connected: " + e.getMessage()
                    : "broke its connection: " + e.getMessage());
        }
    }

    private void read() throws IOException {
        SocketChannel open = channel;
        if (open == null) {
            return;
        }
        int count = open.read(in);
        if (count < 0) {
            // Most often the other side closes what was idle for too long.
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
                failed("sent a frame that no reply has");
                return;
            }
            link.received(frames.bytes(), 0, frames.length());
        }
        in.compact();
    }

    /** Takes a packet; false if there is no room, and then nothing was taken. */
    boolean send(ByteBuffer packet) {
        if (state != State.OPEN || out.remaining() < packet.remaining() + FrameReader.HEADER) {
            return false;
        }
        FrameWriter.put(out, packet.array(), packet.arrayOffset() + packet.position(), packet.remaining());
        try {
            flush();
        } catch (IOException e) {
            // Not at once: the sender is in the middle of something. The selector reports the same.
            client.loop().after(0, () -> failed("broke its connection: " + e.getMessage()));
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
        client.report(link.server().name() + " " + how + "; asked over UDP for "
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
            // The socket is gone either way.
        }
    }
}
