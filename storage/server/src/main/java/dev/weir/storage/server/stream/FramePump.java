package dev.weir.storage.server.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.ThreadCounters;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;

/**
 * The processing of connections by one thread. For each connection in turn, it fills a buffer, handles the complete
 * frames, sends the replies, and stores unprocessed data in the connection.
 *
 * <p><b>Why clients cannot exhaust the memory.</b> A frame is handled only if there is room for its reply and for all
 * pending replies. Otherwise, the connection is not read, and flow control stops the client. Each direction of a
 * connection thus buffers at most one buffer length. {@link StreamLimits#bytes} bounds the total.
 */
final class FramePump {
    /** The size of the read buffer. It has room for the longest frame, even after the start of another. */
    private static final int IN_BYTES = 2 * FrameReader.MAX_BYTES;

    /** The bytes of replies that may wait in a connection, including pending ones; enough for 176 of the longest. */
    static final int OUT_BYTES = 32 << 10;

    private final DatagramHandler handler;
    private final ConnectionTable table;
    private final ThreadCounters tally;
    private final LongSupplier nanos;
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    private final byte[] reply = new byte[DatagramHandler.MAX_REPLY];
    private final FrameReader reader = new FrameReader();
    private final BooleanSupplier takesHttp;

    FramePump(DatagramHandler handler, ConnectionTable table, ThreadCounters tally, LongSupplier nanos,
            BooleanSupplier takesHttp) {
        this.takesHttp = takesHttp;
        this.handler = handler;
        this.table = table;
        this.tally = tally;
        this.nanos = nanos;
    }

    /**
     * Serves a connection once.
     *
     * @param readable whether there is data to read
     * @param receiving whether to receive requests; otherwise, only replies are sent
     * @return false if the connection must be closed; the reason is already counted
     * @throws IOException if the connection fails
     */
    boolean serve(Connection connection, boolean readable, boolean receiving) throws IOException {
        in.clear();
        connection.unread.copyTo(in);
        if (readable && receiving && !connection.isPaused()) {
            int count = connection.channel().read(in);
            if (count < 0) {
                connection.end();
            } else if (count > 0) {
                connection.received(nanos.getAsLong());
            }
        }
        in.flip();
        out.clear();
        connection.unsent.copyTo(out);
        int begin = in.position();
        FrameReader.Step last;
        do {
            last = handleFrames(connection, receiving);
            send(connection);
        } while (last == FrameReader.Step.FRAME && receiving && hasRoom(connection));
        if (last == FrameReader.Step.INVALID) {
            if (beginsWithHttp(connection, begin)) {
                byte[] begun = new byte[in.remaining()];
                in.get(begun);
                connection.leave(begun);
                return true;
            }
            tally.increment(Counter.CONNECTION_BAD_FRAME);
            return false;
        }
        boolean anyFrame = in.position() > begin;
        out.flip();
        if (!connection.unsent.keep(out) || !connection.unread.keep(in)) {
            tally.increment(Counter.CONNECTION_MEMORY);
            return false;
        }
        connection.parsed(anyFrame, last == FrameReader.Step.FRAME, nanos.getAsLong());
        connection.await(receiving);
        return !connection.isOver();
    }

    /** Returns whether the first two bytes of a connection are those of a POST. No frame is so long. */
    private boolean beginsWithHttp(Connection connection, int begin) {
        return takesHttp.getAsBoolean() && connection.remote() != null && !connection.isProven()
                && in.position() == begin && in.get(begin) == 'P' && in.get(begin + 1) == 'O';
    }

    /**
     * Handles complete frames and returns what the buffer begins with afterwards; {@code FRAME} if there was no room to
     * handle more.
     */
    private FrameReader.Step handleFrames(Connection connection, boolean receiving) {
        while (receiving && hasRoom(connection)) {
            FrameReader.Step step = reader.next(in);
            if (step != FrameReader.Step.FRAME) {
                return step;
            }
            handle(connection);
        }
        return FrameReader.Step.FRAME;
    }

    /** Returns whether there is room for one more reply and all pending ones. */
    private boolean hasRoom(Connection connection) {
        return out.remaining() >= (connection.outstanding() + 1) * Connection.MAX_REPLY_FRAME;
    }

    private void handle(Connection connection) {
        tally.increment(Counter.FRAMES);
        int answer = handler.handle(reader.bytes(), reader.length(), connection, reply);
        boolean later = connection.handled(answer);
        if (answer > 0) {
            FrameWriter.put(out, reply, 0, answer);
            tally.increment(Counter.ANSWERED);
        }
        if ((answer > 0 || later) && connection.prove()) {
            table.prove(connection);
        }
    }

    /** Sends the buffer and moves the unsent rest to its start. */
    private void send(Connection connection) throws IOException {
        out.flip();
        if (!out.hasRemaining() || connection.channel().write(out) > 0) {
            connection.taken(nanos.getAsLong());
        }
        out.compact();
    }

    /**
     * Appends a late reply to the unsent ones. It is sent when the connection is served next.
     *
     * @return false if the connection must be closed; the reason is already counted
     */
    boolean append(Connection connection, ByteBuffer frame) {
        out.clear();
        connection.unsent.copyTo(out);
        boolean first = connection.unsent.isEmpty();
        out.put(frame).flip();
        if (!connection.unsent.keep(out)) {
            tally.increment(Counter.CONNECTION_MEMORY);
            return false;
        }
        if (first) {
            connection.taken(nanos.getAsLong());
        }
        tally.increment(Counter.ANSWERED);
        return true;
    }
}
