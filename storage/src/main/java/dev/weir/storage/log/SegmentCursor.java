package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Walks over the records of one segment, and over what is damaged between them. For one thread. */
final class SegmentCursor {
    private static final int WINDOW = 1 << 20;

    private final ReadableFile file;
    private final Records records;
    private final ByteBuffer window;
    private long windowStart;

    /** Whether the window reaches to where the file ended when it was read. */
    private boolean windowAtEnd;
    private long position;
    private int length;

    /** Begins at a position, which must be that of a record or a multiple of 8. */
    SegmentCursor(ReadableFile file, long storageId, long from) throws IOException {
        this.file = file;
        this.records = new Records(storageId);
        this.window = Records.buffer(Math.clamp(file.size(), Records.MAX_OF_ANY_VERSION, WINDOW));
        this.position = from;
        this.windowStart = from;
        window.limit(0);
    }

    /** Returns whether there is a sound record where the one before ended; then it is the current one. */
    boolean next() throws IOException {
        position += length;
        length = 0;
        length = lengthAt(position);
        return length > 0;
    }

    /** Goes on to the next sound record behind whatever is in between; false at the end. */
    boolean search() throws IOException {
        long size = file.size();
        while (position + Records.FIXED <= size) {
            length = lengthAt(position);
            if (length > 0) {
                return true;
            }
            position += Records.ALIGN;
        }
        length = 0;
        return false;
    }

    /** Forgets what was read ahead, after {@link #next} said no and more may have been written since. */
    void refresh() {
        window.limit(0);
        windowStart = position;
        windowAtEnd = false;
    }

    /** Where the current record begins, or the damage does. */
    long position() {
        return position;
    }

    /** Where the current record ends. */
    long end() {
        return position + length;
    }

    /** Where the record that should be here would end, as far as that can be seen; the damage begins before that. */
    long claimedEnd() {
        return position + Math.max(Long.BYTES, Records.claimedLength(window, offset()));
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
        return records.lengthOf(window, (int) (at - windowStart));
    }
}
