package dev.weir.storage.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Updates as records of the log, for another node. The records do not depend on a storage. For one thread. */
public final class SentUpdates {
    /** The maximum size of one update. */
    public static final int MAX_BYTES = Records.MAX;

    private final Records records = new Records(0);
    private ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);

    /** Appends an update. */
    public void add(LoggedUpdate update) {
        if (buffer.remaining() < Records.MAX) {
            buffer = ByteBuffer.allocate(buffer.capacity() * 2).order(ByteOrder.LITTLE_ENDIAN).put(buffer.flip());
        }
        records.encode(update, 0, buffer);
    }

    /** Returns the bytes of all updates. */
    public byte[] toBytes() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    /**
     * Returns the updates in the rest of a buffer, which must be little endian.
     *
     * @return empty if the bytes are anything but whole records
     */
    public static Optional<List<LoggedUpdate>> read(ByteBuffer bytes) {
        Records records = new Records(0);
        List<LoggedUpdate> updates = new ArrayList<>();
        while (bytes.hasRemaining()) {
            int at = bytes.position();
            int length = records.lengthOf(bytes, at);
            if (length == 0 || !Records.isKnown(bytes, at)) {
                return Optional.empty();
            }
            try {
                updates.add(records.decode(bytes, at));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
            bytes.position(at + length);
        }
        return Optional.of(updates);
    }
}
