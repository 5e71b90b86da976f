package dev.weir.storage.queue;

import dev.weir.model.Update;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;

/**
 * A waiting update with the receiver of its outcome.
 *
 * @param outcome called exactly once, by the writer or by the {@link ReplyDispatcher}, never by both at once
 * @param led the update as the leader of this node logged it; null for an update of a client or of this node itself
 */
public record QueuedUpdate(Update update, UpdateOrigin origin, Outcome outcome, @Nullable LoggedUpdate led) {

    /** Creates an update of a client or of this node itself. */
    public QueuedUpdate(Update update, UpdateOrigin origin, Outcome outcome) {
        this(update, origin, outcome, null);
    }

    /** Creates an update of the leader of this node. */
    public static QueuedUpdate ofLeader(LoggedUpdate led, Outcome outcome) {
        return new QueuedUpdate(led.update(), led.origin(), outcome, led);
    }

    /** The receiver of the outcome of an update. Its methods must not block or throw. */
    public interface Outcome {
        /** The outcome of updates without a waiting client. */
        Outcome NONE = new Outcome() {
            @Override
            public void stored() {
                // No client asked.
            }

            @Override
            public void failed() {
                // No client asked.
            }
        };

        /** The update is visible to checks, and on disk or, with {@code --ack queued}, queued for it. */
        void stored();

        /**
         * The update is not stored. After a failed sync, it may still exist after a restart if the storage ends before
         * it can begin another segment.
         */
        void failed();

        /** The update is stored, but not enough other nodes confirmed it in time. */
        default void unconfirmed() {
            failed();
        }

        /** The update is not stored, and another try cannot help. */
        default void impossible() {
            failed();
        }
    }
}
