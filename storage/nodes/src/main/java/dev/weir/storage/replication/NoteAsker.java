package dev.weir.storage.replication;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.weir.model.failure.Reason;
import dev.weir.storage.notes.NodeNotes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of a follower that exchanges notes with its leader. */
final class NoteAsker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(NoteAsker.class);

    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** The name of the leader for {@link NodeNotes}. */
    private static final String SOURCE = "leader";

    private final Transport transport;
    private final NodeNotes notes;
    private final long node;
    private final BooleanSupplier follows;
    private final CountDownLatch closing;
    private String failure = "";

    /**
     * Creates a thread's work.
     *
     * @param node the number of this process
     * @param follows whether this node is a follower now
     * @param closing reaches zero when this node closes
     */
    NoteAsker(Transport transport, NodeNotes notes, long node, BooleanSupplier follows, CountDownLatch closing) {
        this.transport = transport;
        this.notes = notes;
        this.node = node;
        this.follows = follows;
        this.closing = closing;
    }

    @Override
    public void run() {
        boolean followed = follows.getAsBoolean();
        try {
            do {
                boolean following = follows.getAsBoolean();
                if (following != followed) {
                    // The same nodes have other names after a promotion, and would count twice.
                    notes.forget();
                    followed = following;
                }
                if (following) {
                    exchange();
                }
            } while (!closing.await(PAUSE.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            LOG.debug("this node closes", e);
        }
    }

    private void exchange() throws InterruptedException {
        try {
            byte[] own = notes.write(SOURCE::equals);
            Message answer = Message.read(transport.ask(Message.write(new Message.Note(node, own))));
            switch (answer) {
                case Message.Note told -> {
                    notes.read(SOURCE, true, told.bytes());
                    failure = "";
                }
                case Message.Refused refused -> failed(refused.reason());
                default -> failed("it sent an unexpected answer");
            }
        } catch (IOException | MessageException | RuntimeException e) {
            failed(Reason.of(e));
        }
    }

    private void failed(String reason) {
        notes.failed();
        if (!reason.equals(failure)) {
            LOG.warn("the leader and this node do not add their counts: {}", reason);
        }
        failure = reason;
    }
}
