package dev.weir.storage.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashTarget.Item;
import dev.weir.storage.transfer.HashTarget.Written;
import org.jspecify.annotations.Nullable;

/**
 * A run that moves every hash of a source into a target. One thread reads and one writes, with a bounded queue of small
 * chunks between them. The target receives them in batches that it makes durable one by one.
 */
public final class Transfer {
    /** The number of hashes that pass from the reader to the writer together. */
    private static final int CHUNK = 1_000;

    /** The maximum number of waiting chunks, about 20 MB with complete signatures. */
    private static final int CHUNKS_WAITING = 32;

    /**
     * The number of hashes in a batch of the target. A killed run loses at most this much work. Each batch costs a sync
     * and, in SQLite, most pages of the digest index.
     */
    public static final int DEFAULT_BATCH = 50_000;

    /** A receiver of progress, called by the thread that runs the transfer. */
    public interface Progress {
        /** Reports the number of keys or rows so far while the source prepares. */
        void preparing(long done);

        /**
         * Reports progress after every batch, and from time to time within one.
         *
         * @param done number of hashes of this run so far
         * @param total approximate total of this run, or {@link HashSource#UNKNOWN}
         */
        void moving(long done, long total);

        /** Reports that all hashes are written and the target is being completed. */
        void finishing();
    }

    private record Chunk(List<Item> items, long read, boolean last, @Nullable Throwable failure) {}

    private final HashSource source;
    private final HashTarget target;
    private final Merge merge;
    private final Expiry expiry;
    private final boolean restart;
    private final int batch;
    private final Omissions omissions = new Omissions();
    private final AtomicLong read = new AtomicLong();
    private boolean sourceFailed;

    /** Prepares a transfer. The caller closes source and target. */
    public Transfer(HashSource source, HashTarget target, Merge merge, Expiry expiry, boolean restart) {
        this(source, target, merge, expiry, restart, DEFAULT_BATCH);
    }

    /**
     * Prepares a transfer with batches of another size. The caller closes source and target.
     *
     * @param batch the least number of hashes that the target receives together
     */
    public Transfer(HashSource source, HashTarget target, Merge merge, Expiry expiry, boolean restart, int batch) {
        this.source = source;
        this.target = target;
        this.merge = merge;
        this.expiry = expiry;
        this.restart = restart;
        this.batch = batch;
    }

    /** Returns whether a failed run failed to read the source rather than to write the target. */
    public boolean sourceFailed() {
        return sourceFailed;
    }

    /**
     * Runs the transfer.
     *
     * @throws StorageException if the source cannot be read or the target cannot be written; written hashes stay, and
     *         the same transfer resumes from there
     */
    public TransferReport run(Progress progress) throws StorageException {
        long begun = System.nanoTime();
        sourceFailed = true;
        source.prepare(progress::preparing);
        sourceFailed = false;
        long after = target
                .begin(new HashTarget.Plan(source.fingerprint(), source.remaining(HashSource.START), merge, restart));
        boolean doneBefore = after == HashTarget.DONE;
        Written written = Written.NONE;
        if (!doneBefore) {
            progress.moving(0, source.remaining(after));
            written = move(after, source.remaining(after), progress);
            progress.finishing();
            target.finish();
            source.done();
        }
        return new TransferReport(source.name(), target.name(), after != HashSource.START, doneBefore, read.get(),
                written, omissions.snapshot(), Duration.ofNanos(System.nanoTime() - begun));
    }

    private Written move(long after, long total, Progress progress) throws StorageException {
        BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(CHUNKS_WAITING);
        AtomicBoolean stopped = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().name("weir-transfer-reader").start(() -> readAll(after, chunks, stopped));
        try {
            Written written = Written.NONE;
            List<Item> waiting = new ArrayList<>();
            boolean more = true;
            while (more) {
                Chunk chunk = chunks.take();
                waiting.addAll(chunk.items());
                more = !chunk.last();
                if (waiting.size() >= batch || (!more && !waiting.isEmpty())) {
                    written = written.plus(target.write(waiting, omissions));
                    waiting.clear();
                }
                progress.moving(chunk.read(), total);
                sourceFailed = chunk.failure() != null;
                rethrow(chunk.failure());
            }
            return written;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("the transfer was interrupted; run it again to go on", e);
        } finally {
            stopped.set(true);
            join(reader, chunks);
        }
    }

    /** Waits for the reader, which must finish with the source before it is closed. */
    private static void join(Thread reader, BlockingQueue<Chunk> chunks) {
        boolean interrupted = Thread.interrupted();
        while (reader.isAlive()) {
            chunks.clear();
            try {
                reader.join(10);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(@Nullable Throwable failure) throws StorageException {
        switch (failure) {
            case null -> {
            }
            case StorageException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** The end of reading without an error of the source. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    // Any failure of the reader must reach the writer, which would otherwise wait forever.
    @SuppressWarnings("PMD.AvoidCatchingThrowable")
    private void readAll(long after, BlockingQueue<Chunk> chunks, AtomicBoolean stopped) {
        List<Item> items = new ArrayList<>(CHUNK);
        Throwable failure = null;
        try {
            source.read(after, (position, hash) -> {
                read.incrementAndGet();
                StoredHash taken = expiry.apply(hash, omissions);
                if (taken != null) {
                    items.add(new Item(position, taken));
                    if (items.size() == CHUNK) {
                        put(chunks, stopped, new Chunk(List.copyOf(items), read.get(), false, null));
                        items.clear();
                    }
                }
            }, omissions);
        } catch (StoppedException e) {
            return;
        } catch (Throwable e) {
            failure = e;
        }
        try {
            put(chunks, stopped, new Chunk(List.copyOf(items), read.get(), true, failure));
        } catch (StoppedException e) {
            return;
        }
    }

    private static void put(BlockingQueue<Chunk> chunks, AtomicBoolean stopped, Chunk chunk) {
        try {
            while (!chunks.offer(chunk, 50, TimeUnit.MILLISECONDS)) {
                if (stopped.get()) {
                    throw new StoppedException();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoppedException();
        }
    }
}
