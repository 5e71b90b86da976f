package dev.weir.storage.replication;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import dev.weir.model.Update;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.undo.Undo;

/** The updates of followers' clients at their leader. Thread-safe. */
public final class Inbox {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Predicate<QueuedUpdate> queue;
    private final Consumer<List<QueuedUpdate>> removals;
    private final LongSupplier seconds;
    private final Map<Long, Long> last = new ConcurrentHashMap<>();

    /**
     * Creates an inbox.
     *
     * @param queue takes an update, or returns false if too many wait
     * @param removals stores the removals of undos whose flags are used up in the index of this node, and completes the
     *            outcomes of all
     * @param seconds the time to record in a write, in seconds since 1970
     */
    public Inbox(Predicate<QueuedUpdate> queue, Consumer<List<QueuedUpdate>> removals, LongSupplier seconds) {
        this.queue = queue;
        this.removals = removals;
        this.seconds = seconds;
    }

    /** The outcome of one update, for the thread that waits for all. */
    private static final class Outcome implements QueuedUpdate.Outcome {
        private final CountDownLatch open;
        private volatile boolean stored;

        Outcome(CountDownLatch open) {
            this.open = open;
        }

        @Override
        public void stored() {
            stored = true;
            open.countDown();
        }

        @Override
        public void failed() {
            open.countDown();
        }
    }

    /** Stores updates, and returns their outcomes. A question that is not newer than the last one is refused. */
    Message take(String follower, Message.Forward forward) throws InterruptedException {
        boolean[] fresh = new boolean[1];
        last.compute(forward.node(), (_, number) -> {
            fresh[0] = number == null || forward.number() > number;
            return fresh[0] ? forward.number() : number;
        });
        if (!fresh[0]) {
            return new Message.Refused(LeaderEpoch.NONE, "this request was already sent by " + follower);
        }
        CountDownLatch open = new CountDownLatch(forward.updates().size());
        List<Outcome> outcomes = new ArrayList<>();
        List<QueuedUpdate> undone = new ArrayList<>();
        for (LoggedUpdate update : forward.updates()) {
            Outcome outcome = new Outcome(open);
            outcomes.add(outcome);
            QueuedUpdate queued = new QueuedUpdate(timed(update.update()), update.origin(), outcome);
            if (Undo.isRemoval(queued)) {
                undone.add(queued);
            } else if (!queue.test(queued)) {
                outcome.failed();
            }
        }
        if (!undone.isEmpty()) {
            removals.accept(undone);
        }
        // An update without an outcome by then counts as not stored. The client asks again, which is recognized.
        boolean _ = open.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        return new Message.Outcomes(forward.number(), outcomes.stream().map(outcome -> outcome.stored).toList());
    }

    private Update timed(Update update) {
        return update instanceof Update.Write write
                ? new Update.Write(write.digest(), write.flag(), write.weight(), seconds.getAsLong(),
                        write.signature())
                : update;
    }
}
