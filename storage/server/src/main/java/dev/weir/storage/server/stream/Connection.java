package dev.weir.storage.server.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

import dev.weir.storage.access.gate.Source;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.reply.ReturnPath;
import dev.weir.storage.server.stats.Counter;
import dev.weir.wire.frame.FrameReader;
import org.jspecify.annotations.Nullable;

/**
 * A connection with its buffered data: the start of a frame, and replies that the client has not yet read. Only the
 * listener thread may use it; other threads may only keep a reference.
 */
final class Connection implements Peer {
    /** The maximum length of a reply frame, including the length prefix. */
    static final int MAX_REPLY_FRAME = FrameReader.HEADER + DatagramHandler.MAX_REPLY;

    /** How many idle times a quiet connection may wait for a pending answer. */
    private static final int PATIENCE = 12;

    /** A receiver of late replies, for the one thread that creates them. */
    @FunctionalInterface
    interface LateReplyBox {
        void put(Connection connection, byte[] frame);
    }

    private final SocketChannel channel;
    private final SelectionKey key;
    private final @Nullable InetSocketAddress remote;
    private final int number;
    private final LateReplyBox late;
    final Leftover unread;
    final Leftover unsent;

    private final long accepted;
    private long lastRead;
    private long frameBegun;
    private long lastTaken;
    private boolean anyByte;
    private boolean inFrame;
    private boolean kept;
    private int outstanding;
    private boolean proven;
    private boolean paused;
    private boolean ended;
    private boolean closed;
    private byte @Nullable [] begun;

    /**
     * @param remote the address of the client, or null for a Unix-domain socket
     */
    Connection(SocketChannel channel, SelectionKey key, @Nullable InetSocketAddress remote, int number,
            Leftover.Budget budget, LateReplyBox late, long now) {
        this.channel = channel;
        this.key = key;
        this.remote = remote;
        this.number = number;
        this.late = late;
        this.unread = new Leftover(budget);
        this.unsent = new Leftover(budget);
        this.accepted = now;
        this.lastRead = now;
        this.lastTaken = now;
    }

    @Nullable
    InetSocketAddress remote() {
        return remote;
    }

    boolean isProven() {
        return proven;
    }

    /** Notes that the connection is not one of frames, and what was read from it. */
    void leave(byte[] read) {
        begun = read;
    }

    /** Returns what was read from a connection that is not one of frames; null for all others. */
    byte @Nullable [] begun() {
        return begun;
    }

    /** Ends the part of the listener in a connection that goes on elsewhere. */
    void detach() {
        closed = true;
        unread.clear();
        unsent.clear();
        key.cancel();
    }

    SocketChannel channel() {
        return channel;
    }

    ConnectionTable.@Nullable Source source() {
        return remote == null ? null : ConnectionTable.Source.of(remote.getAddress());
    }

    // ---- peer ----

    @Override
    public InetAddress address() {
        return remote == null ? InetAddress.getLoopbackAddress() : remote.getAddress();
    }

    @Override
    public int port() {
        return remote == null ? number & 0xffff : remote.getPort();
    }

    @Override
    public void describe(Source target) {
        if (remote == null) {
            target.setUnixSocket();
        } else {
            target.set(remote.getAddress(), true);
        }
    }

    @Override
    public ReturnPath keep() {
        kept = true;
        return (reply, length) -> late.put(this, frame(reply, length));
    }

    private static byte[] frame(byte[] reply, int length) {
        byte[] frame = new byte[FrameReader.HEADER + length];
        frame[0] = (byte) length;
        frame[1] = (byte) (length >> Byte.SIZE);
        System.arraycopy(reply, 0, frame, FrameReader.HEADER, length);
        return frame;
    }

    /** Finishes a request and returns whether its reply is sent later. */
    boolean handled(int answer) {
        boolean later = kept && answer == 0;
        kept = false;
        outstanding += later ? 1 : 0;
        return later;
    }

    /** Notes that a late reply has arrived. */
    void answeredLate() {
        outstanding--;
    }

    /** Returns the number of pending late replies. */
    int outstanding() {
        return outstanding;
    }

    // ---- state ----

    void received(long now) {
        anyByte = true;
        lastRead = now;
    }

    /** Notes that the client has finished sending. It may still read. */
    void end() {
        ended = true;
    }

    /**
     * Notes the result of parsing. The unread data is part of a frame, or complete frames if there was no room for
     * their replies.
     */
    void parsed(boolean anyFrame, boolean noRoom, long now) {
        boolean part = !noRoom && !unread.isEmpty();
        if (part && (anyFrame || !inFrame)) {
            frameBegun = now;
        }
        inFrame = part;
        paused = noRoom;
    }

    /** Notes that the client read replies, or that there were none. */
    void taken(long now) {
        lastTaken = now;
    }

    /** Notes that the client sent a request. Returns true the first time. */
    boolean prove() {
        boolean first = !proven;
        proven = true;
        return first;
    }

    boolean isPaused() {
        return paused;
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns whether there is nothing left to receive or send. */
    boolean isOver() {
        return ended && !paused && outstanding == 0 && unsent.isEmpty();
    }

    /** Sets the events to wait for. */
    void await(boolean reading) {
        int read = reading && !ended && !paused ? SelectionKey.OP_READ : 0;
        int interest = read | (unsent.isEmpty() ? 0 : SelectionKey.OP_WRITE);
        if (key.isValid() && key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    /** Returns the reason to close the connection now, or null to keep it open. */
    @Nullable
    Counter overdue(StreamLimits limits, long now) {
        if (!unsent.isEmpty() && now - lastTaken > limits.request().toNanos()) {
            return Counter.CONNECTION_SLOW_READER;
        }
        if (inFrame && now - frameBegun > limits.request().toNanos()) {
            return Counter.CONNECTION_SLOW_REQUEST;
        }
        if (!anyByte) {
            return now - accepted > limits.connect().toNanos() ? Counter.CONNECTION_SILENT : null;
        }
        boolean busy = outstanding > 0 || !unsent.isEmpty();
        return now - lastRead > limits.idle().toNanos() * (busy ? PATIENCE : 1) ? Counter.CONNECTION_IDLE : null;
    }

    void close() {
        closed = true;
        unread.clear();
        unsent.clear();
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            // The connection is being discarded, so a failure does not matter.
            return;
        }
    }
}
