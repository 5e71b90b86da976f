package dev.weir.storage.log;

import java.io.IOException;
import java.util.Optional;

import dev.weir.model.failure.Reason;

/** The log's side of the {@link LogEndNote}. Thread-safe. */
final class EndWriter {
    private final LogEndNote note;

    /** The content of the note; empty if this process has not written it. */
    private Optional<LogEnd> noted = Optional.empty();

    /** Whether the note has changed since it was last durable. */
    private boolean changed;

    /** Whether the last update failed, and the operator knows. */
    private boolean failing;

    EndWriter(LogEndNote note) {
        this.note = note;
    }

    /** Replaces the note durably. While the log is open, {@link #reached} brings it up to date. */
    synchronized void write(LogEnd end) throws IOException {
        if (noted.isEmpty() || noted.get().most() != end.most()) {
            replace(end);
        }
    }

    private void replace(LogEnd end) throws IOException {
        note.write(end);
        noted = Optional.of(end);
        changed = false;
    }

    void writeIfPossible(LogEnd end) {
        try {
            write(end);
        } catch (IOException e) {
            UpdateLog.LOG.warn("the end of the update log cannot be noted: {}", Reason.of(e));
        }
    }

    /**
     * Notes that an open log reaches further. If that fails, {@link #force} replaces the note.
     *
     * @param end what is on disk
     */
    synchronized void reached(LogEnd end) {
        if (!isBefore(end.least())) {
            return;
        }
        try {
            note.update(end);
            noted = Optional.of(end);
            changed = true;
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                UpdateLog.LOG.warn("the end of the update log is noted only once a minute: {}", Reason.of(e));
            }
            failing = true;
        }
    }

    private boolean isBefore(long least) {
        return isOpen() && noted.orElseThrow().least() < least;
    }

    private boolean isOpen() {
        return noted.filter(LogEnd::isOpen).isPresent();
    }

    /**
     * Makes the note of an open log durable. The thread that writes to the log does not wait for the disk.
     *
     * @param end what is on disk
     */
    void force(LogEnd end) {
        synchronized (this) {
            if (!isOpen() || (!changed && !isBefore(end.least()))) {
                return;
            }
            changed = false;
        }
        boolean durable = true;
        try {
            note.force();
        } catch (IOException e) {
            UpdateLog.LOG.debug("the note about the end of the log is replaced", e);
            durable = false;
        }
        synchronized (this) {
            boolean before = isBefore(end.least());
            if (before || (isOpen() && !durable)) {
                try {
                    replace(before ? end : noted.orElseThrow().inRun(end.run()));
                } catch (IOException e) {
                    changed = true;
                    UpdateLog.LOG.warn("the end of the update log cannot be noted: {}", Reason.of(e));
                }
            }
        }
    }

    /** Writes the note of a log that ends, if this process has written it before. */
    synchronized void close(LogEnd end) {
        if (noted.isPresent()) {
            writeIfPossible(end);
            noted = Optional.empty();
        }
        note.close();
    }
}
