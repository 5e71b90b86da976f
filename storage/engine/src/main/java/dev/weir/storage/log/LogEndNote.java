package dev.weir.storage.log;

import java.io.IOException;
import java.util.Optional;

import dev.weir.storage.StorageException;

/**
 * A note about the {@link LogEnd} that is kept outside the folder of a log. It is written durably before a log without
 * one acknowledges anything, and when the log is closed. In between, each sync of the log brings it up to date without
 * a sync of the note, so that it survives a kill of the process; about once a minute, it is synced.
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

        @Override
        public void update(LogEnd end) {
            // It is not asked for.
        }

        @Override
        public void force() {
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

    /** Brings a note that this object has written up to date. A crash of the machine may bring the old one back. */
    void update(LogEnd end) throws IOException;

    /** Makes the last {@link #update} durable. Any thread may call it, also during an update. */
    void force() throws IOException;

    /** Closes what {@link #update} has opened. */
    default void close() {
        // Most have opened nothing.
    }
}
