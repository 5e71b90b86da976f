package dev.weir.storage.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link CheckpointLock} on a file in the folder of the store. Readers share the lock, a checkpoint has it alone. The
 * operating system releases it when a process ends.
 */
public final class CheckpointLockFile implements CheckpointLock {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointLockFile.class);
    private static final String NAME = "readers.lock";
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Path file;
    private @Nullable FileChannel held;

    private CheckpointLockFile(Path file) {
        this.file = file;
    }

    /**
     * Returns the lock for the storage that writes checkpoints into a folder, and creates its file if it is missing.
     *
     * @throws StorageException if the file cannot be created
     */
    public static CheckpointLockFile in(Path folder) throws StorageException {
        Path file = folder.resolve(NAME);
        try {
            OwnerOnly.create(file);
            return new CheckpointLockFile(file);
        } catch (IOException e) {
            throw new StorageException("cannot create " + file + ": " + Reason.of(e, file), e);
        }
    }

    /** Returns null if this process or another one holds a lock that excludes it. */
    private static @Nullable FileChannel lock(Path file, StandardOpenOption mode) throws IOException {
        FileChannel channel = FileChannel.open(file, mode);
        try {
            if (channel.tryLock(0, Long.MAX_VALUE, mode == StandardOpenOption.READ) != null) {
                return channel;
            }
        } catch (OverlappingFileLockException heldByThisProcess) {
            LOG.debug("this process has a lock on {} already", file);
        } catch (Throwable e) {
            try {
                channel.close();
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        channel.close();
        return null;
    }

    @Override
    public boolean tryLock() {
        try {
            held = lock(file, StandardOpenOption.WRITE);
            return held != null;
        } catch (IOException e) {
            // A checkpoint is more important than a reader, which will see that its checkpoint was replaced.
            LOG.warn("{} cannot be locked; a backup or export may fail meanwhile: {}", file, Reason.of(e, file));
            return true;
        }
    }

    @Override
    public void unlock() {
        FileChannel channel = held;
        held = null;
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("closing {} failed", file, e);
            }
        }
    }

    /**
     * Keeps checkpoints away from a store, which a storage may be using, until the result is closed. Waits for a
     * checkpoint that is being written.
     *
     * @throws StorageException if the file cannot be locked
     */
    static Closeable share(Path folder) throws StorageException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            // No storage has used this folder since it was copied.
            return () -> {};
        }
        long start = System.nanoTime();
        try {
            while (true) {
                FileChannel channel = lock(file, StandardOpenOption.READ);
                if (channel != null) {
                    return channel;
                }
                if (System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw new StorageException(
                            "the storage in " + folder + " has been writing checkpoints for minutes; try again later");
                }
                Thread.sleep(PAUSE);
            }
        } catch (IOException e) {
            throw new StorageException(file + " cannot be locked: " + Reason.of(e, file), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while waiting for a checkpoint", e);
        }
    }
}
