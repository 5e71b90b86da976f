package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A cursor over the records of one segment and over damage between them. For one thread.
 *
 * <p>A segment that was written over an older one ends with remains of that, whose revisions are all lower than the
 * first one of the segment. For the cursor, they are not there.
 */
final class SegmentCursor {
    private static final int WINDOW = 1 << 20;

    /** For comparison with the end of a segment, which is reserved before it is written. */
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 16).asReadOnlyBuffer();

    private final ReadableFile file;
    private final Records records;
    private final long first;
    private final ByteBuffer window;
    private long windowStart;

    /** Whether the window reaches the end of the file at the time of reading. */
    private boolean windowAtEnd;
    private long position;
    private int length;

    /**
     * Starts at a position, which must be that of a record or a multiple of 8.
     *
     * @param first the first revision of the segment
     */
    SegmentCursor(ReadableFile file, long storageId, long first, long from) throws IOException {
        this.file = file;
        this.records = new Records(storageId);
        this.first = first;
        this.window = Records.buffer(Math.clamp(file.size(), Records.MAX_OF_ANY_VERSION, WINDOW));
        this.position = from;
        this.windowStart = from;
        window.limit(0);
    }

    /** Moves to the next record if it directly follows the previous one and is sound. Returns whether it moved. */
    boolean next() throws IOException {
        position += length;
        length = 0;
        length = lengthAt(position);
        return length > 0;
    }

    /** Moves to the next sound record, skipping anything before it. Returns false at the end. */
    boolean search() throws IOException {
        long end = file.size() - Records.FIXED;
        while (position <= end) {
            length = lengthAt(position);
            if (length > 0) {
                return true;
            }
            // No record begins with zeros.
            long skipped = Math.min(zeros(), end - position) / Records.ALIGN * Records.ALIGN;
            position += Math.max(skipped, Records.ALIGN);
        }
        length = 0;
        return false;
    }

    /** Returns how many of the next bytes are zero, or fewer. */
    private int zeros() {
        int from = offset();
        int count = Math.clamp(window.limit() - from, 0, ZEROS.capacity());
        int different = window.slice(from, count).mismatch(ZEROS.slice(0, count));
        return different < 0 ? count : different;
    }

    /** Discards the read-ahead, for use after {@link #next} returned false and more may have been written. */
    void refresh() {
        window.limit(0);
        windowStart = position;
        windowAtEnd = false;
    }

    /** Returns the beginning of the current record or damage. */
    long position() {
        return position;
    }

    /** Returns the end of the current record. */
    long end() {
        return position + length;
    }

    /**
     * Returns the claimed end of the record that should be at the current position. Damage begins before it. A record
     * of an older segment claims only what shows its age.
     */
    long claimedEnd() {
        int claimed = Records.claimedLength(window, offset());
        return position + (claimed == 0 ? Long.BYTES : isOlder(offset()) ? Records.REVISION_END : claimed);
    }

    boolean isKnown() {
        return Records.isKnown(window, offset());
    }

    long revision() {
        return Records.revision(window, offset());
    }

    long settled() {
        return Records.settled(window, offset());
    }

    /** Returns whether a filter wants the current record. */
    boolean isWanted(RecordFilter filter) {
        return Records.wants(filter, window, offset());
    }

    LoggedUpdate update() {
        return records.decode(window, offset());
    }

    private int offset() {
        return (int) (position - windowStart);
    }

    private int lengthAt(long at) throws IOException {
        boolean inside = at <= windowStart + window.limit();
        if (!inside || (!windowAtEnd && at + Records.MAX_OF_ANY_VERSION > windowStart + window.limit())) {
            window.clear();
            file.readFully(window, at);
            windowAtEnd = window.hasRemaining();
            window.flip();
            windowStart = at;
        }
        int offset = (int) (at - windowStart);
        return Records.claimedLength(window, offset) == 0 || isOlder(offset) ? 0 : records.lengthOf(window, offset);
    }

    /** Returns whether a record remains from an older segment. */
    private boolean isOlder(int offset) {
        return Records.revision(window, offset) < first;
    }
}
