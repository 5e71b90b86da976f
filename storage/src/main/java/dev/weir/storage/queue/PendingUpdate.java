package dev.weir.storage.queue;

import dev.weir.storage.Update;

/**
 * An update that waits, and whom to tell how it ended.
 *
 * @param outcome is told exactly once, by the writing thread
 */
public record PendingUpdate(Update update, Outcome outcome) {

    /** How an update ended. Must not block and must not throw. */
    public interface Outcome {
        /** It is on disk and visible to checks. */
        void stored();

        /** It is not stored; the storage is as if it had never been asked. */
        void failed();
    }
}
