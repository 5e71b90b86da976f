package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/** Reads what was forced, in order and while the log is written to. For one thread. */
public final class LogReader implements Closeable {
    private final UpdateLog log;
    private long next;
    private @Nullable Segment segment;
    private @Nullable DiskFile file;
    private @Nullable SegmentCursor cursor;

    LogReader(UpdateLog log, long from) {
        this.log = log;
        this.next = from;
    }

    /** The revision that the next update will have. */
    public long next() {
        return next;
    }

    /**
     * The next updates, up to {@code most}; none when there is nothing new.
     *
     * @throws LogDamagedException if one cannot be read; the reader stays before it
     * @throws StorageException if the files cannot be read
     */
    public List<LoggedUpdate> read(int most) throws StorageException {
        List<LoggedUpdate> updates = new ArrayList<>();
        long end = log.durable();
        try {
            while (updates.size() < most && next <= end) {
                updates.add(readNext());
                next++;
            }
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + e.getMessage(), e);
        }
        return updates;
    }

    private LoggedUpdate readNext() throws IOException, StorageException {
        UpdateLog.Place place = log.placeOf(next);
        if (place == null) {
            throw new LogDamagedException(List.of(new LogDamage("the log", 0, next, next)));
        }
        SegmentCursor at = cursorOf(place.segment());
        while (at.next() || retry(at)) {
            long revision = at.revision();
            if (revision == next) {
                return at.update();
            }
            if (revision > next) {
                break;
            }
        }
        long position = at.position();
        close();
        throw new LogDamagedException(
                List.of(new LogDamage(log.disk().describe(place.segment().name()), position, next, next)));
    }

    private static boolean retry(SegmentCursor cursor) throws IOException {
        cursor.refresh();
        return cursor.next();
    }

    private SegmentCursor cursorOf(Segment wanted) throws IOException {
        SegmentCursor now = cursor;
        if (now != null && wanted.equals(segment)) {
            return now;
        }
        close();
        DiskFile opened = log.disk().open(wanted.name());
        file = opened;
        segment = wanted;
        SegmentCursor fresh = new SegmentCursor(opened, Segment.HEADER);
        cursor = fresh;
        return fresh;
    }

    @Override
    public void close() throws IOException {
        DiskFile open = file;
        file = null;
        segment = null;
        cursor = null;
        if (open != null) {
            open.close();
        }
    }
}
