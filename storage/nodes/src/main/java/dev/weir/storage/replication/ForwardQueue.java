package dev.weir.storage.replication;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.UpdateWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The updates of a follower's clients on their way to the leader. A client hears that its update is stored when the
 * leader says so. If the way breaks, the client gets an error, although the leader may have the update; its repetition
 * is recognized there. {@link #offer} is for any thread, {@link #run} for one.
 */
final class ForwardQueue implements Role.Forwarder, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardQueue.class);
    private static final int CAPACITY = 8_192;
    private static final int TOGETHER = 1_024;

    private final BlockingQueue<QueuedUpdate> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final Transport transport;
    private final Follower follower;
    private final UpdateWriter writer;
    private final long node;
    private final LongAdder forwarded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private volatile boolean closed;
    private long number;
    private boolean failing;

    ForwardQueue(Transport transport, Follower follower, UpdateWriter writer, long node) {
        this.transport = transport;
        this.follower = follower;
        this.writer = writer;
        this.node = node;
    }

    /** Returns the number of updates that the leader stored. */
    long forwarded() {
        return forwarded.sum();
    }

    /** Returns the number of updates whose clients got an error. */
    long failed() {
        return failed.sum();
    }

    @Override
    public boolean offer(QueuedUpdate update) {
        return !closed && queue.offer(update);
    }

    /** Makes {@link #run} return soon. */
    void close() {
        closed = true;
    }

    @Override
    public void run() {
        while (!closed) {
            try {
                QueuedUpdate first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    List<QueuedUpdate> together = new ArrayList<>();
                    together.add(first);
                    queue.drainTo(together, TOGETHER - 1);
                    forward(together);
                }
            } catch (InterruptedException e) {
                closed = true;
            }
        }
        List<QueuedUpdate> rest = new ArrayList<>();
        queue.drainTo(rest);
        tell(rest, List.of());
    }

    private void forward(List<QueuedUpdate> updates) {
        List<Boolean> stored = List.of();
        try {
            stored = ask(updates);
            if (!stored.isEmpty()) {
                failing = false;
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.error("updates cannot be passed to the leader, and their clients get an error: {}",
                        e.getMessage(), e);
                failing = true;
            }
        } finally {
            // Their clients wait, whatever happened.
            tell(updates, stored);
        }
    }

    /** Returns the outcomes at the leader; empty if it did not answer. */
    private List<Boolean> ask(List<QueuedUpdate> updates) {
        number++;
        List<LoggedUpdate> sent = updates.stream()
                .map(pending -> new LoggedUpdate(1, 0, pending.origin(), pending.update())).toList();
        try {
            Message answer = Message.read(transport.ask(
                    Message.write(new Message.Forward(node, follower.state().session(), number, sent))));
            if (answer instanceof Message.Outcomes outcomes && outcomes.number() == number
                    && outcomes.stored().size() == updates.size()) {
                return outcomes.stored();
            }
            LOG.debug("the leader takes no updates: {}",
                    answer instanceof Message.Refused refused ? refused.reason() : "it sent an unexpected answer");
        } catch (IOException | MessageException e) {
            LOG.debug("the leader cannot be asked to take updates", e);
        } catch (InterruptedException e) {
            closed = true;
        }
        return List.of();
    }

    private void tell(List<QueuedUpdate> updates, List<Boolean> stored) {
        if (updates.isEmpty()) {
            return;
        }
        long good = stored.stream().filter(each -> each).count();
        forwarded.add(good);
        failed.add(updates.size() - good);
        writer.tell(updates, stored);
    }
}
