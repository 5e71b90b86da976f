package dev.weir.storage.queue;

import dev.weir.model.Update;
import dev.weir.storage.log.UpdateOrigin;

/**
 * An update that waits, and whom to tell how it ended.
 *
 * @param outcome is told exactly once, by the writer or the thread that tells for it, never by both at once
 */
public record QueuedUpdate(Update update, UpdateOrigin origin, Outcome outcome) {

    /** How an update ended. Must not block and must not throw. */
    public interface Outcome {
        /** For updates without a waiting client. */
        Outcome NOBODY = new Outcome() {
            @Override
            public void stored() {
                // No client asked.
            }

            @Override
            public void failed() {
                // No client asked.
            }
        };

        /** It is on disk (or queued, if that was asked for) and visible to checks. */
        void stored();

        /** It is not stored; the storage is as if it had never been asked. */
        void failed();
    }
}
