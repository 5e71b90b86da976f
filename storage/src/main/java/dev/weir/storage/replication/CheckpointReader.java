package dev.weir.storage.replication;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.dump.DumpSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A checkpoint of the leader at its follower. A lost part is asked for again. For one thread. */
public final class CheckpointReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointReader.class);
    private static final int ATTEMPTS = 20;

    private final Transport transport;
    private final long node;
    private final Duration pause;
    private final HashSource source;
    private final Message.Part first;
    private final LongAdder received = new LongAdder();

    private CheckpointReader(Transport transport, long node, Duration pause) throws StorageException {
        this.transport = transport;
        this.node = node;
        this.pause = pause;
        this.first = ask(0, 0);
        this.source = DumpSource.open("the checkpoint of the leader", new Parts());
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

    /** Returns the hashes. */
    public HashSource source() {
        return source;
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
        private Message.Part part = first;
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
        source.close();
    }
}
