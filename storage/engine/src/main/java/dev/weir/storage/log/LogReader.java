package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reader of synced updates, in order, while the log is being written. For one thread. */
public final class LogReader implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

    private final UpdateLog log;
    private long next;
    private @Nullable KeptSegment segment;
    private @Nullable ReadableFile file;
    private @Nullable SegmentCursor cursor;

    LogReader(UpdateLog log, long from) {
        this.log = log;
        this.next = from;
    }

    /** Returns the revision that the next update will have. */
    public long next() {
        return next;
    }

    /**
     * Returns the next updates, up to {@code most}; empty if there is nothing new. Updates before an unreadable one are
     * returned first, and the next call throws.
     *
     * @throws LogDamagedException if the next update is unreadable and the store does not have it; the reader stays
     *             before it
     * @throws LogReleasedException if the log has deleted the next update, or cannot read it, and the store has it
     * @throws StorageException if the files cannot be read; the next call tries again
     */
    public List<LoggedUpdate> read(int most) throws StorageException {
        List<LoggedUpdate> updates = new ArrayList<>();
        long end = log.durable();
        while (updates.size() < most && next <= end) {
            try {
                updates.add(readNext());
                next++;
            } catch (IOException | StorageException e) {
                // After an interruption, the position of the cursor is unknown.
                forgetPlace();
                if (!updates.isEmpty()) {
                    return updates;
                }
                throw e instanceof StorageException known
                        ? known
                        : new StorageException("the update log cannot be read: " + Reason.of(e), e);
            }
        }
        return updates;
    }

    private void forgetPlace() {
        try {
            close();
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
    }

    private LoggedUpdate readNext() throws IOException, StorageException {
        KeptSegment place = present(log.segmentOf(next));
        SegmentCursor at;
        try {
            at = cursorOf(place);
        } catch (NoSuchFileException e) {
            // The log may be removing the segment; its file goes before its entry.
            place = present(log.settledSegmentOf(next));
            at = cursorOf(place);
        }
        long end = Segment.HEADER;
        // Damage before this point does not matter, because the store has those updates.
        while (at.next() || retry(at) || at.search()) {
            long revision = at.revision();
            if (revision == next) {
                return at.update();
            }
            if (revision > next) {
                break;
            }
            end = at.end();
        }
        LogDamage damage = new LogDamage(log.disk().describe(place.segment.name()), end, next, next);
        if (next <= log.applied()) {
            throw new LogReleasedException(damage);
        }
        throw new LogDamagedException(List.of(damage));
    }

    private KeptSegment present(@Nullable KeptSegment place) throws LogReleasedException {
        if (place == null) {
            throw new LogReleasedException(next);
        }
        return place;
    }

    private static boolean retry(SegmentCursor cursor) throws IOException {
        cursor.refresh();
        return cursor.next();
    }

    private SegmentCursor cursorOf(KeptSegment wanted) throws IOException {
        SegmentCursor now = cursor;
        if (now != null && wanted == segment) {
            return now;
        }
        forgetPlace();
        String name = wanted.segment.name();
        if (!wanted.enter()) {
            throw new NoSuchFileException(log.disk().describe(name));
        }
        segment = wanted;
        ReadableFile opened = new PatchedFile(log.disk().open(name), log.disk().describe(name));
        file = opened;
        SegmentCursor fresh = new SegmentCursor(opened, log.storageId(), wanted.segment.first(),
                Segment.HEADER);
        cursor = fresh;
        return fresh;
    }

    @Override
    public void close() throws IOException {
        ReadableFile open = file;
        KeptSegment left = segment;
        file = null;
        segment = null;
        cursor = null;
        if (left != null) {
            left.leave();
        }
        if (open != null) {
            open.close();
        }
    }
}
