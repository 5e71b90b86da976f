package dev.weir.storage.replication;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.RecentPlace;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.dump.DumpWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of one checkpoint for one follower, in order: the last updates before it, whose requests clients may still
 * repeat, and then the hashes. A thread reads ahead by a few parts. Updates behind the checkpoint stay in the log
 * meanwhile.
 */
final class CheckpointStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointStream.class);
    private static final int PART_BYTES = 4 << 20;
    private static final int AHEAD = 3;

    /** The number of updates in a part, which has about a megabyte then. */
    private static final int UPDATES = 2_048;

    private final UpdateLog log;
    private final Checkpoint checkpoint;
    private final Feed feed;
    private final long token;
    private final long checksum;
    private final RecentPlace start;
    private final long hashes;
    private final LogClaim claim;
    private final LogClaim recent;
    private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(AHEAD);
    private final Thread reader;
    private volatile boolean closed;
    private volatile long usedNanos = System.nanoTime();
    private int next;
    private @Nullable Piece current;

    @SuppressWarnings("ArrayRecordComponent")
    private record Piece(byte[] bytes, boolean last, boolean recent, @Nullable String failure) {}

    /**
     * Begins to read.
     *
     * @param log the log with the updates before the checkpoint and behind it
     * @param checksum the running checksum up to the checkpoint
     * @param claim keeps the updates behind the checkpoint
     */
    CheckpointStream(UpdateLog log, Checkpoint checkpoint, Feed feed, long token, long checksum, LogClaim claim)
            throws StorageException {
        this.log = log;
        this.checkpoint = checkpoint;
        this.feed = feed;
        this.token = token;
        this.checksum = checksum;
        this.claim = claim;
        this.hashes = checkpoint.source().remaining(HashSource.START);
        this.start = RecentPlace.before(log, checkpoint.revision(), checksum);
        this.recent = log.claim(claim.name(), claim.retention(), start.revision());
        this.reader = Thread.ofPlatform().name("weir-checkpoint").daemon().start(this::read);
    }

    long token() {
        return token;
    }

    LogClaim claim() {
        return claim;
    }

    long revision() {
        return checkpoint.revision();
    }

    long checksum() {
        return checksum;
    }

    /** Returns the place after which the updates in the first parts begin. */
    RecentPlace start() {
        return start;
    }

    long hashes() {
        return hashes;
    }

    /** Returns the time since the follower last asked, in nanoseconds. */
    long idleNanos() {
        return System.nanoTime() - usedNanos;
    }

    /** A part with its number. */
    @SuppressWarnings("ArrayRecordComponent")
    record Bytes(byte[] bytes, boolean last, boolean recent) {}

    /**
     * Returns a part: the next one, or the last one again.
     *
     * @throws StorageException if the part is another one, or the checkpoint cannot be read
     */
    synchronized Bytes part(int number, long waitMillis) throws StorageException, InterruptedException {
        usedNanos = System.nanoTime();
        Piece piece = current;
        if (number == next) {
            piece = pieces.poll(waitMillis, TimeUnit.MILLISECONDS);
            if (piece == null) {
                throw new StorageException("the next part is not ready yet");
            }
            current = piece;
            next++;
        } else if (number != next - 1) {
            throw new StorageException("part " + number + " does not follow part " + (next - 1));
        }
        if (piece == null) {
            throw new StorageException("there is no part " + number);
        }
        if (piece.failure() != null) {
            throw new StorageException(piece.failure());
        }
        usedNanos = System.nanoTime();
        return new Bytes(piece.bytes(), piece.last(), piece.recent());
    }

    /** Collects bytes of a dump into parts. */
    private final class Parts extends OutputStream {
        private final byte[] buffer = new byte[PART_BYTES];
        private int length;

        @Override
        public void write(int value) throws IOException {
            write(new byte[]{(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            int done = 0;
            while (done < count) {
                if (length == buffer.length) {
                    put(new Piece(buffer.clone(), false, false, null));
                    length = 0;
                }
                int part = Math.min(count - done, buffer.length - length);
                System.arraycopy(bytes, from + done, buffer, length, part);
                length += part;
                done += part;
            }
        }

        void end() {
            put(new Piece(Arrays.copyOf(buffer, length), true, false, null));
        }
    }

    /** The end of reading because no follower asks for the rest. */
    private static final class ClosedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private void put(Piece piece) {
        try {
            while (!pieces.offer(piece, 50, TimeUnit.MILLISECONDS)) {
                if (closed) {
                    throw new ClosedException();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClosedException();
        }
    }

    private void read() {
        try (HashSource source = checkpoint.source()) {
            readRecent();
            Parts parts = new Parts();
            try (DumpWriter dump = DumpWriter.begin(parts, token, 0)) {
                source.read(HashSource.START, (_, hash) -> {
                    if (closed) {
                        throw new ClosedException();
                    }
                    StoredHash given = feed.apply(hash);
                    if (given != null) {
                        write(dump, given);
                    }
                }, new Omissions());
                dump.finish();
                parts.end();
            }
        } catch (ClosedException e) {
            LOG.debug("a checkpoint was not read to its end");
        } catch (StorageException | IOException | RuntimeException e) {
            LOG.warn("a checkpoint for a follower cannot be read: {}", Reason.of(e), e);
            fail(Reason.of(e));
        }
    }

    /** Reads the updates before the checkpoint whose requests clients may still repeat. */
    private void readRecent() throws IOException, StorageException {
        try (LogReader reader = log.reader(start.revision() + 1)) {
            while (reader.next() <= checkpoint.revision()) {
                long most = Math.min(UPDATES, checkpoint.revision() + 1 - reader.next());
                put(new Piece(Message.bytes(reader.read((int) most).stream().map(feed::apply).toList()), false, true,
                        null));
            }
        } finally {
            log.release(recent);
        }
    }

    private void fail(String message) {
        try {
            put(new Piece(new byte[0], true, false, message));
        } catch (ClosedException e) {
            LOG.debug("no thread waits for the failure");
        }
    }

    private static void write(DumpWriter dump, StoredHash hash) {
        try {
            dump.write(hash);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        while (reader.isAlive()) {
            try {
                reader.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
