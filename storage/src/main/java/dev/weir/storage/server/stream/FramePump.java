package dev.weir.storage.server.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Tally;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;

/**
 * What a thread does with one connection after the other: reads a buffer's length, has the frames in it handled, sends
 * the replies, and leaves what has to wait with the connection.
 *
 * <p><b>Why no client can fill the memory.</b> A frame is handled only while there is room for its reply and for all
 * replies that are still to be made; until then the connection is not read, and the client's system holds back what it
 * sends. So of each direction at most one buffer's length is kept, whatever a client does; all together are bounded by
 * {@link StreamLimits#bytes}.
 */
final class FramePump {
    /** What is read at a time. Room for the longest frame, also behind the beginning of one. */
    private static final int IN_BYTES = 2 * FrameReader.MAX_BYTES;

    /** Replies that may wait in a connection, among them those that are still to be made: 176 of the longest. */
    static final int OUT_BYTES = 32 << 10;

    private final DatagramHandler handler;
    private final ConnectionTable table;
    private final Tally tally;
    private final LongSupplier nanos;
    private final ByteBuffer in = ByteBuffer.allocateDirect(IN_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES);
    private final byte[] reply = new byte[DatagramHandler.MAX_REPLY];
    private final FrameReader reader = new FrameReader();

    FramePump(DatagramHandler handler, ConnectionTable table, Tally tally, LongSupplier nanos) {
        this.handler = handler;
        this.table = table;
        this.tally = tally;
        this.nanos = nanos;
    }

    /**
     * Serves a connection once.
     *
     * @param readable whether there is something to read
     * @param taking whether requests are taken; otherwise only replies go out
     * @return false if it is to be closed; the reason is counted
     * @throws IOException if the network says so
     */
    boolean serve(Connection connection, boolean readable, boolean taking) throws IOException {
        in.clear();
        connection.unread.copyTo(in);
        if (readable && taking && !connection.isPaused()) {
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
            last = handleFrames(connection, taking);
            send(connection);
        } while (last == FrameReader.Step.FRAME && taking && hasRoom(connection));
        if (last == FrameReader.Step.INVALID) {
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
        connection.await(taking);
        return !connection.isOver();
    }

    /** Gives what the buffer begins with then; {@code FRAME} if it was not looked at for lack of room. */
    private FrameReader.Step handleFrames(Connection connection, boolean taking) {
        while (taking && hasRoom(connection)) {
            FrameReader.Step step = reader.next(in);
            if (step != FrameReader.Step.FRAME) {
                return step;
            }
            handle(connection);
        }
        return FrameReader.Step.FRAME;
    }

    /** Returns whether a reply would have room, and all that are still to be made. */
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

    /** Sends what is in the buffer, which then has the rest at its beginning. */
    private void send(Connection connection) throws IOException {
        out.flip();
        if (!out.hasRemaining() || connection.channel().write(out) > 0) {
            connection.taken(nanos.getAsLong());
        }
        out.compact();
    }

    /**
     * Puts a reply that was made later behind those that wait; it leaves when the connection is served.
     *
     * @return false if the connection is to be closed; the reason is counted
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
