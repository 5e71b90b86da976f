package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;

import dev.weir.os.OwnerOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of a folder with a log. Readers in any process share it, and the log has it alone for the moment in which it
 * takes a segment to write over it.
 *
 * <p>The operating system knows one lock for each process and file, and drops it when the process closes any channel of
 * the file. So the readers of this process share one channel.
 */
final class ReadersLock {
    private static final Logger LOG = LoggerFactory.getLogger(ReadersLock.class);
    private static final String NAME = "readers.lock";

    /** The folders that this process reads. Guards everything. */
    private static final Map<Path, Readers> SHARED = new HashMap<>();

    private ReadersLock() {}

    /** The readers of this process. */
    private static final class Readers {
        final FileChannel channel;
        int count = 1;

        Readers(FileChannel channel) {
            this.channel = channel;
        }
    }

    /** Returns the file to lock, which belongs to the owner of the folder, also if another user reads there first. */
    private static Path create(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            OwnerOnly.create(file);
            UserPrincipal owner = Files.getOwner(folder);
            if (!owner.equals(Files.getOwner(file))) {
                Files.setOwner(file, owner);
            }
        }
        return file;
    }

    /** Takes the lock together with other readers, until the result is closed. */
    static Closeable share(Path folder) throws IOException {
        Path real = folder.toRealPath();
        synchronized (SHARED) {
            Readers there = SHARED.get(real);
            if (there != null) {
                there.count++;
                return new Claim(real);
            }
            FileChannel channel;
            try {
                channel = FileChannel.open(create(real), StandardOpenOption.READ);
            } catch (FileSystemException e) {
                // No storage writes here, or one of another user, whose segments this process cannot read.
                LOG.debug("{} is read without a lock", real, e);
                return () -> {};
            }
            try {
                // Another process has it for some milliseconds at most.
                var _ = channel.lock(0, Long.MAX_VALUE, true);
            } catch (Throwable e) {
                try {
                    channel.close();
                } catch (IOException alsoFailed) {
                    e.addSuppressed(alsoFailed);
                }
                throw e;
            }
            SHARED.put(real, new Readers(channel));
            return new Claim(real);
        }
    }

    /** A claim of a reader. */
    private static final class Claim implements Closeable {
        private final Path folder;
        private boolean closed;

        Claim(Path folder) {
            this.folder = folder;
        }

        @Override
        public void close() throws IOException {
            synchronized (SHARED) {
                Readers readers = SHARED.get(folder);
                if (closed || readers == null) {
                    return;
                }
                closed = true;
                readers.count--;
                if (readers.count == 0) {
                    SHARED.remove(folder);
                    readers.channel.close();
                }
            }
        }
    }

    /** Runs an action with the lock. Returns false if a reader has it. */
    static boolean alone(Path folder, Disk.Action action) throws IOException {
        Path real = folder.toRealPath();
        synchronized (SHARED) {
            if (SHARED.containsKey(real)) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(create(real), StandardOpenOption.WRITE)) {
                if (channel.tryLock() == null) {
                    return false;
                }
                action.run();
                return true;
            }
        }
    }
}
