package dev.weir.storage.log;

import java.io.IOException;
import java.util.Optional;

import dev.weir.storage.StorageException;

/**
 * A note about the {@link LogEnd} that is kept outside the folder of a log. It is written durably before a log without
 * one acknowledges anything, about once a minute, and when the log is closed.
 */
public interface LogEndNote {
    /** For a log whose end nothing else is known about, such as one that is being made. */
    LogEndNote NONE = new LogEndNote() {
        @Override
        public boolean isKept() {
            return false;
        }

        @Override
        public Optional<LogEnd> read() {
            return Optional.empty();
        }

        @Override
        public void write(LogEnd end) {
            // It is not asked for.
        }
    };

    /** Returns whether there is a place for the note, so that its absence means something. */
    default boolean isKept() {
        return true;
    }

    /**
     * Returns the note.
     *
     * @return empty if there is none of this storage, or it is damaged
     * @throws StorageException if it cannot be read
     */
    Optional<LogEnd> read() throws StorageException;

    /** Replaces the note durably. */
    void write(LogEnd end) throws IOException;
}
