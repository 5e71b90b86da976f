package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The next segment of a log. It is prepared while updates still fit into the one before, because filling a file with
 * zeros takes a fraction of a second.
 *
 * <p>The first segment after a start is short, so that a small storage starts quickly. Each one after it has twice
 * the length of the one before, up to the limit.
 */
final class SpareSegment {
    /** The name of the next segment during its preparation. */
    static final String NAME = "spare.tmp";
    private static final int FILL = 1 << 20;

    /** The length of the first segment after a start, if the limit is not less. The longest batch fits into it. */
    private static final int FIRST_BYTES = 2 << 20;

    private final Disk disk;
    private final int mostBytes;
    private final KeptSegments segments;
    private final Executor preparer;

    /** Held while the next segment is prepared and while it gets its name, because both use the same file name. */
    private final Object lock = new Object();
    private final AtomicBoolean preparing = new AtomicBoolean();

    /** The prepared file. It changes under the lock only. */
    private volatile @Nullable Blank file;

    /** The length of the next file that is filled with zeros. Guarded by the lock. */
    private int nextBytes;

    /** Guarded by the lock. */
    private boolean closed;

    /** A file of some length. */
    record Blank(DiskFile file, int bytes) {}

    /**
     * Creates the place of the next segment, without a file.
     *
     * @param mostBytes maximum length of a segment
     * @param segments the ones before, which also tell whether there is room
     * @param preparer runs the preparation
     */
    SpareSegment(Disk disk, int mostBytes, KeptSegments segments, Executor preparer) {
        this.disk = disk;
        this.mostBytes = mostBytes;
        this.nextBytes = Math.min(FIRST_BYTES, mostBytes);
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
     * @return the file of the segment, and how many bytes were reserved for it
     * @throws NoRoomException if the segments before are still needed
     * @throws IOException if the disk fails; the segment may have its name all the same
     */
    Blank begin(Segment segment, ByteBuffer content, long end) throws IOException {
        synchronized (lock) {
            Blank prepared = file;
            file = null;
            if (prepared == null) {
                prepared = reuse();
            }
            if (prepared == null) {
                segments.makeRoom(segment.first(), content.limit(), end);
                prepared = fill();
            }
            DiskFile named = prepared.file();
            try {
                named.writeFully(content.duplicate(), 0);
                named.force();
                disk.rename(NAME, segment.name());
                disk.force();
                named.close();
                // Reopens the file under its final name, because another kind of access may be possible.
                return new Blank(disk.open(segment.name()), prepared.bytes());
            } catch (IOException e) {
                UpdateLog.closeQuietly(named);
                throw e;
            }
        }
    }

    /** Takes an old segment, if there is one to take. This saves filling a new file with zeros. */
    private @Nullable Blank reuse() {
        DiskFile old = segments.takeSurplus(NAME);
        return old == null ? null : new Blank(old, mostBytes);
    }

    private Blank fill() throws IOException {
        int bytes = nextBytes;
        disk.delete(NAME);
        DiskFile fresh = disk.create(NAME);
        try {
            ByteBuffer zeros = Records.buffer(Math.min(FILL, bytes));
            for (long at = 0; at < bytes; at += zeros.capacity()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
                fresh.writeFully(zeros, at);
                // In pieces, so that a sync of a batch does not wait for the whole segment.
                fresh.force();
            }
            nextBytes = (int) Math.min(2L * bytes, mostBytes);
            return new Blank(fresh, bytes);
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
            Blank prepared = file;
            file = null;
            if (prepared != null) {
                UpdateLog.closeQuietly(prepared.file());
                try {
                    disk.delete(NAME);
                } catch (IOException e) {
                    UpdateLog.LOG.debug("the spare segment stays until the next start", e);
                }
            }
        }
    }
}
