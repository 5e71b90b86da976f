package dev.weir.storage.log;

import java.io.IOException;
import java.util.OptionalLong;

import dev.weir.model.failure.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The log's side of the {@link ForcedMark}. A mark that cannot be written is deleted, because an old one would hide
 * newer updates from readers in other processes. Without it, they read to the end of the log. For one thread.
 */
final class MarkWriter {
    private final Disk disk;
    private final long storageId;
    private @Nullable ForcedMark mark;
    private boolean missing;
    private boolean outdated;
    private long run;

    MarkWriter(Disk disk, long storageId) {
        this.disk = disk;
        this.storageId = storageId;
    }

    /** Sets the number of the run that the mark names from now on. */
    void begin(long number) {
        run = number;
    }

    /** Returns whether the last attempt to write the mark failed. */
    boolean isMissing() {
        return missing;
    }

    /** Returns whether the mark is older than the last revision, because it could neither be written nor deleted. */
    boolean isOutdated() {
        return outdated;
    }

    /** Records that everything up to a revision is on disk. */
    void write(long revision) {
        try {
            if (mark == null) {
                mark = ForcedMark.open(disk, storageId, run, revision);
            } else {
                mark.write(revision);
            }
            missing = false;
            outdated = false;
        } catch (IOException e) {
            boolean first = !missing;
            boolean wasOutdated = outdated;
            missing = true;
            withdraw();
            if (outdated && !wasOutdated) {
                UpdateLog.LOG.warn("{} can be neither written nor deleted ({}); until it can, backups miss the latest "
                        + "updates", disk.describe(ForcedMark.NAME), Reason.of(e));
            } else if (first) {
                UpdateLog.LOG.warn("{} cannot be written ({}); until it can, backups may report damage where updates "
                        + "are being written", disk.describe(ForcedMark.NAME), Reason.of(e));
            }
        }
    }

    private void withdraw() {
        ForcedMark old = mark;
        mark = null;
        if (old != null) {
            UpdateLog.closeQuietly(old);
        }
        try {
            disk.delete(ForcedMark.NAME);
            outdated = false;
        } catch (IOException e) {
            UpdateLog.LOG.debug("{} cannot be deleted either", disk.describe(ForcedMark.NAME), e);
            outdated = true;
            return;
        }
        try {
            disk.force();
        } catch (IOException e) {
            UpdateLog.LOG.debug("after a power cut, {} may come back", disk.describe(ForcedMark.NAME), e);
        }
    }

    /**
     * Closes the file.
     *
     * @param end the revision with which the log ends; empty if more may be on disk than is known
     */
    void close(OptionalLong end) {
        ForcedMark old = mark;
        mark = null;
        if (old == null) {
            return;
        }
        try (old) {
            if (end.isPresent()) {
                old.writeLast(end.getAsLong());
            }
        } catch (IOException e) {
            // The existing mark remains true.
            UpdateLog.LOG.debug("the mark of the log is not the last one", e);
        }
    }
}
