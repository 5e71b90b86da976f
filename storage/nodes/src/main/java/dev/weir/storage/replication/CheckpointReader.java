package dev.weir.storage.replication;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RecentPlace;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.dump.DumpSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A checkpoint of the leader at its follower. A lost part is asked for again. For one thread. */
public final class CheckpointReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointReader.class);
    private static final int ATTEMPTS = 20;

    private final Transport transport;
    private final long node;
    private final Duration pause;
    private final Message.Part first;
    /** The part that was asked for last. */
    private Message.Part part;
    private @Nullable HashSource source;
    private final LongAdder received = new LongAdder();

    private CheckpointReader(Transport transport, long node, Duration pause) throws StorageException {
        this.transport = transport;
        this.node = node;
        this.pause = pause;
        this.first = ask(0, 0);
        this.part = first;
    }

    /**
     * Asks for a checkpoint.
     *
     * @param node the number of the follower's process
     * @param pause the time between two attempts
     * @throws StorageException if the leader gives none
     */
    public static CheckpointReader open(Transport transport, long node, Duration pause) throws StorageException {
        return new CheckpointReader(transport, node, pause);
    }

    /** Returns the revision of the checkpoint with its history. */
    public UpdateLog.Tip end() {
        return new UpdateLog.Tip(first.revision(), first.checksum(), first.epoch());
    }

    /** Returns the number of the leader's storage. */
    public long storage() {
        return first.storage();
    }

    /** Returns about how many hashes the checkpoint has; -1 if unknown. */
    public long hashes() {
        return first.hashes();
    }

    /** Returns the number of bytes received so far. Any thread may ask. */
    public long received() {
        return received.sum();
    }

    /** Returns the place after which {@link #recent the last updates} begin; {@link #end} if there are none. */
    public RecentPlace start() {
        return first.start();
    }

    /** Receives one of the last updates before the checkpoint. */
    @FunctionalInterface
    public interface RecentUpdates {
        /** Keeps it. */
        void add(LoggedUpdate update) throws StorageException;
    }

    /** Passes on the last updates before the checkpoint, whose requests clients may still repeat. */
    public void recent(RecentUpdates target) throws StorageException {
        try {
            while (part.recent()) {
                for (LoggedUpdate update : part.updates()) {
                    target.add(update);
                }
                part = ask(first.token(), part.part() + 1);
            }
        } catch (MessageException e) {
            throw new StorageException("the last updates before the checkpoint of the leader cannot be read: "
                    + Reason.of(e), e);
        }
    }

    /** Returns the hashes. They come after {@link #recent the last updates}. */
    public HashSource source() throws StorageException {
        recent(_ -> {});
        HashSource opened = DumpSource.open("the checkpoint of the leader", new Parts());
        source = opened;
        return opened;
    }

    private Message.Part ask(long token, int part) throws StorageException {
        String failure = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                Message answer = Message.read(transport.ask(Message.write(new Message.Fetch(node, token, part))));
                if (answer instanceof Message.Part there && there.part() == part
                        && (token == 0 || there.token() == token)) {
                    received.add(there.bytes().length);
                    return there;
                }
                failure = answer instanceof Message.Refused refused
                        ? refused.reason()
                        : "the leader sent an unexpected answer";
                if (failure.contains("begin again")) {
                    break;
                }
            } catch (IOException | MessageException e) {
                failure = Reason.of(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException("interrupted while a checkpoint arrives", e);
            }
            LOG.debug("part {} of the checkpoint did not arrive: {}", part, failure);
            rest();
        }
        throw new StorageException("the leader gives no checkpoint: " + failure);
    }

    private void rest() throws StorageException {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while a checkpoint arrives", e);
        }
    }

    /** The parts one after another. */
    private final class Parts extends InputStream {
        private int at;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int count) throws IOException {
            while (at == part.bytes().length) {
                if (part.last()) {
                    return -1;
                }
                try {
                    part = ask(first.token(), part.part() + 1);
                } catch (StorageException e) {
                    throw new IOException(e.getMessage(), e);
                }
                at = 0;
            }
            int some = Math.min(count, part.bytes().length - at);
            System.arraycopy(part.bytes(), at, target, from, some);
            at += some;
            return some;
        }
    }

    @Override
    public void close() throws StorageException {
        HashSource open = source;
        if (open != null) {
            open.close();
        }
    }
}
