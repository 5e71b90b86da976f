package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.time.InstantSource;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * The log beside a copy of the hashes of another node, in a folder without segments. It continues the history of that
 * node, and begins with its last updates, whose requests clients may still repeat ({@link RecentPlace}). The copy has
 * these updates already. For one thread.
 */
public final class CopiedLog implements Closeable {
    private final Disk disk;
    private final UpdateLog.Tip end;
    private final @Nullable UpdateLog log;
    private boolean closed;

    private CopiedLog(Disk disk, UpdateLog.Tip end, @Nullable UpdateLog log) {
        this.disk = disk;
        this.end = end;
        this.log = log;
    }

    /**
     * Begins a log.
     *
     * @param limits its limits, which do not count as long as the copy is made
     * @param storageId the number of the storage of the copy
     * @param start the place after which the updates begin
     * @param end the place at which the copy ends
     */
    public static CopiedLog begin(Disk disk, LogLimits limits, long storageId, RecentPlace start, UpdateLog.Tip end,
            InstantSource clock) throws StorageException {
        if (start.revision() == end.revision()) {
            return new CopiedLog(disk, end, null);
        }
        // Without a known history, the first segments have the epoch of an earlier release, so that their checksums do
        // not count.
        UpdateLog.Tip before = start.checksum().isPresent()
                ? new UpdateLog.Tip(start.revision(), start.checksum().getAsLong(), end.epoch())
                : new UpdateLog.Tip(start.revision(), 0, LeaderEpoch.NONE);
        try {
            UpdateLog.prepare(disk, before);
        } catch (IOException e) {
            throw cannotWrite(disk, e);
        }
        return new CopiedLog(disk, end, UpdateLog.open(disk, limits.withoutEnd(), storageId, start.revision(), clock,
                Runnable::run, _ -> {}));
    }

    /** Adds the next update. */
    public void add(LoggedUpdate update) throws StorageException {
        if (log == null || log.handed() >= end.revision()) {
            throw wrong("more updates came than lead to it");
        }
        if (log.room() == 0) {
            log.force();
        }
        long revision = log.add(update.millis(), update.origin(), update.update());
        if (revision != update.revision()) {
            throw wrong("update " + update.revision() + " came in place of update " + revision);
        }
    }

    /** Makes the log durable, and verifies that it leads to the end of the copy. */
    public void finish() throws StorageException {
        if (log != null) {
            log.force();
            UpdateLog.Tip tip = log.tip();
            if (tip.revision() != end.revision()) {
                throw wrong("they lead to update " + tip.revision());
            }
            if (tip.epoch().isSame(end.epoch())) {
                if (tip.checksum() != end.checksum()) {
                    throw wrong("they lead to another history");
                }
                return;
            }
            close();
        }
        try {
            UpdateLog.prepare(disk, end);
        } catch (IOException e) {
            throw cannotWrite(disk, e);
        }
    }

    private StorageException wrong(String how) {
        return new StorageException("the last updates before the checkpoint of update " + end.revision()
                + " do not belong to it: " + how);
    }

    private static StorageException cannotWrite(Disk disk, IOException e) {
        return new StorageException(disk.describe("") + " cannot be written: " + Reason.of(e), e);
    }

    @Override
    public void close() {
        if (log != null && !closed) {
            closed = true;
            log.close();
        }
    }
}
