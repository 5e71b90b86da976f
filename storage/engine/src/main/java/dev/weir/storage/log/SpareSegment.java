package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The next segment of a log. It is prepared while updates still fit into the one before, because filling a file with
 * zeros takes a fraction of a second.
 */
final class SpareSegment {
    /** The name of the next segment during its preparation. */
    static final String NAME = "spare.tmp";
    private static final int FILL = 1 << 20;

    private final Disk disk;
    private final int segmentBytes;
    private final KeptSegments segments;
    private final Executor preparer;

    /** Held while the next segment is prepared and while it gets its name, because both use the same file name. */
    private final Object lock = new Object();
    private final AtomicBoolean preparing = new AtomicBoolean();

    /** The prepared file. It changes under the lock only. */
    private volatile @Nullable DiskFile file;

    /** Guarded by the lock. */
    private boolean closed;

    /**
     * Creates the place of the next segment, without a file.
     *
     * @param segments the ones before, which also tell whether there is room
     * @param preparer runs the preparation
     */
    SpareSegment(Disk disk, int segmentBytes, KeptSegments segments, Executor preparer) {
        this.disk = disk;
        this.segmentBytes = segmentBytes;
        this.segments = segments;
        this.preparer = preparer;
    }

    /** Begins to prepare the file in the background, unless that has been done or goes on. */
    void prepare() {
        if (file == null && preparing.compareAndSet(false, true)) {
            preparer.execute(this::prepareNow);
        }
    }

    private void prepareNow() {
        try {
            synchronized (lock) {
                if (file == null && !closed) {
                    file = reuse();
                    if (file == null) {
                        segments.makeRoom(KeptSegments.NONE, 0, KeptSegments.NONE);
                        file = fill();
                    }
                }
            }
        } catch (IOException e) {
            // Not a reason to refuse updates yet. The active segment has room, and its end tries again.
            UpdateLog.LOG.debug("the next segment cannot be made yet", e);
        } finally {
            preparing.set(false);
        }
    }

    /**
     * Gives the file its content and its name, and makes both durable. Prepares the file now if that is not done yet.
     *
     * @param content the beginning of the segment
     * @param end the last revision in the segments before
     * @return the file of the segment
     * @throws NoRoomException if the segments before are still needed
     * @throws IOException if the disk fails; the segment may have its name all the same
     */
    DiskFile begin(Segment segment, ByteBuffer content, long end) throws IOException {
        synchronized (lock) {
            DiskFile prepared = file;
            file = null;
            if (prepared == null) {
                prepared = reuse();
            }
            if (prepared == null) {
                segments.makeRoom(segment.first(), content.limit(), end);
                prepared = fill();
            }
            try {
                prepared.writeFully(content.duplicate(), 0);
                prepared.force();
                disk.rename(NAME, segment.name());
                disk.force();
                prepared.close();
                // Reopens the file under its final name, because another kind of access may be possible.
                return disk.open(segment.name());
            } catch (IOException e) {
                UpdateLog.closeQuietly(prepared);
                throw e;
            }
        }
    }

    /** Takes an old segment, if there is one to take. This saves filling a new file with zeros. */
    private @Nullable DiskFile reuse() {
        return segments.takeSurplus(NAME);
    }

    private DiskFile fill() throws IOException {
        disk.delete(NAME);
        DiskFile fresh = disk.create(NAME);
        try {
            ByteBuffer zeros = Records.buffer(Math.min(FILL, segmentBytes));
            for (long at = 0; at < segmentBytes; at += zeros.capacity()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), segmentBytes - at));
                fresh.writeFully(zeros, at);
                // In pieces, so that a sync of a batch does not wait for the whole segment.
                fresh.force();
            }
            return fresh;
        } catch (IOException e) {
            UpdateLog.closeQuietly(fresh);
            try {
                disk.delete(NAME);
            } catch (IOException ignored) {
                e.addSuppressed(ignored);
            }
            throw e;
        }
    }

    /** Deletes the file. None is prepared from now on. */
    void close() {
        synchronized (lock) {
            closed = true;
            DiskFile prepared = file;
            file = null;
            if (prepared != null) {
                UpdateLog.closeQuietly(prepared);
                try {
                    disk.delete(NAME);
                } catch (IOException e) {
                    UpdateLog.LOG.debug("the spare segment stays until the next start", e);
                }
            }
        }
    }
}
